"""Words that come with dated facts (sources, notes, names) in the reader's language.

The tables of facts are written in English. `facts.po` has each of their sentences under the digest
of the English one, so that a sentence which is changed in a table asks for new words in a test.
"""

from __future__ import annotations

import hashlib

from ui.words import known, t

PREFIX = "fact."


def key_of(text: str) -> str:
    """The key of a sentence of the tables of facts."""
    return PREFIX + hashlib.sha256(text.encode()).hexdigest()[:10]


def spoken(text: str | None) -> str:
    """`text` in the reader's language; as it is where it has no words of its own (a name, an
    address, a figure). '' for None."""
    if not text:
        return ""
    key = key_of(text)
    return t(key) if known(key) else text
