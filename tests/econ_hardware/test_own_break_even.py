"""One's own hours against the APIs of the price book."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.example import example_receipt, example_workload
from econ.own_break_even import (
    UTILISATIONS,
    Mix,
    OwnRate,
    book_rows,
    mix_of_input,
    report_rows,
    served_per_s,
    typed_row,
)
from econ.report import CostReport
from econ.report_build import build_report
from econ.report_params import ReportParams
from price_tables.load import load_book

BOOK = load_book()
EIGHTY = mix_of_input(Decimal("0.8"))


def own(tokens_per_s: str = "2500", reuse: str | None = None) -> OwnRate:
    ratio = None if reuse is None else Decimal(reuse)
    return OwnRate(usd_per_hour=Decimal(2), tokens_per_s=Decimal(tokens_per_s), reuse_ratio=ratio)


def test_prices_typed_in_break_even_at_444_and_with_reuse_at_317_per_mille() -> None:
    plain = typed_row(own(), Decimal("0.50"), Decimal("0.05")).point
    assert round(plain.utilisation_ratio, 3) == Decimal("0.444")
    served = served_per_s(Decimal(2500), Decimal("0.8"))
    assert served == 12_500
    reused = typed_row(own(str(served), "0.8"), Decimal("0.50"), Decimal("0.05")).point
    assert reused.api_usd_per_mtok == Decimal("0.14")
    assert round(reused.utilisation_ratio, 3) == Decimal("0.317")


def test_ten_per_cent_of_the_hours_cost_ten_times_as_much_a_token() -> None:
    curve = dict(own().curve())
    assert tuple(curve) == UTILISATIONS
    assert round(curve[Decimal("0.1")], 2) == Decimal("2.22")
    assert curve[Decimal("0.1")] == 10 * curve[Decimal(1)]


def test_a_ratio_of_one_would_serve_without_end() -> None:
    with pytest.raises(ValueError, match="below 1"):
        served_per_s(Decimal(1), Decimal(1))


def test_every_model_with_an_input_price_has_a_row_the_dearest_first() -> None:
    rows = book_rows(BOOK, BOOK.as_of, own(), EIGHTY)
    ratios = [row.point.utilisation_ratio for row in rows]
    assert ratios == sorted(ratios)
    assert {row.provider for row in rows} == set(BOOK.tables)
    (opus,) = book_rows(
        BOOK, BOOK.as_of, own(), EIGHTY, providers=("anthropic",), models=("claude-opus-5",)
    )
    assert opus.point.api_usd_per_mtok == Decimal("1.4")  # 5 x 0.2 + 0.5 x 0.8
    assert opus.policy == "read"
    assert opus.source
    assert opus.as_of


@given(st.decimals("0", "1", places=3), st.decimals("0", "1", places=3))
def test_more_reuse_never_makes_an_api_dearer(one: Decimal, other: Decimal) -> None:
    less, more = sorted((one, other))

    def usd(ratio: Decimal) -> Decimal:
        mix = mix_of_input(ratio)
        (row,) = book_rows(
            BOOK, BOOK.as_of, own(), mix, providers=("openai",), models=("gpt-6-sol",)
        )
        return row.point.api_usd_per_mtok

    assert usd(more) <= usd(less)


@pytest.fixture(scope="module")
def report() -> CostReport:
    params = ReportParams(models=("claude-opus-5",), providers=("anthropic", "bedrock"))
    return build_report(example_workload(), example_receipt(example_workload()), BOOK, params)


def test_a_workload_is_compared_over_all_its_tokens_under_the_best_policy(
    report: CostReport,
) -> None:
    rows = {row.provider: row for row in report_rows(report, own())}
    assert set(rows) == {"anthropic", "bedrock"}
    tokens = report.workload.input_tokens + report.workload.output_tokens
    best = min(
        row.usd.high_usd
        for row in report.rows
        if row.usd
        and (row.provider, row.mode) == ("anthropic", "standard")
        and row.placement not in ("bound", "every")
    )
    assert rows["anthropic"].point.api_usd_per_mtok == best * 1_000_000 / tokens
    assert rows["anthropic"].low_usd_per_mtok <= rows["anthropic"].point.api_usd_per_mtok
    assert rows["anthropic"].policy.split()[0] != "none"


def test_a_model_without_a_read_price_reads_at_its_input_price() -> None:
    mix = Mix(uncached=Decimal("0.25"), read=Decimal("0.75"))
    assert mix.usd_per_mtok({"uncached": Decimal(4), "read": Decimal(1)}) == Decimal("1.75")
    assert mix.usd_per_mtok({"uncached": Decimal(4)}) == 4
    assert mix.usd_per_mtok({"output": Decimal(1)}) is None


def test_a_policy_that_no_client_can_follow_is_never_the_best(report: CostReport) -> None:
    placements = {row.placement for row in report.rows}
    assert "bound" in placements
    assert all("bound" not in row.policy for row in report_rows(report, own()))
