"""What a person does in the browser, in one place. Waits for words and states, never for time."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, WebSocket, expect

LIMIT_MS = 45_000
PAGES = (
    "",
    "workload",
    "api_costs",
    "cache",
    "reports",
    "prices",
    "engine",
    "own_hardware",
    "model_size",
    "less_kv",
    "accuracy",
    "market",
    "four_numbers",
    "chain",
    "articles_checked",
    "guide",
    "misconceptions",
    "five_questions",
    "formats",
    "data_and_changes",
)
"""Addresses below the app's own; the first page has none."""
NAVIGATION = ("My bill", "My GPUs", "The market")
expect.set_options(timeout=LIMIT_MS)


def idle(page: Page) -> None:
    """The script has run and nothing is pending."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED")
    expect(app).to_have_attribute("data-test-script-state", re.compile("notRunning"))


def settled(page: Page) -> None:
    """Idle, and no job is shown any more: what the page waited for is there."""
    idle(page)
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    idle(page)


def open_page(page: Page, url: str) -> None:
    """Go there and wait for the page's question."""
    page.goto(url, wait_until="commit", timeout=LIMIT_MS)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    idle(page)


def count_bytes(page: Page) -> list[int]:
    """The bytes of every message that comes through the page's socket from now on."""
    received: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(len(frame)))

    page.on("websocket", listen)
    return received


def heading(page: Page) -> str:
    """The question that the page answers."""
    return page.get_by_role("heading", level=1).first.inner_text().strip()


def switch_language(page: Page, name: str) -> None:
    """Press 'English' or '日本語' and wait until the page has answered."""
    page.locator(".st-key-language").get_by_text(name, exact=True).click()
    idle(page)


def go_to(page: Page, name: str) -> None:
    """Follow the link to another page of the same door, inside the same browser session. A click
    that falls between two runs of a page that is waiting for a job can be lost: a person clicks
    again, and so does this, once."""
    before = heading(page)
    title = page.get_by_role("heading", level=1).first
    link = page.locator(".st-key-links").get_by_role("link", name=name, exact=True)
    link.click()
    try:
        expect(title).not_to_have_text(before, timeout=LIMIT_MS / 3)
    except AssertionError:
        link.click()
        expect(title).not_to_have_text(before)
    idle(page)


def hero(page: Page) -> Locator:
    """The page's one number, a gain or a loss."""
    return page.locator("[class*='st-key-hero'] [data-testid=stMetricValue]").first


def figure(page: Page, label: str) -> Locator:
    """The value of the supporting figure with this label."""
    return (
        page.get_by_test_id("stMetric")
        .filter(has=page.get_by_text(label, exact=True))
        .get_by_test_id("stMetricValue")
        .first
    )


def drop_file(page: Page, name: str, body: bytes, uploader: str = "workload") -> None:
    """Put a file into the page's uploader."""
    payload = FilePayload(name=name, mimeType="text/csv", buffer=body)
    page.locator(f"[class*='st-key-{uploader}-'] input[type=file]").set_input_files(payload)


def download_rows(page: Page, key: str, folder: Path) -> list[dict[str, str]]:
    """Press the download button and read the CSV file that comes."""
    with page.expect_download(timeout=LIMIT_MS) as waiting:
        page.locator(f".st-key-{key} button").click()
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    raw = target.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf"), "a spreadsheet needs the byte order mark"
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))


def wider_than_the_screen(page: Page) -> int:
    """How many pixels a person would have to scroll sideways; 0 is right."""
    return int(
        page.evaluate(
            """() => {
                const main = document.querySelector('[data-testid=stMain]');
                const page = document.documentElement;
                return Math.max(page.scrollWidth - page.clientWidth,
                                main ? main.scrollWidth - main.clientWidth : 0);
            }"""
        )
    )
