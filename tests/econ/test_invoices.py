"""What providers say they charged against what was computed: days apart, causes in common days."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from econ.adjusted import adjusted_rows
from econ.billing import BillingOptions, Pricing
from econ.invoices import check_invoices
from econ.report import Adjustment, InvoiceCheck, ReportParams, StatedTotal
from econ.report_id import report_id
from tests.econ.hand import AS_OF, Cards, opus_5, sol, table

FIRST, SECOND, THIRD = (date(2026, 10, day) for day in (1, 2, 3))
ROW: dict[str, Any] = {
    "model": "claude-opus-5", "input_tokens": 1_000_000, "cached_read_tokens": 0, "output_tokens": 0
}  # fmt: skip
"""5.00 USD at the list price of 5 USD a million."""


def checked(stated: StatedTotal, rows: list[dict[str, Any]], **params: Any) -> InvoiceCheck:
    """The check of what anthropic states."""
    pricing = Pricing(cards=Cards(opus_5(), sol()), options=BillingOptions(), default_at=AS_OF)
    workload = table([{**ROW, **row} for row in rows])
    asked = ReportParams(invoices={"anthropic": stated}, **params)
    (found,) = check_invoices(workload, pricing.bill(workload), asked, pricing)
    return found


def parts(check: InvoiceCheck) -> dict[str, Any]:
    assert check.found is not None
    return {name: part.to_json() for name, part in check.found.parts.items()}


def on(*days: date) -> list[dict[str, Any]]:
    return [{"arrival_utc": f"{day}T09:00:00"} for day in days]


def test_a_total_that_agrees_leaves_nothing_to_explain() -> None:
    check = checked(StatedTotal(usd=Decimal(10)), on(FIRST, SECOND))
    assert check.found is not None
    assert check.found.difference.to_json() == "0"
    assert parts(check) == {}


def test_discount_and_tax_explain_an_invoice_that_has_them() -> None:
    """5.00 - 10 % = 4.50, + 20 % tax = 5.40."""
    said = Adjustment(discount_ratio=Decimal("0.1"), tax_ratio=Decimal("0.2"))
    check = checked(StatedTotal(usd=Decimal("5.40")), on(FIRST), adjustments={"anthropic": said})
    assert parts(check) == {"discount": "-0.5", "tax": "0.9"}


def test_days_that_only_one_side_has_are_parts_of_their_own() -> None:
    """Stated 5 + 4 on the 1st and 3rd, computed 5 + 5 on the 1st and 2nd: 9 - 10 = 4 - 5."""
    by_day = {FIRST: Decimal(5), THIRD: Decimal(4)}
    check = checked(StatedTotal(usd=Decimal(9), by_day=by_day), on(FIRST, SECOND))
    assert check.found is not None
    assert check.found.stated.to_json() == "9"
    assert check.found.computed.to_json() == "10"
    assert check.found.difference.to_json() == "-1"
    assert parts(check) == {"other_days": "4", "days_not_stated": "-5"}


def test_an_export_of_other_days_alone_explains_nothing_by_prices() -> None:
    check = checked(StatedTotal(usd=Decimal(4), by_day={THIRD: Decimal(4)}), on(FIRST))
    assert parts(check) == {"other_days": "4", "days_not_stated": "-5"}


def test_what_nothing_accounts_for_on_common_days_is_unexplained() -> None:
    check = checked(StatedTotal(usd=Decimal(6), by_day={FIRST: Decimal(6)}), on(FIRST))
    assert parts(check) == {"unexplained": "1"}


def test_rows_without_a_day_are_compared_as_a_whole() -> None:
    check = checked(StatedTotal(usd=Decimal(6), by_day={THIRD: Decimal(6)}), [{}])
    assert parts(check) == {"unexplained": "1"}


def test_a_provider_that_bills_no_row_has_no_comparison() -> None:
    assert checked(StatedTotal(usd=Decimal(6)), [{"model": "gpt-5.6-sol"}]).found is None


@given(
    stated=st.dictionaries(st.sampled_from([FIRST, SECOND, THIRD]), st.integers(0, 20), min_size=1),
    used=st.lists(st.sampled_from([FIRST, SECOND, THIRD]), min_size=1, max_size=4),
    discount=st.sampled_from(["0", "0.12", "1"]),
)
def test_the_parts_of_any_difference_add_up_exactly(
    stated: dict[date, int], used: list[date], discount: str
) -> None:
    by_day = {day: Decimal(usd) for day, usd in stated.items()}
    total = StatedTotal(usd=sum(by_day.values(), Decimal(0)), by_day=by_day)
    said = {"anthropic": Adjustment(discount_ratio=Decimal(discount))}
    found = checked(total, on(*used), adjustments=said).found
    assert found is not None
    assert found.difference.low_e13 == found.stated.low_e13 - found.computed.high_e13
    assert sum(part.low_e13 for part in found.parts.values()) == found.difference.low_e13


def test_reports_without_invoices_keep_the_id_that_they_had() -> None:
    """The id is a hash of what was asked; a question that did not exist then is not in it."""
    assert report_id("w", None, ReportParams(), []) == report_id(
        "w", None, ReportParams(invoices={}), []
    )
    asked = ReportParams(invoices={"anthropic": StatedTotal(usd=Decimal(1))})
    assert report_id("w", None, asked, []) != report_id("w", None, ReportParams(), [])


def test_list_price_discount_tax_and_what_is_paid_add_up() -> None:
    pricing = Pricing(cards=Cards(opus_5()), options=BillingOptions(), default_at=AS_OF)
    bill = pricing.bill(table([ROW]))
    said = {"anthropic": Adjustment(discount_ratio=Decimal("0.12"), tax_ratio=Decimal("0.1"))}
    (row,) = adjusted_rows(bill, True, pricing.cards, said)
    shown = [p.to_json() for p in (row.list_price, row.discount, row.tax, row.net)]
    assert shown == ["5", "-0.6", "0.44", "4.84"]
