"""What a pool does, as loops over its arrays. Each answers a count, or a negative reason and has
then changed nothing. Helpers take the arrays they need, not all of them in one: numba then counts
no references inside the loops.

A free block that can be found lies in the list of its class, oldest first. Under the leaf rule the
oldest may have findable children; it then leaves the list and comes back, as the oldest, with the
last of them. Who holds a block holds its parents, so a free block's findable children are free
too, and one without children is always in a list: there is a victim as long as a block is free.
"""

from __future__ import annotations

import numpy as np

from kvcore.blocks.compiled import compiled
from kvcore.blocks.expiry import expire_at, fall_back, forget
from kvcore.blocks.index import find, insert, remove
from kvcore.blocks.lists import lowest_class, put_newest, put_oldest, take_out
from kvcore.blocks.state import (
    BLANK,
    BLOCKS,
    CHILDREN,
    CLASS,
    EVICTIONS,
    FINDABLE,
    FREE,
    LEAF_ONLY,
    NEWER,
    NO_ROOM,
    NO_SUCH_BLOCK,
    NOT_FINDABLE,
    NOT_HELD,
    NOWHERE,
    PARENT,
    REFS,
    RESIDENT,
    Arrays,
    Bytes,
    Int32s,
    Int64s,
    Tokens,
)


@compiled
def match(arrays: Arrays, hashes: Bytes, tokens: Tokens, most: int, found: Int32s) -> int:
    """Writes the blocks of the longest known chain, at most `most`, into `found`; how many."""
    links, digests, kept, slots, counts, _ = arrays
    names = hashes.view(np.int64)
    parent = NOWHERE
    for place in range(most):
        block = find(slots, digests, names, place)
        if block < 0 or not _is(links, kept, counts, block, tokens, place, parent):
            return place
        found[place] = parent = block
    return most


@compiled
def _is(
    links: Int32s, kept: Tokens, counts: Int64s, block: int,
    tokens: Tokens, place: int, parent: int,
) -> bool:  # fmt: skip
    """Whether the block of the right digest has the right tokens and parent too."""
    if counts[LEAF_ONLY] and links[block, PARENT] != parent:
        return False
    size, at = kept.shape[1], 0
    start = place * size
    while at < size and kept[block, at] == tokens[start + at]:
        at += 1
    return bool(at == size)


@compiled
def reference(arrays: Arrays, blocks: Int32s) -> int:
    """One more holder for each; only what is held or findable can be referenced."""
    links, _, _, _, counts, heap = arrays
    for block in blocks:
        if block < 0 or block >= counts[BLOCKS]:
            return NO_SUCH_BLOCK
        if not links[block, REFS] and not links[block, FINDABLE]:
            return NOT_FINDABLE
    for block in blocks:
        _hold(links, counts, heap, block)
    return len(blocks)


@compiled
def _hold(links: Int32s, counts: Int64s, heap: Int64s, block: int) -> None:
    if not links[block, REFS]:
        if links[block, NEWER] != NOWHERE:
            take_out(links, counts, block, links[block, CLASS])
        forget(links, counts, heap, block)
        counts[FREE] -= 1
    links[block, REFS] += 1


@compiled
def allocate(arrays: Arrays, taken: Int32s) -> int:
    """Fills `taken` with blocks held once: blank ones first, then evicted ones."""
    links, digests, _, slots, counts, heap = arrays
    if counts[FREE] < len(taken):
        return NO_ROOM
    for place in range(len(taken)):
        taken[place] = _take(links, digests, slots, counts, heap)
    return len(taken)


@compiled
def _take(links: Int32s, digests: Int64s, slots: Int64s, counts: Int64s, heap: Int64s) -> int:
    """The next victim, held once. A block must be free."""
    while True:
        which = lowest_class(counts)
        block = links[counts[BLOCKS] + which, NEWER]
        take_out(links, counts, block, which)
        if which == BLANK:
            break
        if not counts[LEAF_ONLY] or not links[block, CHILDREN]:
            remove(slots, digests, block)
            forget(links, counts, heap, block)
            _orphan(links, counts, block)
            counts[EVICTIONS] += 1
            break
    counts[FREE] -= 1
    links[block, REFS] = 1
    return block  # type: ignore[no-any-return]


@compiled
def _orphan(links: Int32s, counts: Int64s, block: int) -> None:
    """The block is no longer found; a free parent that only waited for it can go next."""
    parent = links[block, PARENT]
    links[block, FINDABLE], links[block, PARENT] = 0, NOWHERE
    counts[RESIDENT] -= 1
    if parent == NOWHERE:
        return
    links[parent, CHILDREN] -= 1
    waits = not links[parent, REFS] and links[parent, NEWER] == NOWHERE
    if waits and not links[parent, CHILDREN]:
        put_oldest(links, counts, parent, links[parent, CLASS])


