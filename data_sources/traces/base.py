"""What a reader of workload files is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from data_sources.traces.limits import MAX_ROWS
from econ.receipt import Receipt
from econ.workload import Workload

Progress = Callable[[float, str], None]
"""Called with a fraction 0..1 and a stage id ('read', 'sort', ...). May raise to cancel."""


def no_progress(_fraction: float, _stage: str) -> None:
    """A Progress that says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One uploaded file on disk. `name` is what the user called it (may be hostile: only shown).
    `sha256` and `size_bytes` are of the bytes as uploaded."""

    name: str
    path: Path
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A source after containers and encodings: `path` holds plain bytes (gzip removed).

    Text is UTF-8 there whatever it was before; `encoding` says what it was ('utf-8',
    'utf-8-sig', 'utf-16', 'cp932', 'latin-1'), 'binary' for Parquet. `max_rows` is the most rows
    that this read may take from one file.
    """

    source: Source
    path: Path
    encoding: str
    max_rows: int = MAX_ROWS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What the user may say about a file.

    `mapping`: the file's column -> a field of the request table (`--map`).
    `model_names`: the file's own model name -> a model id to price it as (`--map-model`).
    `block_tokens`: tokens per block id where the file does not say (`--block-size`).
    `tz`: zone of times that carry none ('Asia/Tokyo'); None = such times are not absolute.
    `leave_out_flagged`: reject rows whose number of block ids does not fit their length, instead
    of keeping and listing them.
    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    model_names: Mapping[str, str] = field(default_factory=dict)
    block_tokens: int | None = None
    tz: str | None = None
    leave_out_flagged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """A workload and the receipt of how it came about."""

    workload: Workload
    receipt: Receipt


class Reader(Protocol):
    """One format. Readers are modules' functions registered in `registry.READERS`.

    Gets every decoded file of its format at once, because duplicates must be found across files.
    Raises InputError with one sentence when the files as a whole cannot be used; rows that cannot
    be used are rejected in the receipt instead.
    """

    def __call__(
        self, files: Sequence[Decoded], options: ReadOptions, progress: Progress
    ) -> ReadResult: ...
