"""The study behind Less KV: own profiles at run time, what is kept, and floors with a band."""

from __future__ import annotations

import pytest

from econ.example import example_workload
from jobs import less_kv, less_kv_parts, profiling
from jobs.less_kv import LessKvAsked
from jobs.less_kv_out import to_csv, to_json
from jobs.shelf import example
from messages.errors import NotFoundError, UsageError
from tests.ui.engine_sample import WHOLE


def test_errors_of_our_own_engine_are_read_from_its_profiles_at_run_time() -> None:
    before = less_kv.less_kv(example().id, LessKvAsked(), "")
    assert before is not None
    profiling.keep(WHOLE, "measured", "somebody")
    after = less_kv.less_kv(example().id, LessKvAsked(), "")
    assert after is not None
    added = len(after.own_formats) - len(before.own_formats)
    assert added > 0
    assert after.rows is before.rows  # the study is kept, the profiles are not
    own = after.own_formats[0]
    assert own.found.kl_nats is not None or own.found.top1_ratio is not None
    assert b"KL divergence" in to_csv(after)


def test_a_short_workload_on_a_measured_device_has_a_band_on_its_joules() -> None:
    found = less_kv.less_kv_of(example_workload(), LessKvAsked(device="h200-sxm"))
    assert found is not None
    rows = less_kv_parts.energy_rows(
        found.rows[:1],
        found.device,
        "bf16",
        16_060_000_000,
        less_kv_parts.Lengths(p50=4_000, p95=8_000, most=9_000, requests=1),
    )
    assert rows[0].band is not None
    assert rows[0].band.low_ratio > 1
    assert rows[0].outside == ()


def test_unknown_names_are_refused_with_a_sentence() -> None:
    with pytest.raises(NotFoundError):
        less_kv.less_kv_of(example_workload(), LessKvAsked(device="h9000"))
    with pytest.raises(UsageError):
        less_kv.less_kv_of(example_workload(), LessKvAsked(keys="blue"))


def test_weights_are_counted_for_each_group_of_devices_and_shares_to_101() -> None:
    found = less_kv.less_kv_of(example_workload(), LessKvAsked())
    assert found is not None
    assert found.spend is not None
    assert found.weights_bytes == 141_200_000_000
    groups = (found.as_is.devices or 0) // (found.as_is.devices_a_group or 1)
    hours = found.held.span_s / 3600
    assert found.spend.weights_gb_hours == pytest.approx(141.2 * groups * hours)
    data = to_json(found)
    assert data["scenarios"][0]["peak_bytes"] == found.as_is.peak_bytes
    assert data["switch"]["in_workload"] == 7
