"""Tokenizer factors: counts of the compared models alone, before lengths decide anything."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.receipt import Receipt
from econ.report import CostReport, ReportParams
from econ.report_build import build_report
from econ.tokenizer import scaled
from econ.workload import EMPTY, Text, Workload
from messages.errors import InputError
from price_tables.load import load_book

RECEIPT = Receipt(files=(), rows_read=2, rows_kept=2)


def workload(**more: object) -> Workload:
    """Two requests that start with the same 100,000 tokens, a minute apart."""
    return Workload(
        name="contract",
        format="test",
        rows=2,
        columns={
            "input_tokens": np.array([100_100, 100_100]),
            "output_tokens": np.array([100, 100]),
            "shared_prefix_tokens": np.array([100_000, 100_000]),
            "arrival_s": np.array([0.0, 60.0]),
            **more,
        },  # type: ignore[arg-type]
    )


def report(made: Workload, **params: object) -> CostReport:
    asked = ReportParams(models=("claude-opus-5", "gpt-5.6-sol"), **params)  # type: ignore[arg-type]
    return build_report(made, RECEIPT, load_book(), asked)


def usd(found: CostReport, model: str | None, policy: str, placement: str | None = None) -> Decimal:
    (row,) = (
        row
        for row in found.rows
        if (row.model, row.policy, row.placement) == (model, policy, placement)
    )
    assert row.usd is not None
    return row.usd.high_usd


@given(st.lists(st.integers(0, 10**9), min_size=1), st.integers(1_000, 100_000))
def test_longer_stays_longer_and_empty_stays_empty(counts: list[int], steps: int) -> None:
    ascending = np.array([EMPTY, *sorted(counts)])
    found = scaled(ascending, Decimal(steps) / 10_000)
    assert found[0] == EMPTY
    assert (np.diff(found[1:]) >= 0).all()


def test_a_factor_of_one_point_five_bills_one_and_a_half_times_the_tokens() -> None:
    plain, more = (
        report(workload()),
        report(workload(), tokenizer_factors={"openai": Decimal("1.5")}),
    )
    for policy, placement in (("none", None), ("30m", "shared")):
        before = usd(plain, "gpt-5.6-sol", policy, placement)
        assert usd(more, "gpt-5.6-sol", policy, placement) == before * Decimal("1.5")
    assert usd(more, "claude-opus-5", "5m", "shared") == usd(plain, "claude-opus-5", "5m", "shared")
    assert more.report_id != plain.report_id


def test_the_id_of_a_model_counts_before_its_provider() -> None:
    factors = {"openai": Decimal("1.5"), "gpt-5.6-sol": Decimal(2)}
    twice = usd(report(workload(), tokenizer_factors=factors), "gpt-5.6-sol", "none")
    assert twice == 2 * usd(report(workload()), "gpt-5.6-sol", "none")


def test_a_longer_prompt_reaches_the_dearer_tier() -> None:
    made = workload(input_tokens=np.array([200_000, 200_000]))
    plain = report(made)
    more = report(made, tokenizer_factors={"gpt-5.6-sol": Decimal("1.4")})
    assert usd(more, "gpt-5.6-sol", "none") > usd(plain, "gpt-5.6-sol", "none") * Decimal("1.4")


def test_what_was_billed_keeps_its_counts() -> None:
    observed = workload(
        model=Text.constant("claude-opus-5", 2),
        cached_read_tokens=np.array([0, 100_000]),
        cache_write_5m_tokens=np.array([100_000, 0]),
    )
    plain = report(observed)
    more = report(observed, tokenizer_factors={"anthropic": Decimal(2)})
    assert usd(more, None, "as-billed") == usd(plain, None, "as-billed")
    assert more.baselines == plain.baselines
    assert usd(more, "claude-opus-5", "none") == 2 * usd(plain, "claude-opus-5", "none")


def test_the_default_of_one_is_said_and_another_factor_too() -> None:
    found = report(workload(), tokenizer_factors={"openai": Decimal("1.5")})
    assert "policies.tokenizer_default" in {said.id for said in found.assumptions}
    rows = [row for row in found.rows if row.provider == "openai"]
    assert all("policies.tokenizer_factor" in {s.id for s in row.assumptions} for row in rows)


@pytest.mark.parametrize(
    ("name", "factor"),
    [("gpt-99", "1.5"), ("openai", "0"), ("openai", "11"), ("openai", "1.00001")],
)
def test_an_unknown_name_and_an_unlikely_factor_are_refused(name: str, factor: str) -> None:
    with pytest.raises(InputError):
        report(workload(), tokenizer_factors={name: Decimal(factor)})
