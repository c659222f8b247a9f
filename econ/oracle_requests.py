"""From a workload to the oracle's plain requests: each row with its own breakpoints."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from econ.prefix_stats import block_sizes
from econ.prompt_cache_oracle import Block, Breakpoint, OracleRequest
from econ.workload import Prefix, Workload
from messages.errors import input_error


def own_requests(
    workload: Workload, min_cacheable_tokens: Mapping[str, int]
) -> list[OracleRequest]:
    """One request a row, in order, isolated by (workspace, model).

    `min_cacheable_tokens` by model name as the workload has it ('' for rows without a model);
    a missing name is a KeyError. An empty `response_s` counts as 0 seconds. Raises InputError
    where the workload has no breakpoints, or a row has no arrival.
    """
    prefix, arrival_s = workload.prefix, workload.floats("arrival_s")
    if prefix is None or prefix.bp_offsets is None:
        raise input_error("oracle.no_breakpoints", name=workload.name)
    if np.isnan(arrival_s).any():
        row = int(np.flatnonzero(np.isnan(arrival_s))[0]) + 1
        raise input_error("oracle.no_arrival", name=workload.name, row=row)
    response_s = np.nan_to_num(workload.floats("response_s"), nan=0.0).tolist()
    models = [model or "" for model in workload.text("model").decode()]
    workspaces = workload.text("workspace").decode()
    blocks, points = _blocks(workload, prefix), _breakpoints(prefix)
    return [
        OracleRequest(
            arrival_s=arrival,
            response_s=response_s[row],
            scope=(workspaces[row], models[row]),
            blocks=blocks[row],
            breakpoints=points[row],
            min_cacheable_tokens=min_cacheable_tokens[models[row]],
        )
        for row, arrival in enumerate(arrival_s.tolist())
    ]


def _blocks(workload: Workload, prefix: Prefix) -> list[tuple[Block, ...]]:
    ids, sizes = prefix.block_ids.tolist(), block_sizes(workload, prefix).tolist()
    bounds = prefix.offsets.tolist()
    return [
        tuple(zip(ids[start:end], sizes[start:end], strict=True)) for start, end in pairwise(bounds)
    ]


def _breakpoints(prefix: Prefix) -> list[tuple[Breakpoint, ...]]:
    bounds = () if prefix.bp_offsets is None else prefix.bp_offsets.tolist()
    after = [] if prefix.bp_blocks is None else prefix.bp_blocks.tolist()
    ttl_s = [] if prefix.bp_ttl_s is None else prefix.bp_ttl_s.tolist()
    return [
        tuple(zip(after[start:end], ttl_s[start:end], strict=True))
        for start, end in pairwise(bounds)
    ]
