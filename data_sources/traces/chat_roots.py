"""Turns that name the turn before them -> the first turn of each; no loop can hang it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from econ.workload import IntArray

NONE = -1
"""No number: a first turn has no parent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chats:
    """`session`: the number of the first turn of every row, meaningful where `has_session`.

    `roots`: rows without a parent; `absent`: rows whose parent is not in the file; `cyclic`: rows
    that lead into a loop, whose session is the smallest number in the loop.
    """

    session: IntArray
    has_session: npt.NDArray[np.bool_]
    roots: int
    absent: int
    cyclic: int


def chats_of(chat: IntArray, parent: IntArray) -> Chats:
    """Where a number stands on several rows, the first of them says what its parent is."""
    rows = len(chat)
    own = np.flatnonzero(chat != NONE)
    with_parent = parent != NONE
    numbers, codes = np.unique(np.concatenate((chat, parent)), return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    of_chat, of_parent = codes[:rows], codes[rows:]
    up = np.arange(len(numbers), dtype=np.int64)
    backwards = own[::-1]
    points = backwards[with_parent[backwards]]
    up[of_chat[points]] = of_parent[points]
    first_of = np.full(len(numbers), rows, dtype=np.int64)
    first_of[of_chat[backwards]] = backwards
    stated_root = first_of < rows
    stated_root[stated_root] = ~with_parent[first_of[stated_root]]
    up[stated_root] = np.flatnonzero(stated_root)
    start = np.where(chat != NONE, of_chat, of_parent)
    ends, looping = _ends(up)
    present = np.zeros(len(numbers), dtype=np.bool_)
    present[of_chat[own]] = True
    return Chats(
        session=np.asarray(numbers[ends[start]]),
        has_session=(chat != NONE) | with_parent,
        roots=int((~with_parent).sum()),
        absent=int((with_parent & ~present[of_parent]).sum()),
        cyclic=int(looping[start].sum()),
    )


def _ends(up: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
    """(where each node leads, whether it leads into a loop), by doubling the stride: as many
    rounds as the number of nodes has bits."""
    rounds = len(up).bit_length()
    lead, smallest = up.copy(), np.arange(len(up), dtype=np.int64)
    for _ in range(rounds):
        smallest = np.minimum(smallest, smallest[lead])
        lead = lead[lead]
    looping = up[lead] != lead
    return np.where(looping, smallest[lead], lead), looping
