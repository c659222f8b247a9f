"""The records of a file of texts: JSON, JSON Lines, or Parquet with a column of messages."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from data_sources.traces.base import Decoded
from data_sources.traces.faults import shown
from data_sources.traces.json_text import Line, records
from messages.errors import input_error

READ_COLUMNS = ("id", "conversation_id", "conversation_hash", "model", "timestamp", "conversation",
                "conversations")  # fmt: skip
"""All that is taken from Parquet: addresses and headers of a chat are not even opened."""

_BATCH_ROWS = 256


def text_records(file: Decoded) -> Iterator[Line]:
    """Every record with its line or number. InputError for a Parquet file that is broken."""
    if file.encoding != "binary":
        yield from records(file)
        return
    try:
        with pq.ParquetFile(file.path, memory_map=True) as parquet:
            columns = [name for name in READ_COLUMNS if name in parquet.schema_arrow.names]
            number = 0
            for batch in parquet.iter_batches(batch_size=_BATCH_ROWS, columns=columns):
                for record in batch.to_pylist():
                    number += 1
                    yield Line(number, record)
    except (pa.ArrowException, OSError) as error:
        raise input_error(
            "columnar.broken_parquet", file=file.source.name, found=shown(error)
        ) from error


def parquet_format(file: Decoded) -> str | None:
    """Which collection of chats a Parquet file is, by its columns; None where it is no such or
    cannot be opened."""
    try:
        names = set(pq.read_schema(file.path).names)
    except (pa.ArrowException, OSError):
        return None
    if {"conversation", "conversation_hash"} <= names:
        return "wildchat"
    if {"conversation", "conversation_id"} <= names:
        return "lmsys_chat"
    return "sharegpt" if "conversations" in names else None
