"""Hours with other prices (DeepSeek)."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pytest

from price_tables.book import PeakSchedule, RateCard, Segment
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card
from price_tables.peak import is_peak, peak_assumption, peak_prices


def segment(model: str, at: str) -> Segment:
    card = rate_card(load_book(), model=model)
    assert isinstance(card, RateCard)
    found = price_at(card, datetime.fromisoformat(at), 1)
    assert isinstance(found, Segment)
    return found


def schedule() -> PeakSchedule:
    peak = segment("deepseek-flash", "2026-11-27T02:00:00+00:00").peak
    assert peak is not None
    return peak


@pytest.mark.parametrize(
    ("at", "peak"),
    [
        ("2026-11-27T00:59:59+00:00", False),
        ("2026-11-27T01:00:00+00:00", True),
        ("2026-11-27T03:59:59+00:00", True),
        ("2026-11-27T04:00:00+00:00", False),
        ("2026-11-27T06:00:00+00:00", True),
        ("2026-11-27T09:59:59.999999+00:00", True),
        ("2026-11-27T10:00:00+00:00", False),
        ("2026-11-27T09:00:00+08:00", True),
        ("2026-11-28T02:00:00+00:00", False),  # Saturday
        ("2026-11-29T02:00:00+00:00", False),  # Sunday
        ("2026-10-07T02:00:00+00:00", False),  # holiday, a Wednesday
        ("2026-10-08T02:00:00+00:00", True),
        ("2026-09-30T02:00:00+00:00", True),
    ],
)
def test_peak_is_on_working_days_inside_the_hours(at: str, peak: bool) -> None:
    assert is_peak(schedule(), datetime.fromisoformat(at)) is peak


def test_peak_doubles_all_three_prices() -> None:
    found = segment("deepseek-flash", "2026-11-27T02:00:00+00:00")
    assert found.usd_per_mtok["uncached"] == Decimal("0.15")
    doubled = peak_prices(found)
    assert [doubled[name] for name in ("uncached", "read", "output")] == [
        Decimal("0.30"),
        Decimal("0.006"),
        Decimal("1.2"),
    ]


def test_after_the_last_known_holiday_the_assumption_is_said() -> None:
    assert peak_assumption(schedule(), datetime.fromisoformat("2026-12-31T02:00:00+00:00")) is None
    later = peak_assumption(schedule(), datetime.fromisoformat("2027-01-01T02:00:00+00:00"))
    assert later is not None
    assert later.values == {"covers_through": "2026-12-31"}
    assert is_peak(schedule(), datetime.fromisoformat("2027-01-01T02:00:00+00:00"))


def test_before_the_schedule_began_no_hour_differs() -> None:
    assert segment("deepseek-v4-pro", "2026-08-16T15:59:59+00:00").peak is None
    assert segment("deepseek-v4-pro", "2026-08-16T16:00:00+00:00").peak is not None


def test_the_night_discount_of_2025_halves_chat_and_quarters_reasoner() -> None:
    for model, factor in (("deepseek-chat", "0.5"), ("deepseek-reasoner", "0.25")):
        assert segment(model, "2025-02-25T17:00:00+00:00").peak is None
        found = segment(model, "2025-02-26T17:00:00+00:00")
        assert found.peak is not None
        assert found.peak.multiplier == Decimal(factor)
        assert is_peak(found.peak, datetime.fromisoformat("2025-03-01T16:30:00+00:00"))
        assert is_peak(found.peak, datetime.fromisoformat("2025-03-01T00:29:59+00:00"))
        assert not is_peak(found.peak, datetime.fromisoformat("2025-03-01T00:30:00+00:00"))
        assert (
            peak_assumption(found.peak, datetime.fromisoformat("2030-01-01T00:00:00+00:00")) is None
        )


def test_prices_without_peak_hours_are_the_same_around_the_clock() -> None:
    found = segment("claude-opus-5", "2026-11-27T02:00:00+00:00")
    assert peak_prices(found) is found.usd_per_mtok
