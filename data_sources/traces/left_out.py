"""Files that were found in a folder and cannot be read: noted, where a named one is refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from data_sources.traces.base import Decoded, ReadResult, Source
from messages.errors import InputError, Message

LISTED = 20

ReadGroup = Callable[[Sequence[Decoded]], ReadResult]


class LeftOut:
    """Keeps the refusals of those `sources` that `may_fail`, in the order in which they came. A
    copy of a file that was named may not."""

    def __init__(self, sources: Collection[Source], may_fail: Collection[Source]) -> None:
        named = {source.sha256 for source in set(sources).difference(may_fail)}
        self._may_fail = {source.sha256 for source in may_fail} - named
        self._errors: list[InputError] = []

    @contextmanager
    def where(self, source: Source) -> Iterator[None]:
        """An InputError inside is kept where `source` may fail, else it passes."""
        try:
            yield
        except InputError as error:
            if source.sha256 not in self._may_fail:
                raise
            self._errors.append(error)

    def read_together(self, files: Sequence[Decoded], read_group: ReadGroup) -> list[ReadResult]:
        """`files` read by `read_group`, at once because copies are found across them. Where that
        fails and some may be left out: without those that fail alone. No result if none is left."""
        try:
            return [read_group(files)]
        except InputError:
            usable = self._usable(files, read_group)
            if len(usable) == len(files):
                raise
        return [read_group(usable)] if usable else []

    def _usable(self, files: Sequence[Decoded], read_group: ReadGroup) -> list[Decoded]:
        if not any(file.source.sha256 in self._may_fail for file in files):
            return list(files)
        usable = []
        for file in files:
            with self.where(file.source):
                read_group([file])
                usable.append(file)
        return usable

    def refusal(self) -> InputError:
        """Nothing could be read: the first reason, and how many files where there are more."""
        first, count = self._errors[0], len(self._errors)
        if count == 1:
            return first
        return InputError(Message("traces.none_usable", {"why": first.message}, count))

    def notes(self) -> list[Message]:
        """One note a refusal, the first 20 of them, and how many more there are."""
        notes = [
            Message("traces.assume.left_out", {"why": error.message})
            for error in self._errors[:LISTED]
        ]
        more = len(self._errors) - len(notes)
        return [*notes, Message("traces.assume.left_out_more", n=more)] if more else notes
