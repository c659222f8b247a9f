"""`fleet` through the shell: exact keys, saturation, what is missing, what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from messages.catalogue import LANGUAGES
from tests.shell import jsonl, plain_csv, shell
from tests.shell_shapes import count, each, maybe, money, ratio, shape, text


def flag(value: Any) -> None:
    assert type(value) is bool


def seconds(value: Any) -> None:
    assert type(value) is float
    assert value >= 0


LATENCY = shape(
    p50=maybe(seconds), p95=maybe(seconds), p99=maybe(seconds), max=maybe(seconds), n=count
)
FLEET = shape(
    model=text,
    device=text,
    memory=shape(
        device_bytes=count,
        weights_bytes=count,
        overhead_bytes=count,
        kv_bytes=count,
        block_tokens=count,
        blocks=count,
        sequences_p50=maybe(count),
        sequences_p95=maybe(count),
    ),
    results=each(
        shape(
            replicas=count,
            routing=text,
            token_hit_ratio=maybe(ratio),
            lost_hit_tokens=count,
            utilisation=maybe(ratio),
            saturated=flag,
            ttft_s=LATENCY,
            tpot_s=LATENCY,
        )
    ),
    smallest=maybe(
        shape(
            replicas=count,
            routing=text,
            target_ttft_s=maybe(seconds),
            target_tpot_s=maybe(seconds),
            percentile=count,
        )
    ),
    handoff=maybe(
        shape(
            bytes=count,
            transfer_s=seconds,
            share_of_ttft=maybe(ratio),
            max_in_decode=maybe(count),
        )
    ),
    cost=maybe(
        shape(
            usd_per_gpu_hour=money,
            reserved_gpu_hours=seconds,
            usd=money,
            usd_per_mtok=shape(
                uncached_input=maybe(money), cached_input=maybe(money), output=maybe(money)
            ),
            source=text,
            as_of=maybe(text),
        )
    ),
)
SMALL = ("--model", "llama-3.1-8b", "--device", "h100-sxm")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A hundred and twenty requests of four blocks, a second apart, in six chains."""
    rows = [
        {"timestamp": 1000 * n, "input_length": 2_048, "output_length": 20,
         "hash_ids": [n % 6, 10 + n % 6, 20 + n % 6, 1_000 + n]}
        for n in range(120)
    ]  # fmt: skip
    return jsonl(tmp_path / "trace.jsonl", rows)


def fleet(*words: object) -> Mapping[str, Any]:
    """What `fleet … --json` prints; it must succeed."""
    said = shell("fleet", *words, "--json")
    assert said.status == 0, said.err
    FLEET(said.json)
    found: Mapping[str, Any] = said.json
    return found


def test_the_shape_with_everything_asked_for(trace: Path) -> None:
    found = fleet(
        trace, *SMALL, "--replicas", "1,2", "--routing", "all", "--target-ttft-s", 1,
        "--target-tpot-s", 0.1, "--percentile", 99, "--prefill-device", "b200-sxm",
    )  # fmt: skip
    assert [(row["replicas"], row["routing"]) for row in found["results"]] == [
        (n, routing) for n in (1, 2) for routing in ("round-robin", "least-loaded", "prefix-affine")
    ]
    assert found["results"][0]["token_hit_ratio"] == pytest.approx(114 * 3 / 480, abs=1e-6)
    assert found["smallest"]["replicas"] == 1
    assert found["smallest"]["percentile"] == 99
    assert found["handoff"]["bytes"] == 2_048 * 131_072
    assert found["results"][0]["ttft_s"]["p99"] is not None


def test_a_fleet_offered_more_than_it_can_do_has_no_latencies(trace: Path) -> None:
    found = fleet(trace, *SMALL, "--ops-per-s", 10**12, "--speed", "datasheet")
    (row,) = found["results"]
    assert row["saturated"]
    assert row["utilisation"] > 1
    assert row["ttft_s"] == {"p50": None, "p95": None, "p99": None, "max": None, "n": 120}
    assert found["cost"] is None
    said = shell("fleet", trace, *SMALL, "--ops-per-s", 10**12, "--speed", "datasheet")
    assert "grows without bound" in said.out


def test_a_serve_line_and_a_log_line_say_the_same_as_flags(trace: Path) -> None:
    line = "vllm serve llama-3.1-8b --kv-cache-dtype fp8 --max-num-seqs 8 -dp 2"
    by_line = fleet(trace, "--serve", line, "--device", "h100-sxm")
    by_flags = fleet(trace, *SMALL, "--kv-cache-dtype", "fp8", "--max-num-seqs", 8, "--replicas", 2)
    assert by_line == by_flags
    logged = fleet(trace, *SMALL, "--log-line", "# GPU blocks: 2588, # CPU blocks: 0")
    assert logged["memory"]["blocks"] == 2_588


def test_a_file_without_times_still_says_what_fits(tmp_path: Path) -> None:
    rows = [{"session_id": "a", "input_tokens": 1_000, "output_tokens": 24}]
    said = shell("fleet", plain_csv(tmp_path / "no-times.csv", rows), *SMALL, "--json")
    assert said.status == 0
    FLEET(said.json)
    assert said.json["results"] == []
    assert said.json["memory"]["sequences_p50"] > 0
    assert "no arrival times" in said.err


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_person_reads_memory_a_line_a_fleet_and_the_money(trace: Path, language: str) -> None:
    said = shell("fleet", trace, *SMALL, "--replicas", "1,2", "--lang", language)
    assert said.status == 0, said.err
    assert "cli." not in said.out
    assert "{" not in said.out
    assert sum("round-robin" in line for line in said.out.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((), 2),
        (("--model", "llama-3.1-8b"), 2),
        (("--model", "llama-9", "--device", "h100-sxm"), 1),
        (("--model", "llama-3.1-8b", "--device", "h1000"), 1),
        ((*SMALL, "--replicas", "0"), 2),
        ((*SMALL, "--replicas", "65"), 2),
        ((*SMALL, "--routing", "random"), 2),
        ((*SMALL, "--gpu-memory-utilization", "1.2"), 2),
        ((*SMALL, "--target-ttft-s", "0"), 2),
        ((*SMALL, "--kv-cache-dtype", "int3"), 2),
        ((*SMALL, "--quantization", "sorcery"), 2),
        ((*SMALL, "--profile", "no-such-profile"), 1),
        ((*SMALL, "--serve", "docker run"), 1),
        ((*SMALL, "--log-line", "nothing of the kind"), 1),
        ((*SMALL, "--log-line", "# GPU blocks: 999999999"), 1),
        ((*SMALL, "--max-num-seqs", "64", "--max-num-batched-tokens", "32"), 2),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    trace: Path, words: tuple[str, ...], status: int
) -> None:
    said = shell("fleet", trace, *words, "--json")
    assert said.status == status
    assert said.sentence
    assert "cli." not in said.sentence
