"""What a first visitor of a fresh server meets, wherever they come in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scripts.server import running_app
from tests.e2e.steps import NAVIGATION, PAGES, heading, idle, open_page, switch_language

TRAP = "import pathlib\npathlib.Path({mark!r}).touch()\nraise ImportError('blocked by the test')\n"


@pytest.mark.parametrize("door", ["reports", "prices"])
def test_cold_deep_link_goes_through_the_router(
    door: str, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    """Reliability 22: beside pages/ Streamlit would serve the bare file, without the frame."""
    with running_app(tmp_path) as cold:
        page = new_page()
        open_page(page, f"{cold.url}/{door}")
        expect(page.locator(".st-key-language")).to_be_visible()
        for name in NAVIGATION:
            expect(page.get_by_text(name, exact=True).first).to_be_visible()
        english = heading(page)
        switch_language(page, "日本語")
        expect(page.get_by_role("heading", level=1).first).not_to_have_text(english)
        assert f"/{door}" in page.url


def test_unknown_address_lands_on_the_overview(new_page: Callable[..., Page], app_url: str) -> None:
    page, overview = new_page(), new_page()
    open_page(overview, app_url)
    page.goto(f"{app_url}/no-such-page", wait_until="commit")
    expect(page.get_by_role("heading", level=1).first).to_have_text(heading(overview))


def test_cold_start_imports_no_torch(new_page: Callable[..., Page], tmp_path: Path) -> None:
    """Reliability 27. A `torch` that only leaves a mark stands before any real one: nobody may
    even try, and every page opens where torch cannot be imported."""
    trap = tmp_path / "trap"
    trap.mkdir()
    mark = trap / "imported"
    (trap / "torch.py").write_text(TRAP.format(mark=str(mark)), encoding="utf-8")
    with running_app(tmp_path / "server", PYTHONPATH=str(trap)) as cold:
        page = new_page()
        for name in PAGES:
            open_page(page, f"{cold.url}/{name}")
            idle(page)
            expect(page.get_by_test_id("stException")).to_have_count(0)
        assert not mark.exists()
        assert "Traceback" not in cold.log(), cold.log()[-3000:]
