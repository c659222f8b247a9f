"""How many tokens a text has, as far as its characters tell: an estimate that names itself.

Nothing here is a tokenizer. Characters are told apart by script, and each script has its own
tokens a character and a run. The Japanese rate is a published measurement, 13,220 tokens of 21,600
characters. The other rates are fitted to four published tokenizers (o200k, DeepSeek V4, Qwen and
Mistral's Tekken) and rounded. How far six tokenizers lie from the estimate is the band; the
measurement is benchmarks/text_tokens.py, its result docs/text_tokens.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

NAME = "kvledger text rule 1"
AS_OF = date(2026, 11, 30)

ESTIMATED = "texts.estimated"
"""The id of the assumption that token counts are such estimates. Its values `low_percent` and
`high_percent` are the band: how many percent fewer and more a tokenizer may give."""

SCRIPTS = ("latin", "symbols", "japanese", "other_cjk", "other")
"""Latin letters; digits, signs and line ends (most of what code has beside words); Japanese; Han
without kana and Hangul; every other script and emoji."""

JAPANESE_TOKENS, JAPANESE_CHARACTERS = 13_220, 21_600
JAPANESE = JAPANESE_TOKENS / JAPANESE_CHARACTERS

BAND: dict[str, tuple[float, float]] = {
    "latin": (0.85, 1.35),
    "symbols": (0.85, 1.35),
    "japanese": (0.90, 1.50),
    "other_cjk": (0.84, 1.55),
    "other": (0.73, 3.20),
}
"""Lowest and highest count of six tokenizers over the estimate, on texts of one script."""

Counts = npt.NDArray[np.float64]  # shape (5,), tokens by script in the order of SCRIPTS


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of character: tokens each, tokens more for every run of them, and its script."""

    each: float
    run: float
    script: int


_LETTER, _DIGIT, _SPACE, _NEWLINE, _SIGN, _HAN, _JAPANESE, _HANGUL, _EMOJI, _OTHER = range(10)
_KINDS = {
    _LETTER: _Kind(0.083, 0.71, 0),
    _DIGIT: _Kind(0.667, 0.17, 1),  # three digits a token and one a token, in equal shares
    _SPACE: _Kind(0.0, 0.0, 1),  # a space is part of the word after it
    _NEWLINE: _Kind(1.69, 0.0, 1),
    _SIGN: _Kind(0.098, 0.71, 1),
    _HAN: _Kind(0.64, 0.0, 3),
    _JAPANESE: _Kind(JAPANESE, 0.0, 2),
    _HANGUL: _Kind(0.65, 0.0, 3),
    _EMOJI: _Kind(2.0, 0.0, 4),
    _OTHER: _Kind(0.39, 0.0, 4),
}
_KANA = (0x3040, 0x3100)
_RANGES = (
    (0x1E00, 0x1F00, _LETTER),
    (0x2000, 0x200B, _SPACE),
    (0x200B, 0x2600, _SIGN),
    (0x2600, 0x27C0, _EMOJI),
    (0x27C0, 0x2E80, _SIGN),
    (0x2E80, 0x3000, _HAN),
    (0x3000, 0x3130, _JAPANESE),
    (0x3130, 0x3190, _HANGUL),
    (0x3190, 0x3400, _JAPANESE),
    (0x3400, 0xA000, _HAN),
    (0x1100, 0x1200, _HANGUL),
    (0xAC00, 0xD7B0, _HANGUL),
    (0xF900, 0xFB00, _HAN),
    (0xFF00, 0xFFF0, _JAPANESE),
    (0x1F000, 0x1FC00, _EMOJI),
    (0x20000, 0x32000, _HAN),
)
_UNICODE = 0x110000


def estimate(text: str) -> Counts:
    """Tokens of `text` by script, not rounded; zeros for an empty text. Han characters are
    Japanese where the text has kana."""
    kinds = _kinds_of(text)
    each = np.bincount(kinds, minlength=len(_KINDS))
    starts = kinds[1:][kinds[1:] != kinds[:-1]]
    runs = np.bincount(starts, minlength=len(_KINDS))
    if len(kinds):
        runs[kinds[0]] += 1
    a_character, a_run, scripts = _rates()
    return np.asarray((each * a_character + runs * a_run) @ scripts)


def whole(counts: Counts) -> int:
    """The count that is used: rounded half up, at least 1 for a text that is not empty."""
    tokens = float(counts.sum())
    return max(1, int(tokens + 0.5)) if tokens > 0 else 0


def band(counts: Counts) -> tuple[float, float]:
    """(low, high) factors on the estimate of texts with these tokens by script; (1, 1) for none."""
    tokens = float(counts.sum())
    if tokens <= 0:
        return 1.0, 1.0
    lows, highs = zip(*(BAND[script] for script in SCRIPTS), strict=True)
    return _weighted(counts, lows) / tokens, _weighted(counts, highs) / tokens


def _weighted(counts: Counts, factors: Sequence[float]) -> float:
    return float(counts @ np.asarray(factors))


def _kinds_of(text: str) -> npt.NDArray[np.uint8]:
    """The kind of every character."""
    if text.isascii():  # the usual case, at a quarter of the bytes
        return _table()[np.frombuffer(text.encode("ascii"), dtype=np.uint8)]
    points = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    kinds = _table()[points]
    if bool(((points >= _KANA[0]) & (points < _KANA[1])).any()):
        kinds[kinds == _HAN] = _JAPANESE
    return kinds


@cache
def _rates() -> tuple[Counts, Counts, Any]:
    """(tokens a character, tokens a run, kind -> script) by kind."""
    scripts = np.zeros((len(_KINDS), len(SCRIPTS)))
    for kind, rate in _KINDS.items():
        scripts[kind, rate.script] = 1.0
    each = np.array([_KINDS[kind].each for kind in range(len(_KINDS))])
    runs = np.array([_KINDS[kind].run for kind in range(len(_KINDS))])
    return each, runs, scripts


@cache
def _table() -> npt.NDArray[np.uint8]:
    """Code point -> kind."""
    table = np.full(_UNICODE, _OTHER, dtype=np.uint8)
    for point in range(0x250):
        table[point] = _kind_of(chr(point))
    for first, end, kind in _RANGES:
        table[first:end] = kind
    return table


def _kind_of(character: str) -> int:
    if character == "\n":
        return _NEWLINE
    if character.isspace():
        return _SPACE
    if character.isdigit():
        return _DIGIT
    return _LETTER if character.isalpha() else _SIGN
