"""Reliability 26: what one look at a page sends, counted on the socket."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.e2e.steps import PAGES, heading, idle, switch_language

MOST_BYTES = 1_000_000


@pytest.mark.parametrize("name", PAGES)
def test_page_needs_less_than_1mb_per_rerun(
    new_page: Callable[..., Page], app_url: str, name: str
) -> None:
    """The first look at a page with the example, and another one in the other language."""
    received: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(len(frame)))

    page = new_page()
    page.on("websocket", listen)
    page.goto(f"{app_url}/{name}", wait_until="commit")
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    idle(page)
    assert 0 < sum(received) < MOST_BYTES, f"first look: {sum(received):,} bytes"
    english = heading(page)
    received.clear()
    switch_language(page, "日本語")
    expect(page.get_by_role("heading", level=1).first).not_to_have_text(english)
    idle(page)
    assert 0 < sum(received) < MOST_BYTES, f"other language: {sum(received):,} bytes"
