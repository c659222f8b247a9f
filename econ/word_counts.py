"""How often words stand in a filing, by a stated rule, each place with its sentence.

The rule, because results depend on it: NFKC first (filings write ＧＰＵ); matches do not overlap,
the longest spelling is taken first; Latin spellings match whole words. Every match counts. Beside
that number stand two others: with an abbreviation in brackets (大規模言語モデル（LLM）) counted
together with its long form, and how many matches are part of a term of another sense (推論統計).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "推論": ("推論",),
    "GPU": ("GPU",),
    "LLM・大規模言語モデル": ("大規模言語モデル", "LLM"),
    "生成AI": ("生成AI",),
    "データセンター": ("データ・センター", "データセンター", "データセンタ"),
}
OTHER_SENSES: Mapping[str, tuple[str, ...]] = {"推論": ("推論統計", "統計的推論", "統計推論")}
"""Terms in which a spelling means something else than what a model does."""
SENTENCE_END = "。．！？!?\n"
LONGEST_SENTENCE = 300
MOST_WORDS, LONGEST_WORD = 20, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One place of a word: the spelling found, and its sentence. `bracketed`: it only repeats the
    spelling before it, in brackets. `other_sense`: it is part of a term that means another thing.
    """

    spelling: str
    sentence: str
    bracketed: bool = False
    other_sense: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCount:
    """A keyword with every place where it stands, in reading order."""

    keyword: str
    matches: tuple[Match, ...]

    @property
    def count(self) -> int:
        """How often it stands there, every match."""
        return len(self.matches)

    @property
    def merged(self) -> int:
        """The same with an abbreviation in brackets counted together with its long form."""
        return sum(not match.bracketed for match in self.matches)

    @property
    def other_senses(self) -> int:
        """How many of all matches are part of a term of another sense."""
        return sum(match.other_sense for match in self.matches)


def normal(text: str) -> str:
    """Full-width letters as ASCII, half-width kana as full ones."""
    return unicodedata.normalize("NFKC", text)


def count_words(
    text: str, keywords: Mapping[str, Sequence[str]] = KEYWORDS
) -> tuple[WordCount, ...]:
    """Each keyword's places in normal `text`; its spellings are all counted."""
    return tuple(
        WordCount(keyword=keyword, matches=_matches(text, spellings))
        for keyword, spellings in keywords.items()
    )


def own_words(typed: str) -> Mapping[str, tuple[str, ...]]:
    """What a person typed: keywords parted by commas, spellings of one by '/'. At most 20 keywords
    of 60 characters; the rest is left out."""
    parts = re.split(r"[,、\n]", normal(typed))
    found: dict[str, tuple[str, ...]] = {}
    for part in parts:
        spellings = tuple(s for one in part.split("/") if (s := one.strip()[:LONGEST_WORD]))
        if spellings and len(found) < MOST_WORDS:
            found["・".join(spellings)] = spellings
    return found


def _matches(text: str, spellings: Sequence[str]) -> tuple[Match, ...]:
    known = sorted((normal(one) for one in spellings if one.strip()), key=len, reverse=True)
    if not known:
        return ()
    pattern = re.compile("|".join(_pattern(one) for one in known))
    found = list(pattern.finditer(text))
    return tuple(
        Match(
            spelling=one.group(),
            sentence=_sentence(text, one.start(), one.end()),
            bracketed=before is not None and _repeats(text, before, one),
            other_sense=_means_another_thing(text, one),
        )
        for before, one in zip([None, *found], found, strict=False)
    )


def _repeats(text: str, before: re.Match[str], one: re.Match[str]) -> bool:
    """'long form(abbreviation)': NFKC has made all brackets ASCII."""
    between, after = text[before.end() : one.start()], text[one.end() : one.end() + 1]
    return between.strip() == "(" and after == ")" and before.group() != one.group()


def _means_another_thing(text: str, one: re.Match[str]) -> bool:
    for term in OTHER_SENSES.get(one.group(), ()):
        at = text.find(term, max(0, one.start() - len(term)), one.end() + len(term))
        if 0 <= at <= one.start() and one.end() <= at + len(term):
            return True
    return False


def _pattern(spelling: str) -> str:
    """Latin edges may not touch further Latin letters: LLM is not part of a longer word."""
    before = r"(?<![A-Za-z])" if spelling[0].isascii() and spelling[0].isalpha() else ""
    after = r"(?![A-Za-z])" if spelling[-1].isascii() and spelling[-1].isalpha() else ""
    return before + re.escape(spelling) + after


def _sentence(text: str, start: int, end: int) -> str:
    first, last = start, end
    while first > 0 and text[first - 1] not in SENTENCE_END and end - first < LONGEST_SENTENCE:
        first -= 1
    while last < len(text) and text[last] not in SENTENCE_END and last - first < LONGEST_SENTENCE:
        last += 1
    if last < len(text) and text[last] in SENTENCE_END:
        last += 1
    return " ".join(text[first:last].split())
