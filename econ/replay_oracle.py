"""The slow, obvious replay in plain Python: what `econ.replay` is held against.

Every rule stands here as a sentence of the definition, one block at a time, with no index and no
shortcut. Times are whole microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from econ.replay_names import Policy

Row = Sequence[int]


@dataclass(slots=True)
class Cache:
    """What is resident, in the order in which it was put in and in the order of last touch."""

    capacity: int
    put_in: list[int] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)
    touched_us: dict[int, int] = field(default_factory=dict)
    parent: dict[int, int | None] = field(default_factory=dict)

    def touch(self, block: int, now_us: int) -> None:
        """Put the block in if it is not there; it is now the last one touched."""
        if block in self.put_in:
            self.touched.remove(block)
        else:
            self.put_in.append(block)
        self.touched.append(block)
        self.touched_us[block] = now_us

    def drop(self, block: int) -> None:
        """The block is gone."""
        self.put_in.remove(block)
        self.touched.remove(block)

    def expire(self, now_us: int, ttl_us: int | None) -> None:
        """Blocks whose lifetime is over are gone; exactly at the limit they still live."""
        for block in list(self.put_in):
            if ttl_us is not None and now_us - self.touched_us[block] > ttl_us:
                self.drop(block)

    def shrink(self, victim: Callable[[], int]) -> None:
        """Drop victims until the capacity holds."""
        while len(self.put_in) > self.capacity:
            self.drop(victim())


def leading_hits(row: Row, look: int, cache: Cache) -> int:
    """How many of the first `look` blocks are resident, up to the first that is not."""
    hits = 0
    for block in row[:look]:
        if block not in cache.put_in:
            break
        hits += 1
    return hits


def oracle_hits(
    rows: Sequence[Row],
    look: Sequence[int],
    capacity: int,
    policy: Policy,
    times_us: Sequence[int] | None = None,
    ttl_us: int | None = None,
) -> list[int]:
    """Hit blocks of each row. `times_us` is needed only with a lifetime."""
    return [hits for hits, _ in oracle_steps(rows, look, capacity, policy, times_us, ttl_us)]


def oracle_steps(
    rows: Sequence[Row],
    look: Sequence[int],
    capacity: int,
    policy: Policy,
    times_us: Sequence[int] | None = None,
    ttl_us: int | None = None,
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Of each row: its hit blocks, and the blocks that are resident after it, oldest first."""
    cache = Cache(capacity)
    leave = {"lru": _lru, "lru-leaf": _lru_leaf, "fifo": _fifo, "clairvoyant": _clairvoyant}[policy]
    times = times_us or [0] * len(rows)
    for at, row in enumerate(rows):
        cache.expire(times[at], ttl_us)
        hits = leading_hits(row, look[at], cache)
        leave(cache, rows, at, times, ttl_us)
        yield hits, tuple(cache.put_in)


def _lru(
    cache: Cache, rows: Sequence[Row], at: int, times: Sequence[int], ttl_us: int | None
) -> None:
    """Head first; afterwards the least recently touched go."""
    for block in rows[at]:
        cache.touch(block, times[at])
    cache.shrink(lambda: cache.touched[0])


def _lru_leaf(
    cache: Cache, rows: Sequence[Row], at: int, times: Sequence[int], ttl_us: int | None
) -> None:
    """Tail first; afterwards the least recently touched block that has no resident child goes. A
    block is the child of the one that stood in front of it when it was last touched."""
    row = rows[at]
    for place in range(len(row) - 1, -1, -1):
        cache.touch(row[place], times[at])
        cache.parent[row[place]] = row[place - 1] if place else None
    cache.shrink(lambda: _oldest_leaf(cache))


def _oldest_leaf(cache: Cache) -> int:
    parents = {cache.parent[block] for block in cache.put_in}
    return next(block for block in cache.touched if block not in parents)


def _fifo(
    cache: Cache, rows: Sequence[Row], at: int, times: Sequence[int], ttl_us: int | None
) -> None:
    """In order of insertion, one at a time when there is one too many."""
    for block in rows[at]:
        cache.touch(block, times[at])
        cache.shrink(lambda: cache.put_in[0])


def _clairvoyant(
    cache: Cache, rows: Sequence[Row], at: int, times: Sequence[int], ttl_us: int | None
) -> None:
    """The furthest next use goes first, ties deepest first; never a block of this row while the
    row fits. A use after the end of the lifetime is none."""
    row = set(rows[at])
    for block in rows[at]:
        cache.touch(block, times[at])

    def next_use(block: int) -> tuple[float, int]:
        for later in range(at + 1, len(rows)):
            if block in rows[later]:
                late = ttl_us is not None and times[later] - cache.touched_us[block] > ttl_us
                return (float("inf"), 0) if late else (later, rows[later].index(block))
        return float("inf"), 0

    def victim() -> int:
        fits = len(row) <= cache.capacity
        return max((b for b in cache.put_in if not fits or b not in row), key=next_use)

    cache.shrink(victim)
