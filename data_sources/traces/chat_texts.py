"""Collections of chats without token counts: ShareGPT, LMSYS-Chat-1M, WildChat.

Every answer is one request whose prompt is all that was said before it. Who asked from where
(hashed addresses, headers, countries) is never read. The receipt counts requests, not chats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line
from data_sources.traces.message_texts import Said, said
from data_sources.traces.tally import RowRejectedError
from data_sources.traces.text_chains import MESSAGE_TOKENS, ROOT, Chains
from data_sources.traces.text_records import text_records
from data_sources.traces.text_rows import TextRows, workload_of
from data_sources.traces.user_tokenizer import apart
from data_sources.traces.values import text, utc_us, zone
from econ.text_tokens import estimate
from messages.errors import Message

SHAREGPT, LMSYS, WILDCHAT = "sharegpt", "lmsys_chat", "wildchat"
_ID_KEYS = {SHAREGPT: "id", LMSYS: "conversation_id", WILDCHAT: "conversation_hash"}
_TURNS = {SHAREGPT: "human_turns", LMSYS: "turns", WILDCHAT: "turns"}


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All chats of `files` as one workload; a `base.Reader`."""
    chats, tokenizer, notes = apart(files)
    chains = Chains(tokenizer or estimate)
    reading = _Chats(chains, zone(options.tz))
    follow = Follow(chats, progress)
    parts = []
    for file in chats:
        rows = TextRows(file, chains)
        reading.take(rows, follow.lines(file, text_records(file)))
        parts.append(rows)
    said_of = [*reading.notes(), *notes]
    return workload_of(parts, reading.format, options, tokenizer, said_of, message_blocks=True)


class _Chats:
    """The chats of one read: a chat that comes twice under one id counts once."""

    def __init__(self, chains: Chains, assumed_zone: ZoneInfo | None) -> None:
        self.format = SHAREGPT  # until the first chat says what it is of
        self._chains, self._zone = chains, assumed_zone
        self._seen: set[tuple[str, int]] = set()
        self._other_parts = self._borrowed_times = 0

    def take(self, rows: TextRows, lines: Iterable[Line]) -> None:
        """Every chat of one file."""
        for line in lines:
            rows.count(rows=1)
            try:
                if line.problem is not None:
                    raise RowRejectedError(line.problem)
                self._chat(rows, line)
            except RowRejectedError as error:
                rows.rejects.add(line.number, error.reason)

    def notes(self) -> list[Message]:
        """What had to be decided."""
        notes = [
            Message("texts.turns"),
            Message("texts.markers", {"tokens": MESSAGE_TOKENS}),
            Message("texts.whole_messages"),
        ]
        if self.format == WILDCHAT:
            notes += [Message("texts.answer_times"), Message("texts.dropped_private")]
        if self._borrowed_times:
            notes.append(Message("texts.borrowed_times", n=self._borrowed_times))
        if self._other_parts:
            notes.append(Message("texts.other_parts", n=self._other_parts))
        return notes

    def _chat(self, rows: TextRows, line: Line) -> None:
        value = line.value
        if not isinstance(value, Mapping):
            raise RowRejectedError(Message("columnar.not_an_object"))
        self.format = _format_of(value)
        listed = value.get("conversations" if self.format == SHAREGPT else "conversation")
        if not isinstance(listed, list):
            raise RowRejectedError(Message("texts.no_messages"))
        messages = [said(message) for message in listed]
        nodes: list[int] = []
        for message in messages:
            before = nodes[-1] if nodes else ROOT
            nodes.append(self._chains.message(before, message.role, message.text))
        rows.count(
            messages=len(messages),
            chars=sum(len(m.text) for m in messages),
            **{_TURNS[self.format]: sum(m.role == "user" for m in messages)},
        )
        self._other_parts += sum(m.other_parts for m in messages)
        identity = text(value, _ID_KEYS[self.format])
        if identity is not None and nodes:
            if (identity, nodes[-1]) in self._seen:
                rows.collapse("same_chat", max(1, _answers(messages)))
                return
            self._seen.add((identity, nodes[-1]))
        session = identity or f"{rows.file.source.name}#{line.number}"
        moments = self._moments(value, listed, messages)
        self._requests(rows, line.number, messages, nodes, moments, session, value)

    def _requests(
        self,
        rows: TextRows,
        line: int,
        messages: Sequence[Said],
        nodes: Sequence[int],
        moments: Sequence[int | None],
        session: str,
        value: Mapping[str, Any],
    ) -> None:
        model = text(value, "model")
        if not messages:
            rows.ignore("empty_chat")
            return
        asked = False  # something was said that this answer is to
        for at, message in enumerate(messages):
            if not message.answer:
                asked = True
            elif not asked:
                rows.ignore("answer_first")
            elif messages[at - 1].answer:
                rows.add_to_last_answer(nodes[at])
                rows.collapse("answer_goes_on")
            else:
                rows.add(
                    line, nodes[:at], MESSAGE_TOKENS, [nodes[at]], moments[at],
                    session_id=session, model=model,
                )  # fmt: skip
        if not messages[-1].answer:
            rows.ignore("unanswered")

    def _moments(
        self, value: Mapping[str, Any], listed: Sequence[Any], messages: Sequence[Said]
    ) -> list[int | None]:
        """When each message was written. An answer without a time has that of the chat."""
        if self.format != WILDCHAT:
            return [None] * len(messages)
        whole = _time(value, self._zone)
        found: list[int | None] = []
        for raw, message in zip(listed, messages, strict=True):
            own = _time(raw, self._zone)
            if own is None and message.answer and whole is not None:
                self._borrowed_times += 1
                own = whole
            found.append(own)
        return found


def _time(values: Mapping[str, Any], assumed_zone: ZoneInfo | None) -> int | None:
    """Microseconds since 1970; Parquet gives its times as such."""
    found = values.get("timestamp")
    return utc_us(str(found) if isinstance(found, datetime) else found, assumed_zone)


def _format_of(chat: Mapping[str, Any]) -> str:
    """By its keys: all chats of one read are of one format."""
    if "conversation_hash" in chat:
        return WILDCHAT
    return LMSYS if "conversation" in chat else SHAREGPT


def _answers(messages: Sequence[Said]) -> int:
    return sum(message.answer for message in messages)
