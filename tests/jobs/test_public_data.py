"""Public figures for pages: fetched ones first, the snapshot's where nobody fetched."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from data_sources.public import sec
from data_sources.store.engine import close_current_store, current_store
from data_sources.store.observations import keep
from jobs import public_data
from messages.errors import NotFoundError
from settings import Settings, using
from tests.data_sources.public.bodies import companyfacts, fact, zipped


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path)):
        yield
        close_current_store()


def test_gross_profit_that_nobody_files_is_revenue_less_cost_and_marked() -> None:
    rows = {
        "Revenues": [fact("2026-01-01", "2026-03-31", 100, "2026-05-01"),
                     fact("2026-04-01", "2026-06-30", 120, "2026-08-01")],
        "CostOfRevenue": [fact("2026-01-01", "2026-03-31", 40, "2026-05-01")],
    }  # fmt: skip
    keep(current_store(), sec.read_facts(companyfacts(rows)), repeats=True)
    (found,) = public_data.filings("0000000007", "gross_profit")
    assert (found.value, found.first, found.derived) == (60, 60, "revenue_less_cost")
    assert found.note == "Revenues, CostOfRevenue"


def test_every_bundled_company_has_figures_without_network() -> None:
    for company in public_data.companies():
        spans = ("quarter", "year")
        metrics = ("revenue", *(f"words:{keyword}" for keyword in public_data.KEYWORDS))
        found = [public_data.filings(company.id, m, span=s) for m in metrics for s in spans]
        assert any(found), company.name


def test_every_bundled_series_has_figures_by_period() -> None:
    for info in public_data.series_list():
        found = public_data.series(info.id).figures
        assert found, info.id
        assert [f.end for f in found] == sorted(f.end for f in found)
        assert {f.origin for f in found} == {"snapshot"}


def test_an_unknown_series_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        public_data.series("NOSUCH")


def test_restated_quarters_show_both_values() -> None:
    rows = [fact("2026-01-01", "2026-03-31", 100, "2026-05-01"),
            fact("2026-01-01", "2026-03-31", 90, "2027-05-01")]  # fmt: skip
    keep(current_store(), sec.read_facts(companyfacts({"Revenues": rows})), repeats=True)
    (found,) = public_data.filings("0000000007", "revenue")
    assert (found.value, found.first, found.restated) == (90, 100, True)


def test_figures_per_share_are_no_revenue() -> None:
    rows = [fact("2026-01-01", "2026-03-31", 1, "2026-05-01")]
    found = sec.read_facts(companyfacts({"Revenues": rows}, unit="USD/shares"))
    keep(current_store(), found, repeats=True)
    assert public_data.filings("0000000007", "revenue") == ()


def test_moments_and_halves_have_their_own_spans() -> None:
    stock = public_data.filings("0001045810", "inventory", span="instant")
    assert stock[-1].start is None
    halves = public_data.filings("E35948", "revenue", span="half")
    assert [h.end for h in halves] == [date(2025, 9, 30)]


def test_words_are_counted_in_an_uploaded_zip() -> None:
    content = zipped({"XBRL/PublicDoc/a_ixbrl.htm": "<p>ＧＰＵで推論する。</p>".encode()})
    found = {one.keyword: one for one in public_data.count_words(content, "a.zip")}
    assert found["GPU"].count == 1
    assert found["推論"].matches[0].sentence == "GPUで推論する。"
    (own,) = public_data.count_words("猫と犬と猫".encode(), "a.txt", {"猫": ("猫",)})
    assert own.count == 2
