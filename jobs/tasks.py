"""What can be run as a job: each kind by the import path of its function.

A task is a module-level function `f(params: dict, progress: Progress) -> str`: plain JSON in, the
id of a stored result out. It is imported by name where it runs, so this table imports nothing.
A task may run again after its process died: what it stores must be keyed by content.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from jobs.progress import Progress

Task = Callable[[dict[str, Any], Progress], str]

TASKS: dict[str, str] = {}


def register(kind: str, path: str) -> None:
    """Add a kind of job. `path` is 'package.module:function'. ValueError for a second meaning."""
    if TASKS.setdefault(kind, path) != path:
        raise ValueError(f"job kind {kind!r} is {TASKS[kind]} already")


def path_of(kind: str) -> str:
    """The import path behind `kind`. ValueError for an unknown one."""
    try:
        return TASKS[kind]
    except KeyError:
        raise ValueError(f"unknown job kind {kind!r}; known: {sorted(TASKS)}") from None


def resolve(path: str) -> Task:
    """The function behind 'package.module:function'."""
    module, _, name = path.partition(":")
    task: Task = getattr(importlib.import_module(module), name)
    return task
