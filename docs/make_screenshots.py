"""Takes the pictures in docs/screenshots: every page, English and Japanese, light and dark, wide
and narrow. `make screenshots` runs it; the app is started on the bundled example."""

from __future__ import annotations

import re
import sys
import tempfile
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.browser import find_browser  # noqa: E402
from scripts.server import running_app  # noqa: E402

TARGET = ROOT / "docs" / "screenshots"
PAGES = {
    "overview": "?",  # the first page has no address of its own
    "workload": "workload?",
    "cache": "cache?",
    "api-costs": "api_costs?",
    "reports": "reports?",
    "saved-report": "reports?{saved}",
    "own-hardware": "own_hardware?",
    "engine": "engine?",
    "accuracy": "accuracy?",
    "prices": "prices?",
    "model-size": "model_size?",
    "less-kv": "less_kv?",
    "market": "market?",
    "four-numbers": "four_numbers?",
    "chain": "chain?",
    "articles-checked": "articles_checked?",
    "guide": "guide?",
    "guide-reuse": "guide?chapter=reuse",
    "misconceptions": "misconceptions?",
    "five-questions": "five_questions?",
    "formats": "formats?",
    "data-and-changes": "data_and_changes?",
}
LANGUAGES = ("en", "ja")
SCHEMES = ("light", "dark")
WIDTHS = {"wide": 1440, "narrow": 400}
FIRST_HEIGHT = 1000
TALLEST = 5_000
COLOURS = 128
PATIENCE_MS = 120_000


def idle(page: Page) -> None:
    """No job runs, the script has run, the charts are drawn and the fonts are there."""
    app = page.get_by_test_id("stApp")
    expect(page.get_by_role("heading", level=1).first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=PATIENCE_MS)
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=PATIENCE_MS)
    ready = re.compile("notRunning")
    expect(app).to_have_attribute("data-test-script-state", ready, timeout=PATIENCE_MS)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=PATIENCE_MS)
    page.wait_for_function(
        """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
            .every(chart => chart.querySelector('.main-svg'))"""
    )
    page.wait_for_function(
        """() => !document.querySelector('[data-testid=stSkeleton]')
            && [...document.querySelectorAll('[data-testid=stDataFrame]')]
                .every(table => table.querySelector('canvas'))"""
    )
    page.evaluate("() => document.fonts.ready")


def grow_to_content(page: Page, width: int) -> None:
    """Streamlit scrolls inside its main part: make the window as tall as that."""
    height = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(max(height, FIRST_HEIGHT), TALLEST)})
    idle(page)
    page.wait_for_timeout(400)  # charts follow the new size in their own time


def save_a_report(browser: Browser, url: str) -> str:
    """Save the example as a person would; the query that opens it."""
    page = browser.new_page()
    page.goto(f"{url}/reports?lang=en", wait_until="commit", timeout=PATIENCE_MS)
    idle(page)
    page.locator(".st-key-save_report button").click()
    page.wait_for_url(re.compile("report="), timeout=PATIENCE_MS)
    found = re.search(r"report=[0-9a-f]+", page.url)
    page.close()
    if found is None:
        raise RuntimeError("saving gave no address")
    return found.group(0)


def shoot(browser: Browser, address: str, name: str, language: str, scheme: str, size: str) -> None:
    """One picture: `docs/screenshots/<page>-<language>-<scheme>-<size>.png`."""
    width = WIDTHS[size]
    context = browser.new_context(
        viewport={"width": width, "height": FIRST_HEIGHT},
        color_scheme=scheme,  # type: ignore[arg-type]
        locale="ja-JP" if language == "ja" else "en-GB",
        timezone_id="UTC",
    )
    page = context.new_page()
    page.goto(f"{address}&lang={language}", wait_until="commit", timeout=PATIENCE_MS)
    idle(page)
    page.wait_for_timeout(700)  # a page that starts a job does so after its first run
    idle(page)
    grow_to_content(page, width)
    target = TARGET / f"{name}-{language}-{scheme}-{size}.png"
    page.screenshot(path=target)
    compress(target)
    context.close()


def compress(path: Path) -> None:
    """Fewer colours: a page of text and bars needs no more, and the repository stays small."""
    from PIL import Image

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(colors=COLOURS, method=Image.Quantize.MEDIANCUT)
    small.save(path, optimize=True)


def main() -> int:
    """Takes all pictures, or those of the pages named; prints how many there are and how big."""
    wanted = set(sys.argv[1:]) or set(PAGES)
    browser_path = find_browser()
    if browser_path is None:
        print("No browser: `python -m scripts.browser --install` gets one.", file=sys.stderr)
        return 1
    TARGET.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="kvledger-pictures-") as folder,
        running_app(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
        browser = playwright.chromium.launch(executable_path=browser_path, args=arguments)
        saved = save_a_report(browser, server.url)
        for name, path in PAGES.items():
            if name not in wanted:
                continue
            address = f"{server.url}/{path}".replace("{saved}", saved)
            for language, scheme, size in product(LANGUAGES, SCHEMES, WIDTHS):
                shoot(browser, address, name, language, scheme, size)
        browser.close()
    taken = list(TARGET.glob("*.png"))
    total_mb = sum(path.stat().st_size for path in taken) / 1e6
    print(f"{len(taken)} pictures, {total_mb:.1f} MB, in {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
