"""What the server adds: security headers, the page's language, /readyz."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import file_util

from jobs import flows
from ui import server

SHELL = '<!doctype html><html lang="en"><body>Streamlit</body></html>'


async def shell(_request: Request) -> Response:
    return HTMLResponse(SHELL)


async def data(_request: Request) -> Response:
    return JSONResponse({"html": SHELL})


@pytest.fixture
def client() -> TestClient:
    app = Starlette(
        routes=[
            Route("/readyz", server.ready),
            Route("/_stcore/health", data),
            Route("/{page:path}", shell),
        ],
        middleware=[Middleware(server.SecurityHeaders), Middleware(server.PageLanguage)],
    )
    return TestClient(app)


def test_every_answer_has_the_security_headers(client: TestClient) -> None:
    """Reliability 23."""
    for path in ("/", "/workload", "/_stcore/health"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"].replace("wasm-unsafe-", "")


def test_scripts_inside_the_shell_are_known_by_their_hash() -> None:
    page = (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")
    inline = len(re.findall(r"<script>", page))
    assert server.CONTENT_SECURITY_POLICY.count("'sha256-") == inline
    assert "'unsafe-inline'" not in server.CONTENT_SECURITY_POLICY.split("style-src")[0]


@pytest.mark.parametrize(
    ("path", "accepts", "said"),
    [
        ("/?lang=ja", "en", "ja"),
        ("/workload?lang=ja&w=1", "en", "ja"),
        ("/", "ja,en;q=0.5", "ja"),
        ("/?lang=en", "ja", "en"),
        ("/?lang=xx", "de", "en"),
        ("/", "", "en"),
    ],
)
def test_the_page_says_which_language_it_is_in(
    client: TestClient, path: str, accepts: str, said: str
) -> None:
    body = client.get(path, headers={"accept-language": accepts}).text
    assert f'<html lang="{said}">' in body
    assert body.count("lang=") == 1


def test_only_pages_are_rewritten(client: TestClient) -> None:
    assert '<html lang="en">' in client.get("/_stcore/health?lang=ja").json()["html"]


def test_readiness_is_503_with_the_reason_while_a_part_is_missing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flows, "readiness", lambda: {"store": "ok", "prices": "ok"})
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(flows, "readiness", lambda: {"store": "store.locked", "prices": "ok"})
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["store"] == "store.locked"
