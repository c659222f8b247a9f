"""What a queue is fed with: a workload's requests as they came, with the blocks they start with.

Rules `engine`: only whole blocks of the file hit, at least one token of each prompt is computed,
and a hit counts in whole engine blocks. The file's blocks are kept as they are, each as many
tokens large as the file says; what a sequence holds beside them (a partial last block and the
answer) takes whole engine blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from econ.replay_input import Ids, blocks_of
from econ.usage import BoolArray
from econ.workload import FloatArray, IntArray, Workload
from messages.errors import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """n requests by arrival. Request i looks up `look[i]` blocks and leaves
    `offsets[i]:offsets[i+1]` of `ids`; block b holds `id_tokens[b]` tokens. `private_tokens` is
    what it holds alone, in whole blocks of `block_tokens`. `said`: what the file lacks and what
    was assumed."""

    arrival_s: FloatArray
    prompt_tokens: IntArray
    output_tokens: IntArray
    offsets: IntArray
    ids: Ids
    id_tokens: IntArray
    look: IntArray
    private_tokens: IntArray
    block_tokens: int
    said: tuple[Message, ...]

    @property
    def n(self) -> int:
        """Requests that can be queued."""
        return len(self.arrival_s)

    @property
    def longest_tokens(self) -> int:
        """Prompt and answer of the longest request."""
        return int((self.prompt_tokens + self.output_tokens).max(initial=1))


def contexts_of(workload: Workload) -> IntArray:
    """Prompt and answer tokens of every request that names its prompt; empty for sums."""
    if workload.granularity == "bucket":
        return np.zeros(0, dtype=np.int64)
    prompt = workload.counts("input_tokens")
    return np.asarray((prompt + workload.counts("output_tokens"))[prompt > 0])


def requests_of(
    workload: Workload, block_tokens: int, *, longest: int | None = None, prefixes: bool = True
) -> Requests:
    """The requests of a workload; n = 0 where it is sums or has no times, and `said` says so.
    `longest`: prompt and answer of what an engine accepts. Without `prefixes` nothing is re-used.

    Rows without a prompt, without a time or marked as failed are left out; an answer of unknown
    length counts as one token.
    """
    said: list[Message] = []
    prompt, output = workload.counts("input_tokens"), workload.counts("output_tokens")
    arrival = workload.floats("arrival_s")
    kept = (prompt > 0) & ~np.isnan(arrival) & (workload.ints("failed") != 1)
    if workload.granularity == "bucket":
        kept[:] = False
        said.append(Message("fleet.buckets"))
    elif not workload.has("arrival_s"):
        said.append(Message("fleet.no_arrivals"))
    elif not kept.all():
        said.append(Message("fleet.left_out", {}, int((~kept).sum())))
    fits = prompt + output <= (longest or np.iinfo(np.int64).max)
    if (kept & ~fits).any():
        said.append(Message("fleet.too_long", {"longest": longest}, int((kept & ~fits).sum())))
        kept &= fits
    if kept.any() and (output[kept] < 1).any():
        said.append(Message("fleet.no_output", {}, int((output[kept] < 1).sum())))
    offsets, ids, id_tokens, look = _structure(workload, kept, prefixes)
    if kept.any() and prefixes and not len(ids):
        said.append(Message("fleet.no_structure"))
    prompt, output = prompt[kept], np.maximum(output[kept], 1)
    held = np.concatenate(([0], np.cumsum(id_tokens[ids], dtype=np.int64)))
    alone = np.maximum(prompt + output - (held[offsets[1:]] - held[offsets[:-1]]), 0)
    return Requests(
        arrival_s=arrival[kept],
        prompt_tokens=prompt,
        output_tokens=output,
        offsets=offsets,
        ids=ids,
        id_tokens=id_tokens,
        look=look,
        private_tokens=-(-alone // block_tokens) * block_tokens,
        block_tokens=block_tokens,
        said=tuple(said),
    )


def _structure(
    workload: Workload, kept: BoolArray, prefixes: bool
) -> tuple[IntArray, Ids, IntArray, IntArray]:
    """Offsets, ids, tokens of each id and look-ups of the kept rows; no ids where there are none
    or none are wanted."""
    prefix, rows = workload.prefix, int(kept.sum())
    none = np.zeros(rows, dtype=np.int64)
    if not prefixes or prefix is None or not len(prefix.block_ids) or not rows:
        empty = np.zeros(0, dtype=np.int64)
        return np.zeros(rows + 1, dtype=np.int64), empty.astype(np.int32), empty, none
    blocks = blocks_of(workload, "engine")
    lengths = np.diff(blocks.offsets)
    of_kept = np.repeat(kept, lengths)
    id_tokens = np.zeros(blocks.id_space, dtype=np.int64)
    id_tokens[blocks.ids] = blocks.block_tokens
    offsets = np.concatenate(([0], np.cumsum(lengths[kept]))).astype(np.int64)
    return offsets, blocks.ids[of_kept], id_tokens, blocks.look[kept]
