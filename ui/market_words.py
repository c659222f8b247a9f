"""Count words in a filing of one's own: every count opens its sentences; the rule stands beside."""

from __future__ import annotations

import streamlit as st

from econ.csv_safe import csv_bytes
from econ.word_counts import KEYWORDS, WordCount, own_words
from jobs import public_data
from messages.errors import KvledgerError
from ui import components, downloads, failures, folds, market_japan, plain_table
from ui.components import mark
from ui.numerals import foreign, md
from ui.plain_table import cell
from ui.words import t

MOST_MB = 64
MOST_SENTENCES = 60
TYPES = ["zip", "htm", "html", "xhtml", "txt"]
_FOUND = "_market_words"
_TURN = "_market_words_turn"
OWN = "market_own_words"
COLUMNS = ("file", "keyword", "spelling", "in_brackets", "other_sense", "sentence")


def section() -> None:
    """Printed counts; apart from them the rule, an upload, and what it holds."""
    folds.section("counts", t("market.counts_heading"), market_japan.printed_counts)
    folds.section("words", t("market.words_heading"), _own)


def _own() -> None:
    components.note(t("market.words_unit"))
    with st.container(gap="small"):
        st.text_input(t("market.words_own"), key=OWN, placeholder=t("market.words_own_example"))
        turn = st.session_state.get(_TURN, 0)
        file = st.file_uploader(t("market.words_file"), type=TYPES, key=f"market_words-{turn}",
                                max_upload_size=MOST_MB, help=t("market.words_help"))  # fmt: skip
        if file is not None:
            _take(file.getvalue(), file.name)
        elif found := st.session_state.get(_FOUND):
            _show(*found)
        with st.popover(t("market.words_rule"), type="tertiary", icon=":material/rule:",
                        key="market_words_rule"):  # fmt: skip
            for line in ("text", "nfkc", "longest", "double", "senses", "latin"):
                st.markdown(t(f"market.rule.{line}"))


def _take(content: bytes, name: str) -> None:
    """Count, keep the counts alone and let the bytes go."""
    words = {**KEYWORDS, **own_words(str(st.session_state.get(OWN) or ""))}
    try:
        counted = public_data.count_words(content, name, words)
    except KvledgerError as error:
        failures.show(error)
        return
    st.session_state[_FOUND] = (foreign(name, 80), counted)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.rerun()


def _show(name: str, counted: tuple[WordCount, ...]) -> None:
    total = sum(one.count for one in counted)
    components.answer(t("market.words_found", total, file=md(name)),
                      t("market.words_found_unit", mark=mark("observed")))  # fmt: skip
    head = [t(f"market.column.{c}") for c in ("word", "matches", "merged", "other_senses")]
    rows = [
        [cell(one.keyword), cell(f"{one.count:,}", tone="bold"), cell(f"{one.merged:,}"),
         cell(f"{one.other_senses:,}")]
        for one in counted
    ]  # fmt: skip
    plain_table.show(head, rows, t("market.words_alt"), "words_found")
    for number, one in enumerate(counted):
        if one.count:
            _sentences(number, one)
    downloads.csv_button(t("market.words_download"), lambda: _csv(name, counted),
                         "kvledger-words.csv", "market_words_csv", "tertiary")  # fmt: skip


def _sentences(number: int, one: WordCount) -> None:
    label = t("market.words_open", one.count, word=md(one.keyword))
    with st.expander(label, key=f"market_words_{number}"):
        for match in one.matches[:MOST_SENTENCES]:
            st.markdown(t("market.words_line", spelling=md(match.spelling),
                          sentence=md(match.sentence), tag=_tag(match.bracketed,
                                                                match.other_sense)))  # fmt: skip
        if one.count > MOST_SENTENCES:
            components.note(t("market.words_more", one.count - MOST_SENTENCES))


def _tag(bracketed: bool, other: bool) -> str:
    if other:
        return t("market.words_other")
    return t("market.words_bracketed") if bracketed else ""


def _csv(name: str, counted: tuple[WordCount, ...]) -> bytes:
    return csv_bytes(
        COLUMNS,
        [
            {
                "file": name,
                "keyword": one.keyword,
                "spelling": match.spelling,
                "in_brackets": int(match.bracketed),
                "other_sense": int(match.other_sense),
                "sentence": match.sentence,
            }
            for one in counted
            for match in one.matches
        ],
    )
