"""The money charts as drawn: same numbers as their tables, names that have room."""

from __future__ import annotations

from decimal import Decimal

import pytest

from econ.curve import curve_of
from econ.dollar_curve import DollarCurve, dollar_curve
from econ.example import example_workload
from econ.implied_rent_rows import bought, premiums, rents
from econ.own_break_even import OwnRate, book_rows, mix_of_input
from econ.replay_input import blocks_of
from price_tables.hardware_load import load_hardware
from price_tables.load import load_book
from price_tables.tiers_load import load_tiers
from ui import load_chart, money_charts, rent_chart
from ui.money_charts import Span, short_usd
from ui.rent_chart import Chosen, compact_bytes, usd_gb_hour

BOOK = load_book()
H200 = load_hardware().devices["h200-sxm"]
OWN = OwnRate(usd_per_hour=Decimal(2), tokens_per_s=Decimal(2500))
MONTH = Span(hours=730.5, name="a month")


@pytest.fixture(scope="module")
def found() -> DollarCurve:
    """The example at a third of a dollar a million hit tokens and a median rent."""
    curve = curve_of(blocks_of(example_workload(), "engine"), rules="engine", points=40)
    return dollar_curve(
        curve, hours=16, block_bytes=2.4e8, usd_per_hit_token=4e-7, usd_per_gb_hour=0.034
    )


@pytest.mark.parametrize("here", [None, 5.0, 90.0, 5_000.0])
def test_dollars_of_chart_and_table_are_the_same(found: DollarCurve, here: float | None) -> None:
    made = money_charts.dollar_chart(found, MONTH, here)
    (saved,) = [trace for trace in made.figure.data if trace.name == "saved by hits"]
    titles = [column.title for column in made.table.columns]
    values = list(made.table.columns[titles.index("Saved a month")].values)
    assert list(saved.y) == pytest.approx(values[1:])
    assert values[0] == 0
    marks = [trace.name for trace in made.figure.data if trace.mode == "markers"]
    assert marks == ["Pays up to here", *(["You are here"] if here else [])]
    low, high = made.figure.layout.xaxis.range
    assert low < high


def test_apis_that_cross_ones_own_line_are_marked_where_they_cross() -> None:
    rows = book_rows(BOOK, BOOK.as_of, OWN, mix_of_input(Decimal(0)), providers=("mistral",))
    made = load_chart.break_even_chart(OWN, rows, 0.2)
    marks = [trace for trace in made.figure.data if trace.mode == "markers"]
    crossing = [row for row in rows if Decimal("0.01") <= row.point.utilisation_ratio <= 1]
    assert len(marks) == len(crossing) > 0
    for mark, row in zip(marks, crossing, strict=True):
        assert mark.x[0] * mark.y[0] == pytest.approx(float(OWN.busy_usd_per_mtok))
        assert mark.y[0] == float(row.point.api_usd_per_mtok)
    loads = made.table.columns[5].values
    assert [load is None for load in loads] == [not row.point.reachable for row in rows]


def test_only_apis_whose_names_have_room_are_drawn() -> None:
    rows = book_rows(BOOK, BOOK.as_of, OWN, mix_of_input(Decimal(0)), providers=("openai",))
    drawn = load_chart.apart(rows, float(OWN.busy_usd_per_mtok))
    prices = [row.point.api_usd_per_mtok for row in drawn]
    assert prices == sorted(prices, reverse=True)
    assert 3 < len(drawn) < len(rows)
    assert len(set(prices)) == len(prices)


def test_premiums_fall_with_bytes_and_every_line_is_in_the_table() -> None:
    lines = premiums(BOOK, BOOK.as_of, providers=("anthropic",), models=("claude-opus-5",))
    rows = rents(H200)
    memory = [row for name in ("dram", "ssd") if (row := bought(load_tiers()[name]))]
    made = rent_chart.rent_chart(lines, rows, memory, Chosen(low=70_272, high=327_680, name="x"))
    drawn = [trace for trace in made.figure.data if trace.showlegend is None]
    assert len(drawn) == 2
    for trace in drawn:
        assert trace.y[0] / trace.y[-1] == pytest.approx(trace.x[-1] / trace.x[0])
    table = made.table
    assert len(table.columns[0].values) == 2 + 7 + 2
    assert all(table.columns[3].values)
    assert all(table.columns[4].values)
    named = " ".join(note.text for note in made.figure.layout.annotations)
    for name in ("on demand, high", "3-year rental", "owner&#x27;s share", "DRAM", "SSD"):
        assert name in named


def test_small_and_large_amounts_keep_three_digits() -> None:
    assert [short_usd(v) for v in (0, 0.0312, 0.5, 9.588, 1240.4, -12)] == [
        "$0", "$0.0312", "$0.5", "$9.59", "$1,240", "−$12.00",
    ]  # fmt: skip
    assert usd_gb_hour(0.00353, unit=False) == "$0.00353"
    assert [compact_bytes(v) for v in (327_680, 2_097_152, 10)] == [
        "320\u00a0KiB", "2\u00a0MiB", "10\u00a0B",
    ]  # fmt: skip
