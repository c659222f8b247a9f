"""Words that come with dated facts in the reader's language (`messages.facts`)."""

from __future__ import annotations

from messages import facts
from messages.facts import PREFIX, key_of
from ui.words import language

__all__ = ["PREFIX", "key_of", "spoken"]


def spoken(text: str | None) -> str:
    """`text` in the reader's language; as it is where it has no words of its own (a name, an
    address, a figure). '' for None."""
    return facts.spoken(language(), text) if text else ""
