"""The two streams that servers answer with, line by line: server-sent events and JSON lines.

A reader is fed lines and says when the first token has come. Both keep counts and times alone: no
text of an answer outlives its line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

NANOSECOND = 1e-9


class NotUnderstood(Exception):
    """A line that is not of the expected kind."""


class Refused(Exception):
    """The server says inside its answer that it cannot; `why` are its words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a server counted itself; None where it does not say."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    prompt_eval_s: float | None = None
    load_s: float | None = None


class Reader(Protocol):
    """See `OpenAiReader` and `OllamaReader`."""

    expected: str
    started: bool
    finished: bool

    def feed(self, line: str) -> None:
        """Take one line. NotUnderstood, or Refused where it holds the server's error."""
        ...

    def counts(self) -> Counts:
        """What the lines so far say."""
        ...


class OpenAiReader:
    """Chat and text completions as server-sent events, usage in the last one where the server
    gives it. Reasoning counts as a token like any other."""

    expected = "server-sent events"

    def __init__(self) -> None:
        self.started = False
        self.finished = False
        self._usage: Mapping[str, Any] = {}

    def feed(self, line: str) -> None:
        """See `Reader`."""
        field, _, text = line.partition(":")
        if field != "data":
            if field in ("", "event", "id", "retry"):  # comments keep a connection alive
                return
            raise NotUnderstood
        if text.strip() == "[DONE]":
            self.finished = True
            return
        event = _object(text)
        if event.get("error"):
            raise Refused(words_of(event["error"]))
        usage = event.get("usage")
        self._usage = usage if isinstance(usage, dict) else self._usage
        choices = event.get("choices")
        if not isinstance(choices, list):
            raise NotUnderstood
        for choice in choices:
            self._take(choice if isinstance(choice, dict) else {})

    def _take(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        parts = delta if isinstance(delta, dict) else choice
        names = ("content", "text", "reasoning_content", "reasoning")
        ended = choice.get("finish_reason") is not None
        # The first event of a chat often holds the role alone: no token has been made by then.
        self.started = self.started or ended or any(parts.get(name) for name in names)
        self.finished = self.finished or ended

    def counts(self) -> Counts:
        """See `Reader`."""
        details = self._usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        prompt = _count(self._usage.get("prompt_tokens"))
        return Counts(prompt_tokens=prompt, cached_tokens=_count(cached))


class OllamaReader:
    """`/api/generate`: one JSON object a line, the counts and nanoseconds in the last."""

    expected = "JSON lines"

    def __init__(self) -> None:
        self.started = False
        self.finished = False
        self._last: Mapping[str, Any] = {}

    def feed(self, line: str) -> None:
        """See `Reader`."""
        event = _object(line)
        if event.get("error"):
            raise Refused(words_of(event["error"]))
        if "done" not in event:
            raise NotUnderstood
        done = event["done"] is True
        self.started = self.started or done or bool(event.get("response") or event.get("thinking"))
        if done:
            self.finished, self._last = True, event

    def counts(self) -> Counts:
        """See `Reader`."""
        return Counts(
            prompt_tokens=_count(self._last.get("prompt_eval_count")),
            prompt_eval_s=_seconds(self._last.get("prompt_eval_duration")),
            load_s=_seconds(self._last.get("load_duration")),
        )


def words_of(error: object) -> str:
    """What a server's error says, whether it is a text or an object with a message."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("error") or ""
        return words_of(error) if isinstance(error, dict) else str(error)
    return str(error)


def _object(text: str) -> Mapping[str, Any]:
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        raise NotUnderstood from None
    if not isinstance(event, dict):
        raise NotUnderstood
    return event


def _count(value: object) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return int(value) if good and isinstance(value, int) else None


def _seconds(nanoseconds: object) -> float | None:
    count = _count(nanoseconds)
    return None if count is None else count * NANOSECOND
