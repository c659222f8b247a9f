"""Reliability 23: what the server refuses and which headers it sends. Against the real server."""

from __future__ import annotations

import base64
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect

from scripts.server import Server, running_app
from tests.e2e import files
from tests.e2e.steps import drop_file, hero, open_page

ONE_MB = 1024 * 1024
UPLOAD = "/_stcore/upload_file/no-such-session/no-such-file"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that takes uploads of one megabyte: the limit is the same code at any size."""
    folder = tmp_path_factory.mktemp("small")
    with running_app(folder, STREAMLIT_SERVER_MAX_UPLOAD_SIZE="1") as running:
        yield running


@pytest.fixture
def client(small: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=small.url, timeout=30) as opened:
        yield opened


def with_token(client: httpx.Client) -> dict[str, str]:
    """The header that a page of this server would send with an upload."""
    client.get("/_stcore/host-config")
    client.get("/_stcore/health")
    token = client.cookies.get("_streamlit_xsrf")
    assert token, "the server set no XSRF cookie"
    return {"X-Xsrftoken": token}


def put(client: httpx.Client, size: int, headers: dict[str, str]) -> int:
    """The status of an upload of `size` bytes."""
    files = {"file": ("usage.csv", b"x" * size, "text/csv")}
    return client.put(UPLOAD, files=files, headers=headers).status_code


def test_upload_without_a_token_is_refused(client: httpx.Client) -> None:
    assert put(client, 10, {}) == 403


def test_upload_over_the_limit_is_refused(small: Server, new_page: Callable[..., Page]) -> None:
    """With the address of a real upload: the limit is the server's, not the page's courtesy."""
    page = new_page()
    open_page(page, f"{small.url}/workload")
    with page.expect_request(lambda request: request.method == "PUT") as waiting:
        drop_file(page, "loss.csv", files.one_loss())
    address, token = waiting.value.url, waiting.value.headers.get("x-xsrftoken", "")
    expect(hero(page)).to_have_text("$6.25")
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    with httpx.Client(timeout=60, cookies=cookies) as client:
        body = {"file": ("big.csv", b"x" * (2 * ONE_MB), "text/csv")}
        answer = client.put(address, files=body, headers={"X-Xsrftoken": token})
    assert answer.status_code == 413


def test_upload_into_a_session_that_does_not_exist_is_refused(client: httpx.Client) -> None:
    assert put(client, 10, with_token(client)) == 400


@pytest.mark.parametrize("path", ["/", "/reports", "/_stcore/health", "/readyz"])
def test_security_headers_are_on_every_answer(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    policy = headers["content-security-policy"]
    for part in ("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'"):
        assert part in policy
    assert "unsafe-eval'" not in policy.replace("wasm-unsafe-eval'", "")


def test_readiness_names_every_part_and_health_is_plain(client: httpx.Client) -> None:
    ready = client.get("/readyz")
    assert ready.status_code == 200
    assert set(ready.json().values()) == {"ok"}
    assert client.get("/_stcore/health").text == "ok"


def test_the_first_pages_name_leads_to_it_with_its_settings(client: httpx.Client) -> None:
    answer = client.get("/overview?lang=ja&since=2026-11-18", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == "/?lang=ja&since=2026-11-18"


@pytest.mark.parametrize(
    "path",
    [
        "/app/static/../../app.py",
        "/app/static/%2e%2e/%2e%2e/settings.py",
        "/app/static/..%2f..%2fsettings.py",
        "/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    ],
)
def test_files_outside_the_static_folder_are_not_served(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in {400, 403, 404} or "<!doctype html>" in answer.text.lower()
    assert "import" not in answer.text or "<!doctype html>" in answer.text.lower()
    assert "root:" not in answer.text


def handshake(server: Server, **headers: str) -> int:
    """The status of a WebSocket handshake with these headers."""
    address = urlsplit(server.url)
    host, port = address.hostname or "localhost", address.port or 80
    sent = {
        "Host": f"{host}:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    request = "GET /_stcore/stream HTTP/1.1\r\n"
    request += "".join(f"{name}: {value}\r\n" for name, value in sent.items()) + "\r\n"
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(request.encode())
        return int(connection.recv(1024).split()[1])


def test_a_page_of_another_site_cannot_open_the_socket(small: Server) -> None:
    assert handshake(small, Origin=small.url) == 101
    assert handshake(small, Origin="https://evil.example") == 403


def test_nothing_is_written_outside_the_data_folder(small: Server) -> None:
    inside = {path.name for path in Path(small.data_dir).iterdir()}
    assert inside
    assert {path.name for path in small.data_dir.parent.iterdir()} == {"data", "server.log"}
