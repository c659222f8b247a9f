"""What an unlimited cache would hit: the ideal ratios of a workload with prefix structure.

Rows are replayed in the order of the workload. A block hits while all blocks before it hit and its
id appeared in an earlier row; a row never hits on itself. Ids are taken as the file wrote them; the
`_chain` figures identify a block by its id together with all ids before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from econ.workload import IntArray, Prefix, Workload

SPREAD = np.uint64(0x9E3779B97F4A7C15)
MIX_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
MAX_RESEEDS = 8
DENSE_FACTOR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixHits:
    """Ideal hits a row: leading blocks that were known, and the prompt tokens in them."""

    blocks: IntArray
    hit_blocks: IntArray
    hit_tokens: IntArray
    hit_blocks_chain: IntArray
    unique_blocks: int
    unique_chains: int


def prefix_hits(workload: Workload) -> PrefixHits | None:
    """The ideal hits of every row; None for a workload without prefix structure."""
    prefix = workload.prefix
    if prefix is None:
        return None
    row_of = block_rows(prefix)
    by_id = _groups(prefix.block_ids)
    by_chain = _chains(prefix, row_of, by_id)
    hit_blocks = _leading_run(prefix.offsets, by_id.repeated(row_of))
    return PrefixHits(
        blocks=np.diff(prefix.offsets),
        hit_blocks=hit_blocks,
        hit_tokens=_leading_tokens(workload, prefix, hit_blocks),
        hit_blocks_chain=_leading_run(prefix.offsets, by_chain.repeated(row_of)),
        unique_blocks=by_id.count,
        unique_chains=by_chain.count,
    )


def chain_numbers(prefix: Prefix) -> IntArray:
    """A number for every entry of `block_ids`: equal where its id and all ids before it in the row
    are equal. Numbers need not be dense."""
    return _chains(prefix, block_rows(prefix), _groups(prefix.block_ids)).of


def ideal_hit_tokens(workload: Workload) -> IntArray | None:
    """Prompt tokens of every row that an unlimited cache would have known; None without prefix
    structure. Cheaper than `prefix_hits`: no chains."""
    prefix = workload.prefix
    if prefix is None:
        return None
    known = _groups(prefix.block_ids).repeated(block_rows(prefix))
    return _leading_tokens(workload, prefix, _leading_run(prefix.offsets, known))


def prefix_stats(workload: Workload) -> dict[str, int | float | None]:
    """The statistics by name, ratios 0..1 rounded to six digits, None where nothing was counted;
    empty for a workload without prefix structure. Rows without blocks are left out of the mean.
    With more than one model, or ids that compare inside a model only, also `_per_model`: ids shared
    only inside a model.
    """
    hits = prefix_hits(workload)
    if hits is None or workload.prefix is None:
        return {}
    input_tokens = workload.counts("input_tokens")
    half = workload.rows // 2
    total, hit_blocks = int(hits.blocks.sum()), int(hits.hit_blocks.sum())
    chained = int(hits.hit_blocks_chain.sum())
    filled = hits.blocks > 0
    per_request = hits.hit_blocks[filled] / hits.blocks[filled]
    stats: dict[str, int | float | None] = {
        "total_blocks": total,
        "unique_blocks": hits.unique_blocks,
        "unique_prefix_chains": hits.unique_chains,
        "ideal_hit_blocks": hit_blocks,
        "ideal_block_hit_ratio": _ratio(hit_blocks, total),
        "ideal_hit_blocks_chain": chained,
        "ideal_block_hit_ratio_chain": _ratio(chained, total),
        "ideal_hit_tokens": int(hits.hit_tokens.sum()),
        "ideal_token_hit_ratio": _ratio(int(hits.hit_tokens.sum()), int(input_tokens.sum())),
        "mean_request_hit_ratio": _ratio(float(per_request.sum()), len(per_request)),
        "second_half_ideal_token_hit_ratio": _ratio(
            int(hits.hit_tokens[half:].sum()), int(input_tokens[half:].sum())
        ),
    }
    if workload.prefix.scope == "model" or len(np.unique(workload.text("model").codes)) > 1:
        per_model = int(_hit_blocks_per_model(workload, workload.prefix).sum())
        stats["ideal_hit_blocks_per_model"] = per_model
        stats["ideal_block_hit_ratio_per_model"] = _ratio(per_model, total)
    return stats


def _hit_blocks_per_model(workload: Workload, prefix: Prefix) -> IntArray:
    """Leading known blocks a row where an id is known only to the model that saw it."""
    row_of = block_rows(prefix)
    models = workload.text("model").codes.astype(np.int64) + 1
    ids = _groups(prefix.block_ids).of * (int(models.max()) + 1) + models[row_of]
    return _leading_run(prefix.offsets, _groups(ids).repeated(row_of))


def _ratio(part: float, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None


def block_rows(prefix: Prefix) -> IntArray:
    """The row of every entry of `block_ids`."""
    lengths = np.diff(prefix.offsets)
    return np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)


def block_sizes(workload: Workload, prefix: Prefix) -> IntArray:
    """Tokens in every entry of `block_ids`: as written, or min(block, rest of the prompt)."""
    if not isinstance(prefix.block_tokens, int):
        return prefix.block_tokens.astype(np.int64, copy=False)
    row_of = block_rows(prefix)
    place = np.arange(len(row_of), dtype=np.int64) - prefix.offsets[row_of]
    rest = workload.counts("input_tokens")[row_of] - place * prefix.block_tokens
    return np.clip(rest, 0, prefix.block_tokens)


def _leading_tokens(workload: Workload, prefix: Prefix, hit_blocks: IntArray) -> IntArray:
    """Prompt tokens in the first `hit_blocks` blocks of each row."""
    if isinstance(prefix.block_tokens, int):
        return np.minimum(hit_blocks * prefix.block_tokens, workload.counts("input_tokens"))
    ends = np.concatenate(([0], np.cumsum(prefix.block_tokens, dtype=np.int64)))
    starts = prefix.offsets[:-1]
    return np.asarray(ends[starts + hit_blocks] - ends[starts])


def _leading_run(offsets: IntArray, known: npt.NDArray[np.bool_]) -> IntArray:
    """How many leading blocks of each row are known."""
    unknown = np.append(np.flatnonzero(~known), len(known))
    first_unknown = unknown[np.searchsorted(unknown, offsets[:-1])]
    return np.asarray(np.minimum(first_unknown, offsets[1:]) - offsets[:-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Groups:
    """Entries with equal values. `of[i]` is the group of entry i, `first[g]` the group's first
    entry, `count` how many groups have any entry."""

    of: IntArray
    first: IntArray
    count: int

    def repeated(self, row_of: IntArray) -> npt.NDArray[np.bool_]:
        """Which entries repeat a value of an earlier row."""
        return np.asarray(row_of[self.first[self.of]] < row_of)


def _groups(values: npt.NDArray[np.int64] | npt.NDArray[np.uint64]) -> _Groups:
    """Groups of equal values; small whole numbers are their own group and need no sorting."""
    entries = len(values)
    if not entries or values.dtype != np.int64 or not _dense(values):
        _, first, of = np.unique(values, return_index=True, return_inverse=True)
        return _Groups(of=of.reshape(-1), first=first, count=len(first))
    first = np.full(int(values.max()) + 1, entries, dtype=np.int64)
    np.minimum.at(first, values, np.arange(entries, dtype=np.int64))
    return _Groups(
        of=values.astype(np.int64, copy=False), first=first, count=int((first < entries).sum())
    )


def _dense(values: npt.NDArray[Any]) -> bool:
    return bool(values.min() >= 0 and values.max() < DENSE_FACTOR * len(values))


def _chains(prefix: Prefix, row_of: IntArray, by_id: _Groups) -> _Groups:
    """Groups of entries whose id and all ids before it in the row are equal.

    In many traces an id already stands for its whole chain, which is proven first; otherwise
    chains are hashed, the groups proven, and hashed anew should two chains have collided.
    """
    starts = prefix.offsets[row_of]
    place = np.arange(len(row_of), dtype=np.int64) - starts
    if _proven(prefix.block_ids, place, by_id):
        return by_id
    for seed in range(MAX_RESEEDS):
        groups = _groups(_chain_hashes(prefix.block_ids, starts, place, seed))
        if _proven(prefix.block_ids, place, groups):
            return groups
    raise AssertionError(f"chain hashes collided {MAX_RESEEDS} times in a row")


def _chain_hashes(
    ids: IntArray, starts: IntArray, place: IntArray, seed: int
) -> npt.NDArray[np.uint64]:
    """A sum over the chain of mixed id times a multiplier of its place, modulo 2^64."""
    multiplier = _mix(place.view(np.uint64) + np.uint64(1 + seed)) | np.uint64(1)
    terms = _mix(ids.view(np.uint64) ^ _mix(np.full(1, seed, dtype=np.uint64))) * multiplier
    sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)))
    return np.asarray(_mix(sums[1:] - sums[starts] + multiplier))


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014): every bit reaches every other."""
    mixed = values * SPREAD
    for shift, factor in MIX_STEPS:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _proven(ids: IntArray, place: IntArray, groups: _Groups) -> bool:
    """Every entry has the id, the place and the group before it of its group's first entry: then,
    place by place from the front, equal groups mean equal chains."""
    twin = groups.first[groups.of]
    before = np.concatenate((groups.of[:1], groups.of[:-1]))
    same_before = (place == 0) | (before == before[twin])
    same = (ids == ids[twin]) & (place == place[twin]) & same_before
    return bool(same.all())
