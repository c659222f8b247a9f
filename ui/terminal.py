"""What goes to a terminal: it obeys control characters, and names in files may hold some."""

from __future__ import annotations

import sys
from typing import TextIO

_TURNS_TEXT = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_OBEYED = [*range(0x20), *range(0x7F, 0xA0), *map(ord, _TURNS_TEXT)]
_SHOWN = {code: "\ufffd" for code in _OBEYED if chr(code) not in "\n\t"}


def printable(text: str) -> str:
    """`text` with a replacement mark for every character that a terminal would obey."""
    return text.translate(_SHOWN)


def tell(text: str, stream: TextIO | None = None) -> None:
    """Print `text` on standard output, or on `stream`."""
    print(printable(text), file=stream or sys.stdout)
