"""Hybrid designs out of the models' layers, and read multipliers as CSV."""

from __future__ import annotations

import csv
import io

from econ.market_hybrids import hybrids
from econ.market_multipliers import COLUMNS, read_csv, read_prices
from price_tables.hardware_load import load_hardware
from price_tables.load import load_book

FOUND = {one.name: one for one in hybrids(load_hardware().models)}


def test_layers_of_both_kinds_are_counted_and_indexers_are_no_layers() -> None:
    kimi = FOUND[load_hardware().models["kimi-linear-48b-a3b"].name]
    assert (kimi.linear_layers, kimi.attention_layers) == (20, 7)
    assert kimi.near_three
    assert load_hardware().models["deepseek-v3.2"].name not in FOUND


def test_other_ratios_are_not_called_three_to_one() -> None:
    minimax = FOUND[load_hardware().models["minimax-text-01"].name]
    assert minimax.ratio == 7
    assert not minimax.near_three


def test_every_row_is_in_the_csv_with_an_empty_cell_for_an_unknown_day() -> None:
    rows = read_prices(load_book())
    table = list(csv.DictReader(io.StringIO(read_csv(rows).decode("utf-8-sig"))))
    assert tuple(table[0]) == COLUMNS
    assert len(table) == len(rows)
    assert any(row["since"] == "" for row in table)
