"""Next dates are worked out from the last ones."""

from __future__ import annotations

from datetime import date

import pytest

from econ.market_dates import later, next_report_due, next_results


def test_results_come_as_long_after_their_quarter_as_the_last_ones() -> None:
    end, said = date(2026, 6, 30), date(2026, 7, 29)  # 29 days after the quarter
    assert next_results(end, said, said) == date(2026, 10, 29)
    assert next_results(end, said, date(2026, 11, 29)) == date(2027, 1, 29)
    assert next_results(end, said, date(2027, 1, 29)) == date(2027, 4, 29)


def test_an_annual_report_is_due_three_months_after_its_year() -> None:
    assert next_report_due(date(2026, 3, 31), date(2026, 11, 29)) == date(2027, 6, 30)
    assert next_report_due(date(2026, 3, 31), date(2027, 6, 30)) == date(2028, 6, 30)
    assert next_report_due(date(2025, 12, 31), date(2026, 1, 1)) == date(2027, 3, 31)


def test_the_end_of_a_month_stays_one() -> None:
    assert later(date(2026, 6, 30), 1) == date(2026, 7, 31)
    assert later(date(2024, 2, 29), 12) == date(2025, 2, 28)
    assert later(date(2026, 1, 15), 13) == date(2027, 2, 15)


def test_results_before_their_period_ended_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="before"):
        next_results(date(2026, 6, 30), date(2026, 6, 1), date(2026, 7, 1))
