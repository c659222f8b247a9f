"""The first start: an empty home folder, a terminal, no key press, and a server that answers."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scripts.server import ROOT, clean_environment, free_port, get

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are a Unix matter")
LIMIT_S = 90


@dataclass
class Terminal:
    """A program in a pseudo-terminal in which nobody types."""

    process: subprocess.Popen[bytes]
    master: int
    said: bytes = b""
    deadline: float = field(default_factory=lambda: time.monotonic() + LIMIT_S)

    def listen(self, seconds: float) -> None:
        """Collect what the program prints."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            try:
                self.said += os.read(self.master, 65_536)
            except OSError:  # Linux says EIO when the other end is gone
                time.sleep(seconds)

    def words(self) -> str:
        """All that was printed."""
        return self.said.decode("utf-8", errors="replace")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with nothing in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def terminal(home: Path, port: int) -> Iterator[Terminal]:
    """`streamlit run app.py` as a person starts it who has never used Streamlit."""
    import pty

    environment = clean_environment(home / "unused", {"HOME": str(home), "BROWSER": "true"})
    for name in ("KVLEDGER_DATA_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CI"):
        environment.pop(name, None)
    master, slave = pty.openpty()
    # headless=false: only then does Streamlit ask for an address at the first start
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    process = subprocess.Popen(
        [*command, "--server.headless=false"],
        cwd=ROOT,
        env=environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    running = Terminal(process=process, master=master)
    yield running
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    os.close(master)


def test_first_start_in_a_terminal_needs_no_key_press(
    terminal: Terminal, home: Path, port: int
) -> None:
    while get(f"http://localhost:{port}/_stcore/health") != b"ok":
        terminal.listen(0.2)
        assert terminal.process.poll() is None, terminal.words()
        assert time.monotonic() < terminal.deadline, terminal.words()
    while f":{port}" not in terminal.words():  # the address is printed for the person to open
        terminal.listen(0.2)
        assert time.monotonic() < terminal.deadline, terminal.words()
    assert "Email" not in terminal.words()
    assert "Traceback" not in terminal.words()
    assert get(f"http://localhost:{port}/readyz").startswith(b"{")
    left = sorted(path.name for path in home.iterdir())
    assert set(left) <= {".kvledger", ".streamlit", ".cache", ".local"}, left


def test_first_start_listens_on_this_machine_only(terminal: Terminal, port: int) -> None:
    while get(f"http://localhost:{port}/_stcore/health") != b"ok":
        terminal.listen(0.2)
        assert time.monotonic() < terminal.deadline, terminal.words()
    assert listening_addresses(port) <= {"127.0.0.1", "::1"}


def listening_addresses(port: int) -> set[str]:
    """Local addresses on which somebody listens at `port`; read from /proc."""
    import socket
    import struct

    if not Path("/proc/net/tcp").exists():
        pytest.skip("no /proc/net/tcp on this system")
    found = set()
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        path = Path("/proc/net") / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            local, state = line.split()[1], line.split()[3]
            address, _, hex_port = local.partition(":")
            if int(hex_port, 16) == port and state == "0A":
                words = [int(address[i : i + 8], 16) for i in range(0, len(address), 8)]
                packed = b"".join(struct.pack("=I", word) for word in words)
                found.add(socket.inet_ntop(family, packed))
    return found
