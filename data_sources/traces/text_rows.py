"""Requests made from texts: their columns, their prefixes and what the receipt says of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from data_sources.traces.assemble import assemble
from data_sources.traces.base import Decoded, ReadOptions, ReadResult
from data_sources.traces.block_ids import Blocks
from data_sources.traces.builder import NAT, clean_text
from data_sources.traces.faults import Rejects
from data_sources.traces.pieces import Piece
from data_sources.traces.text_chains import Chains
from data_sources.traces.user_tokenizer import UserTokenizer
from econ.text_tokens import AS_OF, ESTIMATED, NAME, band
from econ.workload import Column, IntArray, Prefix, Text
from messages.errors import Message, input_error

OWN_TOKENIZER = "texts.own_tokenizer"
PERCENT = 100


class TextRows:
    """The requests of one file, in file order. A refused or ignored one is counted, not kept."""

    def __init__(self, file: Decoded, chains: Chains) -> None:
        self.file, self.chains = file, chains
        self.rejects = Rejects(file.source.name)
        self.ignored: dict[str, int] = {}
        self.collapsed: dict[str, int] = {}
        self.stats: dict[str, Any] = {"rows": 0}
        self._entries, self._lengths, self._answers = array("q"), array("q"), array("q")
        self._numbers = {name: array("q") for name in ("input", "output", "time", "line")}
        self._texts: dict[str, list[str | None]] = {}

    @property
    def rows(self) -> int:
        """Requests so far."""
        return len(self._lengths)

    def add(
        self,
        line: int,
        nodes: Sequence[int],
        opening: int,
        answer: Sequence[int],
        moment_us: int | None,
        **texts: str | None,
    ) -> None:
        """One request: the prefixes of its prompt, tokens that open the answer, the prefixes whose
        last pieces are its answer, when it was asked, and names.
        RowRejectedError for a prompt without text and for a name that is too long."""
        if self.rows >= self.file.max_rows:
            raise input_error("traces.too_many_rows", limit=self.file.max_rows)
        names = {key: clean_text(text) if text else None for key, text in texts.items()}
        self._entries.extend(nodes)
        self._lengths.append(len(nodes))
        self._numbers["input"].append(sum(map(self.chains.tokens, nodes)) + opening)
        self._numbers["output"].append(self._said(answer))
        self._numbers["time"].append(NAT if moment_us is None else moment_us)
        self._numbers["line"].append(line)
        for key, text in names.items():
            self._texts.setdefault(key, []).append(text)

    def add_to_last_answer(self, node: int) -> None:
        """The last request's answer goes on with the last piece of `node`."""
        self._numbers["output"][-1] += self._said([node])

    def ignore(self, reason_id: str, rows: int = 1) -> None:
        """Something that is no request: `texts.ignored.<reason_id>`."""
        key = f"texts.ignored.{reason_id}"
        self.ignored[key] = self.ignored.get(key, 0) + rows

    def collapse(self, reason_id: str, rows: int = 1) -> None:
        """Something that belongs to a kept request: `texts.collapsed.<reason_id>`."""
        key = f"texts.collapsed.{reason_id}"
        self.collapsed[key] = self.collapsed.get(key, 0) + rows

    def count(self, **more: int) -> None:
        """Adds to the statistics of the file."""
        for key, value in more.items():
            self.stats[key] = self.stats.get(key, 0) + value

    def _said(self, answer: Sequence[int]) -> int:
        self._answers.extend(answer)
        return sum(map(self.chains.text_tokens, answer))

    def entries(self) -> IntArray:
        """The prefixes of all prompts, one after another."""
        return np.asarray(self._entries, dtype=np.int64)

    def answers(self) -> IntArray:
        """The prefixes whose last pieces are answers."""
        return np.asarray(self._answers, dtype=np.int64)

    def piece(self, first_entry: int) -> Piece:
        """The rows as a part of a workload; its block ids are positions in the entries of all
        files, of which `first_entry` came before."""
        numbers = {name: np.asarray(n, dtype=np.int64) for name, n in self._numbers.items()}
        lines = numbers["line"]
        columns: dict[str, Column] = {
            "input_tokens": numbers["input"],
            "output_tokens": numbers["output"],
            "arrival_utc": numbers["time"].view("datetime64[us]"),
            **{name: Text.of(values) for name, values in self._texts.items()},
        }
        offsets = np.concatenate([[0], np.cumsum(np.asarray(self._lengths, dtype=np.int64))])
        at = np.arange(first_entry, first_entry + len(self._entries), dtype=np.int64)
        refused = self.rejects.total + sum(self.ignored.values()) + sum(self.collapsed.values())
        piece = Piece(
            file=self.file,
            rows_read=self.rows + refused,
            rows=self.rows,
            columns=columns,
            kept=np.arange(self.rows, dtype=np.int64),
            lines=lambda rows: lines[rows],
            rejects=self.rejects,
            blocks=Blocks(offsets.astype(np.int64), at),
            stats=dict(self.stats),
        )
        piece.ignored.update(self.ignored)
        return piece


def workload_of(
    parts: Sequence[TextRows],
    format_id: str,
    options: ReadOptions,
    tokenizer: UserTokenizer | None,
    notes: Sequence[Message],
    message_blocks: bool,
) -> ReadResult:
    """One workload of all files, and its receipt with `notes` and how tokens were counted."""
    chains = parts[0].chains
    nodes = np.concatenate([part.entries() for part in parts])
    pieces, first = [], 0
    for part in parts:
        pieces.append(part.piece(first))
        first += len(part.entries())
    pieces[0].notes += [how_counted(parts, nodes, tokenizer), *notes]
    if not any("arrival_utc" in p.columns and _any_time(p) for p in pieces):
        pieces[0].notes.append(Message("texts.no_times"))
    collapsed: dict[str, int] = {}
    for part in parts:
        for reason, rows in part.collapsed.items():
            collapsed[reason] = collapsed.get(reason, 0) + rows
    sizes = chains.sizes()

    def prefix(blocks: Blocks) -> Prefix | None:
        own = nodes[blocks.ids]
        return Prefix(
            offsets=blocks.offsets,
            block_ids=own,
            block_tokens=sizes[own],
            scope="model",
            message_blocks=message_blocks,
        )

    return assemble(pieces, format_id, options, prefix, collapsed)


def how_counted(
    parts: Sequence[TextRows], nodes: IntArray, tokenizer: UserTokenizer | None
) -> Message:
    """Whose token counts these are; of estimates the band over all prompts and answers."""
    if tokenizer is not None:
        return Message(OWN_TOKENIZER, {"file": tokenizer.file, "digest": tokenizer.sha256[:12]})
    answers = np.concatenate([part.answers() for part in parts])
    chains = parts[0].chains
    low, high = band(chains.by_script(nodes) + chains.by_script(answers))
    return Message(
        ESTIMATED,
        {
            "rule": NAME,
            "as_of": AS_OF.isoformat(),
            "low_percent": round((1 - low) * PERCENT),
            "high_percent": round((high - 1) * PERCENT),
        },
    )


def _any_time(piece: Piece) -> bool:
    times: Any = piece.columns["arrival_utc"]
    return bool((~np.isnat(times)).any())
