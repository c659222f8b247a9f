"""Files that were found in a folder and cannot be read: noted, where a named one is refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from data_sources.traces.base import Source
from messages.errors import InputError, Message

LISTED = 20


class LeftOut:
    """Keeps the refusals of the sources that `may_fail`, in the order in which they came."""

    def __init__(self, may_fail: Collection[Source]) -> None:
        self._may_fail = frozenset(source.sha256 for source in may_fail)
        self.errors: list[InputError] = []

    @contextmanager
    def where(self, sources: Sequence[Source]) -> Iterator[None]:
        """An InputError inside is kept where all of `sources` may fail, else it passes."""
        try:
            yield
        except InputError as error:
            if not self._may_fail.issuperset(source.sha256 for source in sources):
                raise
            self.errors.append(error)

    def refusal(self) -> InputError:
        """Nothing could be read: the first reason, with the number of files where there are more."""
        first, count = self.errors[0], len(self.errors)
        if count == 1:
            return first
        return InputError(Message("traces.none_usable", {"why": first.message}, count))

    def notes(self) -> list[Message]:
        """One note a refusal, the first 20 of them, and how many more there are."""
        notes = [
            Message("traces.assume.left_out", {"why": e.message}) for e in self.errors[:LISTED]
        ]
        more = len(self.errors) - len(notes)
        return [*notes, Message("traces.assume.left_out_more", n=more)] if more else notes
