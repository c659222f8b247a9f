"""Terms of the field as hover help: a word in a text, its meaning where the pointer rests.

Texts mark a term as `[[prefill]]`, or `[[prefill|read at once]]` where the sentence needs another
form. `term` and `with_terms` give Markdown with `abbr` elements; every word is the catalogue's.
"""

from __future__ import annotations

import html
import re

import streamlit as st

from ui import plain_table, terms
from ui.plain_table import cell
from ui.words import language, t

_MARKED = re.compile(r"\[\[([a-z0-9_]+)(?:\|([^\]]+))?\]\]")


def term(name: str, shown: str = "") -> str:
    """The term in the reader's language, its meaning as hover help; Markdown with HTML."""
    title = html.escape(terms.meaning(name, language()), quote=True)
    word = html.escape(shown or terms.name(name, language()))
    return f'<abbr tabindex="0" title="{title}">{word}</abbr>'


def with_terms(text: str) -> str:
    """`text` with every marked term made into hover help."""
    return _MARKED.sub(lambda found: term(found[1], found[2] or ""), text)


def say(text: str) -> None:
    """A paragraph of the catalogue with its terms."""
    st.markdown(with_terms(text), unsafe_allow_html=True)


def marked(text: str) -> tuple[str, ...]:
    """The terms that a text marks."""
    return tuple(found[1] for found in _MARKED.finditer(text))


def glossary() -> None:
    """All terms in one table, for those who cannot hover."""
    with st.popover(t("glossary.open"), type="tertiary", icon=":material/dictionary:"):
        other = "en" if language() == "ja" else "ja"
        rows = [
            [
                cell(terms.name(one, language())),
                cell(terms.name(one, other), tone="words"),
                cell(t(f"glossary.{one}.means"), tone="words"),
            ]
            for one in terms.TERMS
        ]
        head = [t("glossary.term"), t("glossary.other"), t("glossary.meaning")]
        plain_table.show(head, rows, t("glossary.heading"), "glossary")
