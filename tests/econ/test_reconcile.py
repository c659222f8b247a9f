"""What is stated against what is computed, part by part."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from econ.billing import BillingOptions, Pricing
from econ.fit import fit_prices
from econ.reconcile import Stated, reconcile
from econ.report import Adjustment, Reconciliation
from tests.econ.hand import AS_OF, OPUS_5, PEAK, Cards, card, opus_5, segment, table

USD = 10**13


def reconciled(
    rows: list[dict[str, Any]], *cards: Any, stated: Stated | None = None, **adjust: Adjustment
) -> Reconciliation | None:
    """The reconciliation of rows of claude-opus-5."""
    pricing = Pricing(
        cards=Cards(*(cards or (opus_5(),))), options=BillingOptions(), default_at=AS_OF
    )
    workload = table([{"model": "claude-opus-5", "output_tokens": 0, **row} for row in rows])
    bill = pricing.bill(workload)
    return reconcile(workload, bill, stated or Stated(), adjust, pricing)


def parts(found: Reconciliation | None) -> dict[str, Any]:
    """The parts as JSON would print them; they add up to the difference."""
    assert found is not None
    assert sum(p.low_e13 for p in found.parts.values()) == found.difference.low_e13
    return {name: part.to_json() for name, part in found.parts.items()}


def test_nothing_stated_is_nothing_to_reconcile() -> None:
    assert reconciled([{"input_tokens": 1}]) is None


def test_a_stated_cost_that_is_right_leaves_no_parts() -> None:
    found = reconciled([{"input_tokens": 1_000_000, "observed_cost_e13": 5 * USD}])
    assert found is not None
    assert found.difference.to_json() == "0"
    assert parts(found) == {}


def test_duplicates_unpriced_and_failed_rows_are_named() -> None:
    rows = [
        {"input_tokens": 1_000_000, "observed_cost_e13": 5 * USD},
        {"input_tokens": 1, "model": "nobody-knows", "observed_cost_e13": 2 * USD},
        {"input_tokens": 1, "failed": 1, "observed_cost_e13": 1 * USD},
        {"input_tokens": 1_000_000},
    ]
    found = reconciled(rows, stated=Stated(collapsed_e13=3 * USD))
    assert parts(found) == {"duplicates": "3", "unpriced": "2", "not_billed": "1"}
    assert found is not None
    assert found.computed.to_json() == "5"


def test_duplicates_alone_can_state_a_cost() -> None:
    assert parts(reconciled([{"input_tokens": 1}], stated=Stated(collapsed_e13=USD))) == {
        "duplicates": "1"
    }


def test_writes_billed_at_the_shorter_lifetime_explain_the_difference() -> None:
    row = {"input_tokens": 1_000_000, "cache_write_1h_tokens": 1_000_000}
    found = reconciled([{**row, "observed_cost_e13": int(6.25 * USD)}])
    assert parts(found) == {"lifetime_split": "-3.75"}


def test_one_lifetime_is_not_blamed_where_it_explains_nothing() -> None:
    row = {"input_tokens": 1_000_000, "cache_write_1h_tokens": 1_000_000}
    found = reconciled([{**row, "observed_cost_e13": 12 * USD}])
    assert parts(found) == {"unexplained": "2"}


def test_a_shorter_lifetime_without_a_price_is_not_tried() -> None:
    hourly = card("claude-opus-5", segment({"uncached": "5", "write_1h": "10", "output": "1"}))
    row = {"input_tokens": 1_000_000, "cache_write_1h_tokens": 1_000_000}
    found = reconciled([{**row, "observed_cost_e13": 5 * USD}], hourly)
    assert parts(found) == {"unexplained": "-5"}


def test_a_tool_that_ignores_long_prompts_is_found_out() -> None:
    tiers = card(
        "claude-opus-5",
        segment(OPUS_5),
        segment({**OPUS_5, "uncached": "10"}, above_tokens=200_000),
    )
    rows = [
        {"input_tokens": 1_000_000, "observed_cost_e13": 5 * USD},
        {"input_tokens": 1_000_000, "model": "other", "observed_cost_e13": 0},
    ]
    assert parts(reconciled(rows, tiers)) == {"tier": "-5"}


def test_discount_and_tax_are_parts_and_never_inside_the_bill() -> None:
    rows = [{"input_tokens": 1_000_000}, {"input_tokens": 1, "model": "other"}]
    found = reconciled(
        rows,
        stated=Stated(invoice_usd=Decimal("4.95")),
        anthropic=Adjustment(discount_ratio=Decimal("0.1"), tax_ratio=Decimal("0.1")),
    )
    assert parts(found) == {"discount": "-0.5", "tax": "0.45"}
    assert found is not None
    assert found.computed.to_json() == "5"


def test_an_invoice_has_no_rows_to_fit_prices_to() -> None:
    found = reconciled([{"input_tokens": 1_000_000}], stated=Stated(invoice_usd=Decimal(7)))
    assert parts(found) == {"unexplained": "2"}


def many(count: int, price: dict[str, str]) -> list[dict[str, Any]]:
    """Rows whose stated cost is exact at constant prices."""
    rng = np.random.default_rng(7)
    rows = []
    for _ in range(count):
        read, fresh, out = (int(n) for n in rng.integers(1, 50_000, 3))
        cost = sum(
            n * int(Decimal(price[b]) * 10**7)
            for b, n in (("read", read), ("uncached", fresh), ("output", out))
        )
        rows.append(
            {
                "input_tokens": read + fresh,
                "cached_read_tokens": read,
                "output_tokens": out,
                "observed_cost_e13": cost,
            }
        )
    return rows


def test_a_constant_other_price_is_found_and_shown() -> None:
    found = reconciled(many(40, {"uncached": "3", "read": "0.3", "output": "15"}))
    assert list(parts(found)) == ["price"]
    assert found is not None
    (fitted,) = found.fitted
    assert fitted.model == "claude-opus-5"
    assert fitted.usd_per_mtok == {
        "uncached": Decimal(3), "read": Decimal("0.3"), "output": Decimal(15)
    }  # fmt: skip


def test_too_few_rows_prove_no_price() -> None:
    found = reconciled(many(3, {"uncached": "3", "read": "0.3", "output": "15"}))
    assert list(parts(found)) == ["unexplained"]


@pytest.mark.parametrize(
    ("columns", "stated"),
    [
        ({"uncached": [0, 0], "output": [0, 0]}, [1, 1]),  # nothing used
        ({"uncached": [1, 2, 3], "output": [2, 4, 6]}, [1, 2, 3]),  # several answers
        ({"uncached": [1, 2]}, [-(10**12), -2 * 10**12]),  # a negative price
        ({"uncached": [1, 1]}, [0, 10**12]),  # no constant price
    ],
)
def test_prices_that_do_not_follow_from_the_rows_are_not_claimed(
    columns: dict[str, list[int]], stated: list[int]
) -> None:
    tokens = {name: np.array(counts, dtype=np.int64) for name, counts in columns.items()}
    assert fit_prices(tokens, np.array(stated, dtype=np.int64)) is None


def test_a_bill_that_is_a_range_leaves_a_range_unexplained() -> None:
    peaked = card("claude-opus-5", segment(OPUS_5, peak=PEAK))
    row = {
        "input_tokens": 1_000_000,
        "n_requests": 2,
        "arrival_utc": "2026-11-27",
        "bucket_end_utc": "2026-11-28",
        "observed_cost_e13": 7 * USD,
    }
    found = reconciled([row], peaked)
    assert parts(found) == {"unexplained": {"value": None, "low": "-3", "high": "2"}}
    assert found is not None
    assert found.difference.to_json() == {"value": None, "low": "-3", "high": "2"}
    assert datetime(2026, 11, 27, tzinfo=UTC).weekday() == 4
