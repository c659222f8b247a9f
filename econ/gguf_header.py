"""A GGUF file's first bytes as metadata by key. Reads, never trusts, lengths.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian).
The keys that say how a model keeps its cache come first in a file, the vocabulary after them, so
that the first megabytes of a large file are enough: a header that is cut off later is read as far
as it goes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from messages.errors import DataError, Message

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SCALARS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
STRING, ARRAY = 8, 9
LONGEST_TEXT = 4096
MOST_KEPT = 4096
"""Longer lists are passed over: they are vocabularies. No model has as many layers."""
MOST_KEYS = 10_000
MOST_TEXTS = 2_000_000
"""Texts of one list; the largest vocabularies with their merges have about a million."""
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Metadata by key, without long lists and texts; `whole`: the data did not end before it."""

    metadata: Mapping[str, Any]
    whole: bool


class _Ended(Exception):
    """The data ends here."""


class _Cursor:
    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name, self.at = data, name, len(MAGIC)

    def take(self, count: int) -> int:
        """Moves on by `count` bytes and gives where they start."""
        start, end = self.at, self.at + count
        if end > len(self.data):
            raise _Ended
        self.at = end
        return start

    def scalar(self, code: str) -> Any:
        start = self.take(struct.calcsize(f"<{code}"))
        return struct.unpack_from(f"<{code}", self.data, start)[0]

    def text(self) -> str:
        length = self.scalar("Q")
        start = self.take(length)
        return self.data[start : start + min(length, LONGEST_TEXT)].decode("utf-8", "replace")

    def value(self) -> Any:
        kind = self.scalar("I")
        if kind == ARRAY:
            return self._list()
        return self._one(kind)

    def _one(self, kind: int) -> Any:
        if kind == STRING:
            return self.text()
        code = SCALARS.get(kind)
        if code is None:
            raise bad_header(self.name, self.at, "gguf_type")
        return self.scalar(code)

    def _list(self) -> list[Any] | None:
        kind, length = self.scalar("I"), self.scalar("Q")
        code = SCALARS.get(kind)
        if code is not None and length > MOST_KEPT:
            self.take(length * struct.calcsize(f"<{code}"))
            return None
        if code is None and kind != STRING:  # lists of lists are in no model's header
            raise bad_header(self.name, self.at, "gguf_type")
        if length > MOST_KEPT:
            self._pass_over(length)
            return None
        return [self._one(kind) for _ in range(length)]

    def _pass_over(self, texts: int) -> None:
        """Moves beyond so many texts without reading them."""
        if texts > MOST_TEXTS:
            raise bad_header(self.name, self.at, "gguf_texts")
        at, end = self.at, len(self.data) - _LENGTH.size
        for _ in range(texts):
            if at > end:
                raise _Ended
            at += _LENGTH.size + _LENGTH.unpack_from(self.data, at)[0]
        self.at = at
        self.take(0)


def is_gguf(data: bytes) -> bool:
    """The data starts as a GGUF file does."""
    return data.startswith(MAGIC)


def gguf_header(data: bytes, name: str) -> GgufHeader:
    """The metadata at the start of `data`. DataError naming the byte where it makes no sense."""
    cursor = _Cursor(data, name)
    metadata: dict[str, Any] = {}
    try:
        version = cursor.scalar("I")
        if version not in VERSIONS:
            raise bad_header(name, len(MAGIC), "gguf_version")
        cursor.scalar("Q")  # how many tensors
        keys = cursor.scalar("Q")
        if keys > MOST_KEYS:
            raise bad_header(name, cursor.at, "gguf_keys")
        for _ in range(keys):
            key = cursor.text()
            value = cursor.value()
            if value is not None:
                metadata[key] = value
    except _Ended:
        return GgufHeader(metadata, whole=False)
    return GgufHeader(metadata, whole=True)


def bad_header(name: str, at: int, expected: str) -> DataError:
    """A DataError that names the file, the byte and what was expected there."""
    wanted = Message(f"hardware.header_expected.{expected}")
    return DataError(Message("hardware.bad_header", {"name": name, "at": at, "expected": wanted}))
