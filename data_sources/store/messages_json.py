"""Messages, receipts and plain values to JSON text and back, without loss.

JSON knows neither Decimal nor tuple nor integer keys; those are tagged as one-key objects whose
key starts with `$`. What is read back equals what was written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from econ.receipt import Ignored, Receipt, Rejection, SourceFile
from messages.errors import DataError, Message

Json = Any


def encode(value: Any) -> Json:
    """`value` as plain JSON. Takes None, bool, int, float, str, Decimal, Message, list, tuple,
    mappings and numpy scalars (which come back as Python numbers); TypeError for all else."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, Message):
        return {"$message": [value.id, encode(dict(value.values)), value.n]}
    if isinstance(value, tuple):
        return {"$tuple": [encode(item) for item in value]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return _encode_mapping(value)
    if isinstance(value, np.generic):
        return encode(value.item())
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _encode_mapping(value: Mapping[Any, Any]) -> Json:
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: encode(item) for key, item in value.items()}
    return {"$map": [[encode(key), encode(item)] for key, item in value.items()]}


def decode(value: Json) -> Any:
    """What `encode` was given."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        tag, body = next(iter(value.items()))
        if tag in _DECODERS:
            return _DECODERS[tag](body)
    return {key: decode(item) for key, item in value.items()}


_DECODERS: dict[str, Any] = {
    "$decimal": Decimal,
    "$message": lambda body: Message(body[0], decode(body[1]), body[2]),
    "$tuple": lambda body: tuple(decode(item) for item in body),
    "$map": lambda body: {decode(key): decode(item) for key, item in body},
}


def dumps(value: Any) -> str:
    """`encode`d JSON text that every database keeps: NUL and lone surrogates are escaped."""
    text = json.dumps(encode(value), ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(encode(value), separators=(",", ":"))
    return text


def loads(text: str) -> Any:
    """The value behind JSON text of `dumps`. DataError where the text is damaged."""
    try:
        return decode(json.loads(text))
    except (ValueError, ArithmeticError, LookupError, TypeError, RecursionError) as error:
        raise DataError(Message("store.bad_json", {"found": text[:40]})) from error


def message_to_json(message: Message) -> str:
    """One message as JSON text."""
    return dumps(message)


def message_from_json(text: str) -> Message:
    """The message behind `message_to_json`."""
    message = loads(text)
    if not isinstance(message, Message):
        raise DataError(Message("store.bad_json", {"found": text[:40]}))
    return message


def receipt_to_json(receipt: Receipt) -> str:
    """A receipt as JSON text."""
    return dumps(
        {
            "files": [[f.path, f.sha256, f.format, f.encoding, f.rows] for f in receipt.files],
            "rows": [
                receipt.rows_read,
                receipt.rows_kept,
                receipt.rows_collapsed,
                receipt.rows_rejected,
                receipt.rows_ignored,
            ],
            "rejected": [[r.file, r.line, r.reason] for r in receipt.rejected],
            "rejected_by_reason": dict(receipt.rejected_by_reason),
            "collapsed": [[c.reason, c.rows] for c in receipt.collapsed],
            "ignored": [[i.reason, i.rows] for i in receipt.ignored],
            "assumptions": list(receipt.assumptions),
            "collapsed_cost_e13": receipt.collapsed_cost_e13,
        }
    )


def receipt_from_json(text: str) -> Receipt:
    """The receipt behind `receipt_to_json`. DataError where the text is damaged."""
    raw = loads(text)
    try:
        return _receipt(raw)
    except (KeyError, ValueError, TypeError, AssertionError) as error:
        raise DataError(Message("store.bad_json", {"found": text[:40]})) from error


def _receipt(raw: dict[str, Any]) -> Receipt:
    read, kept, collapsed, rejected, ignored = raw["rows"]
    return Receipt(
        files=tuple(
            SourceFile(
                path=path,
                sha256=sha256,
                format=format_,
                encoding=encoding,
                rows=rows[0] if rows else None,  # receipts of earlier versions do not say
            )
            for path, sha256, format_, encoding, *rows in raw["files"]
        ),
        rows_read=read,
        rows_kept=kept,
        rows_collapsed=collapsed,
        rows_rejected=rejected,
        rows_ignored=ignored,
        rejected=tuple(
            Rejection(file=file, line=line, reason=reason) for file, line, reason in raw["rejected"]
        ),
        rejected_by_reason=raw["rejected_by_reason"],
        collapsed=tuple(Ignored(reason=reason, rows=rows) for reason, rows in raw["collapsed"]),
        ignored=tuple(Ignored(reason=reason, rows=rows) for reason, rows in raw["ignored"]),
        assumptions=tuple(raw["assumptions"]),
        collapsed_cost_e13=raw["collapsed_cost_e13"],
    )
