"""Memory that is held and not used: reservation by maximum length against blocks, and holes.

    reserved   1 - sum of lengths / (requests x longest length that is allowed)
    blocks     1 - sum of lengths / sum of lengths rounded up to whole blocks

(The two kinds of waste that Kwon et al. 2023 tell apart: inside a reservation, and between them.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kvcore.blocks.contiguous import ContiguousMemory

IntArray = NDArray[np.int64]
BLOCK_SIZES = (1, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holes:
    """A memory of `places` tokens after some requests came and went: free in all, the largest free
    piece, and whether a request of `asked` tokens found room. `pieces`: (start, length, number of
    the request, or None for a hole) in the order of places, before that request."""

    places: int
    free: int
    largest: int
    asked: int
    fits: bool
    pieces: tuple[tuple[int, int, int | None], ...]


def reserved_waste(lengths: IntArray, most_tokens: int) -> float:
    """The share of contiguous reservations of `most_tokens` that requests never fill."""
    kept = np.minimum(lengths, most_tokens)
    return 1 - float(kept.sum()) / (len(kept) * most_tokens) if len(kept) else 0.0


def paged_waste(lengths: IntArray, block_tokens: int) -> float:
    """The share of whole blocks that requests never fill."""
    held = -(-lengths // block_tokens) * block_tokens
    return 1 - float(lengths.sum()) / float(held.sum()) if held.sum() else 0.0


def holes(places: int, lengths: Sequence[int], leave: Sequence[int], asked: int) -> Holes:
    """Reserve `lengths` one behind another, free those numbered in `leave`, then ask for more."""
    memory = ContiguousMemory(places)
    starts = [memory.reserve(length) for length in lengths]
    for number in leave:
        start = starts[number]
        if start is not None:
            memory.free(start)
    free, largest = memory.free_places, memory.largest_hole
    return Holes(
        places=places,
        free=free,
        largest=largest,
        asked=asked,
        fits=memory.reserve(asked) is not None,
        pieces=tuple(_pieces(places, lengths, starts, leave)),
    )


def _pieces(
    places: int, lengths: Sequence[int], starts: Sequence[int | None], leave: Sequence[int]
) -> Iterator[tuple[int, int, int | None]]:
    held = sorted(
        (start, lengths[number], number)
        for number, start in enumerate(starts)
        if start is not None and number not in leave
    )
    at = 0
    for start, length, number in held:
        if start > at:
            yield at, start - at, None
        yield start, length, number
        at = start + length
    if places > at:
        yield at, places - at, None
