"""D37: filings and statistics with period, vintage, unit and source.

https://github.com/dgunning/edgartools/issues/1180
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from data_sources.store.engine import close_current_store, current_store
from data_sources.store.observations import keep
from econ.observation import Observation, shares
from jobs import public_data
from price_tables.facts_load import load_hbm
from settings import Settings, using

MICRON = "0000723125"


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path)):
        yield
        close_current_store()


def test_microns_gross_margin_is_computed_from_both_inputs() -> None:
    found = {figure.end: (figure, part) for figure, part in
             public_data.margin(MICRON, "gross_margin")}  # fmt: skip
    figure, part = found[date(2026, 5, 28)]
    assert part.percent is not None
    assert round(part.percent, 1) == Decimal("84.6")
    assert (part.numerator, part.denominator) == (35_056_000_000, 41_456_000_000)
    assert (figure.start, figure.currency, figure.unit) == (date(2026, 2, 27), "USD", "USD")
    assert figure.vintage == date(2026, 6, 25)
    assert figure.link.startswith("https://")


def test_no_margin_is_stored_as_data() -> None:
    rows = public_data.observations_json(None, None, 10_000)["observations"]
    assert isinstance(rows, list)
    assert not any("margin" in row["series"] for row in rows)


def test_shares_of_101_say_so() -> None:
    found = shares(load_hbm().newest_share().by_maker())
    assert (found.total, found.rounding) == (101, True)


def test_a_month_with_two_vintages_is_shown_as_of_the_first_day() -> None:
    prints = [
        Observation(
            source="fred", series="MADEUP", entity="", start=date(2026, 6, 1),
            end=date(2026, 6, 30), vintage=vintage, value=Decimal(value), unit="percent",
            url="https://x", fetched_utc=datetime(2026, 11, 29, tzinfo=UTC),
        )
        for value, vintage in (("3.8", date(2026, 7, 15)), ("3.7", date(2026, 8, 15)))
    ]  # fmt: skip
    keep(current_store(), prints, repeats=False)
    (then,) = public_data.series("MADEUP", on=date(2026, 7, 15)).figures
    assert (then.value, then.vintage) == (Decimal("3.8"), date(2026, 7, 15))
    (now,) = public_data.series("MADEUP").figures
    assert (now.value, now.first, now.restated) == (Decimal("3.7"), Decimal("3.8"), True)
    (first,) = public_data.series("MADEUP", vintage="first").figures
    assert first.value == Decimal("3.8")
    assert public_data.series("MADEUP", on=date(2026, 7, 14)).figures == ()


def test_the_bundled_series_have_vintages_too() -> None:
    def july(on: date | None) -> Decimal | None:
        found = public_data.series("PCU334413334413", on=on).figures
        return next((one.value for one in found if one.end == date(2026, 7, 31)), None)

    assert july(None) == Decimal("29.058")
    assert july(date(2026, 9, 3)) == Decimal("28.987")
    assert july(date(2026, 9, 2)) is None
