"""Every case runs for real on a small model and says what it means to say."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("torch")

from kvcore.bench.cases import CASES, Case
from kvcore.bench.cases.few_layers import few_layers
from kvcore.bench.context import NO_MEMORY, TIME_BUDGET, missing
from kvcore.bench.run import Progress, model_info, profile_of, run_cases
from kvcore.profile import UNITS, CaseResult, DeviceProfile, curve, find
from kvcore.profile_json import dumps, loads

from .small import SIZES, bench


@pytest.fixture(scope="module")
def whole() -> DeviceProfile:
    """One run of all cases on the small model."""
    made = bench()
    done = run_cases(made, CASES, Progress(write=lambda line: None))
    assert done.stopped_by is None
    return profile_of(made, done.rows, "a test", model_info(made))


def rows_of(profile: DeviceProfile, case: str) -> list[CaseResult]:
    return [row for row in profile.cases if row.case == case]


def test_the_profile_survives_json(whole: DeviceProfile) -> None:
    assert loads(dumps(whole)) == whole


def test_every_row_has_its_unit_and_its_figure_or_a_reason(whole: DeviceProfile) -> None:
    for row in whole.cases:
        assert row.unit == UNITS[row.case]
        assert (row.median is None) == (row.not_measured is not None)


def test_every_case_gives_rows(whole: DeviceProfile) -> None:
    assert {case.row for case in CASES} <= {row.case for row in whole.cases}


def test_the_limits_are_in_the_head_of_the_profile(whole: DeviceProfile) -> None:
    (triad,) = find(whole, "limit_bytes", limit="triad")
    assert whole.limits.triad_bytes_per_s == triad.median
    assert set(whole.limits.matmul_flop_per_s) == {"float32", "bfloat16"}
    assert whole.limits.host_to_device_bytes_per_s is None


def test_warm_leaves_one_token_or_less_than_two_blocks(whole: DeviceProfile) -> None:
    warm = {row.params["prompt_tokens"]: row.params for row in rows_of(whole, "ttft_warm")}
    assert warm[64]["reused_tokens"] == 48
    assert warm[65]["reused_tokens"] == 64
    assert warm[65]["computed_tokens"] == 1
    assert len(curve(whole, "ttft_cold", over="prompt_tokens")) == len(SIZES.prompts)


def test_decode_has_contexts_at_one_and_batches_at_one_context(whole: DeviceProfile) -> None:
    assert len(curve(whole, "decode", over="context_tokens", batch=1)) == 2
    assert [x for x, _ in curve(whole, "decode", over="batch", context_tokens=1024)] == [1, 2]


def test_the_hits_of_a_served_batch_are_those_that_were_meant(whole: DeviceProfile) -> None:
    served = rows_of(whole, "throughput")
    assert [row.params["hit_ratio"] for row in served] == [0.0, 0.5, 0.75, 0.95]
    for row in served:
        assert row.params["measured_hit_ratio"] == pytest.approx(row.params["hit_ratio"], abs=1e-6)


def test_another_salt_reuses_nothing(whole: DeviceProfile) -> None:
    reused = {row.params["salt"]: row.params["reused_tokens"] for row in rows_of(whole, "salt")}
    assert reused["other"] == 0
    assert reused["same"] == 304


def test_replies_are_measured_cold_and_warm(whole: DeviceProfile) -> None:
    found = {
        (row.params["reply_tokens"], row.params["reused_tokens"])
        for row in rows_of(whole, "reply_decode")
    }
    assert found == {(4, 0), (4, 1008)}


def test_paging_wastes_less_and_admits_more(whole: DeviceProfile) -> None:
    (region,) = find(whole, "block_waste", allocation="contiguous")
    (paged,) = find(whole, "block_waste", allocation="paged", block_tokens=16)
    assert region.median == pytest.approx(0.8167, abs=1e-4)  # 1 - mean length / 8,192
    assert paged.median == pytest.approx(0.00495, abs=1e-4)
    waste = [y for _, y in curve(whole, "block_waste", over="block_tokens", allocation="paged")]
    assert waste == sorted(waste)
    (few,), (many,) = (find(whole, "admitted", allocation=way) for way in ("contiguous", "paged"))
    assert few.median == 1.0
    assert many.median is not None
    assert many.median > 3


def test_collision_odds_are_the_birthday_bound_and_called_computed(whole: DeviceProfile) -> None:
    (row,) = find(whole, "collision", bits=64, blocks=10**9)
    assert row.median == pytest.approx(1 - math.exp(-(1e9 * (1e9 - 1)) / 2 / 2**64), rel=1e-9)
    assert not row.measured
    (sure,) = find(whole, "collision", bits=256, blocks=10**12)
    assert sure.median is not None
    assert 0 < sure.median < 1e-50


def test_accuracy_is_not_measured_with_random_weights(whole: DeviceProfile) -> None:
    (row,) = rows_of(whole, "kv_error_kl")
    assert row.not_measured == "no trained weights"


def test_a_case_without_time_says_so_and_the_run_goes_on() -> None:
    made = bench(total_s=0.0)
    decode = next(case for case in CASES if case.name == "decode")
    collision = next(case for case in CASES if case.name == "collision")
    done = run_cases(made, [decode, collision], Progress(write=lambda line: None))
    assert {row.not_measured for row in done.rows if row.case == "decode"} == {TIME_BUDGET}
    assert any(row.case == "collision" and row.median is not None for row in done.rows)


def test_a_large_model_is_a_line_through_its_own_layers() -> None:
    made = bench()
    rows = list(few_layers(made, 32))
    profile = profile_of(made, rows, "a test", model_info(made, 32))
    assert profile.model.layers == 32
    for whole_case, part, over in (
        ("ttft_cold", "layers_prefill", "prompt_tokens"),
        ("decode", "layers_decode", "context_tokens"),
    ):
        for row in find(profile, whole_case):
            assert row.params["basis"] == "extrapolated"
            same = {over: row.params[over]}
            if "batch" in row.params:
                same["batch"] = row.params["batch"]
            one, two = (find(profile, part, layers=n, **same)[0].median for n in (1, 2))
            assert one is not None
            assert two is not None
            assert row.median == pytest.approx(one + 31 * max(0.0, two - one))


def test_what_does_not_fit_is_named() -> None:
    row = missing("decode", NO_MEMORY, batch=4096)
    assert row.not_measured == "not enough memory"
    assert row.n == 0


def test_the_names_of_cases_are_told_apart() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert all(isinstance(case, Case) and case.weight > 0 for case in CASES)
