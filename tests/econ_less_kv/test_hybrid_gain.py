"""Kimi Linear: 74.1 % and 6.24 times beside the printed 75 % and 6.3, and a workload's share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ import hybrid_gain as hybrid
from econ.kv_formats import kv_format
from econ.roofline import Speeds
from tests.econ_less_kv.made import model

KIMI = model("kimi-linear-48b-a3b")
CURVE = hybrid.gain_curve(
    KIMI,
    Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=2.25e15),
    kv_format("bf16"),
    weights_bytes=6e9,
    batch=1,
)


def test_seven_layers_of_27_save_741_percent_printed_as_75() -> None:
    assert round((hybrid.kv_saving(KIMI) or 0) * 100, 2) == 74.07
    assert hybrid.PRINTED_PERCENT == 75


def test_1148_over_184_is_624_printed_as_63() -> None:
    assert round(hybrid.FULL_MS / hybrid.HYBRID_MS, 2) == 6.24
    assert hybrid.published_gain(1_000_000) == hybrid.FULL_MS / hybrid.HYBRID_MS
    assert hybrid.PRINTED_GAIN == 6.3


def test_short_contexts_gain_nothing_and_the_named_points_what_is_printed() -> None:
    assert hybrid.published_gain(1_000) == 1.0
    assert hybrid.published_gain(128_000) == pytest.approx(4.8)
    assert hybrid.published_gain(512_000) == pytest.approx(5.7)


def test_the_gain_on_all_work_counts_the_share_that_gains() -> None:
    assert round(hybrid.overall_gain(0.3, 6.24), 2) == 1.34
    assert hybrid.overall_gain(0, 6.24) == 1
    assert hybrid.overall_gain(1, 6.24) == pytest.approx(6.24)
    with pytest.raises(ValueError, match="share"):
        hybrid.overall_gain(1.2, 6.24)


def test_the_floor_never_gains_more_than_the_layers_saved() -> None:
    gains = [point.gain for point in CURVE]
    assert gains == sorted(gains)
    assert all(1 <= gain < 27 / 7 for gain in gains)


def test_a_workload_of_short_contexts_gains_next_to_nothing() -> None:
    short = hybrid.workload_gain(np.array([2_000, 4_000]), np.array([10, 500]), CURVE)
    assert short is not None
    assert (short.by_published, short.long_share, short.at_long) == (1.0, 0.0, 1.0)
    assert short.by_floor == pytest.approx(CURVE[0].gain, rel=0.02)


def test_a_workload_of_one_long_context_gains_what_that_context_gains() -> None:
    found = hybrid.workload_gain(np.array([1_000_000]), np.array([100]), CURVE)
    assert found is not None
    assert found.by_published == pytest.approx(6.239, abs=0.001)
    assert found.at_long == pytest.approx(6.239, abs=0.001)
    assert found.by_floor == pytest.approx(CURVE[-1].gain)


def test_a_workload_that_wrote_nothing_has_no_gain_and_other_models_no_curve() -> None:
    assert hybrid.workload_gain(np.array([10]), np.array([0]), CURVE) is None
    assert hybrid.all_full(model("llama-3.1-8b")) is None
    assert hybrid.kv_saving(model("llama-3.1-8b")) is None


def test_ten_thousand_tokens_take_184_and_1148_seconds_only_at_a_million_tokens() -> None:
    assert round(hybrid.HYBRID_MS * hybrid.EXAMPLE_TOKENS / 1e3, 1) == 18.4
    assert round(hybrid.FULL_MS * hybrid.EXAMPLE_TOKENS / 1e3, 1) == 114.8
    full, own = hybrid.writing_s(CURVE, hybrid.EXAMPLE_CONTEXT, hybrid.EXAMPLE_TOKENS)
    assert 1 < full / own < 27 / 7
    assert full < 114.8


@given(
    contexts=st.lists(st.integers(1, 2_000_000), min_size=1, max_size=10),
    written=st.integers(1, 10_000),
)
def test_the_weighted_gain_lies_between_its_own_points(contexts: list[int], written: int) -> None:
    found = hybrid.workload_gain(
        np.array(contexts), np.full(len(contexts), written, dtype=np.int64), CURVE
    )
    assert found is not None
    gains = [hybrid.published_gain(context) for context in contexts]
    assert min(gains) - 1e-9 <= found.by_published <= max(gains) + 1e-9
