"""Models side by side, sequences on a device, the articles' figures, and the CSV of all that."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.article_sizes import (
    B300_LABEL_BYTES,
    at_128000,
    case_rows,
    conversation,
    guide_rows,
    real_rows,
)
from econ.kv_formats import kv_format
from econ.kv_memory import kv_bytes
from econ.own_device import OWN, own_device
from econ.size_csv import COLUMNS, size_csv
from econ.size_study import CONTEXTS, Place, curve, fits, size_rows
from econ.weight_bytes import estimated_weights
from price_tables.hardware_load import load_hardware

MODELS, DEVICES = load_hardware().models, load_hardware().devices
BF16 = kv_format("bf16")
GIB = 2**30
B300 = Place(device_bytes=DEVICES["b300-sxm"].memory_bytes, fraction=Fraction(9, 10))


def test_the_largest_a_token_stands_first() -> None:
    names = ("deepseek-v3", "gpt3-175b", "llama-3.1-70b")
    rows = size_rows([MODELS[name] for name in names], BF16, 131_072)
    assert [row.spec.id for row in rows] == ["gpt3-175b", "llama-3.1-70b", "deepseek-v3"]
    assert [row.shares for row in rows] == [False, True, True]


def test_only_a_windowed_model_has_two_sizes() -> None:
    plain, windowed = size_rows([MODELS["llama-3.1-70b"], MODELS["gpt-oss-120b"]], BF16, 131_072)
    assert not plain.has_two_sizes
    assert windowed.has_two_sizes
    unknown = size_rows([MODELS["deepseek-v4-pro"]], BF16, 8192)[0]
    assert unknown.mha_per_token is None
    assert not unknown.shares


@given(st.sampled_from(sorted(MODELS)), st.integers(1024, 2_000_000))
def test_a_curve_never_falls_and_never_exceeds_what_is_reserved(name: str, last: int) -> None:
    points = curve(MODELS[name], BF16, last)
    assert [p.context_tokens for p in points] == sorted({p.context_tokens for p in points})
    assert points[-1].context_tokens == last
    least = [p.bytes_min for p in points]
    assert least == sorted(least)
    assert all(p.bytes_min <= p.bytes_reserved for p in points)
    kept = kv_bytes(MODELS[name], BF16, context_tokens=last)
    assert (points[-1].bytes_min, points[-1].bytes_reserved) == (
        kept.bytes_min,
        kept.bytes_reserved,
    )


def test_a_windows_end_is_a_point_of_the_curve() -> None:
    assert 8192 in {p.context_tokens for p in curve(MODELS["llama-4-scout"], BF16, 100_000)}


def test_sequences_fit_beside_the_weights_in_whole_blocks() -> None:
    found = [fits(MODELS["llama-3.1-70b"], BF16, tokens, B300).sequences for tokens in CONTEXTS]
    assert found == [44, 11, 2]


def test_weights_may_be_more_than_a_device() -> None:
    fit = fits(MODELS["deepseek-v3"], BF16, 8192, B300)
    assert (fit.sequences, fit.weights_fit, fit.weights_from) == (0, False, "estimated")
    eight = fits(MODELS["deepseek-v3"], BF16, 8192, replace(B300, tensor_parallel=8))
    assert eight.weights_fit
    assert eight.bytes_per_rank == 70_272 * 8192  # a latent vector lies on every rank whole


def test_typed_weights_count_before_the_estimate() -> None:
    place = Place(device_bytes=288 * 10**9, fraction=Fraction(1), weights_bytes=70 * 10**9)
    fit = fits(MODELS["llama-3.1-70b"], BF16, 131_072, place)
    assert (fit.sequences, fit.weights_from) == (5, "typed")


def test_without_weights_nothing_is_said_to_fit() -> None:
    model = replace(MODELS["llama-3.1-8b"], parameters_total=None)
    fit = fits(model, BF16, 8192, B300)
    assert (fit.sequences, fit.free_bytes, fit.weights_from) == (None, None, "unknown")
    assert not fit.weights_fit


@pytest.mark.parametrize("tokens", CONTEXTS)
@pytest.mark.parametrize("name", sorted(MODELS))
def test_what_fits_really_fits_and_one_more_does_not(name: str, tokens: int) -> None:
    fit = fits(MODELS[name], BF16, tokens, replace(B300, tensor_parallel=8))
    if fit.sequences is None or fit.free_bytes is None:
        assert fit.weights_bytes is None or not fit.splits
        return
    free = max(fit.free_bytes, 0)
    assert fit.sequences * fit.bytes_per_rank <= free < (fit.sequences + 1) * fit.bytes_per_rank


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llama-3.1-8b", 16_060_000_000),
        ("deepseek-v3", 671_000_000_000),
        ("gpt-oss-120b", 117_000_000_000 * 17 // 32),
    ],
)
def test_weights_are_estimated_by_the_width_of_their_type(name: str, expected: int) -> None:
    assert estimated_weights(MODELS[name]) == pytest.approx(expected, rel=0.01)


def test_every_models_type_is_known() -> None:
    unknown = [m.id for m in MODELS.values() if m.parameters_total and not estimated_weights(m)]
    assert unknown == []
    assert estimated_weights(replace(MODELS["llama-3.1-8b"], checkpoint_dtype="gguf")) is None


def test_a_device_may_be_typed_in() -> None:
    device = own_device(None, name="mine", memory_bytes=24 * 10**9, bandwidth_bytes_per_s=10**12,
                        dense_ops_per_s={"fp16": 10**14})  # fmt: skip
    assert (device.id, device.memory_bytes, device.label_gb) == (OWN, 24 * 10**9, Decimal(24))
    assert device.dense_ops_per_s == {"fp16": 10**14}
    assert own_device(None, memory_bytes=1).dense_ops_per_s == {}
    for memory in (None, 0):
        with pytest.raises(ValueError, match="memory"):
            own_device(None, memory_bytes=memory)


def test_a_device_of_the_tables_keeps_what_is_not_overridden() -> None:
    base = DEVICES["h100-sxm"]
    device = own_device(base, memory_bytes=94 * 10**9, dense_ops_per_s={"fp8": 1})
    assert device.memory_bytes == 94 * 10**9
    assert device.dense_ops_per_s == {"fp16": base.dense_ops_per_s["fp16"], "fp8": 1}
    assert (device.name, device.hourly, device.tdp_w) == (base.name, base.hourly, base.tdp_w)
    assert own_device(base) == base
    with pytest.raises(ValueError, match="memory"):
        own_device(base, memory_bytes=-1)


def test_the_guides_table_is_reproduced() -> None:
    shown = {
        row.name: [row.per_token.ours_bytes // 1024, *(one.ours_bytes / GIB for one in row.at)]
        for row in guide_rows()
    }
    assert shown == {
        "MHA": [512, 4, 16, 64],
        "GQA": [128, 1, 4, 16],
        "MQA": [16, 0.125, 0.5, 2],
    }
    for row in guide_rows():
        for one, gib in zip(row.at, shown[row.name][1:], strict=True):
            assert one.text == f"{gib:g} GiB"


@pytest.mark.parametrize(
    ("model", "per_token", "at_131072_gb", "at_131072_gib"),
    [
        ("gpt3-175b", 4_718_592, "618.5", "576.00"),
        ("llama-2-7b", 524_288, "68.7", "64.00"),
        ("mistral-7b", 131_072, "17.2", "16.00"),
        ("mixtral-8x7b", 131_072, "17.2", "16.00"),
        ("llama-3.1-70b", 327_680, "42.9", "40.00"),
        ("qwen3-235b-a22b", 192_512, "25.2", "23.50"),
        ("deepseek-v3", 70_272, "9.2", "8.58"),
        ("deepseek-r1", 70_272, "9.2", "8.58"),
    ],
)
def test_k1_the_real_models_exact_figures(
    model: str, per_token: int, at_131072_gb: str, at_131072_gib: str
) -> None:
    row = {row.model.id: row for row in real_rows(MODELS)}[model]
    assert row.per_token.ours_bytes == per_token
    assert f"{row.at_131072.ours_bytes / 1e9:.1f}" == at_131072_gb
    assert f"{row.at_131072.ours_bytes / GIB:.2f}" == at_131072_gib


def test_k1_the_printed_figures_come_from_mixed_units() -> None:
    """590 = 4.5 x 131,072 thousandths; 8.8 = 70 KiB x 131,072 in GiB, rounded up."""
    assert round(4.5 * 131_072 / 1000) == 590
    assert round(70 * 1024 * 131_072 / GIB, 2) == 8.75
    by_name = {row.model.id: row for row in real_rows(MODELS)}
    assert by_name["gpt3-175b"].at_131072.why == "times"
    assert by_name["deepseek-v3"].at_131072.why == "times_gib"
    shorter = [at_128000(MODELS[name]) for name in ("gpt3-175b", "llama-3.1-70b", "deepseek-v3")]
    assert [f"{size / 1e9:.1f}" for size in shorter] == ["604.0", "41.9", "9.0"]


def test_k5_the_table_spans_67_times_and_one_model_has_70b() -> None:
    rows = real_rows(MODELS)
    sizes = [row.per_token.ours_bytes for row in rows]
    assert round(max(sizes) / min(sizes)) == 67
    assert [row.model.id for row in rows if row.model.name.endswith(" 70B")] == ["llama-3.1-70b"]
    assert len(rows) == 8
    assert len({row.model.groups for row in rows}) == 6  # Mistral's and Mixtral's are equal too
    assert [row.model.id for row in rows if row.hypothetical] == ["gpt3-175b"]


def test_models_that_a_table_lacks_are_left_out() -> None:
    assert real_rows({}) == ()


def test_28_layers_are_three_and_a_half_gib() -> None:
    assert conversation().ours_bytes == 3_758_096_384
    assert conversation().ours_bytes / GIB == 3.5
    assert conversation().text == "3.5 GiB"


def test_k4_five_fit_on_paper_four_with_a_reserve_six_do_not() -> None:
    rows = {row.sequences: row for row in case_rows(MODELS["llama-3.1-70b"])}
    assert [rows[n].fits for n in (1, 4, 5, 6)] == [True, True, True, False]
    assert [rows[n].fits_with_reserve for n in (1, 4, 5, 6)] == [True, True, False, False]
    assert [f"{rows[n].total_bytes / 1e9:.1f}" for n in (5, 6)] == ["284.7", "327.7"]
    assert rows[6].total_bytes > B300_LABEL_BYTES


def test_the_csv_holds_every_figure_raw_with_its_source() -> None:
    models = [MODELS["gpt-oss-120b"], MODELS["kimi-k3"], MODELS["deepseek-v4-flash"]]
    data = size_csv(models, BF16, 1000, DEVICES["b300-sxm"], B300)
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 3 * 4
    assert {int(row["context_tokens"]) for row in rows} == {1000, *CONTEXTS}
    one = next(r for r in rows if (r["model"], r["context_tokens"]) == ("gpt-oss-120b", "8192"))
    assert (one["bytes_min"], one["bytes_reserved"]) == ("306708480", "603979776")
    assert one["source"]
    assert one["as_of"] == "2026-11-29"


def test_a_model_whose_heads_cannot_be_dealt_out_holds_nothing_and_says_so() -> None:
    """28 heads do not go over 8 devices, but over 4."""
    split = fits(MODELS["qwen2.5-7b"], BF16, 8_192, replace(B300, tensor_parallel=8))
    assert (split.splits, split.sequences, split.free_bytes) == (False, None, None)
    assert fits(MODELS["qwen2.5-7b"], BF16, 8_192, replace(B300, tensor_parallel=4)).splits
