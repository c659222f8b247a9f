"""The words of a filing: its text out of an EDINET ZIP (type 1) or a text file, counted by rule.

The rule, because results depend on it: every inline-HTML file under PublicDoc, tags taken out, in
the archive's order, the auditors' not among them; NFKC first, because filings write ＧＰＵ; matches
do not overlap and the longest spelling is taken first; Latin spellings match whole words.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from data_sources.public.archive import members, text_of

KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "推論": ("推論",),
    "GPU": ("GPU",),
    "LLM・大規模言語モデル": ("大規模言語モデル", "LLM"),
    "生成AI": ("生成AI",),
    "データセンター": ("データ・センター", "データセンター", "データセンタ"),
}
HTML_FILES = (".htm", ".html", ".xhtml")
HIDDEN = re.compile(r"(?is)<(script|style|head|ix:header)\b.*?</\1\s*>")
BLOCK = re.compile(r"(?i)</?(p|div|tr|td|th|li|h[1-6]|br|table)\b[^>]*>")
TAG = re.compile(r"<[^<>]*>")
SENTENCE_END = "。．！？!?\n"
LONGEST_SENTENCE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One place of a word: the spelling found, and its sentence."""

    spelling: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCount:
    """A keyword with every place where it stands, in reading order."""

    keyword: str
    matches: tuple[Match, ...]

    @property
    def count(self) -> int:
        """How often it stands there."""
        return len(self.matches)


def text_of_file(content: bytes, name: str) -> str:
    """The text of an EDINET ZIP, an HTML file or a text file, NFKC. DataError: a damaged ZIP."""
    if content.startswith(b"PK"):
        parts = [plain_text(text_of(m.content)) for m in members(content, name, _public_html)]
        return normal("\n".join(parts))
    text = text_of(content)
    return normal(plain_text(text) if text.lstrip()[:1] == "<" else text)


def _public_html(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return path.lower().endswith(HTML_FILES) and "PublicDoc" in parts


def plain_text(markup: str) -> str:
    """Text between the tags; blocks end lines, inline tags vanish."""
    shown = HIDDEN.sub("", markup)
    return html.unescape(TAG.sub("", BLOCK.sub("\n", shown)))


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


def _matches(text: str, spellings: Sequence[str]) -> tuple[Match, ...]:
    known = sorted((normal(one) for one in spellings if one.strip()), key=len, reverse=True)
    if not known:
        return ()
    pattern = re.compile("|".join(_pattern(one) for one in known))
    return tuple(
        Match(spelling=found.group(), sentence=_sentence(text, found.start(), found.end()))
        for found in pattern.finditer(text)
    )


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
