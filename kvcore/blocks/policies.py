"""Who goes first when the pool is full. A policy is one small class: it says which list a released
block goes to; the pool takes from the first list that is not empty, its oldest block first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kvcore.errors import KvcoreError

DEFAULT_PRIORITY = 35
LOWEST_PRIORITY, HIGHEST_PRIORITY = 0, 100


class EvictionPolicy(Protocol):
    """The contract. `place` never looks at a block: it must answer from the priority alone.

    `classes`: how many lists. `leaf_only`: a block with a findable child is never evicted.
    `tail_first`: the end of a released sequence is older than its beginning. `normal_class`: where
    a block goes whose priority has ended.
    """

    @property
    def name(self) -> str: ...
    @property
    def classes(self) -> int: ...
    @property
    def leaf_only(self) -> bool: ...
    @property
    def tail_first(self) -> bool: ...
    @property
    def normal_class(self) -> int: ...

    def place(self, priority: int) -> int:
        """The list for this priority, 0 (goes first) to `classes` - 1. KvcoreError if refused."""
        ...


@dataclass(frozen=True, slots=True)
class LruLeaf:
    """The least recently released leaf goes. Priorities mean nothing."""

    name: str = "lru-leaf"
    classes: int = 1
    leaf_only: bool = True
    tail_first: bool = True
    normal_class: int = 0

    def place(self, priority: int) -> int:
        """One list for all."""
        return 0


@dataclass(frozen=True, slots=True)
class Lru:
    """The least recently released goes, beginnings before ends: what is left of a chain without
    its beginning is of no use. Here to be compared with."""

    name: str = "lru"
    classes: int = 1
    leaf_only: bool = False
    tail_first: bool = False
    normal_class: int = 0

    def place(self, priority: int) -> int:
        """One list for all."""
        return 0


@dataclass(frozen=True, slots=True)
class PriorityLru:
    """Leaves of the lowest priority go first, among equals the least recently released, as in
    TensorRT-LLM (0..100, 35 where nothing is said; a priority may end, then it is 35):
    https://nvidia.github.io/TensorRT-LLM/advanced/kv-cache-reuse.html"""

    name: str = "priority"
    classes: int = HIGHEST_PRIORITY + 1
    leaf_only: bool = True
    tail_first: bool = True
    normal_class: int = DEFAULT_PRIORITY

    def place(self, priority: int) -> int:
        """One list a priority."""
        if not LOWEST_PRIORITY <= priority <= HIGHEST_PRIORITY:
            raise KvcoreError(
                "kvcore.priority_range",
                "A priority is a whole number from {low} to {high}, not {priority}.",
                {"low": LOWEST_PRIORITY, "high": HIGHEST_PRIORITY, "priority": priority},
            )
        return priority


POLICIES: dict[str, type[LruLeaf] | type[Lru] | type[PriorityLru]] = {
    "lru-leaf": LruLeaf,
    "priority": PriorityLru,
    "lru": Lru,
}


def policy_named(name: str) -> EvictionPolicy:
    """The policy of this name. KvcoreError that lists the names."""
    if name not in POLICIES:
        raise KvcoreError(
            "kvcore.no_policy",
            "There is no eviction policy {name}; there are {names}.",
            {"name": name, "names": ", ".join(POLICIES)},
        )
    return POLICIES[name]()