@compiled
def admit(arrays: Arrays, hashes: Bytes, tokens: Tokens, most: int, table: Int32s) -> int:
    """Match, reference and allocate in one: fills `table`, answers the blocks hit. A whole block
    just behind the limit that nobody holds is taken to be computed again in place: it needs no
    second copy and pushes nothing out."""
    links, digests, kept, slots, counts, heap = arrays
    names = hashes.view(np.int64)
    hits = match(arrays, hashes, tokens, min(most, len(table)), table)
    filled = hits
    if hits == most and hits < min(len(names), len(table)):
        parent = table[hits - 1] if hits else NOWHERE
        again = find(slots, digests, names, hits)
        if (
            again >= 0
            and not links[again, REFS]
            and _is(links, kept, counts, again, tokens, hits, parent)
        ):
            table[hits] = again
            filled += 1
    free = 0
    for place in range(filled):
        free += int(links[table[place], REFS] == 0)
    if counts[FREE] - free < len(table) - filled:
        return NO_ROOM
    for place in range(filled):
        _hold(links, counts, heap, table[place])
    for place in range(filled, len(table)):
        table[place] = _take(links, digests, slots, counts, heap)
    return hits


@compiled
def publish(arrays: Arrays, table: Int32s, hashes: Bytes, tokens: Tokens, first: int) -> int:
    """Makes blocks `first`.. of the chain findable; how many were found to be there already: the
    table then names those, and the copies are blank again. Stops behind a block that cannot be
    found, and at one whose digest stands for another content."""
    links, digests, kept, slots, counts, heap = arrays
    names = hashes.view(np.int64)
    for place in range(first, len(names)):
        if table[place] < 0 or table[place] >= counts[BLOCKS]:
            return NO_SUCH_BLOCK
        if not links[table[place], REFS]:
            return NOT_HELD
    replaced = 0
    for place in range(first, len(names)):
        block = table[place]
        if links[block, FINDABLE]:
            continue
        before = table[place - 1] if place else NOWHERE
        if place and not links[before, FINDABLE]:
            break
        parent = before if counts[LEAF_ONLY] else NOWHERE
        twin = find(slots, digests, names, place)
        if twin < 0:
            _fill(digests, kept, block, names, tokens, place)
            insert(slots, digests, block)
            _adopt(links, counts, block, parent)
        elif _is(links, kept, counts, twin, tokens, place, parent):
            _hold(links, counts, heap, twin)
            table[place] = twin
            links[block, REFS] -= 1
            _settle(links, counts, block, BLANK)
            replaced += 1
        else:
            break
    return replaced


@compiled
def _fill(
    digests: Int64s, kept: Tokens, block: int, names: Int64s, tokens: Tokens, place: int
) -> None:
    size = kept.shape[1]
    start = place * size
    for at in range(4):
        digests[block, at] = names[place, at]
    for at in range(size):
        kept[block, at] = tokens[start + at]


@compiled
def _adopt(links: Int32s, counts: Int64s, block: int, parent: int) -> None:
    """The block can be found, behind its parent."""
    links[block, FINDABLE], links[block, PARENT], links[block, CHILDREN] = 1, parent, 0
    counts[RESIDENT] += 1
    if parent != NOWHERE:
        links[parent, CHILDREN] += 1


@compiled
def _settle(links: Int32s, counts: Int64s, block: int, which: int) -> bool:
    """A block that has lost a holder goes to its list if that was the last; nothing happens to one
    that is there already. True where a findable block went."""
    if links[block, REFS] or links[block, NEWER] != NOWHERE:
        return False
    counts[FREE] += 1
    links[block, CLASS] = which if links[block, FINDABLE] else BLANK
    put_newest(links, counts, block, links[block, CLASS])
    return bool(links[block, FINDABLE])


@compiled
def release(arrays: Arrays, blocks: Int32s, which: int, until_us: int, tail_first: int) -> int:
    """One holder less for each, in the order in which they shall go. A block named more often
    than it is held refuses the whole call."""
    links, _, _, _, counts, heap = arrays
    size = len(blocks)
    held = True
    for place in range(size):
        if blocks[place] < 0 or blocks[place] >= counts[BLOCKS]:
            return NO_SUCH_BLOCK
    for place in range(size):
        links[blocks[place], REFS] -= 1
        held = held and links[blocks[place], REFS] >= 0
    if not held:
        for place in range(size):
            links[blocks[place], REFS] += 1
        return NOT_HELD
    for step in range(size):
        block = blocks[size - 1 - step] if tail_first else blocks[step]
        if _settle(links, counts, block, which) and until_us >= 0:
            expire_at(links, counts, heap, block, until_us)
    return size


@compiled
def expire(arrays: Arrays, now_us: int, normal: int) -> int:
    """Priorities whose moment has come fall back to the class `normal`; how many."""
    links, _, _, _, counts, heap = arrays
    return fall_back(links, counts, heap, now_us, normal)
