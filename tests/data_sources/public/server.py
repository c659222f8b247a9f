"""A local HTTP server that stands in for all six hosts, and a way to ask it as if it were them.

Only the connection is bent: the client still believes that it speaks to the real host over https,
so its own checks of hosts, redirects and addresses of redirects run as they do outside.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from data_sources.public.pace import Pacer
from data_sources.public.web import Web

JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=utf-8"


@dataclass
class Reply:
    """One answer. `cut`: how many bytes of the body are sent before the connection is closed."""

    body: bytes = b""
    status: int = 200
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    hold_s: float = 0.0


@dataclass
class Seen:
    """One request as it came in."""

    host: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]


@dataclass
class Stand:
    """What the server answers: for a path its replies in turn, the last one again and again."""

    replies: dict[str, list[Reply]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    port: int = 0
    released: threading.Event = field(default_factory=threading.Event)

    def at(self, path: str, *replies: Reply) -> None:
        self.replies[path] = list(replies)

    def web(self, **changes: Any) -> Web:
        """A client of this server that notes its waits instead of sleeping."""
        return Web(
            transport=_Bent(self.port),
            pacer=Pacer(clock=lambda: float(len(self.seen) * 1_000)),
            sleep=self.waits.append,
            **changes,
        )


class _Bent(httpx.BaseTransport):
    def __init__(self, port: int) -> None:
        self._port = port
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert request.url.scheme == "https"
        url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        bent = httpx.Request(
            request.method, url, headers=request.headers.raw, stream=request.stream,
            extensions=request.extensions,
        )  # fmt: skip
        return self._inner.handle_request(bent)

    def close(self) -> None:
        self._inner.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand: Stand

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.stand.seen.append(
            Seen(self.headers["Host"], parts.path, parse_qs(parts.query), dict(self.headers))
        )
        replies = self.stand.replies.get(parts.path) or [Reply(b"{}", status=404)]
        self._answer(replies.pop(0) if len(replies) > 1 else replies[0])

    def _answer(self, reply: Reply) -> None:
        if reply.hold_s:
            self.stand.released.wait(reply.hold_s)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        if "Content-Length" not in reply.headers and "Transfer-Encoding" not in reply.headers:
            self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])
            self.wfile.flush()
        except OSError:
            pass  # the client had enough
        if reply.cut is not None:
            self.close_connection = True


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


@contextmanager
def standing() -> Iterator[Stand]:
    """A running server."""
    stand = Stand()
    handler = type("Handler", (_Handler,), {"stand": stand})
    server = _Quiet(("127.0.0.1", 0), handler)
    stand.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield stand
    finally:
        stand.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
