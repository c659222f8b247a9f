"""Strict YAML: mappings, lists, text and null. Nothing else gets in, nothing is guessed.

Scalars stay text (`no`, `012`, `1e-3` and `12:30:45` mean what they say), a plain `null` is None.
Refused, each with its line: aliases and anchors, merge keys, duplicate keys, tags, several
documents, nesting beyond `MAX_DEPTH`, files beyond `MAX_BYTES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from messages.errors import DataError, Message, Value

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20

# The C parser is five times as fast; both give the same events.
_Parser: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Node = dict[str, "Node"] | list["Node"] | str | None


def data_error(file: str, place: str, expected: str, found: Value, **values: Value) -> DataError:
    """A DataError that says file, place, what was expected and what was found."""
    wanted = Message(f"prices.expected.{expected}", values)
    return DataError(
        Message(
            "prices.bad_table",
            {"file": file, "place": place, "expected": wanted, "found": _shown(found)},
        )
    )


def _shown(found: Value) -> Value:
    if found is None:
        return Message("prices.nothing")
    return str(found)[:120] if isinstance(found, str) else found


def read_yaml(path: Path) -> Node:
    """The content of one file. Raises DataError, never anything of the YAML library's."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise data_error(path.name, "–", "readable_file", error.strerror or "?") from error
    if len(raw) > MAX_BYTES:
        raise data_error(path.name, "–", "size", f">{MAX_BYTES}", max_bytes=MAX_BYTES)
    return parse_yaml(raw, path.name)


def parse_yaml(raw: bytes, name: str) -> Node:
    """The content of `raw`; `name` stands for the file in errors."""
    try:
        return _Builder(name).build(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        found = f"0x{raw[error.start]:02x}"
        raise data_error(name, f"byte {error.start}", "utf8", found) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}" if mark else "–"
        problem = getattr(error, "problem", None) or type(error).__name__
        raise data_error(name, line, "yaml", problem) from error
    except RecursionError as error:
        raise data_error(name, "–", "depth", f">{MAX_DEPTH}", max_depth=MAX_DEPTH) from error


class _Builder:
    """Builds plain values from parser events. Iterative, so that depth cannot exhaust the stack."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Node = None
        self.documents = 0
        self.stack: list[dict[str, Node] | list[Node]] = []
        self.keys: list[str | None] = []  # the key that waits for its value, one a mapping

    def build(self, text: str) -> Node:
        for event in self._events(text):
            self._take(event)
        return self.root

    def _events(self, text: str) -> Iterator[yaml.Event]:
        parser = _Parser(text)
        try:
            while parser.check_event():
                yield parser.get_event()
        finally:
            parser.dispose()

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._check(event)
            plain = event.style is None or event.style == ""
            value = None if plain and event.value in ("null", "~", "") else event.value
            self._put(value, event)
        elif isinstance(event, yaml.MappingStartEvent):
            self._open({}, event)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._open([], event)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self.stack.pop()
            self.keys.pop()
        elif isinstance(event, yaml.AliasEvent):
            raise self._error(event, "no_alias", f"*{event.anchor}")
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self._error(event, "one_document", self.documents)

    def _open(self, value: dict[str, Node] | list[Node], event: Any) -> None:
        self._check(event)
        self._put(value, event)
        if len(self.stack) >= MAX_DEPTH:
            raise self._error(event, "depth", f">{MAX_DEPTH}", max_depth=MAX_DEPTH)
        self.stack.append(value)
        self.keys.append(None)

    def _check(self, event: Any) -> None:
        if event.anchor is not None:
            raise self._error(event, "no_alias", f"&{event.anchor}")
        if event.tag is not None:
            raise self._error(event, "no_tag", event.tag)

    def _put(self, value: Node, event: Any) -> None:
        if not self.stack:
            self.root = value
            return
        parent = self.stack[-1]
        if isinstance(parent, list):
            parent.append(value)
        elif (key := self.keys[-1]) is None:
            self.keys[-1] = self._key(parent, value, event)
        else:
            parent[key] = value
            self.keys[-1] = None

    def _key(self, parent: dict[str, Node], value: Node, event: Any) -> str:
        if not isinstance(value, str):
            raise self._error(event, "text_key", None)
        if value == "<<":
            raise self._error(event, "no_merge", value)
        if value in parent:
            raise self._error(event, "unique_key", value)
        return value

    def _error(self, event: Any, expected: str, found: Value, **values: Value) -> DataError:
        line = event.start_mark.line + 1
        return data_error(self.name, f"line {line}", expected, found, **values)
