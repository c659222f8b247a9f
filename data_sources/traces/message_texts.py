"""What chats and API bodies write as a message: who speaks, and its text. Nothing else is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data_sources.traces.faults import shown
from data_sources.traces.tally import RowRejectedError
from messages.errors import Message

ANSWERS = frozenset(
    {"assistant", "gpt", "chatgpt", "bard", "bing", "claude", "model", "bot", "function_call"}
)
PROMPTS = frozenset(
    {
        "user", "human", "system", "developer", "tool", "function", "observation",
        "function_response", "context",
    }
)  # fmt: skip
_ROLE_KEYS, _TEXT_KEYS = ("from", "role"), ("value", "content", "text")
_PARTS_DEEP = 4


@dataclass(slots=True)
class Said:
    """One message. `answer`: a model said it. `other_parts`: pictures and the like, not counted."""

    answer: bool
    role: str
    text: str
    other_parts: int


def said(message: object) -> Said:
    """The message of a chat. RowRejectedError where it does not say who speaks or has no text."""
    if not isinstance(message, Mapping):
        raise RowRejectedError(Message("texts.not_a_message", {"found": shown(message)}))
    role = next((message[key] for key in _ROLE_KEYS if key in message), None)
    name = role.strip().lower() if isinstance(role, str) else ""
    if name not in ANSWERS and name not in PROMPTS:
        raise RowRejectedError(Message("texts.unknown_role", {"found": shown(role)}))
    content = next((message[key] for key in _TEXT_KEYS if key in message), None)
    text, others = text_of(content)
    answer = name in ANSWERS
    return Said(answer, "assistant" if answer else _plain(name), text, others)


def text_of(content: object) -> tuple[str, int]:
    """(text, parts that are no text) of a content: a text, a list of parts, or nothing.
    RowRejectedError for anything else."""
    if content is None:
        return "", 0
    if isinstance(content, str):
        return content, 0
    if not isinstance(content, list):
        raise RowRejectedError(Message("texts.not_a_text", {"found": shown(content)}))
    texts, others = [], 0
    for part in _flat(content, _PARTS_DEEP):
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            others += 1
    return "".join(texts), others


def _flat(parts: list[Any], deep: int) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, list) and deep:
            yield from _flat(part, deep - 1)
        else:
            yield part


def _plain(name: str) -> str:
    return {"human": "user", "developer": "system"}.get(name, name)
