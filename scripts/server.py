"""Starts the real app on a free port, for the browser tests, the screenshots and the benchmark."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT_S = 90
STOP_LIMIT_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running app: where it answers, its process, and the file that holds what it said."""

    url: str
    process: subprocess.Popen[bytes]
    log_path: Path
    data_dir: Path

    def log(self) -> str:
        """All that the server printed so far."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")


def free_port() -> int:
    """A TCP port on this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def clean_environment(data_dir: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """The environment of a fresh user: no settings but the data folder and what `extra` adds."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("KVLEDGER_", "STREAMLIT_"))}
    return {**kept, "KVLEDGER_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1", **extra}


@contextmanager
def running_app(folder: Path, **extra_environment: str) -> Iterator[Server]:
    """The app from this checkout, answering; data and log lie in `folder`. Stopped at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    data_dir, log_path = folder / "data", folder / "server.log"
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [*command, "--server.headless=true"],
            cwd=ROOT,
            env=clean_environment(data_dir, extra_environment),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Server(
        url=f"http://localhost:{port}", process=process, log_path=log_path, data_dir=data_dir
    )
    try:
        wait_until_healthy(server)
        yield server
    finally:
        stop(process)


def get(url: str, timeout_s: float = 5) -> bytes:
    """The body at `url`, b'' while nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as answer:  # noqa: S310
            body: bytes = answer.read()
            return body
    except (urllib.error.URLError, OSError):
        return b""


def wait_until_healthy(server: Server) -> None:
    """Returns when the server answers; raises with its log when it ends or stays silent."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            raise RuntimeError(f"the server ended at start:\n{server.log()[-4000:]}")
        if get(server.url + "/_stcore/health") == b"ok":
            return
        time.sleep(0.05)
    raise RuntimeError(f"no answer in {START_LIMIT_S} s:\n{server.log()[-4000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the server and everything it started: politely, then for good."""
    if os.name == "nt":
        process.terminate()
        process.wait(STOP_LIMIT_S)
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            continue
    process.wait(STOP_LIMIT_S)
