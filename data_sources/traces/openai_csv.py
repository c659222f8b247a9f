"""Usage export of the OpenAI dashboard: one-minute (or longer) buckets, one row a key and model.

input_tokens includes what was read from and written to the cache. Empty buckets have blank cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.columns import lowered, map_text, to_counts, to_flags, to_text
from data_sources.traces.delimited import (
    NUMBER,
    STRING,
    TEXT,
    Header,
    Table,
    read_header,
    read_table,
)
from data_sources.traces.exports import MARKS, SAME_BUCKET, later_file_wins
from data_sources.traces.faults import Faults, Rejects
from data_sources.traces.pieces import NO_REQUEST, Piece, Rules, piece_of
from data_sources.traces.plain_csv import kind_of
from econ.workload import Text
from messages.errors import Message, Value, input_error

FORMAT = "openai_usage_csv"

_TIMES = (("arrival_utc", ("start_time", "start_time_iso")),
          ("bucket_end_utc", ("end_time", "end_time_iso")))  # fmt: skip
_FIELDS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cached_read_tokens": "input_cached_tokens",
    "cache_write_30m_tokens": "input_cache_write_tokens",
    "cache_write_12h_tokens": "input_cache_write_12h_tokens",
    "n_requests": "num_model_requests",
    "model": "model",
    "project": "project_id",
    "user": "user_id",
    "api_key": "api_key_id",
}
_REQUIRED = ("input_tokens", "output_tokens")
_OTHER_MEDIA = ("input_audio_tokens", "output_audio_tokens", "input_image_tokens",
                "output_image_tokens")  # fmt: skip
_MODES = {"default": "standard", "auto": "standard"}
_RULES = Rules(marks=MARKS, buckets=True, needs=("arrival_utc",))
_KEY = ("model", "mode", "project", "user", "api_key")


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All exports as buckets. InputError when no file has any usage in it."""
    pieces = []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        pieces.append(_piece(file, options))
    dropped = later_file_wins(pieces, [_keys(piece) for piece in pieces])
    return assemble(pieces, FORMAT, options, collapsed={SAME_BUCKET: dropped})


def _piece(file: Decoded, options: ReadOptions) -> Piece:
    header = read_header(file)
    if header.find("amount_value"):
        raise input_error("columnar.openai_cost_only", file=file.source.name)
    times = {name: _first(header, names) for name, names in _TIMES}
    binding = {name: column for name, column in times.items() if column}
    if "arrival_utc" not in binding:
        raise input_error("columnar.missing_column", file=file.source.name, column="start_time")
    fields = {name: header.find(column) for name, column in _FIELDS.items()}
    if not any(fields[name] for name in _REQUIRED):
        return _without_usage(file, header, binding["arrival_utc"])
    for name in _REQUIRED:
        if not fields[name]:
            raise input_error("columnar.missing_column", file=file.source.name, column=name)
    binding |= {name: column for name, column in fields.items() if column}
    return _with_usage(file, header, binding, options)


def _first(header: Header, names: Sequence[str]) -> str | None:
    return next((found for name in names if (found := header.find(name))), None)


def _without_usage(file: Decoded, header: Header, column: str) -> Piece:
    """An export of a time without usage has the four time columns only."""
    table = read_table(file, header, {column: STRING})
    return Piece(
        file=file,
        rows_read=table.rows,
        rows=0,
        columns={},
        kept=np.zeros(0, dtype=np.int64),
        lines=table.lines,
        rejects=Rejects(file.source.name),
        ignored=Counter({NO_REQUEST: table.rows}),
        stats={"rows": table.rows, "input_tokens": 0},
    )


def _with_usage(
    file: Decoded, header: Header, binding: dict[str, str], options: ReadOptions
) -> Piece:
    kinds = {column: kind_of(name) for name, column in binding.items()}
    media = [found for name in _OTHER_MEDIA if (found := header.find(name))]
    terms = {name: found for name in ("batch", "service_tier") if (found := header.find(name))}
    kinds |= dict.fromkeys(terms.values(), TEXT) | dict.fromkeys(media, NUMBER)
    table = read_table(file, header, kinds)
    piece = piece_of(table, binding, options, _RULES)
    piece.columns["provider"] = Text.constant("openai", piece.rows)
    mode = _modes(table, terms)
    if mode is not None:
        piece.columns["mode"] = mode.take(piece.kept)
    piece.stats = _stats(piece, table, binding["arrival_utc"])
    _say_what_was_taken(piece, table, media)
    return piece


def _modes(table: Table, terms: Mapping[str, str]) -> Text | None:
    """batch before the tier; empty where the export is grouped by neither."""
    if not terms:
        return None
    tier = Text.constant(None, table.rows)
    if "service_tier" in terms:
        tier = map_text(lowered(to_text(table.columns[terms["service_tier"]])), _MODES)
    if "batch" not in terms:
        return tier
    batch = to_flags(table.columns[terms["batch"]], "batch", Faults(table.rows))
    values = tuple(dict.fromkeys(("standard", "batch", *tier.values)))
    lookup = np.asarray([*(values.index(v) for v in tier.values), -1], dtype=np.int32)
    codes = np.where((batch == 0) & (tier.codes < 0), 0, lookup[tier.codes])
    return Text(np.where(batch == 1, 1, codes).astype(np.int32), values)


def _stats(piece: Piece, table: Table, start: str) -> dict[str, Any]:
    """Sums under the export's own names; buckets are distinct starts, empty ones too."""
    counted = {_FIELDS[name]: column for name, column in piece.columns.items() if name in _FIELDS}
    sums = {
        name: int(np.maximum(column, 0).sum())
        for name, column in counted.items()
        if not isinstance(column, Text)
    }
    starts = to_text(table.columns[start])
    return {
        "rows": piece.rows_read,
        "rows_empty_bucket": piece.ignored[NO_REQUEST],
        "buckets": len(starts.values),
        **sums,
    }


def _say_what_was_taken(piece: Piece, table: Table, media: Sequence[str]) -> None:
    """Assumptions: writes without a stated lifetime, and tokens of other media."""
    name = piece.file.source.name
    written = piece.columns.get("cache_write_30m_tokens")
    if written is not None and not isinstance(written, Text) and (written > 0).any():
        piece.notes.append(Message("columnar.writes_are_30m", {"file": name}))
    for column in media:
        counts = to_counts(table.columns[column], column, Faults(table.rows))
        tokens = int(np.maximum(counts[piece.kept], 0).sum())
        if tokens:
            values: dict[str, Value] = {"file": name, "column": column, "tokens": tokens}
            piece.notes.append(Message("columnar.media_at_text_price", values))


def _keys(piece: Piece) -> list[Hashable]:
    """The bucket and everything that it is grouped by."""
    columns: list[list[Any]] = []
    for name in ("arrival_utc", "bucket_end_utc", *_KEY):
        column = piece.columns.get(name)
        if column is None:
            columns.append([None] * piece.rows)
        elif isinstance(column, Text):
            columns.append(list(column.decode()))
        else:
            columns.append(column.view(np.int64).tolist())
    return list(zip(*columns, strict=True))
