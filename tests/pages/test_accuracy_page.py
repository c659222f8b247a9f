"""The Accuracy page: with and without the public rows, with results of the reader's own."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from data_sources.results import silicon
from jobs import accuracy
from messages.catalogue import LANGUAGES, t
from tests.data_sources.results.test_readers import VLLM
from tests.data_sources.results.test_silicon import made
from tests.pages.test_pages import asked, calm, opened, plain, words

START = "meta-llama/Llama-3.1-70B,h200_sxm,fp8,agg,1024,512"


@pytest.fixture
def _without_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where the package is not installed."""
    monkeypatch.setattr(accuracy, "installed_rows", lambda: None)


def uploaded(at: AppTest, key: str, name: str, content: bytes) -> AppTest:
    """The page after a file was given to the uploader of that key."""
    box = next(box for box in at.file_uploader if box.key == key)
    box.upload(name, content).run()
    return at


@pytest.mark.usefixtures("_without_rows")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shipped_errors_stand_without_the_rows(language: str) -> None:
    at = opened("accuracy", lang=language)
    assert plain(at.metric[0].value) == "15.2\u00a0%"
    shown = words(at)
    assert "1,039" in shown
    assert t(language, "accuracy_page.no_rows") in shown
    assert t(language, "ui.mark.published") in shown


@pytest.mark.usefixtures("_without_rows")
def test_every_section_has_its_answer() -> None:
    at = opened("accuracy", open_outside="true", open_article="true")
    shown = words(at) + "\n".join(box.label for box in at.expander)
    for part in (
        "A bare data sheet is 63",
        "GB200 (per GPU) is furthest off: 61\u00a0% over 18 rows",
        "TPOT is 13\u00a0% to 25\u00a0% off",
        "Why GB200 is so far off",
        "Beyond these ranges no band is given",
        "What an article rounds",
        "1.4 to 8.9 times its floor",
        "prefill and decode apart, without the requests at a time",
        "Your own results",
        "69.6 %",
    ):
        assert part in shown, part


@pytest.mark.usefixtures("_without_rows")
def test_metric_and_family_lie_in_the_address_and_nonsense_does_no_harm() -> None:
    at = opened("accuracy", metric="ttft", family="mla")
    assert plain(at.metric[0].value) == "45.3\u00a0%"
    assert (asked(at, "metric"), asked(at, "family")) == ("ttft", "mla")
    wild = opened("accuracy", metric="<b>", family="%00")
    assert plain(wild.metric[0].value) == "15.2\u00a0%"


@pytest.mark.usefixtures("_without_rows")
@pytest.mark.parametrize("language", LANGUAGES)
def test_with_prefill_apart_the_first_token_is_said_to_be_hard_to_foresee(language: str) -> None:
    at = opened("accuracy", metric="ttft", family="mla-disaggregated", lang=language)
    assert plain(at.metric[0].value) == "42.9\u00a0%"
    assert t(language, "accuracy_page.why_apart") in words(at)
    at = opened("accuracy", family="mla-disaggregated", lang=language)
    assert plain(at.metric[0].value) == "13.1\u00a0%"
    assert t(language, "accuracy_page.why_apart") not in words(at)


def test_installed_rows_are_drawn_beside_their_estimates() -> None:
    if silicon.installed() is None:
        pytest.skip(f"{silicon.PACKAGE} is not installed: its rows are not shipped")
    assert "1,039 measured times beside their estimates" in words(opened("accuracy"))


@pytest.mark.usefixtures("_without_rows")
def test_brought_rows_give_errors_of_their_own() -> None:
    rows = made(*(f"{START},{n},2,,,,,{200 + 20 * n},{12 + n}" for n in range(1, 9)))
    at = uploaded(opened("accuracy"), "silicon_file", "silicon_sample.csv", rows)
    calm(at)
    shown = words(at)
    assert t("en", "accuracy_page.why_gb200") not in shown
    assert "8 measured times beside their estimates" in shown
    assert "the errors are of the other rows at hand" in shown
    assert at.metric[0].label.startswith("Mean error of TPOT on the rows of the fit")


@pytest.mark.usefixtures("_without_rows")
def test_brought_rows_without_the_chosen_family_say_so() -> None:
    rows = made(*(f"{START},{n},2,,,,,{200 + 20 * n},{12 + n}" for n in range(1, 9)))
    at = uploaded(opened("accuracy", family="moe"), "silicon_file", "silicon_sample.csv", rows)
    calm(at)
    assert t("en", "accuracy_page.no_such_rows") in words(at)


@pytest.mark.usefixtures("_without_rows")
def test_another_file_is_refused_in_one_sentence() -> None:
    at = uploaded(opened("accuracy"), "silicon_file", "usage.csv", b"a,b\n1,2\n")
    assert ["usage" in plain(box.value) for box in at.error] == [True]
    at = uploaded(opened("accuracy"), "own_results", "notes.json", b"{}")
    assert ["vllm bench serve" in plain(box.value) for box in at.error] == [True]


@pytest.mark.usefixtures("_without_rows")
@pytest.mark.parametrize("language", LANGUAGES)
def test_own_results_stand_beside_the_estimate(language: str) -> None:
    at = opened("accuracy", lang=language)
    uploaded(at, "own_results", "run.json", json.dumps(VLLM).encode())
    calm(at)
    chosen = {box.key: box.value for box in at.selectbox}
    assert chosen["own_model"] == "llama-3.1-70b"
    next(box for box in at.selectbox if box.key == "own_device").select("h200-sxm").run()
    next(box for box in at.selectbox if box.key == "own_dtype").select("fp8").run()
    calm(at)
    assert t(language, "accuracy_page.own_inside", inside="2", n="2") in words(at)
    frame = at.dataframe[-1].value
    measured = [str(cell).split(" (")[0] for cell in frame[t(language, "accuracy_page.measured")]]
    assert [cell[:3] for cell in measured] == ["21.", "260"]


@pytest.mark.usefixtures("_without_rows")
def test_a_device_that_nobody_tried_gets_no_band() -> None:
    at = uploaded(opened("accuracy"), "own_results", "run.json", json.dumps(VLLM).encode())
    next(box for box in at.selectbox if box.key == "own_device").select("a100-80-sxm").run()
    calm(at)
    shown = words(at)
    assert t("en", "accuracy_page.own_no_band", inside="0", n="0") in shown
    assert "Outside the validated range: device" in shown


@pytest.mark.usefixtures("_without_rows")
def test_a_run_without_a_limit_is_asked_for_its_requests_at_a_time() -> None:
    run = json.dumps({**VLLM, "max_concurrency": None}).encode()
    at = uploaded(opened("accuracy"), "own_results", "run.json", run)
    calm(at)
    assert [box.key for box in at.number_input] == ["own_requests"]
