"""The API costs page: who loses under which choice, and that its settings live in the URL."""

from __future__ import annotations

import pytest

from tests.pages.test_pages import calm, dropped, opened, plain, words

D19 = (
    "start_s,start_utc,shared_prefix_tokens,fresh_tokens,output_tokens\n"
    "0,2026-11-01T00:00:00Z,20000,500,500\n"
    "200,2026-11-01T00:03:20Z,20000,500,500\n"
    "900,2026-11-01T00:15:00Z,20000,500,500\n"
)


def with_trace(**query: str) -> object:
    """The page after the trace of D19 was dropped on the Workload page."""
    at = dropped(opened("workload", **query), "trace.csv", D19)
    calm(at)
    at.switch_page("../pages/api_costs.py").run()
    calm(at)
    return at


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("lifetime", ["short", "long", "automatic", "mixed", "none"])
def test_the_example_is_shown_under_every_lifetime(language: str, lifetime: str) -> None:
    at = opened("api_costs", lang=language, lifetime=lifetime)
    calm(at)
    assert len(at.dataframe) >= 2


def test_a_link_opens_with_its_switches_and_nonsense_counts_as_not_said() -> None:
    at = opened("api_costs", lifetime="long", placement="every", costmode="nonsense")
    chosen = {control.key: control.value for control in at.button_group}
    assert chosen["lifetime"] == "long"
    assert chosen["placement"] == "every"
    assert chosen["costmode"] == "standard"


def test_writing_at_the_end_of_every_prompt_loses_and_the_page_says_on_which_models() -> None:
    at = with_trace(placement="end")
    said = plain(words(at))
    assert "Caching loses money on" in said
    assert "claude-opus-5" in said


def test_the_table_has_every_model_cheapest_first() -> None:
    at = with_trace()
    frame = next(t.value for t in at.dataframe if len(t.value) > 200)
    totals = frame["Total"].tolist()
    assert totals == sorted(totals)
    opus = frame[(frame["Model"] == "claude-opus-5") & (frame["Provider"] == "anthropic")]
    assert opus["Total"].tolist() == [0.305]
    sol = frame[(frame["Model"] == "gpt-5.6-sol") & (frame["Provider"] == "openai")]
    assert sol["Total"].tolist() == [0.152]
    pro = frame[(frame["Model"] == "gemini-3.1-pro-preview") & (frame["Provider"] == "google")]
    assert (pro["At best"].tolist(), pro["Total"].tolist()) == ([0.069], [0.141])


def test_the_page_opens_with_the_cheapest_model_and_what_the_file_ran_on() -> None:
    said = plain(words(opened("api_costs", chart="gpt-5.6-sol,gpt-5.6-luna")))
    assert "The cheapest of these 3 models is gpt-5.6-luna: $" in said  # with the file's own one
    assert "On claude-opus-5, which this file spent most on, all of it would cost $" in said
    assert "Caching saves $" in said


def test_a_file_that_names_no_model_is_said_to_be_priced_as_one() -> None:
    said = plain(words(with_trace()))
    assert "the model it is priced as here, it costs $0.31" in said


def test_prices_are_linked_and_each_result_is_a_plain_word() -> None:
    at = with_trace()
    frame = next(t.value for t in at.dataframe if len(t.value) > 200)
    assert frame["Price source"].str.startswith("https://").all()
    assert set(frame["Result"]) <= {
        "no caching", "▼ loses", "saves", "saves at best", "saves or loses", "no difference",
    }  # fmt: skip


def test_a_batch_is_cheaper_and_its_hits_are_a_range() -> None:
    at = with_trace(costmode="batch")
    frame = next(t.value for t in at.dataframe if len(t.value) > 50)
    opus = frame[(frame["Model"] == "claude-opus-5") & (frame["Provider"] == "anthropic")]
    assert opus["At best"].iloc[0] < opus["Total"].iloc[0]


def test_the_caveats_are_on_the_page() -> None:
    said = words(opened("api_costs"))
    assert "Equal tokens are not equal answers" in said
    assert "tokenizer" in said


def test_other_levers_stand_beside_caching_with_signed_savings() -> None:
    at = with_trace()
    frame = next(t.value for t in at.dataframe if "Lever" in t.value.columns)
    assert frame["Lever"].tolist() == ["caching alone", "batch", "claude-sonnet-5"]
    assert frame["Without caching"].tolist() == [0.345, 0.1725, 0.138]
    assert frame["Saving without caching"].tolist() == [0.0, 0.1725, 0.207]
    assert "quality is not compared" in words(at)


def test_every_assumption_is_listed_with_its_ends_or_why_it_does_not_move() -> None:
    at = with_trace()
    frame = next(t.value for t in at.dataframe if "Assumption" in t.value.columns)
    by_name = frame.set_index("Assumption")
    assert by_name.loc["placement", "Effect there, USD"] == "+$0.12"
    assert by_name.loc["response time", "Not moved because"] != ""


def test_the_chart_shows_the_models_that_the_link_names() -> None:
    at = opened("api_costs", chart="gpt-5.6-luna,nonsense")
    calm(at)
    assert at.multiselect[0].value == ["gpt-5.6-luna"]


def test_a_tokenizer_factor_of_the_link_scales_other_models_and_is_said() -> None:
    at = with_trace(tok="openai:1.5,nonsense:2,google:zero")
    frame = next(t.value for t in at.dataframe if len(t.value) > 200)
    sol = frame[(frame["Model"] == "gpt-5.6-sol") & (frame["Provider"] == "openai")]
    assert sol["Total"].tolist() == [pytest.approx(0.152 * 1.5)]
    opus = frame[(frame["Model"] == "claude-opus-5") & (frame["Provider"] == "anthropic")]
    assert opus["Total"].tolist() == [0.305]
    assert "times the factors set above" in words(at)
