"""What one replica holds, what a log says of its overhead, and what a hand-off moves."""

from __future__ import annotations

from fractions import Fraction

import pytest

from econ.engine_line import LoggedRoom, ServeLine, read_log_line, read_serve_line, serve_line
from econ.fleet import Engine, table_for
from econ.fleet_input import requests_of
from econ.fleet_memory import LOGGED_OVERHEAD_BYTES, replica_memory, weights_bytes_of
from econ.fleet_pools import Pool, handoff, serve_pools
from econ.kv_formats import kv_format
from messages.errors import InputError
from price_tables.hardware import ModelSpec
from price_tables.hardware_load import load_hardware
from tests.econ_fleet.made import BLOCK, steady, workload

RTX_4090_BYTES, LLAMA_8B_WEIGHTS = 25_250_627_584, 16_060_522_496


def model(name: str) -> ModelSpec:
    """A known model."""
    return load_hardware().models[name]


def test_d24_a_log_line_measures_the_overhead() -> None:
    log = read_log_line(
        "INFO worker.py:99] starting\n"
        "INFO gpu_executor.py:122] # GPU blocks: 2588, # CPU blocks: 2048"
    )
    assert log == LoggedRoom(blocks=2588)
    found = replica_memory(
        model("llama-3.1-8b"), RTX_4090_BYTES, kv_format("bf16"), weights_bytes=LLAMA_8B_WEIGHTS,
        fraction=Fraction(9, 10), block_tokens=16, engine_blocks=log.blocks_of(16),
    )  # fmt: skip
    assert found.tokens == 41_408
    assert found.kv_bytes == 5_427_429_376
    assert found.overhead_bytes == LOGGED_OVERHEAD_BYTES == 1_237_612_953
    assert found.overhead_source == "your log"
    assert found.free_bytes == 0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("GPU KV cache size: 41,408 tokens", LoggedRoom(tokens=41_408)),
        ("max_total_num_tokens=78384, chunked_prefill_size=8192", LoggedRoom(tokens=78_384)),
        ("num_gpu_blocks: 17_0", LoggedRoom(blocks=17)),
        ("# CUDA blocks: 2,588", LoggedRoom(blocks=2_588)),
    ],
)
def test_engines_say_it_in_several_ways(line: str, expected: LoggedRoom) -> None:
    assert read_log_line(line) == expected


@pytest.mark.parametrize("line", ["", "hello", "# GPU blocks: 0", "# CPU blocks: 2048"])
def test_a_line_without_room_is_refused(line: str) -> None:
    with pytest.raises(InputError) as refused:
        read_log_line(line)
    assert refused.value.message.id == "fleet.bad_log_line"


def test_two_ranks_hold_half_of_the_weights_and_half_of_the_heads() -> None:
    one = replica_memory(model("llama-3.1-70b"), 10**12, kv_format("fp8"), weights_bytes=70 * 10**9)
    two = replica_memory(
        model("llama-3.1-70b"), 10**12, kv_format("fp8"), weights_bytes=70 * 10**9,
        tensor_parallel=2,
    )  # fmt: skip
    assert two.bytes_per_token * 2 == one.bytes_per_token == 163_840
    assert two.weights_bytes == one.weights_bytes
    parts = (two.weights_bytes + two.overhead_bytes + two.kv_bytes + two.free_bytes
             + two.held_back_bytes)  # fmt: skip
    assert parts == two.device_bytes == 2 * 10**12


def test_k4_five_fit_by_bytes_alone_and_four_with_a_tenth_held_back() -> None:
    def sequences(fraction: Fraction) -> int:
        return replica_memory(
            model("llama-3.1-70b"), 288 * 10**9, kv_format("bf16"), weights_bytes=70 * 10**9,
            fraction=fraction, overhead_bytes=0,
        ).sequences(131_072)  # fmt: skip

    assert sequences(Fraction(1)) == 5
    assert sequences(Fraction(9, 10)) == 4


def test_weights_that_leave_no_block_do_not_fit() -> None:
    found = replica_memory(
        model("llama-3.1-70b"), 80 * 10**9, kv_format("bf16"), weights_bytes=141 * 10**9
    )
    assert not found.fits
    assert (found.kv_bytes, found.sequences(1_000)) == (0, 0)


def test_weights_follow_the_checkpoint_or_the_quantisation() -> None:
    assert weights_bytes_of(model("llama-3.1-70b")) == 141_200_000_000
    assert weights_bytes_of(model("llama-3.1-70b"), "fp8") == 70_600_000_000
    assert weights_bytes_of(model("llama-3.1-70b"), "awq") == 35_300_000_000
    assert weights_bytes_of(model("llama-3.1-70b"), "sorcery") is None


def test_d31_a_hand_off_moves_the_latent_cache_once() -> None:
    found = handoff(
        model("deepseek-v3"), kv_format("bf16"), prompt_tokens=4_096, link_bytes_per_s=50e9
    )
    assert found.bytes == 287_834_112
    assert found.transfer_s == pytest.approx(5.76e-3, abs=5e-6)


def test_a_hand_off_counts_in_the_first_token_and_not_in_those_behind_it() -> None:
    made = workload([0.0, 10.0], [100, 100], [11, 11])
    asked = requests_of(made, BLOCK)
    engine = Engine(capacity_tokens=1_000)
    pool = Pool(table=table_for(asked, steady(0.01, 0.02), engine), engine=engine)
    found = serve_pools(asked, pool, pool, bytes_per_token=1_000.0, link_bytes_per_s=50_000.0)
    assert found.ttft.p50 == pytest.approx(1.0 + 2.0)
    assert found.tpot.p50 == pytest.approx(0.02)
    assert found.decode_busy_s == pytest.approx(2 * 10 * 0.02)


def test_a_serve_line_fills_the_form() -> None:
    found = read_serve_line(
        "vllm serve meta-llama/Llama-3.1-70B-Instruct \\\n  --tensor-parallel-size 4 -dp=2 "
        "--gpu-memory-utilization 0.92 --max_model_len 128k --block-size 32 --kv-cache-dtype fp8 "
        "-q awq --max-num-seqs 64 --max-num-batched-tokens 16384 --enable-prefix-caching "
        "--port 8000 --trust-remote-code"
    )
    assert found == ServeLine(
        model="meta-llama/Llama-3.1-70B-Instruct",
        tensor_parallel=4,
        replicas=2,
        fraction="0.92",
        max_model_len=128_000,
        block_tokens=32,
        kv_dtype="fp8",
        quantization="awq",
        max_sequences=64,
        budget_tokens=16_384,
        prefix_caching=True,
        ignored=("--port", "--trust-remote-code"),
    )


def test_flags_to_copy_are_read_back_as_they_were() -> None:
    settings = {"tensor_parallel": 2, "fraction": "0.9", "kv_dtype": "fp8", "prefix_caching": False}
    found = read_serve_line(serve_line("llama-3.1-70b", settings))
    assert found == ServeLine(model="llama-3.1-70b", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line",
    ["", "rm -rf /", "vllm serve", "vllm serve m -tp", "vllm serve m -tp zero",
     "vllm serve m -tp 0", "vllm serve m --gpu-memory-utilization 1.5", "vllm serve 'm",
     "x" * 30_000,     "vllm serve m --max-num-seqs 1e9"],
)  # fmt: skip
def test_a_serve_line_that_cannot_be_read_is_refused(line: str) -> None:
    with pytest.raises(InputError) as refused:
        read_serve_line(line)
    assert refused.value.message.id == "fleet.bad_serve_line"
