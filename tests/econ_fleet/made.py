"""Requests and speeds made by hand for the queue's tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from econ.fleet_input import Requests, requests_of
from econ.fleet_steps import Steps
from econ.workload import Prefix, Workload

BLOCK = 16


def workload(
    arrivals: Sequence[float],
    prompts: Sequence[int],
    outputs: Sequence[int],
    blocks: Sequence[Sequence[int]] | None = None,
    block_tokens: int = BLOCK,
) -> Workload:
    """Requests with whole blocks of `block_tokens` at their head, where `blocks` are given."""
    prefix = None
    if blocks is not None:
        prefix = Prefix(
            offsets=np.cumsum([0, *map(len, blocks)], dtype=np.int64),
            block_ids=np.array([b for row in blocks for b in row], dtype=np.int64),
            block_tokens=block_tokens,
        )
    return Workload(
        name="made",
        format="made",
        rows=len(arrivals),
        columns={
            "arrival_s": np.array(arrivals, dtype=np.float64),
            "input_tokens": np.array(prompts, dtype=np.int64),
            "output_tokens": np.array(outputs, dtype=np.int64),
        },
        prefix=prefix,
    )


def requests(*given: object) -> Requests:
    """`workload` as the queue takes it."""
    return requests_of(workload(*given), BLOCK)  # type: ignore[arg-type]


def steady(prefill_s_per_token: float = 0.001, decode_s: float = 0.01) -> Steps:
    """Prefill in proportion to new tokens; a decode step that takes as long for any batch."""
    return Steps(
        source_kind="datasheet",
        prefill=lambda prompt, cached: (prompt - cached) * prefill_s_per_token,
        decode=lambda batch, context: decode_s,
    )
