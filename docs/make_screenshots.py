"""Takes the pictures in docs/screenshots: every page, in English, light and wide, and in Japanese,
dark and narrow (--every: all eight). `make screenshots` runs it; the app is started on the
bundled example.

    python docs/make_screenshots.py overview cache --language ja --scheme dark
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
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
SETTLE_MS = 500
Variant = tuple[str, str, str]
"""Language, scheme, size."""
KEPT: tuple[Variant, ...] = (("en", "light", "wide"), ("ja", "dark", "narrow"))
"""Two opposite variants show a page; the other six are for looking, not for keeping."""

DRAWN = """() => {
    const seen = (kind) => [...document.querySelectorAll(`[data-testid=${kind}]`)]
        .filter((part) => part.checkVisibility());  // what a closed fold holds is never drawn
    return !seen('stSkeleton').length
        && seen('stPlotlyChart').every((chart) => chart.querySelector('.main-svg'))
        && seen('stDataFrame').every((table) => table.querySelector('canvas'));
}"""


def idle(page: Page) -> None:
    """No job runs, the script has run, all that is to be seen is drawn and the fonts are there."""
    app = page.get_by_test_id("stApp")
    expect(page.get_by_role("heading", level=1).first).to_be_visible(timeout=PATIENCE_MS)
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=PATIENCE_MS)
    ready = re.compile("notRunning")
    expect(app).to_have_attribute("data-test-script-state", ready, timeout=PATIENCE_MS)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=PATIENCE_MS)
    expect(app).to_have_attribute("data-test-script-state", ready, timeout=PATIENCE_MS)
    page.wait_for_function(DRAWN, timeout=PATIENCE_MS)
    page.evaluate("() => document.fonts.ready")


def settled(page: Page) -> None:
    """Idle for a while: a page that starts a job does so after its first run."""
    idle(page)
    page.wait_for_timeout(SETTLE_MS)
    idle(page)


def grow_to_content(page: Page, width: int) -> None:
    """Streamlit scrolls inside its main part: make the window as tall as that."""
    height = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(max(height, FIRST_HEIGHT), TALLEST)})
    page.wait_for_timeout(SETTLE_MS)  # charts follow the new size in their own time
    idle(page)


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


def shoot(page: Page, address: str, target: Path, width: int) -> None:
    """One picture of one page, as tall as its content; one load."""
    page.set_viewport_size({"width": width, "height": FIRST_HEIGHT})
    page.goto(address, wait_until="commit", timeout=PATIENCE_MS)
    settled(page)
    grow_to_content(page, width)
    page.screenshot(path=target)
    compress(target)


def shoot_all(browser: Browser, pages: Mapping[str, str], variant: Variant, folder: Path) -> None:
    """Every page in one variant, in one browser profile, as `<page>-<variant>.png`."""
    language, scheme, size = variant
    context = browser.new_context(
        viewport={"width": WIDTHS[size], "height": FIRST_HEIGHT},
        color_scheme=scheme,  # type: ignore[arg-type]
        locale="ja-JP" if language == "ja" else "en-GB",
        timezone_id="UTC",
    )
    page = context.new_page()
    for name, address in pages.items():
        target = folder / f"{name}-{language}-{scheme}-{size}.png"
        shoot(page, f"{address}&lang={language}", target, WIDTHS[size])
    context.close()


def compress(path: Path) -> None:
    """Fewer colours: a page of text and bars needs no more, and the repository stays small."""
    from PIL import Image

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(colors=COLOURS, method=Image.Quantize.MEDIANCUT)
    small.save(path, optimize=True)


def asked(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says; a page that does not exist ends it with the list of pages."""
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("pages", nargs="*", metavar="page", help=f"of {', '.join(PAGES)}; all")
    said.add_argument("--language", choices=LANGUAGES, help="only this one")
    said.add_argument("--scheme", choices=SCHEMES, help="only this one")
    said.add_argument("--size", choices=tuple(WIDTHS), help="only this one")
    said.add_argument("--every", action="store_true", help="all eight variants, not the two kept")
    said.add_argument("--into", type=Path, default=TARGET, help="the folder of the pictures")
    found = said.parse_args(words)
    unknown = [name for name in found.pages if name not in PAGES]
    if unknown:
        said.error(f"no page {', '.join(unknown)}; there are {', '.join(PAGES)}")
    return found


def variants(said: argparse.Namespace) -> list[Variant]:
    """Language, scheme and size of each picture of a page: the two that are kept, or every one of
    what is asked for."""
    wanted = ((said.language, LANGUAGES), (said.scheme, SCHEMES), (said.size, WIDTHS))
    if not said.every and not any(one for one, _ in wanted):
        return list(KEPT)
    return list(product(*((one,) if one else tuple(every) for one, every in wanted)))


def main() -> int:
    """Takes all pictures, or those that are asked for; prints how many there are and how big."""
    said = asked()
    browser_path = find_browser()
    if browser_path is None:
        print("No browser: `python -m scripts.browser --install` gets one.", file=sys.stderr)
        return 1
    said.into.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="kvledger-pictures-") as folder,
        running_app(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
        browser = playwright.chromium.launch(executable_path=browser_path, args=arguments)
        wanted = {name: PAGES[name] for name in PAGES if name in said.pages or not said.pages}
        saved = save_a_report(browser, server.url) if "saved-report" in wanted else ""
        pages = {n: f"{server.url}/{p}".replace("{saved}", saved) for n, p in wanted.items()}
        for variant in variants(said):
            shoot_all(browser, pages, variant, said.into)
            print(f"{' '.join(variant)}: {len(pages)} pages", flush=True)
        browser.close()
    taken = list(said.into.glob("*.png"))
    total_mb = sum(path.stat().st_size for path in taken) / 1e6
    print(f"{len(taken)} pictures, {total_mb:.1f} MB, in {said.into}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
