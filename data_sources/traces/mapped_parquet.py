"""Parquet as a table: row group by row group, only the columns asked for, dictionaries kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from data_sources.traces.base import Decoded
from data_sources.traces.columns import Cells
from data_sources.traces.delimited import Table
from data_sources.traces.faults import shown
from data_sources.traces.fields import KINDS, spelt_in
from data_sources.traces.limits import MAX_CELL_BYTES
from econ.workload import IntArray
from messages.errors import InputError, input_error

_MAX_BYTES = 4_000_000_000
"""What the wanted columns may hold in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetShape:
    """One file; `names` are its leaf columns, nested ones by dotted path."""

    file: Decoded
    names: Sequence[str]

    def find(self, name: str) -> str | None:
        """The column's own spelling: exact, else ignoring case and outer spaces."""
        return spelt_in(self.names, name)

    def table(self, binding: Mapping[str, str]) -> Table:
        """The wanted columns of all row groups. InputError where a limit is passed."""
        texts = [column for name, column in binding.items() if KINDS[name] == "text"]
        try:
            with _opened(self.file, texts) as parquet:
                _refuse_too_many_rows(self.file, parquet.metadata.num_rows)
                groups = self._groups(parquet, list(dict.fromkeys(binding.values())))
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.file, error) from error
        rows = sum(len(next(iter(group.values()))) for group in groups)
        columns = {
            column: _joined([group[column] for group in groups]) for column in binding.values()
        }
        return Table(file=self.file, rows=rows, columns=columns, lines=_record_numbers)

    def _groups(self, parquet: Any, columns: Sequence[str]) -> list[dict[str, Cells]]:
        groups, rows, size = [], 0, 0
        for number in range(parquet.num_row_groups):
            table = parquet.read_row_group(number, columns=list(columns), use_threads=True)
            rows, size = rows + table.num_rows, size + table.nbytes
            _refuse_too_many_rows(self.file, rows)
            if size > _MAX_BYTES:
                raise input_error(
                    "columnar.too_large_unpacked",
                    file=self.file.source.name,
                    found_bytes=size,
                    limit_bytes=_MAX_BYTES,
                )
            group = {column: _leaf(table, column) for column in columns}
            for column, cells in group.items():
                _refuse_long_cells(self.file, column, cells)
            groups.append(group)
        return groups


def read_parquet(file: Decoded) -> ParquetShape:
    """InputError where the file is no Parquet that can be read."""
    try:
        with _opened(file, []) as parquet:
            schema = parquet.schema_arrow
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(file, error) from error
    return ParquetShape(file=file, names=tuple(_leaves(schema)))


def _opened(file: Decoded, texts: Sequence[str]) -> Any:
    return pq.ParquetFile(file.path, read_dictionary=list(texts), memory_map=True)


def _leaves(fields: Any, before: str = "") -> list[str]:
    names = []
    for field in fields:
        if pa.types.is_struct(field.type):
            names += _leaves(list(field.type), f"{before}{field.name}.")
        else:
            names.append(before + field.name)
    return names


def _leaf(table: Any, path: str) -> Cells:
    """The column at a dotted path; a column whose own name has dots goes before nesting."""
    if path in table.column_names:
        return table.column(path)
    head, _, rest = path.partition(".")
    while head not in table.column_names:
        more, _, rest = rest.partition(".")
        head = f"{head}.{more}"
    cells = table.column(head)
    while rest:
        names = [field.name for field in cells.type]
        name = next(n for n in names if rest == n or rest.startswith(f"{n}."))
        cells, rest = pc.struct_field(cells, name), rest[len(name) + 1 :]
    return cells


def _joined(parts: Sequence[Cells]) -> Cells:
    chunks = [chunk for part in parts for chunk in part.chunks]
    return pa.chunked_array(chunks, type=parts[0].type)


def _record_numbers(rows: IntArray) -> IntArray:
    """Parquet has no lines: the record's number, from 1."""
    return np.asarray(rows + 1)


def _refuse_too_many_rows(file: Decoded, rows: int) -> None:
    if rows > file.max_rows:
        raise input_error(
            "columnar.too_many_rows", file=file.source.name, found=rows, limit=file.max_rows
        )


def _refuse_long_cells(file: Decoded, column: str, cells: Cells) -> None:
    for chunk in cells.chunks:
        text = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        if not (pa.types.is_string(text.type) or pa.types.is_large_string(text.type)):
            continue
        longest = pc.max(pc.binary_length(text)).as_py() or 0
        if longest > MAX_CELL_BYTES:
            raise input_error(
                "columnar.cell_too_long",
                file=file.source.name,
                column=column,
                found_bytes=longest,
                limit_bytes=MAX_CELL_BYTES,
            )


def _unreadable(file: Decoded, error: Exception) -> InputError:
    if isinstance(error, InputError):
        return error
    return input_error("columnar.broken_parquet", file=file.source.name, found=shown(error))
