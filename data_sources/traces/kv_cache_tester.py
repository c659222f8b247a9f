"""Sessions of kv-cache-tester (WEKA): one JSON object a coding-agent session, prompts as block ids.

Ids mean something inside one session and one model only. The prompt's tail below one block has no
id: the ids cover whole blocks, the rest of the prompt is covered by none. `api_time` is the whole
call, so it ends the request; the first token is known only where `ttft` says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.block_ids import Blocks, concatenate, no_blocks
from data_sources.traces.block_sizes import SHOWN_ROWS
from data_sources.traces.faults import Faults, Rejects
from data_sources.traces.json_text import records
from data_sources.traces.kv_cache_sessions import Session, session_of
from data_sources.traces.pieces import Piece, rows_of
from econ.workload import EMPTY, Column, IntArray, Prefix, Text
from messages.errors import Message, input_error

FORMAT = "weka_kv_cache_tester"


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All sessions, each from its own start; a `base.Reader`. InputError where sessions have
    blocks of different sizes."""
    pieces = []
    sessions: list[tuple[str, Session]] = []
    for done, file in enumerate(files):
        progress(done / len(files), "read")
        piece, found = _piece(file, options)
        pieces.append(piece)
        sessions += [(file.source.name, session) for session in found]
    sizes = sorted({session.block_tokens for _, session in sessions})
    if len(sizes) > 1:
        text = ", ".join(str(size) for size in sizes)
        raise input_error("columnar.block_sizes_differ", file=files[0].source.name, sizes=text)
    pieces[0].notes[:0] = _notes(sessions)
    return assemble(pieces, FORMAT, options, partial(_prefix, sizes=sizes))


def _prefix(blocks: Blocks, sizes: Sequence[int]) -> Prefix | None:
    if not sizes or not len(blocks.ids):
        return None
    return Prefix(
        offsets=blocks.offsets, block_ids=blocks.ids, block_tokens=sizes[0], scope="model"
    )


def _piece(file: Decoded, options: ReadOptions) -> tuple[Piece, list[Session]]:
    """The requests of one file. Their numbers in the receipt count the file's requests."""
    rejects = Rejects(file.source.name)
    sessions: list[Session] = []
    requests = 0
    for record in records(file):
        if record.problem is not None:
            rejects.add(record.number, record.problem)
            requests += 1
            continue
        session = session_of(record.value, file.max_rows - requests, rejects, requests)
        if session is None:
            rejects.add(record.number, Message("serving.not_a_session"))
            requests += 1
            continue
        requests += session.requests
        sessions.append(session)
    rows = _Rows(sessions)
    faults, notes = _misfits(file, rows, options)
    keep = ~faults.mask
    faults.tell(rejects, rows.lines)
    piece = Piece(
        file=file,
        rows_read=requests,
        rows=int(keep.sum()),
        columns=rows.columns if keep.all() else rows_of(rows.columns, keep),
        kept=np.flatnonzero(keep),
        lines=rows.lines,
        rejects=rejects,
        notes=notes,
        blocks=rows.blocks.take(np.flatnonzero(keep)),
        stats=_stats(sessions, requests),
    )
    return piece, sessions


