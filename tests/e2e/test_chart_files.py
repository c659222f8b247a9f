"""Every chart of the market's pages can be taken away: as PNG with its words, as CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.e2e.steps import idle
from ui.chart_image import SCALE, WIDE_PX

CHARTS = {"market": 4, "four_numbers": 1, "chain": 1}
UNFOLDED = "open_quarters=true&open_prices=true"
LEAST_COLORS = 12


def saved(page: Page, press: Callable[[], None], path: Path) -> Path:
    with page.expect_download() as waiting:
        press()
    waiting.value.save_as(path)
    return path


def by_key(page: Page, button: Locator) -> Callable[[], None]:
    def press() -> None:
        button.focus()
        page.keyboard.press("Enter")

    return press


@pytest.mark.parametrize(("lang", "theme"), [("en", "light"), ("ja", "dark")])
@pytest.mark.parametrize("name", CHARTS)
def test_each_chart_is_saved_as_png_by_pointer_and_by_key(
    new_page: Callable[..., Page], app_url: str, tmp_path: Path, name: str, lang: str, theme: str
) -> None:
    page = new_page(color_scheme=theme)
    page.goto(f"{app_url}/{name}?lang={lang}&{UNFOLDED}", wait_until="commit")
    idle(page)
    buttons = page.locator("[class*=st-key-picture_] .modebar-btn")
    expect(buttons).to_have_count(CHARTS[name])
    for at in range(CHARTS[name]):
        button = buttons.nth(at)
        expect(button).to_be_visible()
        press = button.click if at == 0 else by_key(page, button)
        with Image.open(saved(page, press, tmp_path / f"{at}.png")) as image:
            drawn = image.convert("RGB")
        assert drawn.width == WIDE_PX * SCALE
        colors = drawn.getcolors(maxcolors=drawn.width * drawn.height) or []
        assert len(colors) > LEAST_COLORS
        for band in (drawn.crop((0, 0, drawn.width, 180)),
                     drawn.crop((0, drawn.height - 140, drawn.width, drawn.height))):  # fmt: skip
            low, high = band.convert("L").getextrema()
            assert high - low > 60, "heading or source is not in the image"
        corner = drawn.getpixel((2, 2))
        assert isinstance(corner, tuple)
        assert (sum(corner) > 600) == (theme == "light")


@pytest.mark.parametrize(
    ("name", "button"),
    [("market", "market_csv_shares"), ("four_numbers", "watch_csv"), ("chain", "chain_csv")],
)
def test_beside_each_chart_its_figures_are_a_csv(
    new_page: Callable[..., Page], app_url: str, tmp_path: Path, name: str, button: str
) -> None:
    page = new_page()
    page.goto(f"{app_url}/{name}?lang=en", wait_until="commit")
    idle(page)
    press = page.locator(f"[class*=st-key-tools_] .st-key-{button} button").click
    content = saved(page, press, tmp_path / "x.csv").read_text(encoding="utf-8-sig")
    assert len(list(csv.reader(content.splitlines()))) > 3


def test_on_a_narrow_touch_screen_the_button_is_reached_by_tapping(
    new_page: Callable[..., Page], app_url: str, tmp_path: Path
) -> None:
    page = new_page(width=400, height=900, has_touch=True)
    page.goto(f"{app_url}/market?lang=ja", wait_until="commit")
    idle(page)
    button = page.locator("[class*=st-key-picture_] .modebar-btn").first
    button.scroll_into_view_if_needed()
    path = saved(page, button.tap, tmp_path / "x.png")
    with Image.open(path) as image:
        assert image.width == WIDE_PX * SCALE
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
