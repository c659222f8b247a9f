"""What a job needs and no table may hold, such as a key: in this process's memory alone.

A job's parameters are stored, so they carry a name that means nothing; where the job is started the
value goes along beside them. It is gone when this process is.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

PARAM = "held"
MOST = 64

_lock = threading.Lock()
_held: OrderedDict[str, object] = OrderedDict()


def hold(value: object) -> str:
    """Keep `value` for a job; its name, for the job's parameters under `PARAM`. The oldest of more
    than `MOST` is let go."""
    name = uuid.uuid4().hex
    with _lock:
        _held[name] = value
        while len(_held) > MOST:
            _held.popitem(last=False)
    return name


def held(params: Mapping[str, Any]) -> object | None:
    """What is held for a job with these parameters; None where nothing is, or no longer."""
    with _lock:
        return _held.get(str(params.get(PARAM) or ""))


def let_go(params: Mapping[str, Any]) -> None:
    """The job has ended: forget what was held for it."""
    with _lock:
        _held.pop(str(params.get(PARAM) or ""), None)
