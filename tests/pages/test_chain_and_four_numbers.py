"""The Chain and Four numbers pages: links, directions, steps, what is only reported."""

from __future__ import annotations

import html
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from econ.market_dates import next_report_due
from jobs import market_facts
from messages.catalogue import t
from tests.pages.test_market_page import tables
from tests.pages.test_pages import dropped, opened, plain, words

UNTIMED = "input_tokens,output_tokens,model\n1000,10,claude-opus-5\n2000,20,claude-opus-5\n"


CHAIN = ("makers_part", "changes", "stands")
FOUR = ("read_table", "supply_history", "cpx_history", "words_history", "read_history", "also")


def chained(**query: str) -> AppTest:
    """Chain with every section open."""
    return opened("chain", **{f"open_{name}": "true" for name in CHAIN}, **query)


def watched(**query: str) -> AppTest:
    """Four numbers with every section open."""
    return opened("four_numbers", **{f"open_{name}": "true" for name in FOUR}, **query)


@pytest.mark.parametrize(("page", "name"), [("chain", "changes"), ("four_numbers", "also")])
def test_the_address_of_a_section_opens_it_alone(page: str, name: str) -> None:
    at = opened(page, **{f"open_{name}": "true"})
    assert [box.proto.expanded for box in at.expander].count(True) == 1


def test_the_chain_keeps_keys_and_values_as_the_scenario_does() -> None:
    at = chained()
    assert plain(at.metric[0].value).startswith("$0.1")
    assert "keys and values FP8" in plain(words(at))
    assert "bf16" not in plain(words(at))
    assert "nothing to change" in tables(at)


def test_the_chain_runs_from_tokens_to_makers_with_a_band() -> None:
    at = chained(hw_kv="bf16")
    assert at.metric[0].label.startswith("HBM for this workload")
    assert plain(at.metric[0].value).startswith("$0.2")
    assert "range $0.1" in plain(words(at))
    shown = tables(at)
    for word in ("tokens × bytes a token", "USD a GB / (years × 8,766 h)", "shares add to 101 %"):
        assert word in shown
    assert "79.3 tn KRW" in shown
    assert "41,456 M USD" in shown


def test_what_each_change_does_is_computed_and_has_a_direction() -> None:
    shown = tables(chained(hw_kv="bf16"))
    assert "0.281 ×" in shown
    assert "0.5 ×" in shown
    assert "nothing to change" in shown
    assert "▼ sells less for it" in shown
    assert "▲ more to pay for" in shown
    assert "no direct effect" in shown


def test_training_is_an_assumption_that_the_reader_sets() -> None:
    half, none = (words(chained(chain_training=share)) for share in ("50", "0"))
    assert "training at 50\N{NO-BREAK SPACE}% of all is an assumption" in half
    assert "training at 0\N{NO-BREAK SPACE}% of all" in none


def test_memory_without_a_price_ends_the_chain_at_gb_hours() -> None:
    at = chained(hw_device="rtx-pro-6000-server")
    assert "GB-hours" in plain(at.metric[0].value)
    assert "GDDR7 has no usable public price" in plain(words(at))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_file_without_lengths_is_answered_in_a_sentence(language: str) -> None:
    at = dropped(opened("workload", lang=language), "usage.csv", UNTIMED)
    at.switch_page("../pages/chain.py").run()
    assert not at.exception
    assert t(language, "less_kv.no_lengths") in [box.value for box in at.info]


def test_the_four_numbers_have_day_last_change_and_next_day() -> None:
    at = watched()
    shown = plain(words(at))
    assert shown.count("As of:") == 4
    assert shown.count("Last change:") == 4
    assert shown.count("Next date:") == 4
    assert "reported, not confirmed" in shown
    dated = {
        "SK hynix": market_facts.next_results("skhynix"),
        "annual reports": next_report_due(date(2026, 3, 31), market_facts.today()),
    }
    for name, found in dated.items():
        assert found is not None
        assert any(f"{found}" in line and name in line for line in shown.splitlines())


def test_each_number_shows_what_happened_so_far_with_day_and_source() -> None:
    shown = tables(watched())
    for event in market_facts.watched().events:
        assert (html.escape(t("en", f"watch.event.{event.id}")) in shown) is (
            event.kind == "happened"
        )


def test_claims_of_an_article_alone_are_marked_so() -> None:
    shown = tables(watched())
    assert "about 10" in shown
    assert "more than 1 bn USD" in shown
    assert "printed in the article alone" in shown


def test_hybrids_are_listed_with_their_ratio_and_no_quality_is_claimed() -> None:
    at = watched()
    assert "2.86" in tables(at)
    assert "not measured here" in plain(words(at))


@pytest.mark.parametrize("who", ["all", "nobody"])
def test_the_makers_in_the_chart_are_a_choice(who: str) -> None:
    at = watched(watch_who=who)
    assert ("DeepSeek" in tables(at)) is (who == "all")
