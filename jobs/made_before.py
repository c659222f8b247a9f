"""Results that were made once of a workload and are kept beside its files, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from jobs.shelf import Opened

Made = TypeVar("Made")


def made_before(found: Opened, name: str, read: Callable[[Any], Made]) -> Made | None:
    """What `read` makes of the JSON under `name`; None where there is none, or half a file."""
    text = computed(current_store(), _place(found), name)
    try:
        return None if text is None else read(json.loads(text))
    except (ValueError, KeyError, TypeError):  # half a file is no result: it is made again
        return None


def keep_made(found: Opened, name: str, plain: Any) -> None:
    """Keep `plain` (JSON) under `name`; gone with the workload."""
    keep_computed(current_store(), _place(found), name, json.dumps(plain))


def _place(found: Opened) -> str:
    """Beside the workload's files; the example has none, its digest stands for them."""
    return found.id if found.is_example else found.key
