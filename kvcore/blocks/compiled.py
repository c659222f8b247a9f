"""Compiles a loop with numba where it is installed; elsewhere the loop stays plain Python."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def _compiler() -> Any:
    try:
        return importlib.import_module("numba").njit
    except ImportError:  # the same loops run without it, some hundred times slower
        return None


NJIT: Any = _compiler()


def compiled(function: F) -> F:
    """`function` compiled without the GIL; kept on disk where a folder can be written."""
    if NJIT is None:
        return function
    try:
        return cast(F, NJIT(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder for the compiled code
        return cast(F, NJIT(nogil=True)(function))
