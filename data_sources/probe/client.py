"""One server over HTTP: timed streaming requests, and every way in which they fail as a sentence.

The key travels in a header and nowhere else. Redirects are not followed, so that it reaches no host
but the one that was named. Proxies of the environment are not used: they would be timed too.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import SecretStr

from data_sources.probe.asked import Target
from data_sources.probe.wire import Counts, NotUnderstood, Reader, Refused, words_of
from messages.errors import DataError, KvledgerError, Message, SourceError, Value

MOST_BYTES = 4_000_000
MOST_REASON_BYTES = 4_096
LONGEST_REASON = 200
LONGEST_LINE = 1_000_000
CONNECT_S = 10.0

# Their request logs name addresses at INFO and more at DEBUG.
for name in ("httpx", "httpcore"):
    logging.getLogger(name).setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One answer: seconds from sending to the first token and to the end, and what the server
    counted (None: it does not say)."""

    first_token_s: float
    total_s: float
    counts: Counts


class Server:
    """A server that is asked over one kept connection. Close it after use."""

    def __init__(self, target: Target, key: SecretStr | None, timeout_s: float) -> None:
        self._target = target
        self._key = "" if key is None else key.get_secret_value()
        self._timeout_s = timeout_s
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
            follow_redirects=False,
            trust_env=False,
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def look(self, path: str) -> tuple[Mapping[str, Any], str]:
        """The JSON object at `path` ({} where there is none) and the Server header ('' without).
        SourceError where nobody answers."""
        deadline = time.perf_counter() + self._timeout_s
        with self._errors(path), self._client.stream("GET", self._target.base + path) as answer:
            named = _clean(answer.headers.get("server", ""))
            body = self._some(answer, MOST_REASON_BYTES, deadline)
        if answer.status_code != httpx.codes.OK:
            return {}, named
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            return {}, named
        return (found if isinstance(found, dict) else {}), named

    def timed(self, path: str, body: Mapping[str, Any], reader: Reader) -> Timed:
        """Send `body` and follow the answer to its end. SourceError or DataError otherwise."""
        began = time.perf_counter()
        first_s: float | None = None
        request = self._client.stream("POST", self._target.base + path, json=dict(body))
        with self._errors(path), request as answer:
            if answer.status_code != httpx.codes.OK:
                raise self._refusal(answer, path, str(body.get("model", "")))
            for line in self._lines(answer, path, began + self._timeout_s):
                self._feed(reader, line, path)
                if reader.started and first_s is None:
                    first_s = time.perf_counter() - began
        total_s = time.perf_counter() - began
        if not reader.finished:
            raise SourceError(Message("probe.broken_off", self._at(path)))
        if first_s is None:
            raise DataError(Message("probe.no_token", self._at(path)))
        return Timed(first_token_s=first_s, total_s=total_s, counts=reader.counts())

    def _feed(self, reader: Reader, line: str, path: str) -> None:
        try:
            reader.feed(line)
        except NotUnderstood:
            said: dict[str, Value] = {**self._at(path), "expected": reader.expected}
            raise DataError(Message("probe.not_understood", said)) from None
        except Refused as refused:
            why = self._said(refused.why)
            values = {**self._at(path), "status": str(httpx.codes.OK.value), "why": why}
            raise SourceError(Message("probe.failed", values)) from None

    def _lines(self, answer: httpx.Response, path: str, deadline: float) -> Iterator[str]:
        rest, size = b"", 0
        for chunk in answer.iter_bytes():
            size += len(chunk)
            self._check_time(deadline)
            rest += chunk
            if size > MOST_BYTES or len(rest) > LONGEST_LINE:
                values: dict[str, Value] = {**self._at(path), "limit": MOST_BYTES}
                raise DataError(Message("probe.too_long", values))
            *lines, rest = rest.split(b"\n")
            yield from (text for line in lines if (text := _text(line)))
        if text := _text(rest):
            yield text

    def _some(self, answer: httpx.Response, most: int, deadline: float) -> bytes:
        body = b""
        for chunk in answer.iter_bytes():
            self._check_time(deadline)
            body += chunk
            if len(body) >= most:
                break
        return body[:most]

    def _check_time(self, deadline: float) -> None:
        if time.perf_counter() > deadline:
            raise self._too_slow()

    def _too_slow(self) -> SourceError:
        values: dict[str, Value] = {"host": self._target.host, "seconds": int(self._timeout_s)}
        return SourceError(Message("probe.slow", values))

    def _refusal(self, answer: httpx.Response, path: str, model: str) -> KvledgerError:
        status = answer.status_code
        values: dict[str, Value] = {**self._at(path), "status": str(status)}
        if status in (401, 403):
            # What it says then often repeats part of the key.
            return SourceError(Message("probe.unauthorised", values))
        if status == 404:
            return SourceError(Message("probe.not_found", {**values, "model": _clean(model)}))
        if status == 429:
            wait = answer.headers.get("retry-after", "")
            known = wait.isascii() and wait.isdigit() and len(wait) < 7
            message_id = "probe.too_many" if known else "probe.too_many_now"
            return SourceError(Message(message_id, {**values, "seconds": wait}))
        if 300 <= status < 400:
            return SourceError(Message("probe.redirected", values))
        kind = "probe.refused" if status < 500 else "probe.failed"
        body = self._some(answer, MOST_REASON_BYTES, time.perf_counter() + CONNECT_S)
        return SourceError(Message(kind, {**values, "why": self._said(_reason(body))}))

    def _said(self, words: str) -> Value:
        hidden = words.replace(self._key, "***") if self._key else words
        return _clean(hidden) or Message("probe.no_reason")

    def _at(self, path: str) -> dict[str, Value]:
        return {"host": self._target.host, "path": path}

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        """httpx's errors as ours. They are not chained: they hold the request with its headers."""
        try:
            yield
        except httpx.ConnectTimeout:
            raise self._no_connection() from None
        except httpx.TimeoutException:
            raise self._too_slow() from None
        except httpx.ConnectError:
            raise self._no_connection() from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
            raise SourceError(Message("probe.broken_off", self._at(path))) from None

    def _no_connection(self) -> SourceError:
        return SourceError(Message("probe.no_connection", {"host": self._target.host}))


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace").strip()


def _reason(body: bytes) -> str:
    text = _text(body)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.startswith("<") else text
    if not isinstance(found, dict):
        return ""
    return words_of(found.get("error") or found.get("detail") or found.get("message") or "")


def _clean(text: str) -> str:
    """Foreign words in one short printable line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"
