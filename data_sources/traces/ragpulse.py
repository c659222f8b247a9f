"""RAGPulse: prompts put together from chunks of five kinds, each chunk one block id.

The lists are chained in the order in which they stand in the prompt; an id counts inside its list
only. Two prompts share a prefix as far as their whole chains agree, so every chain gets an id of
its own. How long a chunk is stands in the five dictionary files of the data set, when they come in
the same upload; without them a prompt is split evenly over its chunks.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.block_ids import Blocks
from data_sources.traces.builder import clean_text
from data_sources.traces.detect import detect
from data_sources.traces.faults import Rejects
from data_sources.traces.json_text import records
from data_sources.traces.limits import MAX_CLOCK_S
from data_sources.traces.pieces import Piece
from data_sources.traces.ragpulse_chunks import (
    LISTS,
    Dictionary,
    chunk_sizes,
    even_sizes,
    read_dictionary,
)
from data_sources.traces.ragpulse_stats import trace_stats
from data_sources.traces.row_values import BadValueError, count_of, number_of
from data_sources.traces.tally import RowRejectedError, source_file
from econ.workload import EMPTY, IntArray, Prefix, Text
from messages.errors import Message, input_error

FORMAT = "ragpulse_trace"
DICTIONARY_FORMAT = "ragpulse_dictionary"


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All traces on one clock, dictionaries of the upload used; a `base.Reader`. InputError where
    there are dictionaries only."""
    traces = [file for file in files if detect(file).format == FORMAT]
    others = [file for file in files if file not in traces]
    if not traces:
        raise input_error("columnar.no_usage", file=files[0].source.name)
    dictionary = read_dictionary(others)
    pieces, nodes, sizes = [], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    first_node = 0
    for done, file in enumerate(traces):
        progress(done / len(traces), "read")
        trace = _read_trace(file)
        tokens, notes = _sizes(file, trace, dictionary)
        pieces.append(_piece(trace, tokens, notes, dictionary))
        nodes.append(trace.chains() + first_node)
        sizes.append(tokens)
        first_node += trace.nodes
    chains, tokens = np.concatenate(nodes), np.concatenate(sizes)
    _add_entries(pieces[0], dictionary)

    def prefix(blocks: Blocks) -> Prefix:
        # the blocks of a piece are positions in `chains`: sizes move with them when rows are sorted
        return Prefix(
            offsets=blocks.offsets,
            block_ids=chains[blocks.ids],
            block_tokens=tokens[blocks.ids],
            scope="file",
        )

    result = assemble(pieces, FORMAT, options, prefix)
    explained = tuple(source_file(file, DICTIONARY_FORMAT) for file in others)
    receipt = replace(result.receipt, files=(*result.receipt.files, *explained))
    return replace(result, receipt=receipt)


def _add_entries(piece: Piece, dictionary: Dictionary) -> None:
    """The lines of the dictionaries in the receipt: read, and no request."""
    entries = sum(dictionary.entries.values())
    if entries:
        piece.rows_read += entries
        piece.ignored["serving.dictionary_entry"] += entries
    for file, rows in dictionary.broken.items():
        piece.rows_read += rows
        piece.ignored["serving.dictionary_broken"] += rows
        first = dictionary.first_broken[file]
        said = Message(
            "serving.dictionary_lines_unread", {"file": file, "rows": rows, "line": first}
        )
        piece.notes.append(said)


@dataclass(slots=True, kw_only=True)
class _Trace:
    """The usable rows of one file."""

    file: Decoded
    rejects: Rejects
    rows_read: int = 0
    nodes: int = 0
    times: array[float] = field(default_factory=lambda: array("d"))
    prompts: array[int] = field(default_factory=lambda: array("q"))
    answers: array[int] = field(default_factory=lambda: array("q"))
    lengths: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    sessions: list[str | None] = field(default_factory=list)
    _kinds: array[int] = field(default_factory=lambda: array("q"))
    _chunks: array[int] = field(default_factory=lambda: array("q"))
    _chains: array[int] = field(default_factory=lambda: array("q"))
    _known: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        """One row; BadValueError or RowRejectedError, and nothing added, where it is none."""
        at = number_of(row.get("timestamp"), "timestamp", "columnar.expected_seconds")
        if abs(at) > MAX_CLOCK_S:
            raise BadValueError("timestamp", "columnar.expected_seconds", at)
        prompt, answer = _lengths(row)
        chunks = _chunks_of(row.get("hash_ids"))
        session = row.get("session_id")
        self.sessions.append(clean_text(str(session)) if session is not None else None)
        self.times.append(at)
        self.prompts.append(prompt)
        self.answers.append(answer)
        self.lines.append(number)
        self.lengths.append(len(chunks))
        chain = -1
        for kind, chunk in chunks:
            chain = self._known.setdefault((chain, kind, chunk), len(self._known))
            self._kinds.append(kind)
            self._chunks.append(chunk)
            self._chains.append(chain)
        self.nodes = len(self._known)

    def chains(self) -> IntArray:
        """For every chunk a number of the chain that ends in it."""
        return np.asarray(self._chains, dtype=np.int64)

    def chunks(self) -> tuple[IntArray, IntArray]:
        """(list, id) of every chunk."""
        return np.asarray(self._kinds, dtype=np.int64), np.asarray(self._chunks, dtype=np.int64)


