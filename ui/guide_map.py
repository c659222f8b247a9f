"""The guide's first screen: eight chapters, each with a small figure, and all their sections."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from econ import guide_attention as small
from econ.guide_blocks import story
from econ.guide_sizes import kept_bytes
from econ.hybrid_gain import all_full
from econ.kv_formats import FORMATS
from econ.kv_memory import per_sequence
from econ.replay_oracle import oracle_steps
from ui import cell_pictures, guide_evict, guide_inputs, guide_place, guide_size, guide_terms
from ui.cell_pictures import Part, bar, cells, square
from ui.guide_place import Place
from ui.words import t

STYLE = Path(__file__).parent / "static" / "guide.css"
CARD_PX = 250
TOKENS, LONG, AFTER_FORK = 6, 131_072, 4
SHOWN_FORMATS = ("bf16", "fp8", "q4_0")
HYBRID = "kimi-linear-48b-a3b"


def look() -> None:
    """How the guide's pictures and cards look."""
    st.html(STYLE)


def show() -> None:
    """The opening and the map."""
    guide_terms.say(t("guide.opening"))
    with (
        st.container(key="guide_map"),
        st.grid("auto", min_column_width=CARD_PX, gap=("medium", "medium")),
    ):
        for chapter in guide_place.CHAPTERS:
            with st.container(gap="xxsmall", key=f"guide_card_{chapter}"):
                cell_pictures.show(
                    FIGURES[chapter](), t(f"guide.figure.{chapter}"), small=True, side_rem=0
                )
                guide_place.link(Place(chapter=chapter))
                st.markdown(f":gray[:small[{t(f'guide.line.{chapter}')}]]")
                with st.container(gap=None, key=f"guide_list_{chapter}"):
                    for section in guide_place.SECTIONS[chapter]:
                        guide_place.link(Place(chapter=chapter, section=section))
    guide_terms.glossary()


def _why() -> list[str]:
    seen = small.mask(TOKENS)
    return [
        cells(
            "",
            [
                square("off" if not seen[n, k] else "made" if n == k else "kept", "\u00a0")
                for k in range(TOKENS)
            ],
        )
        for n in range(TOKENS - 2, TOKENS)
    ] + [_again(TOKENS)]


def _again(tokens: int) -> str:
    """The last row once more, as work: what one step computes with a store and without."""
    done = small.naive_projections(small.small_weights(), range(tokens))
    own = done[0] / done[-1]
    return bar("", [Part(kind="made", share=own), Part(kind="again", share=1 - own)])


def _size() -> list[str]:
    return [
        bar(
            "",
            [
                Part(
                    kind="made",
                    share=kept_bytes(guide_size.example_of(heads), 1)
                    / kept_bytes(guide_size.example_of(guide_size.EXAMPLE_HEADS), 1),
                )
            ],
        )
        for heads in guide_size.KINDS.values()
    ]


def _heads() -> list[str]:
    return [
        cells("", [square("plain", "\u00a0")] * 8),
        *(cells("", [square("made", "\u00a0", span=8 // heads)] * heads, 8) for heads in (8, 2)),
    ]


def _server() -> list[str]:
    now = story()[AFTER_FORK - 1]
    kinds = {0: "free", 1: "kept"}
    return [
        *(
            cells("", [square("kept", f"{n}→{block}") for n, block in enumerate(blocks)])
            for blocks in now.tables.values()
        ),
        cells(
            "",
            [
                square(kinds.get(holders, "shared"), str(n))  # type: ignore[arg-type]
                for n, holders in enumerate(now.holders)
            ],
        ),
    ]


def _reuse() -> list[str]:
    room, rows = 5, guide_evict.ROWS
    steps = list(oracle_steps(rows, [len(row) for row in rows], room, "lru-leaf"))
    return [
        cells(
            "",
            [
                square("read" if n < hits else "made", str(block))
                for n, block in enumerate(rows[at])
            ],
            3,
        )
        for at, (hits, _) in enumerate(steps[:2])
    ] + [cells("", [square("kept", str(block)) for block in steps[1][1]], room)]


def _room() -> list[str]:
    model, _ = guide_inputs.case()
    plain = kept_bytes(model, 1)
    return [
        bar("", [Part(kind="made", share=kept_bytes(model, 1, FORMATS[name]) / plain)])
        for name in SHOWN_FORMATS
    ]


def _beyond() -> list[str]:
    model = guide_inputs.by_id(HYBRID)
    whole = None if model is None else all_full(model)
    if model is None or whole is None:
        return []
    most, state = kept_bytes(whole, LONG), per_sequence(model)
    ours = kept_bytes(model, LONG)
    return [
        bar("", [Part(kind="plain", share=1.0)]),
        bar(
            "",
            [
                Part(kind="shared", share=state / most),
                Part(kind="made", share=max(0, ours - state) / most),
            ],
        ),
    ]


def _whole() -> list[str]:
    chapters = guide_place.CHAPTERS[:-1]
    return [cells("", [square("kept", str(n + 1)) for n in range(len(chapters))])]


FIGURES = {
    "why": _why,
    "size": _size,
    "heads": _heads,
    "server": _server,
    "reuse": _reuse,
    "room": _room,
    "beyond": _beyond,
    "whole": _whole,
}
"""What is drawn on each chapter's card, from the functions that its sections use."""
