"""The chain from tokens to makers: its laws, and what each change does to it."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from econ.chain import CHANGES, COLUMNS, Chain, Effect, chain, chain_csv, effects, uses
from econ.kv_formats import kv_format
from econ.kv_residence import Kept
from econ.less_kv import Setting
from price_tables.facts_load import load_hbm
from price_tables.hardware_load import load_hardware

HARDWARE = load_hardware()
BF16 = kv_format("bf16")


def held() -> Kept:
    """Two requests of 131,072 tokens that stay an hour."""
    return Kept(
        tokens=np.array([131_072, 131_072], dtype=np.int64),
        output_tokens=np.array([100, 100], dtype=np.int64),
        start_s=np.array([0.0, 0.0]),
        residence_s=np.array([3600.0, 3600.0]),
        model="every_lifetime",
        lifetime_s=3600,
        left_out=0,
    )


def setting(device: str = "b300-sxm") -> Setting:
    found = HARDWARE.devices[device]
    return Setting(device=found, weights_bytes=None, fraction=Fraction(9, 10),
                   life_years=Decimal(5), price=load_hbm().price_of(found.memory_type))  # fmt: skip


def made(model: str = "llama-3.1-70b", device: str = "b300-sxm") -> Chain:
    share = load_hbm().newest_share()
    return chain(held(), HARDWARE.models[model], BF16, setting(device), share)


def after(model: str = "llama-3.1-70b") -> dict[str, Effect]:
    share = load_hbm().newest_share()
    found = effects(held(), HARDWARE.models[model], BF16, setting(), share)
    return {one.change: one for one in found}


def test_the_links_of_two_full_contexts_are_worked_out_by_hand() -> None:
    found = made()
    assert found.tokens == 262_144
    assert found.kv_bytes == 2 * 42_949_672_960
    assert found.gb_hours == pytest.approx(85.89934592)
    assert found.usd is not None
    assert float(found.usd.mid) == pytest.approx(85.89934592 * 10.5 / (5 * 8766))


def test_makers_get_more_than_the_whole_where_the_shares_add_to_101() -> None:
    found = made()
    assert found.makers is not None
    assert found.usd is not None
    total = sum((band.mid for band in found.makers.values()), Decimal(0))
    assert total == found.usd.mid * Decimal("1.01")


def test_memory_without_a_price_has_bytes_but_no_dollars() -> None:
    found = made(device="rtx-pro-6000-server")
    assert found.usd is None
    assert found.makers is None
    assert found.gb_hours > 0


def test_each_change_moves_the_links_behind_it_and_none_before() -> None:
    found = after()
    assert tuple(found) == CHANGES
    assert found["fp8"].factors == {"tokens": 1.0, "bytes": 0.5, "gb_hours": 0.5, "usd": 0.5}
    assert found["twice_context"].factors["tokens"] == 2.0
    assert found["twice_stay"].factors["bytes"] == 1.0
    assert found["twice_stay"].factors["usd"] == pytest.approx(2.0)
    latent = found["mla"].factors
    assert latent["tokens"] == 1.0
    assert latent["bytes"] == pytest.approx((512 + 64) / (2 * 8 * 128))


def test_a_change_that_alters_nothing_claims_nothing() -> None:
    assert after("deepseek-v3")["mla"].chain is None
    assert after("llama-3.1-70b")["gqa"].chain is None


def test_training_takes_the_share_that_is_assumed() -> None:
    found = uses(10.0, 30.0, Fraction(1, 2))
    assert found.training == 40.0
    assert found.training / found.total == 0.5
    assert uses(1.0, 1.0, Fraction(0)).training == 0
    with pytest.raises(ValueError, match="below 1"):
        uses(1.0, 1.0, Fraction(1))


def test_the_csv_has_the_chain_and_every_change_that_alters_something() -> None:
    found = after()
    text = chain_csv(made(), tuple(found.values())).decode("utf-8-sig")
    rows = {row["change"]: row for row in csv.DictReader(io.StringIO(text))}
    assert tuple(rows["as_is"]) == COLUMNS
    assert set(rows) == {"as_is", "mla", "fp8", "twice_context", "twice_stay"}
    assert float(rows["fp8"]["kv_bytes"]) * 2 == float(rows["as_is"]["kv_bytes"])
