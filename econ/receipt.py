"""The receipt of a read: nothing is dropped silently, nothing is guessed silently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from messages.errors import Message

LISTED_REJECTIONS = 100
"""How many rejected lines a receipt lists one by one; all are counted by reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One row that could not be used: file name, 1-based line (or record) number, reason."""

    file: str
    line: int
    reason: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Rows in which there was no request to count, with the reason that they share."""

    reason: Message
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file that was read. `path` is the name as the user gave it; `sha256` is of its bytes
    as uploaded; `encoding` is what the text was decoded with ('utf-8-sig', 'cp932', 'binary').
    `rows`: those kept of this file, None where files were read as one."""

    path: str
    sha256: str
    format: str
    encoding: str
    rows: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """rows_read = rows_kept + rows_collapsed + rows_rejected + rows_ignored, always.

    `collapsed` says why rows were merged, by reason. `collapsed_cost_e13` is what the collapsed
    rows themselves claimed to cost, in 1e-13 USD, for the reconciliation; None where rows claim
    nothing.
    """

    files: tuple[SourceFile, ...]
    rows_read: int
    rows_kept: int
    rows_collapsed: int = 0
    rows_rejected: int = 0
    rows_ignored: int = 0
    rejected: tuple[Rejection, ...] = ()
    rejected_by_reason: Mapping[str, int] = field(default_factory=dict)
    collapsed: tuple[Ignored, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    assumptions: tuple[Message, ...] = ()
    collapsed_cost_e13: int | None = None

    def __post_init__(self) -> None:
        accounted = self.rows_kept + self.rows_collapsed + self.rows_rejected + self.rows_ignored
        if accounted != self.rows_read:
            raise AssertionError(
                f"receipt does not add up: read {self.rows_read}, accounted {accounted}"
            )
