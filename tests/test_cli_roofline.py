"""The shell's `roofline`: the 70B case on a B300, the three kinds of source, what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data_sources.store.engine import close_current_store
from jobs import profiling
from kvcore.profile import Limits
from settings import Settings, using
from tests.shell import shell
from tests.shell_shapes import count, each, maybe, ratio, text
from tests.ui.engine_sample import WHOLE

B300 = ("roofline", "llama-3.1-70b", "--device", "b300-sxm")
POINT = {
    "context_tokens", "batch", "kv_bytes", "total_bytes", "fits", "decode_step_s", "tokens_per_s",
    "prefill_s", "prefill_linear_s", "prefill_attention_s", "bound", "band",
}  # fmt: skip


def points(*words: object) -> dict[tuple[int, int], dict[str, Any]]:
    """The points of an answer that has exactly the shape, by context and batch."""
    said = shell(*words, "--json")
    assert said.status == 0, said.err
    data = said.json
    assert set(data) == {
        "model", "device", "source_kind", "weights_bytes", "tensor_parallel", "points",
    }  # fmt: skip
    text(data["model"])
    text(data["device"])
    assert data["source_kind"] in ("datasheet", "published", "measured")
    count(data["weights_bytes"])
    count(data["tensor_parallel"])
    each(_point)(data["points"])
    return {(point["context_tokens"], point["batch"]): point for point in data["points"]}


def _point(point: Any) -> None:
    assert set(point) == POINT
    for name in ("context_tokens", "batch", "kv_bytes", "total_bytes"):
        count(point[name])
    assert point["fits"] in (True, False, None)
    assert point["bound"] in ("bandwidth", "compute")
    assert point["decode_step_s"] > 0
    assert point["tokens_per_s"] == pytest.approx(point["batch"] / point["decode_step_s"])
    maybe(_band)(point["band"])


def _band(band: Any) -> None:
    assert set(band) == {"low_ratio", "high_ratio", "basis", "n"}
    ratio(band["low_ratio"])
    ratio(band["high_ratio"])
    text(band["basis"])
    count(band["n"])
    assert 0 < band["low_ratio"] < band["high_ratio"]


def test_the_articles_70b_case_on_one_b300() -> None:
    """70 GB of FP8 weights, 16-bit KV, 288 GB at 8 TB/s, 4.5 PFLOPS dense."""
    found = points(*B300, "--context", "8192,131072", "--batch", "1,4,6", "--weights-bytes", "70e9")
    assert round(found[8192, 1]["decode_step_s"] * 1e3, 1) == 9.1
    long = found[131_072, 1]
    assert round(long["decode_step_s"] * 1e3, 1) == 14.1
    assert round(long["tokens_per_s"], 1) == 70.8
    assert round(found[131_072, 4]["decode_step_s"] * 1e3, 1) == 30.2
    six = found[131_072, 6]
    assert round(six["total_bytes"] / 1e9, 1) == 327.7
    assert six["fits"] is False
    assert found[131_072, 4]["fits"] is True
    assert round(long["prefill_s"], 1) == 9.1
    assert round(long["prefill_linear_s"], 1) == 4.1
    assert round(long["prefill_attention_s"], 1) == 5.0
    assert {point["bound"] for point in found.values()} == {"bandwidth"}


def test_five_sequences_are_the_edge() -> None:
    found = points(*B300, "--context", 131_072, "--batch", 5, "--weights-bytes", 70_000_000_000)
    assert found[131_072, 5]["fits"] is True
    assert round(found[131_072, 5]["total_bytes"] / 1e9, 1) == 284.7


def test_a_context_that_nobody_measured_has_no_band_and_it_is_said() -> None:
    said = shell(*B300, "--context", "8192,131072", "--batch", 1, "--json")
    assert [point["band"] is None for point in said.json["points"]] == [False, True]
    assert "context length" in said.err
    assert shell(*B300, "--context", 8192, "--batch", 1).err == ""


def test_fitted_times_lie_above_the_floor_and_say_that_they_are_published() -> None:
    asked = ("roofline", "llama-3.1-70b", "--device", "h200-sxm", "--context", 2048, "--batch", 8,
             "--weights-bytes", "70e9")  # fmt: skip
    floor, fitted = points(*asked)[2048, 8], points(*asked, "--source", "published")[2048, 8]
    assert fitted["decode_step_s"] > floor["decode_step_s"]
    assert fitted["prefill_s"] > floor["prefill_s"]
    assert fitted["prefill_linear_s"] is None
    assert fitted["band"]["basis"] == "dense, h200-sxm, fitted"
    assert floor["band"]["basis"] == "dense, h200-sxm, roofline"
    assert floor["band"]["low_ratio"] > 1
    assert "Fitted to published" in shell(*asked, "--source", "published").out


def test_latent_attention_is_held_by_every_rank() -> None:
    asked = ("roofline", "deepseek-r1", "--device", "b200-sxm", "--context", 8192, "--batch", 1)
    alone, eight = points(*asked)[8192, 1], points(*asked, "--tp", 8)[8192, 1]
    assert eight["kv_bytes"] == 8 * alone["kv_bytes"]
    assert alone["fits"] is False
    assert eight["fits"] is True


def test_few_heads_are_held_twice_by_sixteen_ranks() -> None:
    asked = ("roofline", "llama-3.1-70b", "--device", "h100-sxm", "--context", 8192, "--batch", 1)
    eight, sixteen = points(*asked, "--tp", 8)[8192, 1], points(*asked, "--tp", 16)[8192, 1]
    assert sixteen["kv_bytes"] == 2 * eight["kv_bytes"]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[None]:
    """A ledger of its own, since profiles are kept there."""
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield
        close_current_store()


@pytest.mark.usefixtures("ledger")
def test_a_profile_brings_its_measured_limits() -> None:
    limits = Limits(triad_bytes_per_s=31.1e9, matmul_flop_per_s={"matmul float32": 2e11})
    profile_id = profiling.keep(replace(WHOLE, limits=limits), "measured", "ann")
    asked = ("roofline", "qwen3-0.6b", "--profile", profile_id[:12], "--context", 512,
             "--batch", 1)  # fmt: skip
    said = shell(*asked, "--json").json
    assert said["source_kind"] == "measured"
    assert said["device"] == WHOLE.device.name
    (point,) = said["points"]
    assert point["decode_step_s"] == pytest.approx(point["total_bytes"] / 31.1e9)
    assert point["band"] is None
    assert "measured on its device" in shell(*asked).out


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (("roofline", "llama-3.1-70b", "--context", 1, "--batch", 1), 2, "--device"),
        ((*B300, "--context", "8k", "--batch", 1), 2, "--context"),
        ((*B300, "--context", "8192,", "--batch", 1), 2, "--context"),
        ((*B300, "--context", 8192, "--batch", 0), 2, "--batch"),
        ((*B300, "--context", 8192, "--batch", 1, "--weights-bytes", 0), 2, "--weights-bytes"),
        ((*B300, "--context", 8192, "--batch", 1, "--profile", "abc"), 2, "--profile"),
        ((*B300, "--context", ",".join(["8"] * 401), "--batch", 1), 2, "--context"),
        (("roofline", "llama-3.1-70b", "--device", "b300x", "--context", 1, "--batch", 1), 1,
         "b300-sxm"),
        (("roofline", "nothing-70b", "--device", "b300", "--context", 1, "--batch", 1), 1,
         "nothing-70b"),
        (("roofline", "glm-5.2", "--device", "b300", "--context", 1, "--batch", 1), 1,
         "--weights-bytes"),
        (("roofline", "llama-3.1-70b", "--device", "rubin-r200", "--context", 1, "--batch", 1), 1,
         "rubin-r200"),
        ((*B300, "--context", 10**10, "--batch", 1), 2, "--context"),
        (("roofline", "glm-5.2", "--device", "b300", "--context", 8192, "--batch", 1,
          "--weights-bytes", "7e11", "--source", "published"), 1, "glm-5.2"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_answered_is_one_sentence(
    words: tuple[object, ...], status: int, part: str
) -> None:
    said = shell(*words)
    assert said.status == status
    assert part in said.sentence


def test_the_words_are_japanese_where_that_is_asked_for() -> None:
    said = shell(*B300, "--context", 8192, "--batch", 1, "--lang", "ja")
    assert "帯域幅" in said.out
    assert "予測ではありません" in said.out


def test_without_parameters_nothing_is_said_of_the_prompt() -> None:
    asked = ("roofline", "glm-5.2", "--device", "b300", "--context", 8192, "--batch", 1,
             "--weights-bytes", "2e11")  # fmt: skip
    point = points(*asked)[8192, 1]
    assert point["prefill_s"] is None
    assert point["decode_step_s"] > 0
    assert "- " in shell(*asked).out


@pytest.mark.usefixtures("ledger")
def test_a_profile_without_a_multiplication_is_refused() -> None:
    profile_id = profiling.keep(WHOLE, "measured", "ann")
    said = shell("roofline", "qwen3-0.6b", "--profile", profile_id, "--context", 1, "--batch", 1)
    assert said.status == 1
    assert "laptop" in said.sentence or WHOLE.name in said.sentence
