"""Guide, last chapter: misconceptions, questions, and the whole chain in one line."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ui import components, doors, guide_frame, state
from ui.guide_frame import section
from ui.typed import keep
from ui.words import t

CHAIN: Mapping[str, str] = {
    "predicts": "why", "unchanged": "why", "grows": "size", "fewer": "heads", "blocks": "server",
    "again": "reuse", "room": "room", "beyond": "beyond",
}  # fmt: skip
"""Each link of the chain and the chapter that it opens."""


def show() -> None:
    """All sections of the chapter."""
    with section("six"):
        _door("misconceptions")
    with section("five"):
        _door("five_questions")
    with section("chain"):
        for number, (link, chapter) in enumerate(CHAIN.items(), 1):
            st.button(
                f"{number}. {t(f'guide.chain.{link}')}",
                key=f"g_chain_{link}",
                type="tertiary",
                on_click=_open,
                args=(chapter,),
            )
    with components.rule("guide_known"):
        components.answer(t("guide.known.heading"), t("guide.known.unit"))
        components.sentence(t("guide.known.text"))
        _door("articles_checked")


def _door(page: str) -> None:
    st.page_link(
        doors.path_of(page), label=t(f"ui.page.{page}"), icon=":material/arrow_forward:",
        query_params=state.for_links(),
    )  # fmt: skip


def _open(chapter: str) -> None:
    keep("chapter", None if chapter == guide_frame.CHAPTERS[0] else chapter)
