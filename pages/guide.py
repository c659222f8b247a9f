"""Guide: how does a KV cache work, and what does it cost?"""

from __future__ import annotations

import streamlit as st

from ui import (
    components,
    guide_beyond,
    guide_frame,
    guide_heads,
    guide_reuse,
    guide_room,
    guide_server,
    guide_size,
    guide_terms,
    guide_whole,
    guide_why,
)
from ui.words import t

CHAPTERS = {
    "why": guide_why.show,
    "size": guide_size.show,
    "heads": guide_heads.show,
    "server": guide_server.show,
    "reuse": guide_reuse.show,
    "room": guide_room.show,
    "beyond": guide_beyond.show,
    "whole": guide_whole.show,
}


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("guide.title"))
    with st.container(gap="medium"):
        guide_terms.say(t("guide.opening"))
        with st.container(gap="small", key="controls_guide"):
            chapter = guide_frame.chapter()
            guide_terms.glossary()
        CHAPTERS[chapter]()


page()
