"""Local servers that answer as vLLM, llama.cpp and Ollama do, and ones that answer wrongly.

Answers follow the public protocol descriptions: server-sent events with a usage event at the end
(https://platform.openai.com/docs/api-reference/chat-streaming), JSON lines with nanoseconds
(https://github.com/ollama/ollama/blob/main/docs/api.md).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PREFILL_S = 0.15
"""How long a cold prompt takes here; a prompt that was seen before takes no time."""


@dataclass
class Script:
    """What a server does, and what it was asked."""

    kind: str = "openai"
    answer: Callable[[Any, Script], None] | None = None
    chat_there: bool = True
    usage: bool = True
    seen: set[str] = field(default_factory=set)
    requests: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    gets: list[str] = field(default_factory=list)
    url: str = ""

    def asked(self) -> list[str]:
        """The prompts, in the order in which they came."""
        return [text_of(body) for _, body, _ in self.requests]


def text_of(body: dict[str, Any]) -> str:
    messages = body.get("messages")
    return str(messages[0]["content"]) if messages else str(body.get("prompt", ""))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def version_string(self) -> str:
        return "uvicorn"

    def do_GET(self) -> None:
        self.script.gets.append(self.path)
        versions = {
            "openai": {"/version": {"version": "0.11.2"}},
            "ollama": {"/api/version": {"version": "0.33.2"}},
        }
        found = versions.get(self.script.kind, {}).get(self.path)
        self.json(404, {"detail": "Not Found"}) if found is None else self.json(200, found)

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        self.script.requests.append((self.path, body, dict(self.headers)))
        if self.script.answer is not None:
            self.script.answer(self, self.script)
        elif self.script.kind == "ollama":
            self.ollama(body)
        else:
            self.openai(body)

    def json(self, status: int, value: object, **headers: str) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def begin(self, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, text: str) -> None:
        content = text.encode()
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()

    def end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def prefill(self, prompt: str) -> bool:
        """Take the time of a prompt; True where it was known."""
        known = prompt in self.script.seen
        if not known:
            time.sleep(PREFILL_S if len(prompt) > 500 else 0)
        self.script.seen.add(prompt)
        return known

    def openai(self, body: dict[str, Any]) -> None:
        chat = self.path.endswith("/chat/completions")
        if chat and not self.script.chat_there:
            self.json(404, {"error": {"message": "no chat template", "code": 404}})
            return
        prompt, tokens = text_of(body), len(text_of(body).split()) + 20
        self.begin("text/event-stream; charset=utf-8")
        self.chunk(": ping\n\n")
        if chat:
            self.event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
        known = self.prefill(prompt)
        part = {"delta": {"content": "time"}} if chat else {"text": "time"}
        self.event({"choices": [{"index": 0, **part, "finish_reason": None}]})
        self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
        if self.script.usage:
            details = {"cached_tokens": tokens - tokens % 16 if known else 0}
            usage = {"prompt_tokens": tokens, "completion_tokens": 1}
            self.event({"choices": [], "usage": {**usage, "prompt_tokens_details": details}})
        self.chunk("data: [DONE]\n\n")
        self.end()

    def event(self, value: object) -> None:
        self.chunk(f"data: {json.dumps(value)}\n\n")

    def ollama(self, body: dict[str, Any]) -> None:
        self.begin("application/x-ndjson")
        prompt = text_of(body)
        known = self.prefill(prompt)
        self.line({"model": body["model"], "response": "time", "done": False})
        last = {
            "model": body["model"],
            "response": "",
            "done": True,
            "done_reason": "length",
            "load_duration": 52_000_000,
            "prompt_eval_count": len(prompt.split()) + 12,
            "prompt_eval_duration": 1_000_000 if known else 150_000_000,
            "eval_count": 1,
        }
        self.line(last)
        self.end()

    def line(self, value: object) -> None:
        self.chunk(json.dumps(value) + "\n")


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def serving(script: Script) -> Iterator[Script]:
    """The server of `script` on a free port of this machine."""
    handler = type("ScriptedHandler", (Handler,), {"script": script})
    server = Quiet(("127.0.0.1", 0), handler)
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
