"""Counts what became of every row while a reader runs, and makes the receipt of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from data_sources.traces.base import Decoded
from econ.receipt import LISTED_REJECTIONS, Ignored, Receipt, Rejection, SourceFile
from messages.errors import Message


class RowRejectedError(ValueError):
    """A row that cannot be used; `reason` is for the receipt."""

    def __init__(self, reason: Message) -> None:
        super().__init__(str(reason))
        self.reason = reason


def rejected(reason_id: str, **values: int | str) -> RowRejectedError:
    """A rejection with the reason `traces.reason.<reason_id>`."""
    return RowRejectedError(Message(f"traces.reason.{reason_id}", values))


class Tally:
    """One counter a reader. Rejections are counted by reason id: every row of one kind together,
    whatever numbers it names."""

    def __init__(self) -> None:
        self.rows_rejected = 0
        self._listed: list[Rejection] = []
        self._by_reason: Counter[str] = Counter()
        self._ignored: Counter[str] = Counter()
        self._collapsed: Counter[str] = Counter()
        self._assumptions: dict[str, Message] = {}
        self._collapsed_cost_e13: int | None = None

    def reject(self, file: str, line: int, reason: Message) -> None:
        """One row cannot be used. `line` is its 1-based line or record number."""
        self.rows_rejected += 1
        self._by_reason[reason.id] += 1
        if len(self._listed) < LISTED_REJECTIONS:
            self._listed.append(Rejection(file=file, line=line, reason=reason))

    def ignore(self, reason_id: str, rows: int = 1) -> None:
        """Rows in which there is no request: `traces.ignored.<reason_id>`."""
        self._ignored[f"traces.ignored.{reason_id}"] += rows

    def collapse(self, reason_id: str, rows: int = 1, cost_e13: int | None = None) -> None:
        """Rows that repeat a kept one: `traces.collapsed.<reason_id>`; `cost_e13` is what they
        claim to cost in 1e-13 USD."""
        self._collapsed[f"traces.collapsed.{reason_id}"] += rows
        if cost_e13 is not None:
            self._collapsed_cost_e13 = (self._collapsed_cost_e13 or 0) + cost_e13

    def assume(self, assumption: Message) -> None:
        """Something that the file does not say; said once for each message id."""
        self._assumptions.setdefault(assumption.id, assumption)

    def receipt(self, files: Sequence[Decoded], format_id: str, rows_kept: int) -> Receipt:
        """The receipt; rows_read is what was counted here plus `rows_kept`."""
        ignored = sum(self._ignored.values())
        collapsed = sum(self._collapsed.values())
        return Receipt(
            files=tuple(source_file(file, format_id) for file in files),
            rows_read=rows_kept + self.rows_rejected + ignored + collapsed,
            rows_kept=rows_kept,
            rows_collapsed=collapsed,
            rows_rejected=self.rows_rejected,
            rows_ignored=ignored,
            rejected=tuple(self._listed),
            rejected_by_reason=dict(self._by_reason),
            collapsed=_groups(self._collapsed),
            ignored=_groups(self._ignored),
            assumptions=tuple(self._assumptions.values()),
            collapsed_cost_e13=self._collapsed_cost_e13,
        )


def source_file(file: Decoded, format_id: str) -> SourceFile:
    """A file's line in the receipt."""
    return SourceFile(
        path=file.source.name,
        sha256=file.source.sha256,
        format=format_id,
        encoding=file.encoding,
    )


def _groups(counts: Counter[str]) -> tuple[Ignored, ...]:
    return tuple(Ignored(reason=Message(key), rows=rows) for key, rows in counts.items())
