"""A server that cannot start says one sentence, and no calls of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.server import ROOT, clean_environment, free_port

PATIENCE_S = 90


def start(folder: Path, **changes: str) -> tuple[int, str]:
    """Exit status and output of a server that is expected not to start."""
    env = clean_environment(folder / "data", changes)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    done = subprocess.run(
        [*command, f"--server.port={free_port()}"],
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"KVLEDGER_WORKER_COUNT": "abc"}, "KVLEDGER_WORKER_COUNT is abc, but must be"),
        ({"KVLEDGER_LANGUAGE": "fr"}, "KVLEDGER_LANGUAGE is fr, but must be one of en, ja"),
        ({"KVLEDGER_DATA_DIR": os.devnull}, "ledger.sqlite"),
    ],
)
def test_a_start_that_fails_says_one_sentence(
    tmp_path: Path, changes: dict[str, str], words: str
) -> None:
    status, said = start(tmp_path, **changes)
    assert status == 1
    assert "Traceback" not in said
    assert words in said.strip().splitlines()[-1]


def test_the_sentence_is_in_the_language_of_the_settings(tmp_path: Path) -> None:
    changes = {"KVLEDGER_LANGUAGE": "ja", "KVLEDGER_MAX_ROWS": "-1"}
    status, said = start(tmp_path, **changes)
    assert status == 1
    assert "KVLEDGER_MAX_ROWS" in said.strip().splitlines()[-1]
