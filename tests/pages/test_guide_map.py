"""The guide's map, its ways, and its pictures."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from jobs import guide_facts
from messages.catalogue import LANGUAGES, t
from tests.pages.test_guide_page import everything
from tests.pages.test_pages import calm, opened, words
from ui.guide_frame import led
from ui.guide_place import CHAPTER_OF, CHAPTERS, SECTIONS, Place, before_and_after
from ui.guide_whole import CHAIN

EXAMPLE_CSV = Path(__file__).resolve().parents[2] / "docs" / "example.csv"
NAMED = re.compile(r'role="img" aria-label="([^"]*)"')
IN_WORDS = ("formula", "second", "price", "six", "five", "chain")
"""Sections that are a sum, a plotly chart or a way on."""


def links(at: AppTest) -> list[tuple[str, str]]:
    """(label, query) of every link on the page."""
    return [(part.proto.label, part.proto.query_string) for part in at.get("page_link")]


def pictures(at: AppTest) -> list[str]:
    """The names of all pictures, for those who cannot see them."""
    shown = "".join(str(part.proto.body) for part in at.get("html"))
    return [html.unescape(name) for name in NAMED.findall(shown)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_map_shows_every_chapter_and_section_with_a_figure(language: str) -> None:
    at = opened("guide", lang=language)
    calm(at)
    found = links(at)
    for chapter, sections in SECTIONS.items():
        assert any(f"chapter={chapter}" in query for _, query in found)
        assert t(language, f"guide.line.{chapter}") in words(at)
        for section in sections:
            said = [label for label, query in found if f"section={section}" in query]
            assert len(said) == 1
            assert t(language, f"guide.{section}.heading") in said[0]
    assert pictures(at) == [t(language, f"guide.figure.{chapter}") for chapter in CHAPTERS]


@pytest.mark.parametrize(
    "section", ["mask", "resources", "mla", "paged", "evict", "price", "apart"]
)
def test_a_link_to_a_section_opens_that_section_alone(section: str) -> None:
    at = opened("guide", section=section)
    calm(at)
    shown = everything(at)
    assert t("en", f"guide.{section}.heading") in shown
    headings = re.findall(r"^### (.*)", words(at), re.MULTILINE)
    expected = 2 if section == "paged" else 1  # the engine's own pool has a heading of its own
    assert len(set(headings)) == expected, headings


@pytest.mark.parametrize("nonsense", ["", "evil", "<b>", "why"])
def test_a_section_that_is_not_there_leaves_the_map(nonsense: str) -> None:
    at = opened("guide", section=nonsense)
    calm(at)
    assert "section" not in at.query_params
    assert len(pictures(at)) == len(CHAPTERS)


def test_every_section_has_one_before_and_one_behind_it() -> None:
    place: Place | None = Place(chapter="why", section="next")
    seen = []
    while place is not None:
        seen.append(place.section)
        after = before_and_after(place)[1]
        if after is not None:
            assert before_and_after(after)[0] == place
        place = after
    assert seen == list(CHAPTER_OF)
    assert before_and_after(Place(chapter="why"))[0] is None
    assert before_and_after(Place(chapter="why"))[1] == Place(chapter="size")


def test_a_section_says_where_it_stands_and_leads_on() -> None:
    found = links(opened("guide", section="mask"))
    assert any(query in ("", "lang=en") and label == t("en", "guide.map") for label, query in found)
    said = [query for _, query in found]
    for part in ("chapter=why", "section=repeats", "section=kept"):
        assert any(part in query for query in said), part


def test_each_link_of_the_chain_opens_a_section() -> None:
    assert set(CHAIN.values()) <= set(CHAPTER_OF)
    said = [query for _, query in links(opened("guide", section="chain"))]
    assert all(any(f"section={name}" in query for query in said) for name in CHAIN.values())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_sections_are_pictures_with_words_for_those_who_cannot_see_them(
    chapter: str, language: str
) -> None:
    at = opened("guide", chapter=chapter, lang=language)
    calm(at)
    found = pictures(at)
    assert len(found) >= sum(name not in IN_WORDS for name in SECTIONS[chapter])
    assert len(set(found)) == len(found)
    assert all(len(name) > 10 and "{" not in name and "guide." not in name for name in found)


def test_the_mask_s_picture_follows_the_slider() -> None:
    at = opened("guide", section="mask", g_mask="1")
    first = "".join(str(part.proto.body) for part in at.get("html"))
    assert first.count('class="read"') == 1  # the one in the key
    assert first.count('class="off"') == 15 + 1  # 6 x 5 / 2 hidden pairs
    at = opened("guide", section="mask", g_mask="6")
    last = "".join(str(part.proto.body) for part in at.get("html"))
    assert last.count('class="read"') == 5 + 1
    assert last.count('class="off"') == 15 + 1


def test_a_shared_block_is_copied_before_it_is_written() -> None:
    at = opened("guide", section="paged", g_paged="3")
    assert "**#6 is copied to #3 first.**" in words(at)
    assert "A: #5, #1, #3; B: #5, #1, #6. 2 blocks are shared." in pictures(at)[0]


def test_the_chosen_file_s_lengths_stand_in_the_guide_and_it_is_named() -> None:
    at = opened("workload")
    at.file_uploader[0].upload("example.csv", EXAMPLE_CSV.read_bytes()).run()
    owner, chosen = at.session_state["_owner"], at.session_state["_workload"]
    found = guide_facts.lengths(chosen, owner)
    assert (found.whose, found.requests) == ("own", 7)
    assert found.quantiles[-1][1] == int(found.tokens.max())
    at.switch_page("../pages/guide.py")
    at.query_params["section"] = "requests"
    at.run()
    calm(at)
    assert "example.csv" in words(at).replace("\\", "")
    assert "7 requests" in words(at)
    shown = "".join(str(part.proto.body) for part in at.get("html"))
    assert f"<em>{int(found.tokens.max()):,}</em>" in shown


def test_without_a_file_the_guide_says_that_its_lengths_are_the_example_s() -> None:
    found = guide_facts.lengths(None, "nobody")
    assert found.whose == "example"
    assert "bundled example" in words(opened("guide", section="requests"))


def test_a_workload_that_is_not_here_gives_the_example_s_lengths() -> None:
    assert guide_facts.lengths("0" * 64, "nobody").whose == "example"


def test_the_first_sentence_stands_apart() -> None:
    assert led("One. Two. Three.") == "One.\n\nTwo. Three."
    assert led("一つ。二つ。") == "一つ。\n\n二つ。"
    assert led("Only one.") == "Only one."
