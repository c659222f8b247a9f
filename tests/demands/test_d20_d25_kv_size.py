"""D20 to D25 and the bytes of D35: what a model's cache weighs, through the shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import shell_shapes as shapes
from tests.shell import shell

GIB = 2**30


def kv(*words: object) -> dict[str, Any]:
    """What `kv … --json` prints; it must succeed and have its shape."""
    said = shell("kv", *words, "--json")
    assert said.status == 0, said.err
    shapes.KV(said.json)
    found: dict[str, Any] = said.json
    return found


@pytest.fixture
def qwen3_config(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    fields = {
        "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128,
    }  # fmt: skip
    path.write_text(json.dumps(fields), encoding="utf-8")
    return path


def test_d20_the_head_size_is_the_configs_own(qwen3_config: Path) -> None:
    """98,304 B a token; not 49,152 (hidden over heads), not 786,432 (query heads)."""
    assert kv(qwen3_config, "--context", 8192, "--dtype", "bf16")["bytes_per_token"] == 98_304
    assert kv("qwen3-30b-a3b", "--context", 8192)["bytes_per_token"] == 98_304


@pytest.mark.parametrize("name", ["Qwen3 30B A3B", "Qwen/Qwen3-30B-A3B", "QWEN3-30b-a3b"])
def test_d20_a_model_is_found_by_id_name_and_repository(name: str) -> None:
    assert kv(name, "--context", 1)["model"] == "qwen3-30b-a3b"


def test_d21_mla_is_one_row_a_layer_on_every_rank() -> None:
    """70,272 B a token, 9.21 GB at 131,072; TP 8 keeps all of it on each; MHA-style beside it."""
    found = kv("deepseek-v3", "--context", 131072, "--dtype", "bf16", "--tp", 8)
    assert found["bytes_per_token"] == 70_272
    assert found["bytes_min"] == found["bytes_per_rank"] == 9_210_691_584
    assert round(found["bytes_min"] / 1e9, 2) == 9.21
    assert round(found["bytes_min"] / GIB, 2) == 8.58
    assert found["bytes_mha_style"] == 4_997_120 * 131_072


def test_d23_windows_have_a_minimum_and_a_reserved_figure() -> None:
    found = kv("gpt-oss-20b", "--context", 8192, "--sequences", 32)
    assert round(found["bytes_min"] / GIB, 2) == 6.09
    assert found["bytes_reserved"] == 12 * GIB


def test_d23_capacity_is_counted_as_reserved_in_whole_blocks() -> None:
    """5.38 GiB: 78,351 tokens, of which 4,896 whole blocks hold 78,336."""
    free = int(5.38 * GIB)
    found = kv("gpt-oss-120b", "--context", 8192, "--free-bytes", free)
    assert found["bytes_per_token"] == 73_728
    assert found["bytes_per_token_long_context"] == 36_864
    assert free // found["bytes_per_token"] == 78_351
    assert found["capacity"]["blocks"] == 4_896
    assert found["capacity"]["tokens"] == 78_336


RTX_4090 = (
    "--device-bytes", 25_250_627_584, "--fraction", "0.9", "--weights-bytes", 16_060_522_496,
)  # fmt: skip


def test_d24_an_engines_log_line_measures_the_overhead() -> None:
    found = kv("llama-3.1-8b", "--context", 8192, *RTX_4090, "--engine-blocks", 2588,
               "--block-size", 16)["capacity"]  # fmt: skip
    assert found["overhead_bytes"] == 1_237_612_953
    assert found["tokens"] == 41_408
    assert found["free_bytes"] == 5_427_429_376
    assert found["overhead_source"] == "engine log"
    assert found["residual_bytes"] == 0


def test_d24_without_a_log_line_the_answer_says_that_no_overhead_is_in_it() -> None:
    said = shell("kv", "llama-3.1-8b", "--context", 8192, *RTX_4090)
    assert "50,848 tokens" in said.out  # whole blocks of 50,850
    assert "No overhead is counted" in said.out


@pytest.mark.parametrize(
    ("dtype", "size", "gb", "gib"),
    [("bf16", 42_949_672_960, "42.95", "40.00"), ("fp8", 21_474_836_480, "21.47", "20.00")],
)
def test_d25_both_units_and_the_dtype_stand_on_every_figure(
    dtype: str, size: int, gb: str, gib: str
) -> None:
    words = ("llama-3.1-70b", "--context", 131072, "--dtype", dtype)
    assert kv(*words)["bytes_min"] == size
    said = shell("kv", *words).out
    assert dtype in said.splitlines()[0]
    line = next(line for line in said.splitlines() if "minimum" in line)
    assert line.split()[-3:] == [f"{size:,}", gb, gib]


@pytest.mark.parametrize(("fraction", "sequences"), [("1", 5), ("0.9", 4)])
def test_d25_five_fit_by_bytes_alone_and_four_with_a_tenth_kept_back(
    fraction: str, sequences: int
) -> None:
    found = kv("llama-3.1-70b", "--context", 131072, "--device-bytes", 288_000_000_000,
               "--weights-bytes", 70_000_000_000, "--fraction", fraction)  # fmt: skip
    assert found["capacity"]["sequences"] == sequences


def test_d25_five_are_284_gb_with_the_weights_and_six_327() -> None:
    for sequences, total in ((5, "284.7"), (6, "327.7")):
        found = kv("llama-3.1-70b", "--context", 131072, "--sequences", sequences)
        assert f"{(found['bytes_min'] + 70e9) / 1e9:.1f}" == total


@pytest.mark.parametrize(("dtype", "per_token"), [("q8_0", 69_632), ("q4_0", 36_864)])
def test_d35_a_quantised_caches_bytes_include_its_scales(dtype: str, per_token: int) -> None:
    assert kv("llama-3.1-8b", "--context", 8192, "--dtype", dtype)["bytes_per_token"] == per_token


def test_d35_keys_and_values_may_have_formats_of_their_own() -> None:
    mixed = kv("llama-3.1-8b", "--context", 8192, "--dtype", "q8_0/q4_0")
    assert mixed["bytes_per_token"] == (69_632 + 36_864) // 2
