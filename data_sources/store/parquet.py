"""A workload as Parquet parts and back, exactly: columns, dictionaries, prefix, nothing else.

Text columns are kept as their codes, each dictionary in a part of its own, so that codes, order
and unused values come back as they were. Empty stays the workload's own marker, never null.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from data_sources.store.files import MANIFEST, Folder
from data_sources.store.messages_json import dumps, loads
from econ.workload import TIME_COLUMNS, Column, Prefix, Text, Workload
from messages.errors import DataError, KvledgerError, Message

ROW_GROUP_ROWS = 1_000_000
LAYOUT = 1
PREFIX_ARRAYS = ("offsets", "block_ids", "block_tokens", "bp_offsets", "bp_blocks", "bp_ttl_s")

Part = tuple[str, Callable[[], pa.Table]]


def write_workload(folder: Folder, workload: Workload, digest: str) -> str:
    """Keep `workload` in `folder`; returns its content key. Equal content is kept once.

    The key is a hash over every byte that is read back, private names included, unlike `digest`.
    """
    with folder.staging() as staged:
        parts = {
            name: folder.write(f"{staged}/{name}.parquet", _writer(table()))
            for name, table in _parts(workload)
        }
        facts = {**_facts(workload, digest), "parts": {n: w.sha256 for n, w in parts.items()}}
        manifest = dumps(facts).encode()
        key = hashlib.sha256(manifest).hexdigest()
        if not folder.complete(key):
            folder.write(f"{staged}/{MANIFEST}", lambda file: _write_all(file, manifest))
            folder.publish(staged, key, [f"{name}.parquet" for name in parts])
    return key


def read_workload(folder: Folder, key: str, name: str) -> Workload:
    """The workload of content `key`, called `name`. DataError where files are gone or damaged."""
    try:
        return _read_workload(folder, key, name)
    except KvledgerError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AssertionError, pa.ArrowException) as error:
        raise DataError(Message("store.workload_damaged", {"name": name})) from error


def _write_all(file: IO[bytes], data: bytes) -> None:
    file.write(data)


def _writer(table: pa.Table) -> Callable[[IO[bytes]], None]:
    def fill(file: IO[bytes]) -> None:
        pq.write_table(
            table,
            pa.PythonFile(file, mode="w"),
            compression="zstd",
            row_group_size=ROW_GROUP_ROWS,
            write_page_checksum=True,
            write_statistics=False,
        )

    return fill


def _parts(workload: Workload) -> Iterator[Part]:
    if workload.columns:
        yield "rows", lambda: pa.table({n: _arrow(n, c) for n, c in workload.columns.items()})
    for name, column in workload.columns.items():
        if isinstance(column, Text):
            values = column.values
            yield f"text_{name}", lambda values=values: _one(pa.array(values, pa.string()))  # type: ignore[misc]
    for name, array in _prefix_arrays(workload.prefix):
        yield f"prefix_{name}", lambda array=array: _one(pa.array(array))  # type: ignore[misc]


def _one(array: pa.Array) -> pa.Table:
    return pa.table({"value": array})


def _prefix_arrays(prefix: Prefix | None) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for name in PREFIX_ARRAYS if prefix is not None else ():
        value = getattr(prefix, name)
        if isinstance(value, np.ndarray):
            yield name, value


def _arrow(name: str, column: Column) -> pa.Array:
    if isinstance(column, Text):
        return pa.array(np.ascontiguousarray(column.codes, dtype=np.int32))
    if name in TIME_COLUMNS:
        return pa.array(column.astype("datetime64[us]")).cast(pa.timestamp("us", "UTC"))
    return pa.array(np.ascontiguousarray(column))


def _facts(workload: Workload, digest: str) -> dict[str, Any]:
    prefix = workload.prefix
    return {
        "layout": LAYOUT,
        "digest": digest,
        "rows": workload.rows,
        "format": workload.format,
        "granularity": workload.granularity,
        "format_stats": dict(workload.format_stats),
        "columns": list(workload.columns),
        "prefix": None
        if prefix is None
        else {
            "scope": prefix.scope,
            "message_blocks": prefix.message_blocks,
            "block_tokens": prefix.block_tokens if isinstance(prefix.block_tokens, int) else None,
            "lengths": {name: len(array) for name, array in _prefix_arrays(prefix)},
        },
        "text": {n: len(c.values) for n, c in workload.columns.items() if isinstance(c, Text)},
    }


def _read_workload(folder: Folder, key: str, name: str) -> Workload:
    raw = folder.fs.cat_file(folder.content(key, MANIFEST))
    if hashlib.sha256(raw).hexdigest() != key:
        raise DataError(Message("store.workload_damaged", {"name": name}))
    facts = loads(raw.decode())
    return Workload(
        name=name,
        format=facts["format"],
        rows=facts["rows"],
        columns=_read_columns(folder, key, facts),
        prefix=_read_prefix(folder, key, facts["prefix"]),
        granularity=facts["granularity"],
        format_stats=facts["format_stats"],
    )


def _read_columns(folder: Folder, key: str, facts: Mapping[str, Any]) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    if not facts["columns"]:
        return columns
    with _opened(folder, key, "rows") as file:
        for name in facts["columns"]:
            values = _read_array(file, name, facts["rows"])
            columns[name] = values
    for name in facts["text"]:
        with _opened(folder, key, f"text_{name}") as file:
            texts = tuple(file.read().column("value").to_pylist())
        columns[name] = Text(np.asarray(columns[name]), texts)
    return columns


def _opened(folder: Folder, key: str, part: str) -> pq.ParquetFile:
    path = folder.content(key, f"{part}.parquet")
    source = path if folder.local else folder.fs.open(path, "rb")
    return pq.ParquetFile(source, page_checksum_verification=True)


def _read_array(file: pq.ParquetFile, name: str, rows: int) -> npt.NDArray[Any]:
    # Filled group by group: never two whole copies of a column at once.
    kind = file.schema_arrow.field(name).type
    times = pa.types.is_timestamp(kind)
    result = np.empty(rows, dtype="datetime64[us]" if times else kind.to_pandas_dtype())
    at = 0
    for batch in file.iter_batches(batch_size=ROW_GROUP_ROWS, columns=[name]):
        array = batch.column(0)
        values = array.cast(pa.timestamp("us")) if times else array
        result[at : at + len(array)] = values.to_numpy(zero_copy_only=False)
        at += len(array)
    if at != rows:
        raise ValueError(f"{at} rows, not {rows}")
    return result


def _read_prefix(folder: Folder, key: str, facts: Mapping[str, Any] | None) -> Prefix | None:
    if facts is None:
        return None
    arrays: dict[str, Any] = {}
    for name, length in facts["lengths"].items():
        with _opened(folder, key, f"prefix_{name}") as file:
            arrays[name] = _read_array(file, "value", length)
    if facts["block_tokens"] is not None:
        arrays["block_tokens"] = facts["block_tokens"]
    return Prefix(scope=facts["scope"], message_blocks=facts["message_blocks"], **arrays)
