"""Parses a GGUF file's header: metadata and where each tensor lies. Reads, never trusts, lengths.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian).
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from kvcore.errors import KvcoreError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
STRING, ARRAY = 8, 9
MAX_DIMENSIONS = 4
DEFAULT_ALIGNMENT = 32


def damaged(path: Path, problem: str) -> KvcoreError:
    return KvcoreError(
        "kvcore.gguf_damaged",
        "{file} is not a GGUF file that can be read: {problem}.",
        {"file": path.name, "problem": problem},
    )


class TensorPlace(NamedTuple):
    """One tensor: its sizes, slowest first as torch says them, its type, its place in the file."""

    sizes: tuple[int, ...]
    type_id: int
    offset: int

    @property
    def elements(self) -> int:
        return prod(self.sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """Metadata by key, tensors by name."""

    metadata: dict[str, Any]
    tensors: dict[str, TensorPlace]


class _Bytes:
    """A cursor over the file that ends with a KvcoreError, not beyond the end."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self.path = path
        self.data = data
        self.size = len(data)
        self.at = 0

    def take(self, count: int) -> int:
        """Moves on by count bytes and gives where they start."""
        start, self.at = self.at, self.at + count
        if self.at > self.size:
            raise damaged(self.path, f"it ends inside its header, at byte {self.size}")
        return start

    def unpack(self, code: str) -> Any:
        start = self.take(struct.calcsize(code))
        return struct.unpack_from(f"<{code}", self.data, start)[0]

    def text(self) -> str:
        length = self.unpack("Q")
        start = self.take(length)
        # Some vocabularies hold pieces of characters; they keep their place, marked.
        return self.data[start : start + length].decode("utf-8", errors="replace")

    def value(self, type_id: int) -> Any:
        if type_id == STRING:
            return self.text()
        if type_id in SCALARS:
            return self.unpack(SCALARS[type_id])
        if type_id == ARRAY:
            return self.array()
        raise damaged(self.path, f"byte {self.at} holds a value of unknown type {type_id}")

    def array(self) -> list[Any]:
        type_id, count = self.unpack("I"), self.unpack("Q")
        if type_id in SCALARS:
            code = SCALARS[type_id]
            start = self.take(count * struct.calcsize(code))
            return list(struct.unpack_from(f"<{count}{code}", self.data, start))
        if count > self.size:  # every string takes at least its length's eight bytes
            raise damaged(self.path, f"byte {self.at} promises {count} values")
        return [self.value(type_id) for _ in range(count)]


def read_header(path: Path, data: mmap.mmap) -> GgufHeader:
    """The header of an open file. Raises KvcoreError with the place where it stops making sense."""
    cursor = _Bytes(path, data)
    if cursor.size < len(MAGIC) or data[: len(MAGIC)] != MAGIC:
        raise damaged(path, "it does not start with the letters GGUF")
    cursor.take(len(MAGIC))
    version = cursor.unpack("I")
    if version not in VERSIONS:
        raise damaged(path, f"its version is {version}; 2 and 3 are read")
    tensor_count, key_count = cursor.unpack("Q"), cursor.unpack("Q")
    metadata: dict[str, Any] = {}
    for _ in range(key_count):
        key = cursor.text()
        metadata[key] = cursor.value(cursor.unpack("I"))
    places = dict(_tensor(cursor) for _ in range(tensor_count))
    alignment = metadata.get("general.alignment", DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise damaged(path, f"general.alignment is {alignment}")
    start = -(-cursor.at // alignment) * alignment
    tensors = {name: place._replace(offset=start + place.offset) for name, place in places.items()}
    return GgufHeader(metadata=metadata, tensors=tensors)


def _tensor(cursor: _Bytes) -> tuple[str, TensorPlace]:
    name = cursor.text()
    dimensions = cursor.unpack("I")
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise damaged(cursor.path, f"tensor {name} has {dimensions} dimensions")
    sizes = [cursor.unpack("Q") for _ in range(dimensions)]
    type_id = cursor.unpack("I")
    return name, TensorPlace(tuple(reversed(sizes)), type_id, cursor.unpack("Q"))
