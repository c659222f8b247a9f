"""Guide: how does a KV cache work, and what does it cost?"""

from __future__ import annotations

import streamlit as st

from ui import (
    components,
    guide_apart,
    guide_beyond,
    guide_evict,
    guide_heads,
    guide_map,
    guide_place,
    guide_reuse,
    guide_room,
    guide_server,
    guide_size,
    guide_steps,
    guide_whole,
    guide_why,
)
from ui.words import t

PARTS = {
    **guide_why.PARTS, **guide_steps.PARTS, **guide_size.PARTS, **guide_heads.PARTS,
    **guide_server.PARTS, **guide_reuse.PARTS, **guide_evict.PARTS, **guide_room.PARTS,
    **guide_beyond.PARTS, **guide_apart.PARTS, **guide_whole.PARTS,
}  # fmt: skip


def page() -> None:
    """The map, a chapter, or one section."""
    components.question(t("guide.title"))
    guide_map.look()
    place = guide_place.asked()
    with st.container(gap="medium"):
        if place is None:
            guide_map.show()
            return
        guide_place.head(place)
        for section in place.sections:
            PARTS[section]()
        if place.sections == guide_place.SECTIONS["whole"]:
            guide_whole.known()
        guide_place.onward(place)


page()
