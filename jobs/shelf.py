"""Workloads that are open: the bundled example, and the few that were looked at last.

Kept by content, so one frame serves every session that may see it; who may see it is asked from the
store each time. Nothing here belongs to a user.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from data_sources.store.engine import Store, current_store
from data_sources.store.files import open_folder
from data_sources.store.workloads import find_workload
from econ.example import example_receipt, example_workload
from econ.receipt import Receipt
from econ.workload import Workload, digest

OPEN_WORKLOADS = 4
OPEN_ROWS = 10_000_000  # a row is some 100 bytes, so the open ones together stay near 1 GB
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A workload with its receipt. `key` names its exact bytes: the key of every cache."""

    id: str
    key: str
    workload: Workload
    receipt: Receipt
    is_example: bool
    saved: bool


def _weightless(_value: object) -> int:
    return 0


_shelves: WeakSet[LastUsed[Any]] = WeakSet()


class LastUsed(Generic[Kept]):
    """The `size` values that were asked for last; each is made once even when two ask at once.

    Of values that weigh something, `most` altogether are kept, the last one whatever it weighs.
    What was made of a workload has a tuple for a key that begins with the workload's, so that
    `close` finds it.
    """

    def __init__(
        self, size: int, weigh: Callable[[Kept], int] = _weightless, most: int = 0
    ) -> None:
        self._size = size
        self._weigh, self._most = weigh, most
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()
        _shelves.add(self)

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """The value under `key`, made by `make` where it is not kept. What `make` raises passes."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            turn = self._making.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            try:
                made = make()
                with self._lock:
                    self._keep(key, made)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def _keep(self, key: Hashable, made: Kept) -> None:
        self._kept[key] = made
        while len(self._kept) > self._size or (len(self._kept) > 1 and self._weight() > self._most):
            self._kept.popitem(last=False)

    def _weight(self) -> int:
        return sum(map(self._weigh, self._kept.values()))

    def forget(self, wanted: Callable[[Hashable], bool]) -> None:
        """Drop every kept value whose key is `wanted`."""
        with self._lock:
            for key in [key for key in self._kept if wanted(key)]:
                del self._kept[key]


def _rows(workload: Workload) -> int:
    return workload.rows


_open: LastUsed[Workload] = LastUsed(OPEN_WORKLOADS, _rows, OPEN_ROWS)
_keys: set[str] = set()  # of workloads that were opened here
_example_lock = threading.Lock()


def example() -> Opened:
    """The bundled example, made once a process."""
    with _example_lock:
        return _made_example()


@cache
def _made_example() -> Opened:
    workload = example_workload()
    sha256 = digest(workload)
    return Opened(
        id=sha256,
        key=f"example-{sha256}",
        workload=workload,
        receipt=example_receipt(workload),
        is_example=True,
        saved=False,
    )


def opened(workload_id: str, owner: str) -> Opened:
    """The workload that `owner` may see under this id. NotFoundError: none, or somebody else's."""
    if workload_id == example().id:
        return example()
    from data_sources.store.parquet import read_workload

    store = current_store()
    record = find_workload(store, workload_id, owner)

    _keys.add(record.content_key)

    def read() -> Workload:
        return read_workload(open_folder(store.files_url), record.content_key, record.name)

    return Opened(
        id=workload_id,
        key=record.content_key,
        workload=_open.get((record.content_key, record.name), read),
        receipt=record.receipt,
        is_example=False,
        saved=record.saved,
    )


def close(key: str) -> None:
    """A workload was deleted: nothing of it, and nothing made of it, stays in this process."""
    _keys.discard(key)
    for shelf in list(_shelves):
        shelf.forget(lambda kept: isinstance(kept, tuple) and kept[:1] == (key,))


def close_gone(store: Store) -> None:
    """Close the workloads whose files are no longer there: their sessions ended."""
    folder = open_folder(store.files_url)
    for key in list(_keys):
        if not folder.complete(key):
            close(key)
