"""Token export of the Anthropic Console: a UTC day or hour, model, key and workspace a row.

The four input columns are disjoint; the prompt is their sum. Overlapping exports repeat days, and
today's row grows: the later file wins.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.columns import lowered, map_text, to_text
from data_sources.traces.delimited import TEXT, Header, Table, read_header, read_table
from data_sources.traces.exports import (
    MARKS,
    SAME_BUCKET,
    later_file_wins,
    require_columns,
    restrict,
)
from data_sources.traces.fields import UNCACHED
from data_sources.traces.pieces import Piece, Rules, piece_of
from data_sources.traces.plain_csv import kind_of
from econ.workload import IntArray, Text
from messages.errors import Message, input_error

FORMAT = "anthropic_console_tokens_csv"

_DATE = "usage_date_utc"
_WITH_HOUR = r"^\s*\d{4}-\d{2}-\d{2} \d{2}:\d{2}\s*$"
_INPUT = "usage_input_tokens_"
_ONE_WRITE = f"{_INPUT}cache_write"
_FIELDS = {
    "arrival_utc": _DATE,
    "model": "model_version",
    "api_key": "api_key",
    "workspace": "workspace",
    UNCACHED: f"{_INPUT}no_cache",
    "cached_read_tokens": f"{_INPUT}cache_read",
    "output_tokens": "usage_output_tokens",
}
_WRITES = {
    "cache_write_5m_tokens": f"{_INPUT}cache_write_5m",
    "cache_write_1h_tokens": f"{_INPUT}cache_write_1h",
}
_TEXTS = ("usage_type", "context_window")
_LATER_TEXTS = ("inference_geo", "speed")  # older exports lack them
_HOUR_US, _DAY_US = 3_600_000_000, 86_400_000_000
_RULES = Rules(marks=MARKS, buckets=True, needs=("arrival_utc",))


@dataclass(slots=True, kw_only=True)
class _Export:
    """One file: its rows, and the text columns that are no fields of their own."""

    piece: Piece
    hourly: bool
    texts: dict[str, Text] = field(default_factory=dict)

    def text(self, name: str) -> Text:
        """A text column of the kept rows, all empty where the export lacks it."""
        found = self.texts.get(name)
        return found.take(self.piece.kept) if found else Text.constant(None, self.piece.rows)


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All exports as buckets; InputError where a file lacks a column, by name."""
    exports = []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        exports.append(_export(file, options))
    pieces = [export.piece for export in exports]
    dropped = {SAME_BUCKET: later_file_wins(pieces, [_keys(export) for export in exports])}
    dropped["columnar.in_daily_row"] = _drop_hours_of_days(exports)
    for export in exports:
        _bill_terms(export)
    return assemble(pieces, FORMAT, options, collapsed=dropped)


def _export(file: Decoded, options: ReadOptions) -> _Export:
    header = read_header(file)
    if header.find("token_type") and header.find("cost_usd"):
        raise input_error("columnar.anthropic_cost_only", file=file.source.name)
    binding = {**_FIELDS, **_writes(header)}
    require_columns(file, header, [*binding.values(), *_TEXTS])
    binding = {name: header.find(column) or column for name, column in binding.items()}
    later = [name for name in _LATER_TEXTS if header.find(name)]
    kinds = {column: kind_of(name) for name, column in binding.items()}
    texts = {name: header.find(name) or name for name in (*_TEXTS, *later)}
    table = read_table(file, header, {**kinds, **dict.fromkeys(texts.values(), TEXT)})
    piece = piece_of(table, binding, options, _RULES)
    piece.stats = _stats(piece)
    if _ONE_WRITE in binding.values():
        piece.notes.append(Message("columnar.writes_are_5m", {"file": file.source.name}))
    if "inference_geo" not in later:
        piece.notes.append(Message("columnar.no_inference_geo", {"file": file.source.name}))
    hourly = _is_hourly(table, binding["arrival_utc"])
    return _Export(piece=piece, hourly=hourly, texts=_texts(table, texts))


def _writes(header: Header) -> dict[str, str]:
    """The write columns; one `cache_write` column of older exports counts as 5 minutes."""
    if header.find(_ONE_WRITE) and not any(header.find(name) for name in _WRITES.values()):
        return {"cache_write_5m_tokens": _ONE_WRITE}
    return _WRITES


def _texts(table: Table, names: dict[str, str]) -> dict[str, Text]:
    return {name: to_text(table.columns[column]) for name, column in names.items()}


