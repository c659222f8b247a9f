"""A real server and a real browser. Without a browser these tests skip and say why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from scripts.browser import find_browser
from scripts.server import Server, running_app
from tests.e2e.steps import LIMIT_MS

KNOWN_CONSOLE_WORDS = (
    # index.html of Streamlit has one inline script; the page works without it
    "Content Security Policy",
    "Content-Security-Policy",
    # on a deep link Streamlit looks for its server below the page's path first
    "/_stcore/health)",
    "/_stcore/host-config)",
)


@pytest.fixture(scope="session")
def browser_path() -> str:
    """Where the browser is."""
    found = find_browser()
    if found is None:
        pytest.skip("no Chromium or Chrome found: `python -m scripts.browser --install` gets one")
    return found


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], browser_path: str
) -> dict[str, Any]:
    """Launch the browser that is installed. As root Chromium refuses its own sandbox."""
    args = ["--no-sandbox", "--disable-dev-shm-usage"]
    return {**browser_type_launch_args, "executable_path": browser_path, "args": args}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """One locale and zone, so that the same words and dates appear everywhere."""
    size = {"width": 1440, "height": 1000}
    return {**browser_context_args, "viewport": size, "locale": "en-GB", "timezone_id": "UTC"}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, browser_path: str) -> Iterator[Server]:
    """One app for all browser tests, with a data folder of its own."""
    with running_app(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def app_url(server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the app answers. What the server said in a failed test is shown with the failure."""
    start = len(server.log())
    yield server.url
    report = getattr(request.node, "report_of_call", None)
    if report is not None and report.failed:
        print(f"--- server log ---\n{server.log()[start:][-6000:]}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Lets fixtures see whether their test failed."""
    report = yield
    if report.when == "call":
        item.report_of_call = report  # type: ignore[attr-defined]
    return report


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    """Shared machines stall for seconds: wait long for a text rather than fail."""
    context.set_default_timeout(LIMIT_MS)
    return context


@pytest.fixture
def new_page(
    browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[Callable[..., Page]]:
    """Makes pages in browser profiles of their own: `new_page(width=400)`."""
    contexts: list[BrowserContext] = []

    def make(width: int = 1440, height: int = 1000, **more: Any) -> Page:
        size = {"width": width, "height": height}
        context = browser.new_context(**{**browser_context_args, "viewport": size, **more})
        context.set_default_timeout(LIMIT_MS)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """Errors in the browser's console while the test runs, without the known one."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        text = f"{message.text} ({message.location.get('url', '')})"
        if message.type == "error" and not any(word in text for word in KNOWN_CONSOLE_WORDS):
            found.append(text)

    page.on("console", note)
    page.on("pageerror", lambda error: found.append(f"uncaught: {error}"))
    return found
