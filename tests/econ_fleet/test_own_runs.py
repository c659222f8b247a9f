"""One's own runs set an estimate right: by the median ratio, with the span of the ratios."""

from __future__ import annotations

import pytest

from econ.fleet_steps import Steps
from econ.measured_points import MeasuredPoint
from econ.own_runs import OwnRun, run_steps, runs_of
from econ.speed_features import SpeedCase
from price_tables.hardware_load import load_hardware

BASE = Steps(
    source_kind="published",
    prefill=lambda prompt, cached: (prompt - cached) / 10_000,
    decode=lambda batch, context: 0.01 + batch * context / 1e8,
    request_s=0.1,
)
KNOWN = load_hardware()
CASE = SpeedCase(
    model=KNOWN.models["llama-3.1-8b"], device=KNOWN.devices["h100-sxm"], weights_dtype="bf16",
    batch=4, input_tokens=1_000, output_tokens=100,
)  # fmt: skip


def run(concurrency: float, ttft_s: float | None, tpot_s: float | None) -> OwnRun:
    """A run of prompts of 1,000 and answers of 200 tokens."""
    return OwnRun(concurrency, 1_000.0, 200.0, ttft_s, tpot_s)


def test_a_step_is_multiplied_by_the_median_of_the_measured_ratios() -> None:
    """At 1,100 tokens of context a step of one request is estimated at 10.011 ms."""
    runs = [run(1, 0.4, 0.020022), run(1, 0.4, 0.030033), run(1, 0.4, 0.010011)]
    found = run_steps(BASE, runs, CASE)
    assert found.source_kind == "measured"
    assert found.decode_s(1, 1_100) == pytest.approx(0.020022)
    assert found.prefill_s(1_000, 0) == pytest.approx(0.2)
    assert found.request_s == pytest.approx(0.2)
    assert found.tpot_band is not None
    assert (found.tpot_band.low_ratio, found.tpot_band.high_ratio) == pytest.approx((0.5, 1.5))
    assert found.tpot_band.n == 3


def test_first_tokens_count_only_where_fewest_requests_queue() -> None:
    found = run_steps(BASE, [run(1, 0.4, None), run(64, 9.0, None)], CASE)
    assert found.prefill_s(1_000, 0) == pytest.approx(0.2)
    assert found.ttft_band is None
    assert found.decode_s(1, 1_100) == BASE.decode_s(1, 1_100)


def test_what_lies_beyond_the_runs_is_named() -> None:
    assert run_steps(BASE, [run(4, 0.4, 0.02)], CASE).outside == ()
    assert run_steps(BASE, [run(1, 0.4, 0.02)], CASE).outside == ("batch",)


def test_a_point_without_lengths_or_times_is_no_run() -> None:
    def point(**values: object) -> MeasuredPoint:
        whole = {"tool": "t", "model": None, "concurrency": 2.0, "input_tokens": 10.0,
                 "output_tokens": 5.0, "requests": 1, "ttft_s": {"mean": 1.0},
                 "tpot_s": {"p50": 0.1}}  # fmt: skip
        return MeasuredPoint(**{**whole, **values})  # type: ignore[arg-type]

    assert runs_of([point()]) == (OwnRun(2.0, 10.0, 5.0, 1.0, 0.1),)
    assert runs_of([point(input_tokens=None), point(concurrency=None)]) == ()
    assert runs_of([point(ttft_s={}, tpot_s={"p99": 1.0})]) == ()
