"""Guide, last chapter: misconceptions, questions, and the whole chain in one line."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ui import components, doors, guide_place, state
from ui.guide_frame import section
from ui.guide_place import Place
from ui.words import t

CHAIN: Mapping[str, str] = {
    "predicts": "next", "unchanged": "mask", "grows": "formula", "fewer": "gqa",
    "blocks": "paged", "again": "prefix", "room": "offload", "beyond": "hybrid",
}  # fmt: skip
"""Each link of the chain and the section that it opens."""


def six() -> None:
    """The way to Misconceptions."""
    with section("six"):
        _door("misconceptions")


def five() -> None:
    """The way to Five questions."""
    with section("five"):
        _door("five_questions")


def chain() -> None:
    """The chain, each link the way to a section."""
    with section("chain"), st.container(gap="xxsmall", key="guide_chain"):
        for number, (link, name) in enumerate(CHAIN.items(), 1):
            guide_place.link(
                Place(chapter=guide_place.CHAPTER_OF[name], section=name),
                f"{number}. {t(f'guide.chain.{link}')}",
            )


def known() -> None:
    """Where an article's figure and ours differ."""
    with components.rule("guide_known"):
        components.answer(t("guide.known.heading"), t("guide.known.unit"))
        components.sentence(t("guide.known.text"))
        _door("articles_checked")


def _door(page: str) -> None:
    st.page_link(
        doors.path_of(page), label=t(f"ui.page.{page}"), icon=":material/arrow_forward:",
        query_params=state.for_links(),
    )  # fmt: skip


PARTS = {"six": six, "five": five, "chain": chain}
"""The sections of the chapter, by name."""
