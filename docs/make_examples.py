"""Runs the shell examples of README.md again and writes what they print below each. A test fails
when the page and the program differ; then look at the difference and run this file."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "README.md"
BLOCK = re.compile(r"(?ms)^```console\n\$ python (?P<command>[^\n]+)\n(?P<output>.*?)^```$")


def run(command: str) -> str:
    """What the command prints, with an empty data folder and the default settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("KVLEDGER_")}
    with tempfile.TemporaryDirectory(prefix="kvledger-examples-") as folder:
        done = subprocess.run(
            [sys.executable, *shlex.split(command)],
            cwd=ROOT,
            env={**kept, "KVLEDGER_DATA_DIR": folder, "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    lines = (done.stdout + done.stderr).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def refreshed(page: str) -> str:
    """The page with the output of every example as it is now."""

    def again(block: re.Match[str]) -> str:
        command = block.group("command")
        return f"```console\n$ python {command}\n{run(command)}```"

    return BLOCK.sub(again, page)


def main() -> int:
    """Rewrites README.md."""
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
