"""Delta rule, quantising, rotary positions, waste, whole requests."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.guide_delta import Write, delta_step, read, remembered
from econ.guide_position import meeting
from econ.guide_quant import KINDS, Kind, example_vector, quantise, to_e4m3
from econ.guide_times import whole_request
from econ.guide_waste import holes, paged_waste, reserved_waste
from econ.kv_formats import kv_format
from econ.roofline import Speeds
from price_tables.hardware_load import load_hardware


def test_the_delta_rule_replaces_what_a_plain_sum_adds_up() -> None:
    writes = [Write(key=0, value=3.0), Write(key=1, value=5.0), Write(key=0, value=7.0)]
    found = remembered(writes, 2, decay=0.5)
    assert found.plain == (10.0, 5.0)
    assert found.delta == (7.0, 5.0)
    assert found.gated == (7.0, 2.5)  # one later step has halved what was not rewritten


@given(st.lists(st.floats(-9, 9), min_size=3, max_size=3), st.floats(0.1, 1.0))
def test_a_full_write_at_a_unit_key_is_read_back(value: list[float], decay: float) -> None:
    key = np.array([0.6, 0.8])
    state = delta_step(np.ones((2, 3)), key, np.array(value), strength=1.0, decay=decay)
    assert read(state, key) == pytest.approx(value, abs=1e-12)


def test_decay_may_differ_by_channel() -> None:
    state = delta_step(
        np.ones((2, 1)), np.zeros(2), np.zeros(1), strength=1.0, decay=np.array([0.5, 0.25])
    )
    assert state.tolist() == [[0.5], [0.25]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_quantised_vector_comes_back_within_half_a_step(kind: Kind) -> None:
    values = example_vector()
    found = quantise(values, kind, 16)
    step = found.scales[0] * (32 if kind == "fp8" else 1)  # the widest step of E4M3 is 32
    assert found.worst <= step / 2 + 1e-12
    assert len(found.codes) == len(values)


def test_fewer_bits_and_wider_groups_lose_more() -> None:
    values = example_vector()
    errors = [quantise(values, kind, 16).relative_rms for kind in ("int8", "int4", "int2")]
    assert errors == sorted(errors)
    assert quantise(values, "int4", 4).relative_rms < quantise(values, "int4", 16).relative_rms


def test_scales_are_counted_among_the_bits() -> None:
    assert quantise(example_vector(), "int4", 16).bits == 5.0
    assert quantise(example_vector(), "int4", 4).bits == 8.0


def test_e4m3_has_the_values_of_the_standard() -> None:
    given = np.array([448.0, 500.0, 17.0, 19.0, 1.0625, 2.0**-9, 2.0**-11, 0.0])
    assert to_e4m3(given).tolist() == [448.0, 448.0, 16.0, 20.0, 1.0, 2.0**-9, 0.0, 0.0]


def test_a_group_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        quantise([1.0], "int8", 0)


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 1000))
def test_a_rotary_product_depends_on_the_distance_alone(m: int, n: int, moved: int) -> None:
    here = meeting((0.3, -1.0), (0.9, 0.2), m, n, pi / 16)
    there = meeting((0.3, -1.0), (0.9, 0.2), m + moved, n + moved, pi / 16)
    assert here.product == pytest.approx(there.product, abs=1e-9)


def test_waste_is_what_is_held_and_not_filled() -> None:
    lengths = np.array([100, 300], dtype=np.int64)
    assert reserved_waste(lengths, 1000) == pytest.approx(0.8)
    assert paged_waste(lengths, 100) == 0.0
    assert paged_waste(lengths, 64) == pytest.approx(1 - 400 / (128 + 320))
    assert reserved_waste(np.array([], dtype=np.int64), 10) == 0.0


def test_holes_that_would_do_together_are_too_small_one_by_one() -> None:
    found = holes(100, (30, 20, 30, 20), (0, 2), 40)
    assert (found.free, found.largest, found.fits) == (60, 30, False)
    assert holes(100, (30, 20, 30, 20), (0, 1), 40).fits


def test_the_longer_the_answer_the_less_a_kept_prefix_saves() -> None:
    model = load_hardware().models["llama-3.1-8b"]
    speeds = Speeds(bandwidth_bytes_per_s=3.35e12, ops_per_s=989e12)
    found = [
        whole_request(
            model, speeds, kv_format("bf16"), weights_bytes=16e9, prompt_tokens=16_000,
            cached_tokens=15_000, reply_tokens=reply,
        )
        for reply in (1, 100, 1000)
    ]  # fmt: skip
    shares = [one.saved_share for one in found]
    assert shares == sorted(shares, reverse=True)
    assert found[0].cold_s - found[0].warm_s == pytest.approx(found[2].cold_s - found[2].warm_s)
