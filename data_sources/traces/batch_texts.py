"""Input files of OpenAI's batch API: prompts without counts and without answers.

Prompts are cut every few hundred characters, because a long instruction that all of them start with
may lie inside one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line
from data_sources.traces.message_texts import said, text_of
from data_sources.traces.tally import RowRejectedError
from data_sources.traces.text_chains import MESSAGE_TOKENS, PIECE_CHARACTERS, ROOT, Chains
from data_sources.traces.text_records import text_records
from data_sources.traces.text_rows import TextRows, workload_of
from data_sources.traces.user_tokenizer import apart
from data_sources.traces.values import mapping, text
from econ.text_tokens import estimate
from messages.errors import Message

FORMAT = "openai_batch_input"
_LIMITS = ("max_completion_tokens", "max_output_tokens", "max_tokens")


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All prompts of `files` as one workload; a `base.Reader`."""
    batches, tokenizer, notes = apart(files)
    chains = Chains(tokenizer or estimate)
    reading = _Batch(chains)
    follow = Follow(batches, progress)
    parts = []
    for file in batches:
        rows = TextRows(file, chains)
        reading.take(rows, follow.lines(file, text_records(file)))
        parts.append(rows)
    said_of = [*reading.notes(), *notes]
    return workload_of(parts, FORMAT, options, tokenizer, said_of, message_blocks=False)


class _Batch:
    """The requests of one read."""

    def __init__(self, chains: Chains) -> None:
        self._chains = chains
        self._seen: set[tuple[str, int]] = set()
        self._other_parts = self._most_output = self._without_limit = 0

    def take(self, rows: TextRows, lines: Iterable[Line]) -> None:
        """Every request of one file."""
        for line in lines:
            rows.count(rows=1)
            try:
                if line.problem is not None:
                    raise RowRejectedError(line.problem)
                if not isinstance(line.value, Mapping):
                    raise RowRejectedError(Message("columnar.not_an_object"))
                self._request(rows, line.number, line.value)
            except RowRejectedError as error:
                rows.rejects.add(line.number, error.reason)

    def notes(self) -> list[Message]:
        """What had to be decided."""
        notes = [
            Message("texts.no_answers"),
            Message("texts.markers", {"tokens": MESSAGE_TOKENS}),
            Message("texts.cut_pieces", {"characters": PIECE_CHARACTERS}),
        ]
        if self._most_output and not self._without_limit:
            notes.append(Message("texts.most_output", {"tokens": self._most_output}))
        if self._other_parts:
            notes.append(Message("texts.other_parts", n=self._other_parts))
        return notes

    def _request(self, rows: TextRows, line: int, value: Mapping[str, Any]) -> None:
        body = mapping(value, "body")
        nodes: list[int] = []
        characters = 0
        for role, words in self._messages(body):
            before = nodes[-1] if nodes else ROOT
            nodes += self._chains.pieces(before, role, words, MESSAGE_TOKENS)
            characters += len(words)
        if not nodes:
            raise RowRejectedError(Message("texts.no_prompt"))
        rows.count(chars=characters)
        custom = text(value, "custom_id")
        if custom is not None:
            if (custom, nodes[-1]) in self._seen:
                rows.collapse("same_prompt")
                return
            self._seen.add((custom, nodes[-1]))
        limit = next((body[k] for k in _LIMITS if type(body.get(k)) is int), 0)
        self._most_output += max(0, limit)
        self._without_limit += limit <= 0
        rows.add(
            line, nodes, MESSAGE_TOKENS, [], None,
            request_id=custom or f"{rows.file.source.name}#{line}",
            model=text(body, "model"), provider="openai", mode="batch",
        )  # fmt: skip

    def _messages(self, body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """(role, text) in prompt order: chat completions, responses, completions and embeddings."""
        instructions = body.get("instructions")
        if isinstance(instructions, str):
            yield "system", instructions
        listed = body.get("messages", body.get("input", body.get("prompt")))
        if isinstance(listed, str):
            yield "user", listed
        for message in listed if isinstance(listed, list) else ():
            if isinstance(message, str):
                yield "user", message
                continue
            if isinstance(message, Mapping) and not {"role", "from"} & message.keys():
                words, others = text_of(message.get("output", message.get("arguments")))
                self._other_parts += others
                yield "tool", words
                continue
            one = said(message)
            self._other_parts += one.other_parts
            yield one.role, one.text
