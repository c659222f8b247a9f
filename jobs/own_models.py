"""Models that readers bring, under a name that every process of this server can look up.

A model's shape is kept beside what was computed and goes as that does: it is written again
whenever its reader looks at it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from messages.errors import Message, NotFoundError
from price_tables.hardware import KvGroup, ModelSpec

PREFIX = "own:"
FILE = "own-model-1.json"


def is_own(name: str) -> bool:
    """Whether this is a name that `keep` gave."""
    return name.startswith(PREFIX)


def keep(spec: ModelSpec) -> str:
    """The model's name: equal shapes have equal names."""
    text = json.dumps(asdict(spec), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    if computed(current_store(), digest, FILE) is None:
        keep_computed(current_store(), digest, FILE, text)
    return PREFIX + digest


def own_model(name: str) -> ModelSpec:
    """The model of this name. NotFoundError where it is gone: it is brought again then."""
    text = computed(current_store(), name.removeprefix(PREFIX), FILE)
    try:
        values = json.loads(text or "")
        groups = tuple(KvGroup(**group) for group in values.pop("groups"))
        return ModelSpec(**values, groups=groups)
    except (ValueError, KeyError, TypeError):
        raise NotFoundError(Message("hardware.own_model_gone", {"name": name[:16]})) from None
