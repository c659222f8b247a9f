"""What a person does in the browser, in one place. Waits for words and states, never for time."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

LIMIT_MS = 60_000
expect.set_options(timeout=LIMIT_MS)


def idle(page: Page) -> None:
    """The script has run and nothing is pending."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", re.compile("notRunning"))
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED")


def open_page(page: Page, url: str) -> None:
    """Go there and wait for the page's question."""
    page.goto(url, wait_until="commit", timeout=LIMIT_MS)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    idle(page)


def heading(page: Page) -> str:
    """The question that the page answers."""
    return page.get_by_role("heading", level=1).first.inner_text().strip()
