"""What a refusal means, in one sentence each, without URL and key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from data_sources.public.hosts import SOURCE_OF
from messages.errors import DataError, KvledgerError, Message, NotFoundError, SourceError, Value

LONGEST_REASON = 200
LONGEST_FOUND = 60


def at(host: str) -> dict[str, Value]:
    """The place in every message of a source."""
    return {"host": host}


def refusal(
    host: str, status: int, body: bytes, wait_s: float | None, secret: str
) -> KvledgerError:
    """The error behind an HTTP status other than 200. What the server says is repeated only for
    other statuses than 401, because that often holds part of the key."""
    values: dict[str, Value] = {**at(host), "status": str(status)}
    if status == 404:
        return NotFoundError(Message("public.not_found", values))
    if status == 400 and SOURCE_OF[host] == "fred":
        return _fred_refusal(values, body, secret)
    if status == 401:
        return SourceError(Message("public.bad_key", values))
    if status == 403:
        kind = "public.sec_refused" if SOURCE_OF[host] == "sec" else "public.bad_key"
        return SourceError(Message(kind, values))
    if status == 429:
        if wait_s is None:
            return SourceError(Message("public.too_many_now", values))
        return SourceError(Message("public.too_many", {**values, "seconds": int(wait_s)}))
    if status in (500, 502, 503, 504):
        return SourceError(Message("public.failed", values))
    return SourceError(Message("public.refused", {**values, "why": reason(body, secret)}))


def _fred_refusal(values: dict[str, Value], body: bytes, secret: str) -> KvledgerError:
    """FRED answers 400 to an unknown series as well as to a missing or unknown key."""
    text = body.decode("utf-8", errors="replace").lower()
    if "api_key" in text or "api key" in text:
        return SourceError(Message("public.bad_key", values))
    if "does not exist." in text and "alfred" not in text:
        return NotFoundError(Message("public.not_found", values))
    return SourceError(Message("public.refused", {**values, "why": reason(body, secret)}))


def reason(body: bytes, secret: str) -> Value:
    """The server's own words in one line, the key taken out."""
    text = body.decode("utf-8", errors="replace").strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        text = "" if text.startswith("<") else text
    else:
        text = _words(found)
    return said(text, secret)


def _words(found: Any) -> str:
    if not isinstance(found, Mapping):
        return ""
    for name in ("error_message", "message", "ERROR_MSG"):
        if isinstance(found.get(name), str):
            return str(found[name])
    return ""


def said(words: str, secret: str) -> Value:
    """Foreign words in one printable line without the key; 'no reason' where none are left."""
    return clean(words.replace(secret, "***") if secret else words) or Message("public.no_reason")


def clean(text: str) -> str:
    """Foreign words in one short printable line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def unexpected(host: str, expected: str, content: bytes, secret: str = "") -> DataError:
    """Bytes came with status 200, but not of the kind that was asked for."""
    start = content[: LONGEST_FOUND * 4].decode("utf-8", errors="replace")
    found = clean(start.replace(secret, "***") if secret else start)[:LONGEST_FOUND]
    return DataError(
        Message("public.unexpected", {**at(host), "expected": expected, "found": found or "''"})
    )


def as_json(host: str, content: bytes, secret: str = "") -> Mapping[str, Any]:
    """The JSON object in an answer. DataError for HTML, half a document, a list or a scalar.

    Numbers with a point are kept as text: money and indices are exact.
    """
    try:
        found = json.loads(content, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        raise unexpected(host, "JSON", content, secret) from None
    if not isinstance(found, dict):
        raise unexpected(host, "JSON", content, secret)
    return found
