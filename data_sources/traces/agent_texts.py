"""LMCache's agent traces: whole prompts and answers as text, real times, no counts.

A prompt is one text that grows with its session, so it is cut every few hundred characters and
shares what it begins with. Nothing is added for roles: they are in the text as far as at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.faults import shown
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line
from data_sources.traces.tally import RowRejectedError
from data_sources.traces.text_chains import PIECE_CHARACTERS, ROOT, Chains
from data_sources.traces.text_records import text_records
from data_sources.traces.text_rows import TextRows, workload_of
from data_sources.traces.user_tokenizer import apart
from data_sources.traces.values import text, utc_us, zone
from econ.text_tokens import estimate
from messages.errors import Message

FORMAT = "lmcache_agent_text"


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All calls of `files` as one workload; a `base.Reader`."""
    traces, tokenizer, notes = apart(files)
    chains = Chains(tokenizer or estimate)
    follow = Follow(traces, progress)
    parts, empty = [], 0
    for file in traces:
        rows = TextRows(file, chains)
        _take(rows, follow.lines(file, text_records(file)), options)
        empty += rows.stats.get("rows_empty_output", 0)
        parts.append(rows)
    said_of = [Message("texts.cut_pieces", {"characters": PIECE_CHARACTERS}), *notes]
    if empty:
        said_of.append(Message("texts.empty_answers", n=empty))
    return workload_of(parts, FORMAT, options, tokenizer, said_of, message_blocks=False)


def _take(rows: TextRows, lines: Iterable[Line], options: ReadOptions) -> None:
    assumed_zone = zone(options.tz)
    last: int | None = None
    rows.count(input_chars=0, output_chars=0, rows_empty_output=0, out_of_order_pairs=0)
    for line in lines:
        rows.count(rows=1)
        try:
            if line.problem is not None:
                raise RowRejectedError(line.problem)
            if not isinstance(line.value, Mapping):
                raise RowRejectedError(Message("columnar.not_an_object"))
            moment = utc_us(line.value.get("timestamp"), assumed_zone)
            _call(rows, line.number, line.value, moment)
        except RowRejectedError as error:
            rows.rejects.add(line.number, error.reason)
            continue
        if moment is not None:
            rows.count(out_of_order_pairs=last is not None and moment < last)
            last = moment


def _call(rows: TextRows, line: int, value: Mapping[str, Any], moment_us: int | None) -> None:
    prompt, answer = _text(value, "input"), _text(value, "output")
    if not prompt:
        raise RowRejectedError(Message("texts.no_prompt"))
    rows.count(
        input_chars=len(prompt), output_chars=len(answer), rows_empty_output=not answer.strip()
    )
    nodes = list(rows.chains.pieces(ROOT, "", prompt, 0))
    said = list(rows.chains.pieces(nodes[-1], "answer", answer, 0)) if answer else []
    rows.add(
        line, nodes, 0, said, moment_us,
        session_id=text(value, "session_id"), model=text(value, "model"),
    )  # fmt: skip


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise RowRejectedError(Message("texts.not_a_text", {"found": shown(found)}))
    return found
