"""Words that come with dated facts (sources, notes, names) in any language.

The tables of facts are written in English. `facts.po` has each of their sentences under the digest
of the English one, so that a sentence which is changed in a table asks for new words in a test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial

from messages.catalogue import t

PREFIX = "fact."


def key_of(text: str) -> str:
    """The key of a sentence of the tables of facts."""
    return PREFIX + hashlib.sha256(text.encode()).hexdigest()[:10]


def spoken(language: str, text: str) -> str:
    """`text` in a language; as it is where it has no words of its own (a name, an address, a
    figure)."""
    key = key_of(text)
    words = t(language, key)
    return text if words == key else words


def speaker(language: str) -> Callable[[str], str]:
    """`spoken` of one language, for what knows nothing of catalogues."""
    return partial(spoken, language)