def _stats(piece: Piece) -> dict[str, int | float]:
    """Sums under the export's own names."""
    totals = {name: _total(piece, name) for name in ("input_tokens", *_COUNTED)}
    read = totals["cached_read_tokens"]
    written = totals["cache_write_5m_tokens"] + totals["cache_write_1h_tokens"]
    logical = totals["input_tokens"]
    return {
        "rows": piece.rows_read,
        f"{_INPUT}no_cache": logical - read - written,
        f"{_INPUT}cache_write_5m": totals["cache_write_5m_tokens"],
        f"{_INPUT}cache_write_1h": totals["cache_write_1h_tokens"],
        f"{_INPUT}cache_read": read,
        "usage_output_tokens": totals["output_tokens"],
        "logical_input_tokens": logical,
        "read_share_of_input": round(read / logical, 6) if logical else 0.0,
    }


_COUNTED = (
    "output_tokens",
    "cached_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
)


def _total(piece: Piece, name: str) -> int:
    column = piece.columns.get(name)
    if column is None or isinstance(column, Text):
        return 0
    return int(np.maximum(column, 0).sum())


def _is_hourly(table: Table, column: str) -> bool:
    """The export's dates carry a time of day, midnight included."""
    cells = pc.match_substring_regex(table.columns[column], _WITH_HOUR)
    return bool(pc.any(cells, min_count=0).as_py())


def _us(piece: Piece) -> IntArray:
    times = piece.columns["arrival_utc"]
    assert not isinstance(times, Text)  # noqa: S101
    return np.asarray(times.view(np.int64))


def _keys(export: _Export) -> list[Hashable]:
    """Every text column of the export, the date included; an hour is never the key of a day."""
    span = "hour" if export.hourly else "day"
    rows = zip(_us(export.piece).tolist(), _about(export), strict=True)
    return [(span, at, *rest) for at, rest in rows]


def _about(export: _Export) -> list[tuple[str | None, ...]]:
    named = [export.piece.columns.get(name) for name in ("model", "api_key", "workspace")]
    columns = [column for column in named if isinstance(column, Text)]
    columns += [export.text(name) for name in (*_TEXTS, *_LATER_TEXTS)]
    return list(zip(*(column.decode() for column in columns), strict=True))


def _drop_hours_of_days(exports: Sequence[_Export]) -> int:
    """Hourly rows whose whole day stands in a daily export are the same requests again."""
    days = {
        (at // _DAY_US, *rest)
        for export in exports
        if not export.hourly
        for at, rest in zip(_us(export.piece).tolist(), _about(export), strict=True)
    }
    dropped = 0
    for export in exports:
        if export.hourly and days:
            rows = zip(_us(export.piece).tolist(), _about(export), strict=True)
            keep = [(at // _DAY_US, *rest) not in days for at, rest in rows]
            dropped += restrict(export.piece, np.asarray(keep, dtype=np.bool_))
    return dropped


def _bill_terms(export: _Export) -> None:
    """Mode, surface, tier and the end of each bucket, from the export's own words."""
    piece, rows = export.piece, export.piece.rows
    span = _HOUR_US if export.hourly else _DAY_US
    piece.columns["bucket_end_utc"] = (_us(piece) + span).view("datetime64[us]")
    piece.columns["provider"] = Text.constant("anthropic", rows)
    geo = export.text("inference_geo")
    piece.columns["geo"] = geo
    piece.columns["surface"] = _one_or_other(lowered(geo), "us", "us", "global")
    piece.columns["mode"] = _modes(lowered(export.text("usage_type")), export.text("speed"))
    window = export.text("context_window")
    flags = np.asarray([*(is_long(value) for value in window.values), -1], dtype=np.int64)
    piece.columns["long_context"] = flags[window.codes]
    unknown = [v for v, flag in zip(window.values, flags.tolist(), strict=False) if flag < 0]
    if unknown:
        said = {"file": piece.file.source.name, "found": ", ".join(unknown)[:120]}
        piece.notes.append(Message("columnar.unknown_context", said))


def _one_or_other(text: Text, wanted: str, then: str, other: str) -> Text:
    is_wanted = np.isin(text.codes, [i for i, v in enumerate(text.values) if v == wanted])
    return Text(np.where(is_wanted, 1, 0).astype(np.int32), (other, then))


def _modes(usage_type: Text, speed: Text) -> Text:
    """batch before fast before standard; other words of the export stay as they are."""
    plain = map_text(usage_type, {"message": "standard", "messages": "standard"})
    fast = np.isin(speed.codes, [i for i, v in enumerate(speed.values) if v.lower() == "fast"])
    values = list(dict.fromkeys(("standard", "fast", *plain.values)))
    lookup = np.asarray([*(values.index(v) for v in plain.values), 0], dtype=np.int32)
    codes = lookup[plain.codes]
    return Text(np.where(fast & (codes == 0), 1, codes).astype(np.int32), tuple(values))


def is_long(window: str) -> int:
    """1 for '> 200k', 0 for '≤ 200k' or '0-200k', -1 for words that say neither."""
    text = window.replace(" ", "").lower()
    if text.startswith((">", "＞", "200k-", "200k+")):
        return 1
    return 0 if text.startswith(("≤", "<", "＜", "0-200k", "≦")) else -1
