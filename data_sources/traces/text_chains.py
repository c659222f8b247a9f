"""Prompts of text as chains of pieces: equal beginnings are found by hash, and no text is kept.

A piece's number stands for everything up to its end, so two prompts share a prefix exactly as far
as their piece numbers agree. Only digests, numbers and token counts stay in memory.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from econ.text_tokens import SCRIPTS, Counts, estimate, whole
from econ.workload import IntArray

ROOT = -1
PIECE_CHARACTERS = 512
"""Where texts are cut whose messages say too little: about 130 tokens of English."""

MESSAGE_TOKENS = 3
"""What a role and its marks take around every message, and as many open the answer: as in OpenAI's
cookbook, https://developers.openai.com/cookbook/examples/how_to_count_tokens_with_tiktoken."""

_DIGEST_BYTES = 16


class Counter(Protocol):
    """Tokens of a text by script; a tokenizer's exact count stands under one script."""

    def __call__(self, text: str, /) -> Counts: ...


class Chains:
    """The prefixes that were seen, numbered from 0. `count` is asked once for each new one."""

    def __init__(self, count: Counter = estimate) -> None:
        self._count = count
        self._known: dict[bytes, int] = {}
        self._tokens = array("q")
        self._text_tokens = array("q")
        self._scripts = array("f")

    def message(self, before: int, role: str, text: str) -> int:
        """The prefix `before` (ROOT for none) with one more message after it."""
        return self._next(before, role, text, MESSAGE_TOKENS)

    def pieces(self, before: int, role: str, text: str, around: int) -> Iterator[int]:
        """The prefixes that `text` makes after `before`, one at every cut; `around`: tokens that
        stand before the first piece."""
        starts = range(0, max(len(text), 1), PIECE_CHARACTERS)
        for start in starts:
            before = self._next(before, role, text[start : start + PIECE_CHARACTERS], around)
            around = 0
            yield before

    def tokens(self, node: int) -> int:
        """Tokens of the last piece of a prefix, with what stands around it."""
        return self._tokens[node]

    def text_tokens(self, node: int) -> int:
        """Tokens of the text of the last piece alone."""
        return self._text_tokens[node]

    def sizes(self) -> IntArray:
        """`tokens` of every prefix."""
        return np.asarray(self._tokens, dtype=np.int64)

    def by_script(self, nodes: IntArray) -> Counts:
        """Tokens by script of the last pieces of `nodes` together, each as often as it is named."""
        if not len(nodes):
            return np.zeros(len(SCRIPTS))
        times = np.bincount(nodes, minlength=len(self._tokens)).astype(np.float64)
        scripts = np.asarray(self._scripts, dtype=np.float64).reshape(-1, len(SCRIPTS))
        return np.asarray(times @ scripts)

    def _next(self, before: int, role: str, text: str, around: int) -> int:
        sha = hashlib.blake2b(f"{before}|{role}|{around}|".encode(), digest_size=_DIGEST_BYTES)
        sha.update(text.encode("utf-8", "surrogatepass"))
        node = self._known.setdefault(sha.digest(), len(self._tokens))
        if node == len(self._tokens):
            counts = self._count(text)
            self._text_tokens.append(whole(counts))
            self._tokens.append(self._text_tokens[-1] + around)
            self._scripts.extend(counts.tolist())
        return node
