"""Own hardware on the Reports page: what was looked at is kept, with the numbers of its page."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from jobs import flows
from jobs.own_gather import of_files
from jobs.own_report import OwnChoice
from jobs.shelf import example
from messages.catalogue import LANGUAGES, t
from tests.pages.test_own_hardware_page import ROWS
from tests.pages.test_pages import asked, calm, dropped, opened, plain, words

SMALL = {"hw_model": "llama-3.1-8b", "hw_device": "h100-sxm", "hw_tp": "1"}


def turned_to(at: AppTest, page: str) -> AppTest:
    """Another page in the same browser session."""
    at.switch_page(f"../pages/{page}.py").run()
    calm(at)
    return at


def saved(at: AppTest) -> str:
    """Press Save; the id of the report that is then shown."""
    (button,) = [button for button in at.button if button.key == "save_report"]
    button.click().run()
    calm(at)
    return asked(at, "report")


def links(at: AppTest) -> dict[str, str]:
    """Sentence -> query of the links to a page that are no names of pages."""
    found = {link.proto.label: link.proto.query_string for link in at.get("page_link")}
    return {label: query for label, query in found.items() if label.endswith((".", "。"))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reader_who_never_opened_own_hardware_reads_one_line_that_leads_there(
    language: str,
) -> None:
    at = opened("reports", lang=language)
    assert links(at) == {t(language, "own_report.opens"): ""}
    assert t(language, "own_report.heading") not in plain(words(at))


@pytest.mark.parametrize(
    ("address", "words_of"),
    [({"hw_device": "h100-sxm", "hw_tp": "4"}, "opens_with"),
     ({"less_kv_model": "deepseek-v3"}, "opens_less_with")],
)  # fmt: skip
def test_what_the_address_says_of_a_fleet_goes_along(
    address: dict[str, str], words_of: str
) -> None:
    ((label, query),) = links(opened("reports", **address)).items()
    assert label == t("en", f"own_report.{words_of}")
    for name, value in address.items():
        assert f"{name}={value}" in query


def test_what_was_not_looked_at_is_not_saved() -> None:
    at = opened("reports")
    assert flows.open_report(saved(at)).report.own is None
    assert t("en", "own_report.not_seen") in plain(words(at))


def test_a_saved_report_holds_the_numbers_that_the_page_shows() -> None:
    language = "en"  # a change of page in this test loses the language of the address
    at = opened("own_hardware")
    hero, shown = at.metric[0].value, plain(words(at))
    turned_to(at, "reports")
    metrics = {plain(m.label): plain(m.value) for m in at.metric}
    assert metrics[t(language, "own_report.sequences")] == hero
    report_id = saved(at)
    metrics = {plain(m.label): plain(m.value) for m in at.metric}
    assert metrics[t(language, "own_report.sequences")] == hero
    own = flows.open_report(report_id).report.own
    assert own is not None
    assert own.missing == ()
    ttft, _ = metrics[t(language, "own_report.latency", level="95")].split(" · ")
    assert ttft in shown.replace("\u2060", "")
    assert len(own.api_rows) > 100
    here = own.load or 0.0
    dearer = sum(float(row.point.utilisation_ratio) < here for row in own.api_rows)
    assert f"{dearer}" in shown
    assert "own_report." not in plain(words(at))


def test_what_was_chosen_on_the_page_is_what_the_report_holds() -> None:
    at = dropped(opened("workload"), "trace.jsonl", ROWS)
    for name, value in {**SMALL, "hour_row": "on_demand_high"}.items():
        at.query_params[name] = value
    turned_to(at, "own_hardware")
    turned_to(at, "reports")
    own = flows.open_report(saved(at)).report.own
    assert own is not None
    assert (own.choice["fleet.model"], own.choice["fleet.device"]) == ("llama-3.1-8b", "h100-sxm")
    assert own.choice["less_kv.model"] == "llama-3.1-8b"
    assert own.rate is not None


def test_the_page_and_the_shell_make_the_same_part() -> None:
    from data_sources.traces.base import ReadResult
    from jobs.fleet_flows import EXAMPLE_FLEET

    at = turned_to(opened("own_hardware"), "reports")
    kept = flows.open_report(saved(at)).report
    found = example()
    result = ReadResult(workload=found.workload, receipt=found.receipt)
    made = of_files(result, OwnChoice(fleet=EXAMPLE_FLEET))
    assert kept.own is not None
    assert made.rate == kept.own.rate
    assert made.lines == kept.own.lines
    assert sorted(map(str, made.apis)) == sorted(map(str, kept.own.apis))
    assert made.choice == kept.own.choice


def test_less_kv_alone_is_kept_alone() -> None:
    at = turned_to(opened("less_kv"), "reports")
    own = flows.open_report(saved(at)).report.own
    assert own is not None
    assert own.section("less_kv")
    assert own.section("hbm")
    assert own.section("memory") == ()
    assert own.rate is None
