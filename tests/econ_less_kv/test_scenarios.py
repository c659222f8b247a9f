"""Scenarios of one workload: bytes, sequences, devices by memory, dollars."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from econ.kv_residence import Kept, kept
from econ.layout import valid_ranks
from econ.less_kv import Setting, lengths, scenarios, unchanged
from price_tables.facts_load import load_hbm
from tests.econ_less_kv.made import device, model, workload

SETTING = Setting(
    device=device("b300-sxm"),
    weights_bytes=70_000_000_000,
    fraction=Fraction(9, 10),
    life_years=Decimal(4),
    price=load_hbm().price_of("HBM3E"),
)


def held() -> Kept:
    found = kept(workload([131_072] * 3, [0] * 3, [0.0, 1.0, 2.0], list("abc")), "lifetime", 3600)
    assert found is not None
    return found


def test_four_sequences_of_128k_fit_beside_70_gb_with_a_reserve_of_a_tenth() -> None:
    first = scenarios(model("llama-3.1-70b"), held(), SETTING, as_is="bf16", chosen="fp8")[0]
    assert first.bytes_per_token == 327_680
    assert first.bytes_p95 == 42_949_672_960
    assert first.sequences_p95 == 4
    assert first.peak_bytes == 3 * 42_949_672_960
    assert (first.devices_a_group, first.devices) == (1, 1)


def test_fp8_halves_and_q8_0_does_not() -> None:
    rows = scenarios(model("llama-3.1-8b"), held(), SETTING, as_is="bf16", chosen="q8_0/q4_0")
    by = {row.kv_format: row.bytes_per_token for row in rows if row.lever in ("format", "chosen")}
    assert by["fp8"] == 65_536
    assert by["q8_0"] == 69_632
    assert by["q4_0"] == 36_864
    assert by["q8_0/q4_0"] == (69_632 + 36_864) // 2
    assert rows[-1].lever == "chosen"


def test_dollars_follow_gb_hours() -> None:
    first = scenarios(model("llama-3.1-70b"), held(), SETTING, as_is="bf16", chosen="fp8")[0]
    assert first.gb_hours == pytest.approx(3 * 42.94967296)
    assert first.hbm_usd is not None
    assert float(first.hbm_usd.mid) == pytest.approx(3 * 42.94967296 * 10.5 / (4 * 8766))
    assert first.hbm_usd.low < first.hbm_usd.mid < first.hbm_usd.high


def test_weights_that_do_not_fit_take_more_devices_and_then_none() -> None:
    big = replace(SETTING, weights_bytes=1_000_000_000_000)
    first = scenarios(model("llama-3.1-70b"), held(), big, as_is="bf16", chosen="fp8")[0]
    assert first.devices_a_group == 8
    assert first.devices == 8
    huge = replace(SETTING, weights_bytes=10**15)
    none = scenarios(model("llama-3.1-70b"), held(), huge, as_is="bf16", chosen="fp8")[0]
    assert (none.devices_a_group, none.sequences_p95, none.devices) == (None, None, None)


def test_unknown_weights_give_bytes_and_no_devices() -> None:
    unknown = replace(SETTING, weights_bytes=None, price=None)
    first = scenarios(model("llama-3.1-70b"), held(), unknown, as_is="bf16", chosen="fp8")[0]
    assert first.bytes_p95 == 42_949_672_960
    assert (first.devices, first.hbm_usd) == (None, None)


def test_levers_that_change_nothing_have_no_row() -> None:
    rows = scenarios(model("deepseek-v3"), held(), SETTING, as_is="bf16", chosen="fp8")
    assert {"gqa", "mqa", "mla", "sliding"} <= set(unchanged(model("deepseek-v3")))
    assert "gqa" not in {row.lever for row in rows}


def test_percentiles_are_lengths_that_occurred() -> None:
    found = kept(workload([10, 20, 30], [1, 1, 1], [0.0, 1.0, 2.0]), "lifetime", 300)
    assert found is not None
    assert (lengths(found).p50, lengths(found).p95, lengths(found).most) == (21, 31, 31)


def test_a_group_has_as_many_devices_as_the_heads_can_be_dealt_out_to() -> None:
    """28 query heads over 4 KV heads: 1, 2, 4 and 28 devices can share them, 8 cannot."""
    qwen = model("qwen2.5-7b")
    assert valid_ranks(qwen) == (1, 2, 4, 28)
    tight = replace(SETTING, weights_bytes=1_100_000_000_000)
    rows = scenarios(qwen, held(), tight, as_is="bf16", chosen="fp8")
    assert rows[0].devices_a_group == 28


def test_what_every_device_holds_whole_is_counted_on_each_of_a_group() -> None:
    """A latent vector is not split: the room for it grows with no further device."""
    deepseek = model("deepseek-v3")
    setting = replace(SETTING, weights_bytes=671_000_000_000)
    row = scenarios(deepseek, held(), setting, as_is="bf16", chosen="fp8")[0]
    assert row.devices_a_group == 4
    room = int(device("b300-sxm").memory_bytes * Fraction(9, 10)) - 671_000_000_000 // 4
    assert row.sequences_p95 == room // row.bytes_p95
    assert row.devices == 4 * max(1, -(-int(row.peak_bytes) // room))
