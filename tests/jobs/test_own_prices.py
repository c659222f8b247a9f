"""Own prices in force: of the setting, of a session, in a job; in figures, ids and the check."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import settings
from econ.report import ReportParams
from jobs import flows, own_prices, price_flows, price_history
from jobs.runner import carried
from messages.errors import DataError
from settings import Settings, using
from tests.price_tables.test_own import OWN_FILE

OWN_TEXT = OWN_FILE.decode().replace("valid_from: 2026-11-01", "valid_from: null")


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(OWN_TEXT, encoding="utf-8")
    return path


def example() -> tuple[str, str, Decimal]:
    report = flows.report(flows.example_id(), ReportParams(), "ann")
    assert report.baselines.no_cache is not None
    return report.report_id, report.price_book_version, report.baselines.no_cache.low_usd


def test_the_example_costs_what_its_owner_pays_and_says_so() -> None:
    id_before, version, before = example()
    with own_prices.using(OWN_TEXT):
        id_own, version_own, own = example()
    assert own < before
    assert id_own != id_before
    assert version_own == f"{version}-own-{own_prices_digest()}"
    assert example() == (id_before, version, before)


def own_prices_digest() -> str:
    with own_prices.using(OWN_TEXT):
        current = own_prices.current()
    assert current is not None
    return current.digest


def test_every_row_that_is_theirs_is_marked() -> None:
    with own_prices.using(OWN_TEXT):
        report = flows.report(flows.example_id(), ReportParams(), "ann")
        rows = price_flows.price_table_rows(text="opus-5", provider="anthropic")
    assert {s.source for s in report.figures["no_cache"].sources} >= {"own"}
    assert [row.source for row in rows if row.model == "claude-opus-5"] == ["own"]


def test_the_same_price_entered_by_its_owner_is_another_report() -> None:
    same = OWN_TEXT.replace(
        "{uncached: 4, read: 0.4, write_5m: 5, write_1h: 8, output: 20}",
        "{uncached: 5, read: 0.5, write_5m: 6.25, write_1h: 10, output: 25}",
    )
    before = example()
    with own_prices.using(same):
        own = example()
    assert own[2] == before[2]
    assert own[0] != before[0]


def test_discount_and_tax_stand_beside_the_list_price() -> None:
    with own_prices.using("format: 1\nadjustments:\n  anthropic: "
                          "{discount_ratio: 0.1, tax_ratio: 0.1}\n"):  # fmt: skip
        figures = example()
        (row,) = flows.report(flows.example_id(), ReportParams(), "ann").adjusted
    assert figures[2] == example()[2]
    paid, listed = row.net.low_usd, row.list_price.low_usd
    assert abs(paid - listed * Decimal("0.99")) < Decimal("1e-12")
    assert flows.report(flows.example_id(), ReportParams(), "ann").adjusted == ()


def test_the_file_of_the_setting_counts_and_a_session_comes_first(own_file: Path) -> None:
    with using(Settings(price_overrides=own_file)):
        first = own_prices.current()
        assert first is not None
        assert first.name == "mine.yaml"
        with own_prices.using("format: 1\nadjustments: {openai: {}}\n"):
            assert "openai" in own_prices.adjustments()
        own_file.write_text(OWN_TEXT.replace("uncached: 4", "uncached: 3"), encoding="utf-8")
        changed = own_prices.current()
    assert changed is not None
    assert changed.digest != first.digest
    assert own_prices.current() is None


def test_a_job_takes_the_sessions_prices_along() -> None:
    assert carried({"a": 1}) == {"a": 1}
    with own_prices.using("text"):
        assert carried({"a": 1}) == {"a": 1, "own_prices": "text"}


def test_a_broken_file_is_refused_and_the_check_lists_every_fault(own_file: Path) -> None:
    own_file.write_text("format: 1\nadjustments: {foo: {}}\nprices: {bar: []}\n", encoding="utf-8")
    with using(Settings(price_overrides=own_file)):
        with pytest.raises(DataError):
            own_prices.book()
        checked = price_flows.prices_check()
    assert len(checked["own"]["errors"]) == 2
    assert checked["changes_ahead"]


def test_the_check_shows_age_adjustments_and_the_day_on_which_own_prices_end(
    own_file: Path,
) -> None:
    with using(settings.current().model_copy(update={"price_overrides": own_file})):
        checked = price_flows.prices_check()
    own = checked["own"]
    assert (own["file"], own["models"], own["oldest_as_of"]) == ("mine.yaml", 2, "2026-10")
    assert own["adjustments"]["anthropic"] == {"discount_ratio": "0.1", "tax_ratio": "0.08"}
    assert any(
        change["model"] == "claude-opus-5" and change["from"] == "2026-12-01"
        for change in checked["changes_ahead"]
    )
    assert price_flows.prices_check()["own"] is None


def test_the_history_lists_own_and_listed_rows_and_what_was_called_off() -> None:
    with own_prices.using(OWN_TEXT):
        rows = price_history.history_rows("anthropic", "claude-opus-5")
    assert {row.source == "own" for row in rows if row.model == "claude-opus-5"} == {True, False}
    assert all(row.model for row in price_history.withdrawn("anthropic"))
    assert price_history.withdrawn("openai") == []
    steps = price_history.multiplier_steps()
    lowest = [step for step in steps if step.provider == "anthropic"][-1]
    assert lowest.row.multiplier == Decimal("0.025")
