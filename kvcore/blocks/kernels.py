"""What a pool does, as loops over its arrays. Each answers a count, or a negative reason and has
then changed nothing. `arrays` are the members of a State: numba takes a plain tuple fastest.

A free block that somebody could still find lies in the list of its class, oldest first. Under the
leaf rule the oldest may have findable children; it then leaves the list and comes back, as the
oldest, with the last of them. A sequence holds the parents of all it holds, so a free block's
findable children are free too, and one without children is always in a list.
"""

from __future__ import annotations

from kvcore.blocks.compiled import compiled
from kvcore.blocks.expiry import expire_at, fall_back, forget
from kvcore.blocks.index import find, insert, remove
from kvcore.blocks.lists import lowest_class, put_newest, put_oldest, take_out
from kvcore.blocks.state import (
    BLANK,
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
    Int32s,
    Int64s,
    State,
    Tokens,
)


@compiled
def match(arrays: Arrays, digests: Int64s, tokens: Tokens, most: int, found: Int32s) -> int:
    """Writes the blocks of the longest known chain, at most `most`, into `found`; how many."""
    state = State(*arrays)
    parent = NOWHERE
    for place in range(most):
        block = _known(state, digests[place], tokens, place, parent)
        if block < 0:
            return place
        found[place] = parent = block
    return most


@compiled
def _known(state: State, digest: Int64s, tokens: Tokens, place: int, parent: int) -> int:
    """The findable block with this digest, these tokens and this parent, or NOWHERE."""
    block = find(state, digest)
    if block < 0 or not _same(state, block, tokens, place):
        return NOWHERE
    if state.counts[LEAF_ONLY] and state.links[block, PARENT] != parent:
        return NOWHERE
    return block


@compiled
def _same(state: State, block: int, tokens: Tokens, place: int) -> bool:
    size, at = state.tokens.shape[1], 0
    while at < size and state.tokens[block, at] == tokens[place * size + at]:
        at += 1
    return bool(at == size)


@compiled
def reference(arrays: Arrays, blocks: Int32s) -> int:
    """One more holder for each; only what is held or findable can be referenced."""
    state = State(*arrays)
    for block in blocks:
        if block < 0 or block >= len(state.heap):
            return NO_SUCH_BLOCK
        if not state.links[block, REFS] and not state.links[block, FINDABLE]:
            return NOT_FINDABLE
    for block in blocks:
        _hold(state, block)
    return len(blocks)


@compiled
def _hold(state: State, block: int) -> None:
    links = state.links
    if not links[block, REFS]:
        if links[block, NEWER] != NOWHERE:
            take_out(state, block, links[block, CLASS])
        forget(state, block)
        state.counts[FREE] -= 1
    links[block, REFS] += 1


@compiled
def allocate(arrays: Arrays, taken: Int32s) -> int:
    """Fills `taken` with blocks held once: blank ones first, then evicted ones."""
    state = State(*arrays)
    if state.counts[FREE] < len(taken):
        return NO_ROOM
    for place in range(len(taken)):
        taken[place] = _take(state)
    return len(taken)


@compiled
def _take(state: State) -> int:
    links = state.links
    while True:
        which = lowest_class(state)
        block = links[len(state.heap) + which, NEWER]
        take_out(state, block, which)
        if which == BLANK:
            break
        if not state.counts[LEAF_ONLY] or not links[block, CHILDREN]:
            _evict(state, block)
            break
    state.counts[FREE] -= 1
    links[block, REFS] = 1
    return block  # type: ignore[no-any-return]


@compiled
def _evict(state: State, block: int) -> None:
    """The block, in no list, is no longer found."""
    links = state.links
    remove(state, block)
    forget(state, block)
    links[block, FINDABLE] = 0
    state.counts[RESIDENT] -= 1
    state.counts[EVICTIONS] += 1
    parent = links[block, PARENT]
    links[block, PARENT] = NOWHERE
    if parent != NOWHERE:
        links[parent, CHILDREN] -= 1
        waits = not links[parent, REFS] and links[parent, NEWER] == NOWHERE
        if waits and not links[parent, CHILDREN]:
            put_oldest(state, parent, links[parent, CLASS])


