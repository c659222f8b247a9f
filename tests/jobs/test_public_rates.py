"""Money in dollars at the average of its period, or not at all; gross profit that is not filed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from data_sources.store.engine import close_current_store, current_store
from data_sources.store.observations import keep
from econ.observation import Observation
from jobs import public_data
from jobs.public_rates import in_usd, period_rate
from settings import Settings, using
from tests.data_sources.public.bodies import companyfacts, fact

APRIL, JUNE = date(2026, 4, 1), date(2026, 6, 30)


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path)):
        yield
        close_current_store()


def quotes(values: dict[date, str | None]) -> None:
    found = [
        Observation(
            source="fred", series="DEXKOUS", entity="", start=day, end=day,
            vintage=date(2026, 8, 1), value=None if value is None else Decimal(value),
            marker="." if value is None else "", unit="KRW per 1 USD", url="https://x",
            fetched_utc=datetime(2026, 11, 29, tzinfo=UTC),
        )
        for day, value in values.items()
    ]  # fmt: skip
    keep(current_store(), found, repeats=False)


def test_the_average_is_of_the_quotes_inside_the_period_and_holidays_do_not_count() -> None:
    days = [APRIL + timedelta(days=at) for at in range(91)]
    quotes({day: None if day.weekday() > 4 else "1500" for day in days})
    quotes({APRIL - timedelta(days=1): "9999", JUNE + timedelta(days=1): "9999"})
    rate = period_rate("KRW", APRIL, JUNE)
    assert rate is not None
    assert rate.days == sum(day.weekday() < 5 for day in days)
    assert (rate.first, rate.last, rate.coverage) == (APRIL, JUNE, "whole")
    # 2026-06-26 is bundled too, with another value; what was fetched is newer and wins
    assert rate.units_per_usd == 1500


def test_one_bundled_quote_is_a_part_of_a_quarter_and_says_so() -> None:
    (revenue,) = [f for f in public_data.filings("skhynix", "revenue") if f.end == JUNE]
    converted = in_usd(revenue)
    assert converted is not None
    value, rate = converted
    assert rate is not None
    assert (rate.days, rate.coverage, rate.origin) == (1, "part", "snapshot")
    assert value == Decimal(79_300_000_000_000) / Decimal("1533.44")


def test_dollars_stay_and_unknown_rates_give_nothing() -> None:
    (micron,) = [
        f for f in public_data.filings("0000723125", "revenue") if f.end == date(2026, 5, 28)
    ]
    assert in_usd(micron) == (Decimal(41_456_000_000), None)
    assert period_rate("EUR", APRIL, JUNE) is None
    assert period_rate("JPY", date(2020, 1, 1), date(2020, 3, 31)) is None
    words = public_data.filings("E05480", "words:データセンター", span="year")
    assert [f.value for f in words] == [92]
    assert in_usd(words[0]) is None


def test_gross_profit_that_nobody_files_is_revenue_less_cost_and_marked() -> None:
    from data_sources.public import sec

    rows = {
        "Revenues": [fact("2026-01-01", "2026-03-31", 100, "2026-05-01"),
                     fact("2026-04-01", "2026-06-30", 120, "2026-08-01")],
        "CostOfRevenue": [fact("2026-01-01", "2026-03-31", 40, "2026-05-01")],
    }  # fmt: skip
    keep(current_store(), sec.read_facts(companyfacts(rows)), repeats=True)
    (found,) = public_data.filings("0000000007", "gross_profit")
    assert (found.value, found.first, found.derived) == (60, 60, "revenue_less_cost")
    assert found.note == "Revenues, CostOfRevenue"
