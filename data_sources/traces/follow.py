"""Progress while files are read line by line: told every few megabytes, never line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from data_sources.traces.base import Decoded, Progress
from data_sources.traces.json_text import Line

_EVERY_CHARS = 2_000_000


class Follow:
    """Passes lines on and tells `progress` which share of all files was passed on."""

    def __init__(self, files: Sequence[Decoded], progress: Progress) -> None:
        self._progress = progress
        self._sizes = {file.path: file.path.stat().st_size for file in files}
        self._total = max(1, sum(self._sizes.values()))
        self._done = 0

    def lines(self, file: Decoded, lines: Iterable[Line]) -> Iterator[Line]:
        """`lines` of `file`, one file after another. Raises what `progress` raises to cancel."""
        self._tell(0)
        chars = told = 0
        for line in lines:
            yield line
            chars += line.chars
            if chars - told >= _EVERY_CHARS:
                told = chars
                self._tell(min(chars, self._sizes[file.path]))
        self._done += self._sizes[file.path]

    def _tell(self, of_this_file: int) -> None:
        self._progress((self._done + of_this_file) / self._total, "read")
