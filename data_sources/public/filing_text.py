"""The words of a filing: its text out of an EDINET ZIP (type 1) or a text file.

Every inline-HTML file under PublicDoc, tags taken out, in the archive's order, the auditors' not
among them; NFKC first, because filings write ＧＰＵ. `econ.word_counts` counts in what comes out.
"""

from __future__ import annotations

import html
import re
from pathlib import PurePosixPath

from data_sources.public.archive import members, text_of
from econ.word_counts import KEYWORDS as KEYWORDS
from econ.word_counts import Match as Match
from econ.word_counts import WordCount as WordCount
from econ.word_counts import count_words as count_words
from econ.word_counts import normal

HTML_FILES = (".htm", ".html", ".xhtml")
HIDDEN = re.compile(r"(?is)<(script|style|head|ix:header)\b.*?</\1\s*>")
BLOCK = re.compile(r"(?i)</?(p|div|tr|td|th|li|h[1-6]|br|table)\b[^>]*>")
TAG = re.compile(r"<[^<>]*>")


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
