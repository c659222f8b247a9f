"""Where the reader is in the guide: the map, a chapter, or one section, as the URL says.

`guide` is the map, `guide?chapter=reuse` a chapter, `guide?section=evict` one section alone. Every
way leads through links, so that the browser's back button takes the same steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from ui import components, doors, refused, state
from ui.numerals import SPACE
from ui.words import t

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "why": ("next", "repeats", "mask", "kept", "query", "layers", "phases", "four"),
    "size": ("formula", "example", "context", "resources"),
    "heads": ("mha", "mqa", "gqa", "models", "mla", "position"),
    "server": ("requests", "fragments", "paged", "length"),
    "reuse": ("prefix", "identity", "limits", "share", "evict"),
    "room": ("offload", "formats", "price"),
    "beyond": ("hybrid", "delta", "apart", "second", "switch", "power"),
    "whole": ("six", "five", "chain"),
}
"""The sections of each chapter, in the order of reading."""
CHAPTERS = tuple(SECTIONS)
CHAPTER_OF: Mapping[str, str] = {
    section: chapter for chapter, sections in SECTIONS.items() for section in sections
}
NUMBERS: Mapping[str, str] = {
    "next": "§1",
    "repeats": "§2",
    "kept": "§3",
    "layers": "§4",
    "phases": "§5",
    "four": "§6",
    "formula": "§7",
    "example": "§8",
    "context": "§9",
    "resources": "§10",
    "mha": "§11",
    "mqa": "§12",
    "gqa": "§13",
    "models": "§14",
    "mla": "§15",
    "position": "§16",
    "requests": "§17",
    "fragments": "§18",
    "paged": "§19",
    "length": "§20",
    "prefix": "§21",
    "limits": "§22",
    "share": "§23",
    "evict": "§24",
    "offload": "§25",
    "formats": "§26",
    "price": "§27",
    "six": "§28",
    "five": "§29",
    "chain": "§30",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A chapter, and the one section of it that is read alone; None = all of them."""

    chapter: str
    section: str | None = None

    @property
    def sections(self) -> tuple[str, ...]:
        """What is drawn."""
        return SECTIONS[self.chapter] if self.section is None else (self.section,)


def asked() -> Place | None:
    """What the URL says; None is the map. Names that do not exist are taken out of the URL."""
    # A link to the page that is open reaches the script and not the browser's address; said again
    # it does, as one step for the back button.
    st.query_params.from_dict(st.query_params.to_dict())
    section, chapter = st.query_params.get("section"), st.query_params.get("chapter")
    if section is not None and section not in CHAPTER_OF:
        refused.one_of("section", tuple(CHAPTER_OF), "")
        del st.query_params["section"]
        section = None
    if section is not None:
        return Place(chapter=CHAPTER_OF[section], section=section)
    if chapter is not None and chapter not in SECTIONS:
        refused.one_of("chapter", tuple(SECTIONS), "")
        del st.query_params["chapter"]
        return None
    return None if chapter is None else Place(chapter=chapter)


def before_and_after(place: Place) -> tuple[Place | None, Place | None]:
    """The places in front of and behind this one, of the same kind; None at the ends."""
    if place.section is None:
        names: tuple[str, ...] = CHAPTERS
        at = names.index(place.chapter)
    else:
        names = tuple(CHAPTER_OF)
        at = names.index(place.section)

    def there(number: int) -> Place | None:
        if not 0 <= number < len(names):
            return None
        name = names[number]
        if place.section is None:
            return Place(chapter=name)
        return Place(chapter=CHAPTER_OF[name], section=name)

    return there(at - 1), there(at + 1)


def heading(section: str) -> str:
    """A section's heading with its number, where it has one."""
    number = f"{NUMBERS[section]}{SPACE}" if section in NUMBERS else ""
    return f"{number}{t(f'guide.{section}.heading')}"


def name_of(place: Place) -> str:
    """What a link to the place says."""
    if place.section is None:
        number = CHAPTERS.index(place.chapter) + 1
        return f"{number}. {t(f'guide.chapter.{place.chapter}')}"
    return heading(place.section)


def link(place: Place | None, label: str = "", icon: str | None = None) -> None:
    """A link to a place of the guide, with all that the reader has chosen; None is the map."""
    said = dict(state.for_links())
    if place is not None and place.section is not None:
        said["section"] = place.section
    elif place is not None:
        said["chapter"] = place.chapter
    words = label or (t("guide.map") if place is None else name_of(place))
    st.page_link(doors.path_of("guide"), label=words, icon=icon, query_params=said)


def head(place: Place) -> None:
    """Where the reader is, and what stands beside it: a way up, and the chapter's sections."""
    with st.container(gap="xxsmall", key="guide_head"):
        with st.container(
            horizontal=True, gap="small", vertical_alignment="center", key="guide_way"
        ):
            link(None, icon=":material/map:")
            if place.section is not None:
                link(Place(chapter=place.chapter), icon=":material/chevron_right:")
        if place.section is None:
            components.answer(name_of(place), t(f"guide.line.{place.chapter}"))
        with st.container(horizontal=True, gap="small", key="guide_beside"):
            for section in SECTIONS[place.chapter]:
                if section == place.section:
                    st.markdown(f"**{heading(section)}**", width="content")
                else:
                    link(Place(chapter=place.chapter, section=section))


def onward(place: Place) -> None:
    """Backwards and forwards."""
    before, after = before_and_after(place)
    with (
        components.rule("guide_onward"),
        st.container(horizontal=True, horizontal_alignment="distribute", gap="small"),
    ):
        link(before, icon=":material/arrow_back:")
        if after is not None:
            link(after, icon=":material/arrow_forward:")
