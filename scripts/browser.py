"""Finds a Chromium for the browser tests, the screenshots and the first-page benchmark.

`python -m scripts.browser` prints its path; with `--install` it first tries to get one where none
is installed: from the system's packages where that needs no password, else Playwright's own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ENVIRONMENT_NAME = "CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
APT_PACKAGES = ("chromium", "fonts-noto-cjk")
INSTALL_LIMIT_S = 600


def candidates() -> Iterator[str]:
    """Paths where a browser may be, best first."""
    yield os.environ.get(ENVIRONMENT_NAME, "")
    yield from (shutil.which(name) or "" for name in NAMES)
    yield from MAC_APPS
    yield playwright_path()


def playwright_path() -> str:
    """Where Playwright keeps its own Chromium, '' without Playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return ""
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def find_browser() -> str | None:
    """The first candidate that says its version (an apt stub for a missing snap does not)."""
    return next((path for path in candidates() if path and starts(path)), None)


def starts(path: str) -> bool:
    """Whether the browser at `path` is there and runs."""
    if not Path(path).exists():
        return False
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and b"Chrom" in answer.stdout


def root_prefix() -> list[str] | None:
    """What to put before a command that needs root; None where a password would be asked."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return ["sudo", "-n"] if asked.returncode == 0 else None


def run_quietly(command: list[str]) -> bool:
    """Runs `command`; on failure prints the end of what it said."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=INSTALL_LIMIT_S,
            check=False,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        return False
    if done.returncode:
        print(f"{' '.join(command)}:\n{done.stdout[-800:]}", file=sys.stderr)
    return done.returncode == 0


def install_from_packages() -> bool:
    """Debian and Ubuntu: the packaged browser, and a font that has Japanese."""
    prefix = root_prefix()
    if shutil.which("apt-get") is None or prefix is None:
        return False
    wait = ["-o", "DPkg::Lock::Timeout=300"]
    run_quietly([*prefix, "apt-get", *wait, "update", "-q"])
    install = ["apt-get", *wait, "install", "-y", "-q", "--no-install-recommends", *APT_PACKAGES]
    return run_quietly([*prefix, *install])


def install_from_playwright() -> bool:
    """Playwright's own download into the user's cache folder."""
    return run_quietly([sys.executable, "-m", "playwright", "install", "chromium"])


def install_browser() -> str | None:
    """The browser that is there, or the one that could be installed, or None."""
    found = find_browser()
    if found:
        return found
    print("No Chromium or Chrome found: installing one for the browser tests.", flush=True)
    for attempt in (install_from_packages, install_from_playwright):
        attempt()
        found = find_browser()
        if found:
            return found
    return None


def main() -> int:
    """Prints the path; 1 when there is no browser."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="get a browser if there is none")
    found = install_browser() if parser.parse_args().install else find_browser()
    if found is None:
        print(
            "No browser: install Chromium or Chrome, or set CHROMIUM to the path of one. "
            "The browser tests will be skipped.",
            file=sys.stderr,
        )
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
