"""How long a first visitor waits: fresh server, fresh browser, heading, then the first number."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from scripts.browser import find_browser
from scripts.server import running_app

RUNS = 5
HEADING_LIMIT_S = 3.0
NUMBER_LIMIT_S = 1.0
PATIENCE_MS = 120_000


def one_run(browser_path: str, folder: Path) -> tuple[float, float, bool]:
    """Seconds from opening the address to the heading, from there to the first number, and whether
    somebody tried to import torch."""
    trap = torch_trap(folder)
    with running_app(folder, PYTHONPATH=str(trap)) as server, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=browser_path, args=arguments)
        page = browser.new_page()
        start = time.perf_counter()
        page.goto(server.url, wait_until="commit", timeout=PATIENCE_MS)
        page.get_by_role("heading", level=1).first.wait_for(timeout=PATIENCE_MS)
        heading = time.perf_counter()
        page.get_by_test_id("stMetricValue").first.wait_for(timeout=PATIENCE_MS)
        number = time.perf_counter()
        browser.close()
    return heading - start, number - heading, (trap / "imported").exists()


def torch_trap(folder: Path) -> Path:
    """A folder for PYTHONPATH with a `torch` that only leaves a mark when it is imported."""
    trap = folder / "trap"
    trap.mkdir(parents=True)
    mark = trap / "imported"
    source = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nraise ImportError('blocked')\n"
    (trap / "torch.py").write_text(source, encoding="utf-8")
    return trap


def row(what: str, seconds: list[float], limit_s: float) -> str:
    """One line of the table."""
    median = statistics.median(seconds)
    verdict = "ok" if median <= limit_s else "MISSED"
    fastest, slowest = min(seconds), max(seconds)
    return f"{what:<28} {median:6.2f} {fastest:8.2f} {slowest:8.2f} {limit_s:7.1f}  {verdict}"


def main() -> int:
    """Prints the table; 1 if a target was missed."""
    browser_path = find_browser()
    if browser_path is None:
        print("No browser: `python -m scripts.browser --install` gets one.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="kvledger-bench-", ignore_cleanup_errors=True) as name:
        runs = [one_run(browser_path, Path(name) / str(number)) for number in range(RUNS)]
    headings, numbers, torch = zip(*runs, strict=True)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{RUNS} fresh servers, {os.cpu_count()} processors, {platform.platform()}{load}")
    print(f"{'seconds':<28} median  fastest  slowest  at most")
    print(row("opening to first heading", list(headings), HEADING_LIMIT_S))
    print(row("heading to first number", list(numbers), NUMBER_LIMIT_S))
    print(f"{'torch imported':<28} {'yes, MISSED' if any(torch) else 'no, ok'}")
    met = statistics.median(headings) <= HEADING_LIMIT_S
    met = met and statistics.median(numbers) <= NUMBER_LIMIT_S and not any(torch)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
