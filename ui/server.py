"""What the server adds to Streamlit's: security headers, the page's language, /readyz."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import file_util

from jobs import flows
from messages.catalogue import LANGUAGES


def _inline_scripts() -> list[str]:
    """The CSP sources of the scripts inside Streamlit's own page; they change with its releases."""
    page = Path(file_util.get_static_dir()) / "index.html"
    scripts = re.findall(rb"<script>(.*?)</script>", page.read_bytes(), re.DOTALL)
    hashes = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts)
    return [f"'sha256-{value}'" for value in hashes]


CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        " ".join(("script-src 'self' 'wasm-unsafe-eval'", *_inline_scripts())),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss:",
        "worker-src 'self' blob:",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "base-uri 'self'",
    )
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class SecurityHeaders:
    """Middleware: the security headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; add the headers when the answer starts."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
            await send(message)

        await self.app(scope, receive, send_with_headers)


class PageLanguage:
    """Middleware: `<html lang>` says the language in which the page is asked for.

    Streamlit's shell always says "en"; a screen reader then reads Japanese with an English voice.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rewrite the shell where the page is asked for in another language than English."""
        language = _asked(scope)
        if language is None or language == "en":
            await self.app(scope, receive, send)
            return

        async def send_in_language(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    del headers["content-length"]  # the two codes are as long, but not by contract
            elif message["type"] == "http.response.body":
                old, new = b'<html lang="en"', f'<html lang="{language}"'.encode()
                message["body"] = message.get("body", b"").replace(old, new, 1)
            await send(message)

        plain = dict(scope)
        plain["headers"] = [h for h in scope["headers"] if h[0] != b"accept-encoding"]
        await self.app(plain, receive, send_in_language)


def _asked(scope: Scope) -> str | None:
    """The language of a page request: its query's, else the browser's first. None: not a page."""
    if scope["type"] != "http" or scope["path"].startswith(("/_stcore", "/static", "/app/")):
        return None
    asked = parse_qs(scope["query_string"].decode("latin-1")).get("lang", [""])[0]
    preferred = Headers(scope=scope).get("accept-language", "")[:2]
    return next((code for code in (asked, preferred) if code in LANGUAGES), None)


async def first_page(request: Request) -> Response:
    """The first page has the empty path; its name in the address leads there, settings kept."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/{query}", status_code=307)


async def ready(_request: Request) -> Response:
    """200 and the state of each part if all parts work, else 503 with the same body."""
    parts = await run_in_threadpool(flows.readiness)
    healthy = all(part == "ok" for part in parts.values())
    return JSONResponse(parts, status_code=200 if healthy else 503)