@compiled
def admit(arrays: Arrays, digests: Int64s, tokens: Tokens, most: int, table: Int32s) -> int:
    """Match, reference and allocate in one: fills `table`, answers the blocks hit. A whole block
    just behind the limit that nobody holds is taken to be computed again in place: it needs no
    second copy and pushes nothing out."""
    state = State(*arrays)
    hits = match(arrays, digests, tokens, min(most, len(table)), table)
    filled = hits
    if hits == most and hits < min(len(digests), len(table)):
        again = _known(state, digests[hits], tokens, hits, table[hits - 1] if hits else NOWHERE)
        if again >= 0 and not state.links[again, REFS]:
            table[hits] = again
            filled += 1
    free = 0
    for place in range(filled):
        free += int(state.links[table[place], REFS] == 0)
    if state.counts[FREE] - free < len(table) - filled:
        return NO_ROOM
    for place in range(filled):
        _hold(state, table[place])
    for place in range(filled, len(table)):
        table[place] = _take(state)
    return hits


@compiled
def publish(arrays: Arrays, table: Int32s, digests: Int64s, tokens: Tokens, first: int) -> int:
    """Makes blocks `first`.. of the chain findable; how many were found to be there already: the
    table then names those, and the copies are blank again."""
    state = State(*arrays)
    links = state.links
    for place in range(first, len(digests)):
        if table[place] < 0 or table[place] >= len(state.heap):
            return NO_SUCH_BLOCK
        if not links[table[place], REFS]:
            return NOT_HELD
    replaced = 0
    for place in range(first, len(digests)):
        block = table[place]
        if links[block, FINDABLE]:
            continue
        before = table[place - 1] if place else NOWHERE
        if place and not links[before, FINDABLE]:
            break
        parent = before if state.counts[LEAF_ONLY] else NOWHERE
        twin = find(state, digests[place])
        if twin < 0:
            _name(state, block, digests[place], tokens, place, parent)
        elif _known(state, digests[place], tokens, place, parent) == twin:
            _hold(state, twin)
            table[place] = twin
            _drop(state, block, BLANK)
            replaced += 1
        else:
            break  # another content under this digest: this one and its followers stay unknown
    return replaced


@compiled
def _name(
    state: State, block: int, digest: Int64s, tokens: Tokens, place: int, parent: int
) -> None:
    size = state.tokens.shape[1]
    for at in range(4):
        state.digests[block, at] = digest[at]
    for at in range(size):
        state.tokens[block, at] = tokens[place * size + at]
    insert(state, block)
    state.links[block, FINDABLE] = 1
    state.links[block, PARENT] = parent
    state.links[block, CHILDREN] = 0
    state.counts[RESIDENT] += 1
    if parent != NOWHERE:
        state.links[parent, CHILDREN] += 1


@compiled
def _drop(state: State, block: int, which: int) -> bool:
    """One holder less. True where it was the last and the block can still be found."""
    links = state.links
    links[block, REFS] -= 1
    if links[block, REFS]:
        return False
    state.counts[FREE] += 1
    if not links[block, FINDABLE]:
        links[block, CLASS] = BLANK
        put_newest(state, block, BLANK)
        return False
    links[block, CLASS] = which
    put_newest(state, block, which)
    return True


@compiled
def release(arrays: Arrays, blocks: Int32s, which: int, until_us: int, tail_first: int) -> int:
    """One holder less for each, in the order in which they shall go. A block named more often
    than it is held refuses the whole call."""
    state = State(*arrays)
    size = len(blocks)
    for place in range(size):
        if blocks[place] < 0 or blocks[place] >= len(state.heap):
            return NO_SUCH_BLOCK
    for place in range(size):
        state.links[blocks[place], REFS] -= 1
    held = True
    for place in range(size):
        held = held and state.links[blocks[place], REFS] >= 0
    for place in range(size):
        state.links[blocks[place], REFS] += 1
    if not held:
        return NOT_HELD
    for step in range(size):
        block = blocks[size - 1 - step] if tail_first else blocks[step]
        if _drop(state, block, which) and until_us >= 0:
            expire_at(state, block, until_us)
    return size


@compiled
def expire(arrays: Arrays, now_us: int, normal: int) -> int:
    """Priorities whose moment has come fall back to the class `normal`; how many."""
    return fall_back(State(*arrays), now_us, normal)
