"""Exports of costs: the exact total by provider and day, lines without one told."""

from __future__ import annotations

import csv
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from data_sources.traces.base import Decoded
from data_sources.traces.cost_exports import StatedCost, read_costs
from data_sources.traces.source import open_path
from messages.errors import InputError

EXPORTS = {
    "anthropic": ("anthropic_console/claude_api_cost_2026_08.synthetic.csv", "cost_usd"),
    "openai": ("openai/cost_2026-10.synthetic.csv", "amount_value"),
}


def costs(path: Path) -> StatedCost:
    return read_costs(Decoded(source=open_path(path), path=path, encoding="utf-8"))


def written(tmp_path: Path, text: str) -> StatedCost:
    path = tmp_path / "cost.csv"
    path.write_text(text, encoding="utf-8")
    return costs(path)


@pytest.mark.parametrize("provider", EXPORTS)
def test_the_total_of_an_export_is_exact(reference_data: Path, provider: str) -> None:
    name, column = EXPORTS[provider]
    path = reference_data / "traces/usage_exports" / name
    found = costs(path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        expected = sum((Decimal(row[column]) for row in csv.DictReader(stream)), Decimal(0))
    assert (found.provider, found.usd) == (provider, expected)
    assert sum(found.by_model.values()) == sum(found.by_day.values()) == expected
    assert found.first <= found.last
    assert found.rejected == ()


def test_credits_count_and_lines_without_an_amount_are_told(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        "start_time,amount_value,amount_currency,line_item\n"
        '1790812800,4.5,usd,"gpt-5.6-luna, input"\n'
        '1790812800,-0.5,USD,"gpt-5.6-luna, credit"\n'
        "1790812800,much,usd,x\n1790812800,3,eur,x\nnever,3,usd,x\n1790812800,NaN,usd,x\n",
    )
    assert (found.usd, found.rows, found.rejected) == (Decimal(4), 2, (4, 5, 6, 7))
    assert found.by_model == {"gpt-5.6-luna": Decimal(4)}
    assert found.by_day == {date(2026, 10, 1): Decimal(4)}


@pytest.mark.parametrize(
    ("text", "why"),
    [("a,b\n1,2\n", "no_cost_export"), ("token_type,cost_usd\n", "no_cost_rows"), ("", "export")],
)
def test_what_is_no_export_of_costs_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        written(tmp_path, text)