def _read_trace(file: Decoded) -> _Trace:
    trace = _Trace(file=file, rejects=Rejects(file.source.name))
    for line in records(file):
        trace.rows_read += 1
        if trace.rows_read > file.max_rows:
            raise input_error("traces.too_many_rows", limit=file.max_rows)
        try:
            if line.problem is not None:
                raise RowRejectedError(line.problem)
            if not isinstance(line.value, Mapping):
                raise RowRejectedError(Message("columnar.not_an_object"))
            trace.add(line.number, line.value)
        except BadValueError as error:
            trace.rejects.add(line.number, error.message)
        except RowRejectedError as error:
            trace.rejects.add(line.number, error.reason)
    return trace


def _lengths(row: Mapping[str, Any]) -> tuple[int, int]:
    prompt = count_of(row.get("input_length"), "input_length")
    answer = count_of(row.get("output_length"), "output_length")
    if prompt <= 0:
        raise RowRejectedError(
            Message("columnar.no_input" if prompt == EMPTY else "columnar.zero_input")
        )
    if answer == EMPTY:
        raise RowRejectedError(Message("columnar.no_output"))
    return prompt, answer


def _chunks_of(lists: object) -> list[tuple[int, int]]:
    """(list, id) of every chunk in prompt order."""
    if not isinstance(lists, Mapping):
        raise BadValueError("hash_ids", "serving.expected_lists", lists)
    found = []
    for kind, name in enumerate(LISTS):
        ids = lists.get(name) or []
        if not isinstance(ids, list) or not all(type(i) is int and abs(i) < 2**62 for i in ids):
            raise BadValueError(f"hash_ids.{name}", "columnar.expected_ids", ids)
        found += [(kind, chunk) for chunk in ids]
    return found


def _sizes(file: Decoded, trace: _Trace, dictionary: Dictionary) -> tuple[IntArray, list[Message]]:
    """(tokens of every chunk, how they are known)."""
    prompts, lengths = np.asarray(trace.prompts), np.asarray(trace.lengths)
    even = even_sizes(prompts, lengths)
    name = file.source.name
    if not dictionary.tokens:
        return even, [Message("serving.chunks_evenly", {"file": name})]
    stated, unknown = chunk_sizes(dictionary, *trace.chunks(), lengths, prompts)
    rows = int(unknown.sum())
    notes = [Message("serving.chunks_by_dictionary", {"file": name})]
    if rows:
        notes.append(Message("serving.chunks_not_in_dictionary", {"file": name, "rows": rows}))
    return np.where(np.repeat(unknown, lengths), even, stated), notes


def _piece(trace: _Trace, tokens: IntArray, notes: list[Message], dictionary: Dictionary) -> Piece:
    rows = len(trace.times)
    lines = np.asarray(trace.lines, dtype=np.int64)
    lengths = np.asarray(trace.lengths, dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    stats = trace_stats(
        times=np.asarray(trace.times),
        prompts=np.asarray(trace.prompts, dtype=np.int64),
        lengths=lengths,
        chunks=trace.chunks(),
        chains=trace.chains(),
        tokens=tokens if dictionary.tokens else None,
    )
    columns: dict[str, Any] = {
        "arrival_s": np.asarray(trace.times, dtype=np.float64),
        "input_tokens": np.asarray(trace.prompts, dtype=np.int64),
        "output_tokens": np.asarray(trace.answers, dtype=np.int64),
        "session_id": Text.of(trace.sessions),
    }
    return Piece(
        file=trace.file,
        rows_read=trace.rows_read,
        rows=rows,
        columns=columns,
        kept=np.arange(rows, dtype=np.int64),
        lines=lambda at: lines[at],
        rejects=trace.rejects,
        notes=notes,
        blocks=Blocks(offsets, np.arange(len(tokens), dtype=np.int64)),
        stats={"rows": trace.rows_read, **stats},
    )
