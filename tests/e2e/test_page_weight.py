"""Reliability 26: what one look at a page sends, counted on the socket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, expect

from tests.e2e.steps import LIMIT_MS, PAGES, heading, settled, switch_language

MOST_BYTES = 1_000_000


@pytest.fixture(scope="module")
def profile(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """One browser profile for all pages: scripts are loaded once. Each page still has a socket and
    a session of its own, and only what comes through the socket is counted."""
    context = browser.new_context(**browser_context_args)
    context.set_default_timeout(LIMIT_MS)
    yield context
    context.close()


@pytest.fixture
def look(profile: BrowserContext) -> Iterator[Page]:
    """A new page in that profile."""
    page = profile.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_page_needs_less_than_1mb_per_rerun(look: Page, app_url: str, name: str) -> None:
    """The first look at a page with the example, and another one in the other language."""
    received: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(len(frame)))

    page = look
    page.on("websocket", listen)
    page.goto(f"{app_url}/{name}", wait_until="commit")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    settled(page)
    assert 0 < sum(received) < MOST_BYTES, f"first look: {sum(received):,} bytes"
    english = heading(page)
    received.clear()
    switch_language(page, "日本語")
    expect(page.get_by_role("heading", level=1).first).not_to_have_text(english)
    settled(page)
    assert 0 < sum(received) < MOST_BYTES, f"other language: {sum(received):,} bytes"
