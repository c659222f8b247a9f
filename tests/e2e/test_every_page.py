"""Every page in both languages, on a wide and a narrow screen, light and dark, by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from messages.catalogue import LANGUAGES, t
from tests.e2e.steps import (
    PAGES,
    count_bytes,
    heading,
    idle,
    open_page,
    settled,
    switch_language,
    wider_than_the_screen,
)

TITLES = {
    "": "overview.title",
    "workload": "workload_page.title",
    "api_costs": "api_costs_page.title",
    "cache": "cache_page.title",
    "reports": "reports_page.title",
    "prices": "prices_page.title",
    "engine": "engine_page.title",
    "own_hardware": "own_hardware_page.title",
    "accuracy": "accuracy_page.title",
    "model_size": "model_size.title",
    "less_kv": "less_kv.title",
    "market": "market.title",
    "four_numbers": "four_numbers.title",
    "chain": "chain.title",
    "articles_checked": "articles_checked.title",
    "guide": "guide.title",
    "misconceptions": "misconceptions.title",
    "five_questions": "five_questions.title",
    "formats": "formats.title",
    "data_and_changes": "data.title",
}
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
MESSAGE_ID = re.compile(r"\b[a-z_]+\.[a-z_]{3,}(?:\.[a-z_]+)*\b")
UNFILLED = re.compile(r"\{[a-z_]+\}")
FILE_ENDINGS = (".jsonl", ".json", ".csv", ".py", ".yaml")
MOST_BYTES = 1_000_000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_in_both_languages_light_enough_and_on_a_narrow_screen(
    page: Page, app_url: str, complaints: list[str], name: str, language: str
) -> None:
    """Reliability 24 and 26, in a browser: the link alone decides the language; one look sends less
    than a megabyte; nothing has to be scrolled sideways."""
    received = count_bytes(page)
    open_page(page, f"{app_url}/{name}?lang={language}")
    settled(page)
    assert 0 < sum(received) < MOST_BYTES, f"{sum(received):,} bytes"
    expect(page.get_by_role("heading", level=1).first).to_have_text(t(language, TITLES[name]))
    expect(page.get_by_test_id("stException")).to_have_count(0)
    words = page.get_by_test_id("stMain").inner_text()
    assert not UNFILLED.search(words), UNFILLED.findall(words)
    left_as_ids = [word for word in MESSAGE_ID.findall(words) if t(language, word) == word]
    left_as_ids = [w for w in left_as_ids if w.split(".")[0] in CATALOGUE_ROOMS]
    left_as_ids = [w for w in left_as_ids if not w.endswith(FILE_ENDINGS)]
    assert left_as_ids == []
    assert bool(JAPANESE.search(heading(page))) == (language == "ja")
    assert complaints == []
    page.set_viewport_size({"width": 400, "height": 860})
    idle(page)
    assert wider_than_the_screen(page) <= 0


CATALOGUE_ROOMS = {
    "overview",
    "workload_page",
    "reports_page",
    "prices_page",
    "engine_page",
    "accuracy_page",
    "results",
    "model_size",
    "less_kv",
    "market",
    "four_numbers",
    "watch",
    "chain",
    "articles",
    "guide",
    "misconceptions",
    "five_questions",
    "formats",
    "glossary",
    "hardware",
    "ui",
    "report",
    "traces",
    "prices",
    "store",
    "example",
    "cli",
    "api_costs_page",
    "misses",
}


def test_the_switch_changes_every_word_and_keeps_the_page(page: Page, app_url: str) -> None:
    received = count_bytes(page)
    open_page(page, f"{app_url}/workload?lang=en")
    settled(page)
    english = heading(page)
    received.clear()
    switch_language(page, "日本語")
    expect(page.get_by_role("heading", level=1).first).to_have_text(t("ja", "workload_page.title"))
    assert "lang=ja" in page.url
    settled(page)
    assert 0 < sum(received) < MOST_BYTES, f"{sum(received):,} bytes"
    page.reload(wait_until="commit")
    expect(page.get_by_role("heading", level=1).first).to_have_text(t("ja", "workload_page.title"))
    switch_language(page, "English")
    expect(page.get_by_role("heading", level=1).first).to_have_text(english)


@pytest.mark.parametrize("name", ["", "api_costs", "own_hardware", "market"])
def test_a_page_opened_on_a_narrow_screen_needs_no_sideways_scroll(
    new_page: Callable[..., Page], app_url: str, name: str
) -> None:
    page = new_page(width=400, height=860)
    open_page(page, f"{app_url}/{name}?lang=ja")
    settled(page)
    assert wider_than_the_screen(page) <= 0


@pytest.mark.parametrize("name", PAGES)
def test_dark_scheme_is_dark_every_control_has_a_name_and_the_keyboard_reaches_it(
    new_page: Callable[..., Page], app_url: str, name: str
) -> None:
    page = new_page(color_scheme="dark")
    open_page(page, f"{app_url}/{name}")
    colour = page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    assert red + green + blue < 150, colour
    idle(page)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stMain] button, a[href], input')]
            .filter(e => e.offsetParent && e.type !== 'file' && e.tabIndex >= 0)
            .filter(e => !(e.textContent || '').trim() && !e.getAttribute('aria-label')
                && !e.getAttribute('aria-labelledby') && !e.title && !(e.labels || []).length
                && !e.querySelector('[aria-label], img[alt], title'))
            .map(e => e.outerHTML.slice(0, 160))"""
    )
    assert nameless == []
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.tagName"))
    assert reached & {"A", "BUTTON", "INPUT"}
