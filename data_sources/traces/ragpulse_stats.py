"""What a RAGPulse trace amounts to, by chunk and by token, at its place and anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from data_sources.traces.ragpulse_chunks import even_weights
from econ.workload import FloatArray, IntArray


def trace_stats(
    *,
    times: FloatArray,
    prompts: IntArray,
    lengths: IntArray,
    chunks: tuple[IntArray, IntArray],
    chains: IntArray,
    tokens: IntArray | None,
) -> dict[str, Any]:
    """Names of its catalogue entry. Position-free figures count a chunk that was seen before
    anywhere: no prefix cache could use it there. `tokens` by the dictionaries, None without; ratios
    of tokens are then shares of what the dictionaries know, a little less than the prompts."""
    order = np.argsort(times, kind="stable")
    pick, rows = _sorted_entries(lengths, order)
    kinds, ids = chunks
    of = _groups(kinds[pick], ids[pick])
    anywhere = _seen(of)
    leading = _leading(_seen(chains[pick]), rows, lengths[order])
    weights = np.repeat(even_weights(prompts, lengths)[order], lengths[order])
    late = rows >= len(order) // 2
    found: dict[str, Any] = {
        "unique_blocks": len(np.unique(of)),
        "position_free_block_hit_ratio": _ratio(int(anywhere.sum()), len(pick)),
        "weighted_tokens": int(weights.sum()),
        "second_half_weighted_tokens": int(weights[late].sum()),
        "second_half_prefix_hit_tokens": int(weights[late & leading].sum()),
        "second_half_position_free_hit_tokens": int(weights[late & anywhere].sum()),
        "out_of_order_pairs": int((np.diff(times) < 0).sum()),
    }
    if len(times) and not np.isnan(times).all():
        found["first_ts_s"] = round(float(np.nanmin(times)), 6)
        found["last_ts_s"] = round(float(np.nanmax(times)), 6)
    if tokens is not None:
        sizes = tokens[pick]
        found["dictionary_tokens"] = int(sizes.sum())
        whole = found["dictionary_tokens"]
        found["ideal_token_hit_ratio"] = _ratio(int(sizes[leading].sum()), whole)
        found["position_free_token_hit_ratio"] = _ratio(int(sizes[anywhere].sum()), whole)
    return found


def _sorted_entries(lengths: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """(positions of all entries with the rows in `order`, the new row of each)."""
    starts = np.cumsum(lengths) - lengths
    counts = lengths[order]
    rows = np.repeat(np.arange(len(order), dtype=np.int64), counts)
    fresh = np.cumsum(counts) - counts
    place = np.arange(len(rows), dtype=np.int64) - fresh[rows]
    return np.asarray(starts[order][rows] + place), rows


def _groups(kinds: IntArray, ids: IntArray) -> IntArray:
    """A number for every (list, id)."""
    pairs = np.stack((kinds, ids), axis=1)
    _, codes = np.unique(pairs, axis=0, return_inverse=True)
    return np.asarray(codes.reshape(-1), dtype=np.int64)


def _seen(values: IntArray) -> npt.NDArray[np.bool_]:
    """Which entries repeat an earlier one."""
    _, first = np.unique(values, return_index=True)
    repeated = np.ones(len(values), dtype=np.bool_)
    repeated[first] = False
    return repeated


def _leading(
    known: npt.NDArray[np.bool_], rows: IntArray, lengths: IntArray
) -> npt.NDArray[np.bool_]:
    """Entries with only known ones before them in their row, themselves known."""
    starts = np.cumsum(lengths) - lengths
    misses = np.concatenate(([0], np.cumsum(~known)))
    return np.asarray(misses[1:] == misses[starts[rows]])


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None
