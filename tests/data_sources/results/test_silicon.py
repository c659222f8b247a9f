"""The public measurements: the installed file gives the shipped errors; a made one its reasons."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data_sources.results import silicon
from econ.accuracy import errors_of, fit_families, points
from econ.speed_features import PrefillPool, floors
from messages.errors import InputError
from price_tables.hardware_load import load_hardware
from price_tables.speed_fit import FamilyFit
from price_tables.speed_fit_load import load_speed_fit

HARDWARE, FIT = load_hardware(), load_speed_fit()
HEAD = (
    "model_path,system,precision,mode,isl,osl,batch_size,tp_size,attention_dp_size,"
    "decode_batch_size,decode_tp_size,decode_attention_dp_size,silicon_ttft_ms,silicon_tpot_ms,"
    "moe_tp_size,moe_ep_size,decode_moe_tp_size,decode_moe_ep_size,decode_num_workers,"
    "prefill_num_workers,prefill_tp_size,prefill_attention_dp_size"
)


def made(*rows: str) -> bytes:
    """A file of the same columns with figures of our own."""
    return "\n".join((HEAD, *rows, "")).encode()


@pytest.fixture(scope="module")
def real() -> silicon.Silicon:
    """The installed file, in the version that the shipped fit names."""
    found = silicon.read_installed(HARDWARE)
    if found is None:
        pytest.skip(f"{silicon.PACKAGE} is not installed: its rows are not shipped")
    if found.sha256 != FIT.sha256:
        pytest.skip(f"{silicon.PACKAGE} {found.version} has other rows than {FIT.version}")
    return found


def test_the_installed_rows_give_the_shipped_errors(real: silicon.Silicon) -> None:
    assert (real.rows, real.left_aside, real.version) == (FIT.rows, FIT.left_aside, FIT.version)
    _same(errors_of(FIT, real.used), FIT.families)


def test_a_new_fit_gives_the_shipped_coefficients(real: silicon.Silicon) -> None:
    found = fit_families(real.used)
    for ours, shipped in zip(found, FIT.families, strict=True):
        for metric, weights in shipped.coefficients.items():
            assert ours.coefficients[metric] == pytest.approx(weights, rel=0.02, abs=0.02)


def _same(found: tuple[FamilyFit, ...], shipped: tuple[FamilyFit, ...]) -> None:
    assert len(found) == len(shipped)
    for ours, theirs in zip(found, shipped, strict=True):
        assert (ours.rows, ours.models, ours.ranges) == (theirs.rows, theirs.models, theirs.ranges)
        assert len(ours.groups) == len(theirs.groups)
        for group in ours.groups:
            known = theirs.group(group.device, group.metric)
            assert known is not None
            assert group.errors.keys() == known.errors.keys()
            for method, errors in group.errors.items():
                expected = known.errors[method]
                assert errors.n == expected.n
                assert errors.mean_ratio == pytest.approx(expected.mean_ratio, abs=2e-3)
                assert errors.median_ratio == pytest.approx(expected.median_ratio, abs=2e-3)


def test_a_byte_an_element_of_kv_gives_the_69_per_cent_of_others(real: silicon.Silicon) -> None:
    """The page says where the quoted figure comes from: 69.6 % with 8-bit KV, 63.1 % with 16."""
    dense = [row for row in real.used if row.family == "dense"]
    found = [
        np.mean(
            [
                abs(floors(replace(row.case, kv_dtype=dtype), "tpot")["roofline"] / row.tpot_s - 1)
                for row in dense
            ]
        )
        for dtype in ("bf16", "fp8")
    ]
    assert [round(float(error), 3) for error in found] == [0.631, 0.696]


def test_the_scatter_has_a_point_for_every_row_that_is_used(real: silicon.Silicon) -> None:
    assert len(points(FIT, real.used, "tpot")) == len(real.used)
    assert len(points(FIT, real.used, "ttft")) == len(real.used)


def test_gb200s_dense_rows_contradict_each_other(real: silicon.Silicon) -> None:
    """Why no term of load, link or rate can follow them: one run of Qwen3 32B, where the same one
    request at a time took 8 ms and 21 ms a token, and 32 took half as long as 16."""
    found = [row for row in real.used
             if row.family == "dense" and row.case.device.id == "gb200"]  # fmt: skip
    run = [row for row in found if row.case.weights_dtype == "bf16"]
    assert (len(found), len(run)) == (18, 15)
    long = [(row.case.batch, round(row.tpot_s * 1e3, 1)) for row in run
            if row.case.input_tokens == 4_000]  # fmt: skip
    assert long == [(1, 8.2), (1, 21.2), (2, 50.7), (4, 94.1), (8, 103.2), (16, 133.3), (32, 71.8)]


def test_rows_whose_devices_are_counted_twice_stand_in_the_file_again(
    real: silicon.Silicon,
) -> None:
    """4 x 4 groups of experts on "16" devices have the times of a row with 4, to the last digit."""
    path = silicon.installed()
    assert path is not None
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    key = ("system", "precision", "isl", "osl", "silicon_ttft_ms", "silicon_tpot_ms")
    small = {tuple(row[k] for k in key) for row in rows if row["tp_size"] in ("4", "8")}
    square = [row for row in rows if row["tp_size"] in ("16", "64")
              and row["moe_tp_size"] == row["moe_ep_size"] != "1"]  # fmt: skip
    again = sum(tuple(row[k] for k in key) in small for row in square)
    assert (len(square), again) == (257, 72)
    assert real.left_aside["devices_twice"] == 295


def test_a_made_file_is_read_and_what_cannot_be_used_is_counted() -> None:
    plain = "meta-llama/Llama-3.1-70B,h200_sxm,fp8,agg,1024,512,8,2,,,,,250,12.5"
    apart = "deepseek-ai/DeepSeek-R1,gb200,fp4,disagg,1024,512,,,,16,8,1,250,9.5"
    experts = "deepseek-ai/DeepSeek-R1,h200_sxm,fp8,agg,1024,512,16,1,8,,,,250,30"
    found = silicon.read(
        made(
            plain,
            plain.replace("fp8", ""),
            plain.replace("Llama-3.1-70B", "Unheard-Of"),
            plain.replace(",8,2,,", ",8,2,4,"),
            plain.replace(",8,2,", ",,2,"),
            plain.replace(",8,2,", ",8,64,"),
            plain.replace(",8,2,", ",8,12,"),
            plain.replace("12.5", "nan"),
            plain.removesuffix(",250,12.5"),
            f"{apart},,,1,8,3,2,4,1",
            f"{apart},,,1,8",
            "Qwen/Qwen3-32B,h100_sxm,fp8,disagg,1024,512,,,,16,8,1,250,9.5",
            f"{experts},1,8",
            f"{experts},8,8",
            experts.replace(",16,1,8,", ",16,64,,") + ",8,8",
        ),
        "made.csv",
        HARDWARE,
    )
    assert found.rows == 15
    assert [row.case.weights_dtype for row in found.used] == ["fp8", "bf16", "fp4", "fp8"]
    assert found.used[0].case.context_tokens == 1280
    assert (found.used[0].tpot_s, found.used[0].ttft_s) == (0.0125, 0.25)
    assert found.used[2].serving == "disaggregated"
    assert found.used[2].case.prefill_pool == PrefillPool(workers=2, devices=4, requests=48)
    copies = found.used[3].case
    assert (copies.batch, copies.tensor_parallel, copies.attention_copies) == (128, 8, 8)
    assert found.left_aside == {
        "attention_copies": 2, "batch_not_stated": 1, "devices_twice": 1, "few_disaggregated": 1,
        "many_ranks": 1, "no_such_layout": 1, "no_time": 2, "other_model": 1,
        "prefill_not_stated": 1,
    }  # fmt: skip


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00", HEAD.encode()])
def test_another_file_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match=r"results\.not_silicon"):
        silicon.read(content, "other.csv", HARDWARE)


def test_a_fit_of_one_device_alone_leaves_none_out() -> None:
    rows = [
        f"Qwen/Qwen3-32B,h100_sxm,fp8,agg,1024,512,{n},2,,,,,{50 * n},{10 + n}"
        for n in range(1, 15)
    ]
    (family,) = fit_families(silicon.read(made(*rows), "made.csv", HARDWARE).used)
    assert family.devices == ("h100-sxm",)
    assert all("left_out" not in group.errors for group in family.groups)
    assert family.groups[0].errors["fitted"].mean_ratio < 0.05


def test_the_installed_file_is_found_or_known_to_be_missing() -> None:
    path = silicon.installed()
    assert path is None or Path(path).name == silicon.FILE
    assert (path is None) == (silicon.installed_version() is None)