class _Rows:
    """The requests of all sessions of a file by time: agents run beside those that started them."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        names = ("arrival_s", "response_s", "finished_s", "input_tokens", "output_tokens")
        order = np.argsort(_joined(s.numbers_of("arrival_s") for s in sessions), kind="stable")
        self._numbers = _joined(s.numbers() for s in sessions)[order].astype(np.int64)
        self.sizes = _joined(np.full(len(s.numbers()), s.block_tokens) for s in sessions)[order]
        self.columns: dict[str, Column] = {
            name: _joined(s.numbers_of(name) for s in sessions)[order] for name in names
        }
        for name in ("session_id", "agent", "model"):
            text = Text.of(value for s in sessions for value in s.names_of(name))
            self.columns[name] = text.take(order)
        blocks = [s.blocks() for s in sessions]
        self.blocks = concatenate(blocks).take(order) if blocks else no_blocks(0)

    def lines(self, rows: IntArray) -> IntArray:
        """Rows -> the numbers of their requests in the file."""
        return np.asarray(self._numbers[rows])


def _joined(parts: Iterable[Any]) -> Any:
    found = list(parts)
    return np.concatenate(found) if found else np.zeros(0)


def _misfits(file: Decoded, rows: _Rows, options: ReadOptions) -> tuple[Faults, list[Message]]:
    """Rows whose number of ids is not the number of whole blocks: flagged, or left out."""
    tokens: Any = rows.columns["input_tokens"]
    found, sizes = rows.blocks.lengths, rows.sizes
    expected = tokens // np.maximum(sizes, 1)
    odd = (found > 0) & (found != expected)

    def values(row: int) -> dict[str, int | str]:
        return {
            "tokens": int(tokens[row]),
            "found": int(found[row]),
            "expected": int(expected[row]),
            "size": int(sizes[row]),
        }

    faults = Faults(len(tokens))
    if options.leave_out_flagged:
        faults.add(odd, lambda row: Message("columnar.ids_left_out", {**values(row)}))
        return faults, []
    listed = np.flatnonzero(odd)
    name = file.source.name
    notes = [
        Message("columnar.ids_do_not_fit", {"file": name, "line": line, **values(row)})
        for row, line in zip(
            listed[:SHOWN_ROWS].tolist(), rows.lines(listed[:SHOWN_ROWS]).tolist(), strict=True
        )
    ]
    if len(listed) > SHOWN_ROWS:
        more = len(listed) - SHOWN_ROWS
        notes.append(Message("columnar.ids_do_not_fit_more", {"file": name, "more": more}))
    return faults, notes


def _notes(sessions: Sequence[tuple[str, Session]]) -> list[Message]:
    """What had to be decided or was checked, over all sessions of the upload."""
    notes = [Message("serving.session_blocks")]
    if len(sessions) > 1:
        notes.append(Message("serving.sessions_on_own_clocks", {"sessions": len(sessions)}))
    agreed = sum(session.totals_agree() is True for _, session in sessions)
    if agreed:
        notes.append(Message("serving.totals_agree", n=agreed))
    for file, session in sessions:
        if session.totals_agree() is False:
            notes.append(Message("serving.totals_differ", {"file": file, **session.totals()}))
        if session.on_session_clock:
            agents = session.on_session_clock
            notes.append(
                Message("serving.agents_on_session_clock", {"file": file, "agents": agents})
            )
    return [*notes, *_alike(sessions)]


def _alike(sessions: Sequence[tuple[str, Session]]) -> list[Message]:
    """Sessions that are the same in every request, whatever they are called."""
    first: dict[bytes, str] = {}
    notes = []
    for file, session in sessions:
        content = session.fingerprint()
        if content in first:
            values = {"name": session.name, "file": file, "first": first[content]}
            notes.append(Message("serving.same_session", values))
        first.setdefault(content, f"{session.name} ({file})")
    return notes


def _stats(sessions: Sequence[Session], requests: int) -> dict[str, int]:
    """What the file amounts to, under the names of its catalogue entry."""
    found = {
        "rows": requests,
        "rows_main": sum(s.main_requests for s in sessions),
        "subagents": sum(s.agents for s in sessions),
        "rows_zero_output": sum(s.zero_outputs for s in sessions),
        "streaming_rows": sum(s.streaming for s in sessions),
    }
    declared = [s.declared for s in sessions]
    for place, name in enumerate(("input", "output")):
        totals = [d[place] for d in declared if d is not None and d[place] != EMPTY]
        if totals:
            found[f"declared_combined_{name}"] = sum(totals)
    if len({s.block_tokens for s in sessions}) == 1:
        found["block_size"] = sessions[0].block_tokens
    return found
