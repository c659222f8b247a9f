"""The fitted speed model: its file, its estimates, its bands, and what it refuses to promise."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.speed_features import METRICS, PrefillPool, SpeedCase, features, floors, names
from econ.speed_fit import Estimate, estimate, family_of, floor_band, nearest
from messages.errors import DataError
from price_tables.hardware_load import load_hardware
from price_tables.load import FOLDER
from price_tables.speed_fit import ALL
from price_tables.speed_fit_load import FILE, load_speed_fit

HARDWARE, FIT = load_hardware(), load_speed_fit()
CASE = SpeedCase(
    model=HARDWARE.models["llama-3.1-70b"],
    device=HARDWARE.devices["h200-sxm"],
    weights_dtype="fp8",
    batch=16,
    input_tokens=1024,
    output_tokens=1024,
)


def test_the_dense_fit_is_within_what_was_promised() -> None:
    dense = FIT.family("dense")
    assert dense is not None
    assert dense.rows == 1039
    every = dense.group(ALL, "tpot")
    assert every is not None
    assert every.errors["fitted"].mean_ratio <= 0.21
    assert every.errors["left_out"].mean_ratio <= 0.26
    assert every.errors["roofline"].mean_ratio > 0.6


def test_a_device_with_few_rows_says_so() -> None:
    """18 rows of GB200: far off, and its users get the whole family's band instead."""
    dense = FIT.family("dense")
    assert dense is not None
    own = dense.group("gb200", "tpot")
    assert own is not None
    assert own.errors["fitted"].n == 18
    assert own.errors["left_out"].mean_ratio > 0.5
    band = nearest(dense, "gb200", "tpot")
    assert band is not None
    assert (band.device, band.method, band.n) == (ALL, "left_out", 1039)


def test_every_row_of_the_file_is_used_or_left_aside_for_a_reason() -> None:
    assert FIT.rows == 5221
    assert sum(f.rows for f in FIT.families) + sum(FIT.left_aside.values()) == FIT.rows


def test_an_estimate_is_the_weighed_sum_of_its_pieces_with_the_band_of_its_own_device() -> None:
    found = estimate(FIT, CASE, "tpot")
    dense = FIT.family("dense")
    assert dense is not None
    by_hand = sum(
        dense.coefficients["tpot"][name] * value for name, value in features(CASE, "tpot").items()
    )
    assert found.seconds == pytest.approx(by_hand)
    assert found.outside == ()
    assert found.band is not None
    assert (found.band.basis, found.band.n) == ("dense, h200-sxm, fitted", 178)
    assert found.low_s is not None
    assert found.high_s is not None
    assert found.low_s < found.seconds < found.high_s


def test_a_device_on_which_the_family_was_not_tried_gets_the_left_out_band() -> None:
    found = estimate(FIT, replace(CASE, device=HARDWARE.devices["b300-sxm"]), "tpot")
    assert found.band is not None
    assert (found.band.device, found.band.method) == (ALL, "left_out")


@pytest.mark.parametrize(
    ("beyond", "named"),
    [
        ({"device": HARDWARE.devices["a100-80-sxm"]}, "device"),
        ({"input_tokens": 131_072}, "context_tokens"),
        ({"batch": 100_000}, "batch"),
        ({"tensor_parallel": 16}, "tensor_parallel"),
    ],
)
def test_outside_of_what_was_measured_there_is_no_band(
    beyond: dict[str, object], named: str
) -> None:
    found = estimate(FIT, replace(CASE, **beyond), "tpot")  # type: ignore[arg-type]
    assert named in found.outside
    assert found.band is None
    assert found.low_s is None
    assert found.high_s is None


def test_with_prefill_apart_a_first_token_waits_where_prompts_are_read() -> None:
    """More machines for prompts, or fewer requests for each of them: never later."""
    case = replace(CASE, model=HARDWARE.models["deepseek-r1"], tensor_parallel=8)
    assert estimate(FIT, case, "tpot", "disaggregated").seconds > 0

    def first(workers: int, requests: int) -> float:
        pool = PrefillPool(workers=workers, devices=8, requests=requests)
        asked = replace(case, prefill_pool=pool)
        return estimate(FIT, asked, "ttft", "disaggregated").seconds

    assert first(4, 64) < first(1, 64) < first(1, 256)
    with pytest.raises(ValueError, match="prompts"):
        estimate(FIT, case, "ttft", "disaggregated")
    with pytest.raises(ValueError, match="family"):
        estimate(FIT, CASE, "tpot", "disaggregated")


