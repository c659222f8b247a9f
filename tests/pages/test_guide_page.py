"""Guide: every chapter in both languages, live pieces that answer, and its own glossary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from messages.catalogue import LANGUAGES, read_catalogue, t
from tests.pages.test_pages import calm, opened, words
from ui import doors
from ui.guide_frame import PAGES, SOURCES
from ui.guide_place import CHAPTERS, NUMBERS
from ui.guide_terms import marked, with_terms
from ui.terms import TERMS

ROOT = Path(__file__).resolve().parents[2]


def everything(at: AppTest) -> str:
    """All Markdown and HTML of the page."""
    tables = "\n".join(str(part.proto.body) for part in at.get("html"))
    return words(at) + tables


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_chapter_opens_in_both_languages(chapter: str, language: str) -> None:
    at = opened("guide", chapter=chapter, lang=language)
    calm(at)
    shown = everything(at)
    assert not re.findall(r"\bguide\.[a-z_.]+|\[\[[a-z0-9_]+(?:\||\]\])|\{[a-z_]+\}", shown)


def test_all_thirty_sections_stand_in_the_chapters() -> None:
    shown = "".join(everything(opened("guide", chapter=chapter)) for chapter in CHAPTERS)
    missing = [name for name in NUMBERS if t("en", f"guide.{name}.heading") not in shown]
    assert (missing, len(NUMBERS)) == ([], 30)
    for name in ("mask", "query", "identity", "hybrid", "delta", "apart", "second", "switch"):
        assert t("en", f"guide.{name}.heading") in shown


def test_every_source_is_a_link_over_https() -> None:
    for found in SOURCES.values():
        assert all(address.startswith("https://") for _, address in found)


def test_the_mask_keeps_every_bit_and_the_page_says_so() -> None:
    shown = everything(opened("guide", section="mask"))
    assert t("en", "guide.mask.equal") in shown
    assert t("en", "guide.mask.differ") not in shown


def test_a_longer_gap_than_the_lifetime_is_written_again() -> None:
    at = opened("guide", chapter="reuse")
    assert ">4,096<" in everything(at)
    slider = next(box for box in at.slider if box.key == "g_gap")
    slider.set_value(90).run()
    calm(at)
    rows = re.findall(r"five minutes</th><td>([^<]*)</td><td>([^<]*)</td>", everything(at))
    assert rows == [("0", "4,096")]


def test_equal_salts_hit_and_other_salts_do_not() -> None:
    at = opened("guide", chapter="reuse")
    assert t("en", "guide.share.apart") in everything(at)
    next(box for box in at.text_input if box.key == "g_salt_b").set_value("team-a").run()
    assert t("en", "guide.share.hit") in everything(at)


def test_a_text_that_runs_out_names_no_block() -> None:
    at = opened("guide", chapter="reuse")
    for key in ("g_a", "g_b"):
        next(box for box in at.text_input if box.key == key).set_value("<b>").run()
    calm(at)
    assert "<b>" not in "".join(str(part.proto.body) for part in at.get("html"))


def test_quantising_to_fewer_bits_is_said_with_its_error() -> None:
    at = opened("guide", chapter="room")
    box = next(box for box in at.selectbox if box.key == "g_kind")
    box.set_value("int2").run()
    calm(at)
    assert "3 bits an element" in everything(at)
    assert not re.search(r">\u22120(\.0+)?<", everything(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_marked_term_is_in_the_glossary(language: str) -> None:
    catalogue = read_catalogue(language)
    used = {
        name
        for message in catalogue
        if isinstance(message.id, str) and isinstance(message.string, str)
        for name in marked(message.string)
    }
    assert used
    assert used - set(TERMS) == set()
    assert len(TERMS) == len(set(TERMS)) > 90


def test_a_term_is_hover_help_and_its_text_is_escaped() -> None:
    found = with_terms("a [[prefill]] and [[kv_head|<heads>]]")
    assert 'title="prefill (' in found
    assert "<heads>" not in found
    assert found.count("<abbr") == 2


def test_the_guide_types_no_figure_into_its_prose() -> None:
    """Digits come from functions: the texts have none but in names of formats and hashes."""
    for message in read_catalogue("en"):
        key = message.id if isinstance(message.id, str) else ""
        if key.startswith("guide.") and key.endswith((".text", ".note", ".heading")):
            bare = re.sub(r"SHA-256|FP8|16-bit|\{[a-z_0-9]+\}", "", str(message.string))
            assert not re.search(r"\d", bare), (key, bare)


def test_sections_lead_on_to_pages_that_exist() -> None:
    known = {page for door in doors.PLAN for page in door.pages}
    assert set(PAGES.values()) <= known
    assert set(PAGES) <= set(SOURCES)
    at = opened("guide", chapter="room")
    assert len(at.get("page_link")) >= 3
