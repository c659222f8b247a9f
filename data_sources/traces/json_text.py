"""JSON documents and JSON Lines, told apart and read so that no file can break the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from data_sources.traces.base import Decoded
from data_sources.traces.limits import MAX_JSON_DOCUMENT_BYTES, MAX_LINE_BYTES
from messages.errors import Message, input_error

_READ_CHARS = 1 << 22
_NUMBER_CHARS = 400
_SPACE, _GAP = re.compile(r"\s*"), re.compile(r"\s*,?\s*")
NOT_ONE_VALUE: Final = object()
"""Stands for "not one JSON value": None is a JSON value."""


class NotJsonError(ValueError):
    """The text is not one JSON value. `line` and `column` are 1-based inside the text."""

    def __init__(self, what: str, line: int = 1, column: int = 1) -> None:
        super().__init__(what)
        self.what, self.line, self.column = what, line, column


@dataclass(frozen=True, slots=True)
class Line:
    """One non-blank line: its number and its JSON value, or why there is none.

    `chars` is its length, for progress; 0 where the file is one JSON document.
    """

    number: int
    value: Any
    problem: Message | None = None
    chars: int = 0


def parse(text: str) -> Any:
    """One JSON value. NotJsonError for anything else, absurd nesting and number lengths too."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(error.msg, error.lineno, error.colno) from error
    except RecursionError as error:
        raise NotJsonError("too deeply nested") from error
    except ValueError as error:  # integers of more than 4,300 digits
        raise NotJsonError("a number with too many digits") from error
    return value


def whole(path: Path) -> Any:
    """The one JSON value that the whole file is, or NOT_ONE_VALUE (JSON Lines, or broken)."""
    lines = _nonblank(path)
    first = next(lines, None)
    if first is None:
        return NOT_ONE_VALUE
    second = next(lines, None)
    lines.close()
    value = NOT_ONE_VALUE if first[1] is None else _parsed(first[1])
    if value is not NOT_ONE_VALUE:
        return value if second is None else NOT_ONE_VALUE
    if path.stat().st_size > MAX_JSON_DOCUMENT_BYTES:
        return NOT_ONE_VALUE
    return _parsed(path.read_text("utf-8"))


def read_document(decoded: Decoded) -> Any:
    """The file's one JSON value. InputError with line and column when it is not one."""
    size = decoded.path.stat().st_size
    if size > MAX_JSON_DOCUMENT_BYTES:
        raise input_error(
            "traces.json_too_large",
            file=decoded.source.name,
            found_bytes=size,
            limit_bytes=MAX_JSON_DOCUMENT_BYTES,
        )
    try:
        return parse(decoded.path.read_text("utf-8").rstrip())
    except NotJsonError as error:
        raise input_error(
            "traces.not_json", file=decoded.source.name, line=error.line, column=error.column
        ) from error


def read_lines(path: Path) -> Iterator[Line]:
    """Every non-blank line of a JSON Lines file; broken ones carry their problem."""
    for number, text in _nonblank(path):
        if text is None:
            too_long = Message("traces.line_too_long", {"limit_bytes": MAX_LINE_BYTES})
            yield Line(number, None, too_long, MAX_LINE_BYTES)
            continue
        try:
            yield Line(number, parse(text), None, len(text))
        except NotJsonError as error:
            problem = Message("traces.line_not_json", {"column": error.column})
            yield Line(number, None, problem, len(text))


def records(decoded: Decoded) -> Iterator[Line]:
    """Records of a JSON list, one JSON object, or JSON Lines: numbered from 1.

    The number is the line in JSON Lines and the position in a list.
    """
    value = whole(decoded.path)
    yield from lines_of(decoded.path) if value is NOT_ONE_VALUE else items(value)


def lines_of(path: Path) -> Iterator[Line]:
    """JSON Lines, or the items of a list that is too large to be held as one value."""
    if path.stat().st_size > MAX_JSON_DOCUMENT_BYTES and _begins_list(path):
        return list_items(path)
    return read_lines(path)


def list_items(path: Path, step: int = _READ_CHARS) -> Iterator[Line]:
    """The items of one JSON list, one at a time. Where the text breaks, one last item says so."""
    decoder = json.JSONDecoder()
    with path.open("r", encoding="utf-8") as stream:
        text, at, number, ended = stream.read(step).lstrip()[1:], 0, 1, False
        while True:
            at = _after(text, at, number > 1)
            if at < len(text) and text[at] == "]":
                return
            try:
                value, end = decoder.raw_decode(text, at)
            except RecursionError:
                yield _broken(number, 1)
                return
            except ValueError as error:
                more = "" if ended or len(text) - at > MAX_LINE_BYTES else stream.read(step)
                if not more:
                    yield _broken(number, getattr(error, "pos", at) - at + 1)
                    return
                text, at = text[at:] + more, 0
                continue
            if not ended and isinstance(value, (int, float)) and len(text) - end < _NUMBER_CHARS:
                # "-3." may go on in what is not read yet
                more = stream.read(step)
                ended = not more
                text, at = text[at:] + more, 0
                continue
            yield Line(number, value, None, end - at)
            number, at = number + 1, end


def _after(text: str, at: int, comma: bool) -> int:
    """The place of the next item: white space skipped, and the one comma before it."""
    found = _GAP.match(text, at) if comma else _SPACE.match(text, at)
    return found.end() if found else at


def _broken(number: int, column: int) -> Line:
    return Line(number, None, Message("traces.line_not_json", {"column": column}))


def _begins_list(path: Path) -> bool:
    with path.open("r", encoding="utf-8") as stream:
        return stream.read(_READ_CHARS).lstrip()[:1] == "["


def items(value: Any) -> Iterator[Line]:
    """What is in a JSON list, or the one value that is no list."""
    for number, item in enumerate(value if isinstance(value, list) else [value], start=1):
        yield Line(number, item)


def _parsed(text: str) -> Any:
    try:
        return parse(text)
    except NotJsonError:
        return NOT_ONE_VALUE


def _nonblank(path: Path) -> Generator[tuple[int, str | None], None, None]:
    """(line number, text); the text is None where the line is longer than the limit."""
    with path.open("r", encoding="utf-8", newline=None) as stream:
        number = 0
        while True:
            number += 1
            text = stream.readline(MAX_LINE_BYTES)
            if not text:
                return
            if len(text) == MAX_LINE_BYTES and not text.endswith("\n"):
                while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith("\n"):
                    pass
                yield number, None
            elif not text.isspace():
                yield number, text