def test_a_prompt_that_moves_carries_its_kv_over_the_link() -> None:
    """DeepSeek V3 keeps 70,272 B a token: 4,096 tokens at 50 GB/s take 5.76 ms."""
    pool = PrefillPool(workers=1, devices=8, requests=1)
    case = replace(CASE, model=HARDWARE.models["deepseek-v3"], input_tokens=4_096,
                   prefill_pool=pool)  # fmt: skip
    assert features(case, "ttft")["transfer"] == pytest.approx(5.76e-3, abs=5e-6)
    assert "transfer" not in features(replace(case, prefill_pool=None), "ttft")


def test_the_floor_has_a_band_of_its_own_above_one() -> None:
    band, outside = floor_band(FIT, CASE)
    assert outside == ()
    assert band is not None
    assert band.method == "roofline"
    assert 1 < band.low_ratio < band.high_ratio
    assert floor_band(FIT, replace(CASE, input_tokens=131_072)) == (None, ("context_tokens",))


def test_families_are_told_by_what_a_model_keeps() -> None:
    models = HARDWARE.models
    assert family_of(models["llama-3.1-70b"]) == "dense"
    assert family_of(models["gpt-oss-120b"]) == "moe"
    assert family_of(models["deepseek-v3"]) == "mla"


def test_a_model_without_stated_parameters_is_not_estimated() -> None:
    with pytest.raises(ValueError, match="parameters"):
        estimate(FIT, replace(CASE, model=HARDWARE.models["glm-5.2"]), "tpot")


@given(
    device=st.sampled_from(sorted(FIT.devices)),
    batch=st.integers(1, 256),
    tokens=st.integers(128, 8192),
    model=st.sampled_from(["llama-3.1-70b", "gpt-oss-120b", "deepseek-r1"]),
)
def test_more_load_never_makes_an_estimate_shorter(
    device: str, batch: int, tokens: int, model: str
) -> None:
    def of(requests: int, prompt: int) -> list[Estimate]:
        case = replace(
            CASE, device=HARDWARE.devices[device], model=HARDWARE.models[model],
            batch=requests, input_tokens=prompt,
        )  # fmt: skip
        return [estimate(FIT, case, metric) for metric in METRICS]

    for small, large in zip(of(batch, tokens), of(batch + 1, tokens + 64), strict=True):
        assert 0 < small.seconds <= large.seconds * (1 + 1e-9)


def test_pieces_are_named_and_none_is_negative() -> None:
    for metric in METRICS:
        found = features(CASE, metric)
        assert tuple(found) == names(metric)
        assert min(found.values()) >= 0
    assert floors(CASE, "tpot")["roofline"] >= floors(CASE, "tpot")["bandwidth"]


def test_a_fit_with_a_negative_coefficient_is_refused(tmp_path: object) -> None:
    text = (FOLDER / FILE).read_text()
    folder = tmp_path
    (folder / FILE).write_text(text.replace("weights: 0.9778", "weights: -0.9778"))  # type: ignore[operator]
    with pytest.raises(DataError, match="decimal"):
        load_speed_fit(folder)  # type: ignore[arg-type]


def percent(ratio: float) -> str:
    """Half-up, as pages show it."""
    return str((Decimal(str(ratio)) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP))


def test_the_document_has_the_shipped_errors() -> None:
    text = (Path(__file__).parents[2] / "docs" / "accuracy.md").read_text(encoding="utf-8")
    for family in FIT.families:
        for group in family.groups:
            cells = " | ".join(
                f"{percent(errors.mean_ratio)} / {percent(errors.median_ratio)}"
                for errors in group.errors.values()
            )
            row = f"| {group.device} | {group.errors['fitted'].n:,} | {cells} |"
            assert row in text, (family.family, group.metric, row)


def test_an_estimate_is_never_below_what_the_data_sheet_allows() -> None:
    """Far beyond the rows attention outgrows the fitted pieces."""
    far = replace(CASE, input_tokens=10_000_000, batch=1)
    found = estimate(FIT, far, "ttft")
    assert found.seconds == pytest.approx(floors(far, "ttft")["roofline"])
    assert found.band is None


def test_a_family_that_was_never_tried_has_no_band() -> None:
    dense = FIT.family("dense")
    assert dense is not None
    without = replace(FIT, families=tuple(f for f in FIT.families if f.family != "dense"))
    assert floor_band(without, CASE) == (None, ("family",))
    alone = replace(dense, groups=tuple(g for g in dense.groups if g.device != ALL))
    assert nearest(alone, "gb200", "tpot") is None
