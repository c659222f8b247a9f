"""Measuring from the page: started, followed, stopped; everybody else goes on working."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from messages.catalogue import t
from scripts.server import Server
from tests.e2e.steps import LIMIT_MS, go_to, hero, idle, open_page


def children_running(data_dir: Path) -> list[int]:
    """Engine processes that this server's workers have started: their settings are not passed on,
    so they are known by the command they run and the process group above them."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            above = Path(f"/proc/{parent}/environ").read_bytes()
        except (OSError, ValueError):
            continue
        ours = f"KVLEDGER_DATA_DIR={data_dir}".encode() in above
        if b"jobs.watched" in words and ours:
            found.append(int(place.name))
    return found


PATIENCE_MS = 4 * LIMIT_MS
"""A run stands behind the jobs that a fresh server starts for its pages, and its child loads torch:
on two busy processors that takes minutes."""


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not done():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.1)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the engine needs torch")
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads processes from /proc")
def test_a_run_can_be_stopped_and_nobody_else_waits_for_it(
    new_page: Callable[..., Page], app_url: str, server: Server
) -> None:
    one, other = new_page(), new_page()
    open_page(one, f"{app_url}/engine")
    open_page(other, f"{app_url}/engine")
    begin = one.locator(".st-key-bench_start button")
    if not begin.is_visible():
        one.locator(".st-key-measure_again button").first.click()
    begin.click()
    stop = one.locator(".st-key-bench_stop button")
    expect(stop).to_be_visible(timeout=PATIENCE_MS)
    expect(one.get_by_test_id("stProgress").first).to_be_visible(timeout=PATIENCE_MS)
    until(lambda: bool(children_running(server.data_dir)))

    open_page(other, f"{app_url}/engine")
    expect(other.get_by_text("Somebody else measures this machine")).to_be_visible()
    expect(other.locator(".st-key-bench_stop")).to_have_count(0)
    open_page(other, f"{app_url}/workload")
    go_to(other, "Overview")
    expect(hero(other)).to_be_visible()

    stop.click()
    expect(one.get_by_text(t("en", "engine_page.stopped"))).to_be_visible(timeout=PATIENCE_MS)
    until(lambda: not children_running(server.data_dir))
    open_page(one, f"{app_url}/engine")
    idle(one)
    expect(one.locator(".st-key-bench_stop")).to_have_count(0)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads what a process has loaded from /proc")
def test_the_server_never_loads_torch(page: Page, app_url: str, server: Server) -> None:
    open_page(page, f"{app_url}/engine?open_pool=true")
    expect(page.get_by_role("slider", name="Step")).to_be_visible()
    loaded = Path(f"/proc/{server.process.pid}/maps").read_text(encoding="utf-8")
    assert "libpython" in loaded or "python" in loaded
    assert "torch" not in loaded


def test_the_block_pool_can_be_walked(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/engine?open_pool=true")
    step = page.get_by_role("slider", name="Step")
    expect(step).to_be_visible()
    expect(page.get_by_text("Request 1 arrives").first).to_be_visible()
    step.press("ArrowRight")
    expect(page.get_by_text("Request 1 has been computed").first).to_be_visible()
