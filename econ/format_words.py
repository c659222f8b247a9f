"""The name of a file's format in the reader's language; machines get the id itself."""

from __future__ import annotations

from collections.abc import Callable

from messages.errors import Message

SEVERAL = "+"
"""Between the ids of a workload that was made of files of several formats."""


def format_name(format_id: str, say: Callable[[Message], str]) -> str:
    """'Claude Code session log' of 'claude_code_jsonl'; of several formats all names. An id that
    has no name, as an older report may hold, stays as it is."""
    return f" {SEVERAL} ".join(_one(part, say) for part in format_id.split(SEVERAL))


def _one(format_id: str, say: Callable[[Message], str]) -> str:
    key = f"traces.format.{format_id}"
    words = say(Message(key))
    return format_id if words == key else words
