"""Series on one axis, one currency at average rates, read multipliers over time."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

from econ.market_index import common_base, window
from econ.market_multipliers import next_day, read_prices, steps, valid_on
from econ.market_rates import average_rate
from price_tables.load import load_book

TODAY = date(2026, 11, 29)


def month(number: int) -> date:
    return date(2024 + number // 12, number % 12 + 1, 1)


def test_the_base_is_the_first_month_that_all_series_have() -> None:
    one = [(month(n), Decimal(1)) for n in (0, 1, 2)]
    other = [(month(n), Decimal(1)) for n in (1, 2, 3)]
    assert common_base({"a": one, "b": other}) == month(1)
    assert common_base({"a": one, "b": []}) is None
    assert common_base({}) is None


def test_a_window_counts_months_back_from_the_newest() -> None:
    points = [(month(n), Decimal(n)) for n in range(30)]
    assert window(points, 12)[0][0] == month(18)
    assert window(points, 0) == points
    assert window([], 12) == []


def test_an_average_rate_needs_the_days_of_its_period() -> None:
    start, end = date(2026, 4, 1), date(2026, 6, 30)
    days = [start + timedelta(days=n) for n in range(91)]
    daily = [(day, Decimal(1500)) for day in days if day.weekday() < 5]
    found = average_rate(daily, start, end)
    assert found is not None
    assert found.days == 65
    assert found.to_usd(Decimal(3000)) == 2
    assert average_rate([(date(2026, 6, 26), Decimal("1533.44"))], start, end) is None
    assert average_rate([], start, end) is None


def test_three_makers_stood_at_a_tenth_on_the_articles_day_but_for_one_family() -> None:
    """The article's sentence, and the exception in its own paragraph."""
    rows = valid_on(read_prices(load_book()), date(2026, 9, 15))
    three = [row for row in rows if row.provider in ("anthropic", "openai", "google")]
    below = {row.model for row in three if row.multiplier < Decimal("0.1")}
    assert below == {"claude-fable-5-1", "claude-mythos-5-1"}


def test_the_lowest_multiplier_has_moved_since() -> None:
    last = {step.provider: step for step in steps(read_prices(load_book()), TODAY)}
    assert last["anthropic"].row.multiplier == Decimal("0.025")
    assert last["openai"].row.multiplier == Decimal("0.05")
    assert last["google"].row.multiplier == Decimal("0.05")
    assert last["anthropic"].since == date(2026, 9, 1)


def test_steps_rise_in_time_and_change_at_each() -> None:
    found = steps(read_prices(load_book()), TODAY)
    for provider in {step.provider for step in found}:
        own = [step for step in found if step.provider == provider]
        assert [s.since for s in own] == sorted({s.since for s in own})
        assert all(a.row.multiplier != b.row.multiplier for a, b in pairwise(own))
        assert all(step.since <= TODAY for step in own)


def test_the_next_day_is_the_nearest_that_is_dated() -> None:
    assert next_day(read_prices(load_book()), TODAY) == date(2026, 11, 30)
    assert next_day((), TODAY) is None
