"""The first module of a child process: it lets a module run, and ends it when its parent ends.

Its standard input is a pipe whose other end the parent holds open. However the parent ends, killed
too, the pipe closes: no child is left behind.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
from collections.abc import Sequence

GENTLE = 10
"""Added to the niceness: whoever looks at a page comes before a measurement."""


def main(words: Sequence[str]) -> None:
    """`words`: a module's name and its arguments."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(GENTLE)
    _lift_memory_limit()
    sys.argv = list(words)
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    while os.read(0, 64):
        pass
    os._exit(1)


def _lift_memory_limit() -> None:
    # A worker's address space is limited; a device maps more than it ever uses.
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


if __name__ == "__main__":
    main(sys.argv[1:])
