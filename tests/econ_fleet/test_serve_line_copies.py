"""Data-parallel attention in a `vllm serve` line, read and written."""

from __future__ import annotations

from econ.engine_line import read_serve_line, serve_line


def test_ranks_with_spread_experts_are_one_replica_and_not_several() -> None:
    line = read_serve_line(
        "vllm serve deepseek-ai/DeepSeek-V3 -tp 2 -dp 4 --enable-expert-parallel"
    )
    assert (line.tensor_parallel, line.attention_copies, line.replicas) == (8, 4, None)
    assert line.ignored == ()


def test_without_spread_experts_they_are_replicas() -> None:
    line = read_serve_line("vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 2 -dp 4")
    assert (line.tensor_parallel, line.attention_copies, line.replicas) == (2, None, 4)


def test_what_is_written_is_read_again() -> None:
    text = serve_line("m", {"tensor_parallel": 2, "replicas": 4, "attention_copies": 4})
    assert "--enable-expert-parallel" in text
    line = read_serve_line(text)
    assert (line.tensor_parallel, line.attention_copies) == (8, 4)
