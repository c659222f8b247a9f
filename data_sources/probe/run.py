"""The probe: one long prompt, twice, to one server.

A short request goes first, so that neither loading the model nor opening the connection is counted
in the cold time. The prompt begins with a number that was never used before: no cache can hold its
head, so the first time is truly cold.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from data_sources.probe.asked import Api, ProbeRequest, prompt_of
from data_sources.probe.client import Server, Timed
from data_sources.probe.wire import OllamaReader, OpenAiReader
from messages.errors import SourceError

CHAT, TEXT, GENERATE = "/v1/chat/completions", "/v1/completions", "/api/generate"
LOAD_TOKENS = 8
CONTEXT_STEP = 1_024
CUT_BELOW = 0.5
"""A server that counts less than this share of the prompt has cut it off, or counts what it had
not cached: the words that are used here are at least half a token each everywhere."""

Stage = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """Both answers. `asked_tokens` is about what was sent; `created_utc` when it was asked."""

    url: str
    model: str
    api: Api
    path: str
    server_version: str | None
    created_utc: datetime
    asked_tokens: int
    characters: int
    cold: Timed
    warm: Timed

    @property
    def cut(self) -> bool:
        """The server counted so few prompt tokens that it has not processed the whole prompt."""
        found = self.cold.counts.prompt_tokens
        return found is not None and found < self.asked_tokens * CUT_BELOW


def probe(request: ProbeRequest, key: SecretStr | None, stage: Stage) -> ProbeResult:
    """Ask the server. `stage` is told 'detect', 'load', 'cold' and 'warm' as they begin.

    SourceError or DataError, one sentence each, where the server gives no two whole answers.
    """
    with Server(request.target, key, request.timeout_s) as server:
        stage("detect")
        api, version = _detect(server, request.api)
        prompt = prompt_of(request.prompt_tokens, secrets.token_hex(8))
        stage("load")
        path = _load(server, api, request)
        body = _body(path, request, prompt)
        created = datetime.now(UTC)
        stage("cold")
        cold = server.timed(path, body, _reader(api))
        stage("warm")
        warm = server.timed(path, body, _reader(api))
    return ProbeResult(
        url=request.target.base,
        model=request.model,
        api=api,
        path=path,
        server_version=version,
        created_utc=created,
        asked_tokens=request.prompt_tokens,
        characters=len(prompt),
        cold=cold,
        warm=warm,
    )


def _detect(server: Server, asked: Api | None) -> tuple[Api, str | None]:
    """How the server speaks, and its version as it says itself."""
    found, named = server.look("/api/version")
    if asked == "ollama" or (asked is None and _version(found)):
        return "ollama", _version(found) or named or None
    found, also_named = server.look("/version")
    return "openai", _version(found) or also_named or named or None


def _version(found: Mapping[str, Any]) -> str | None:
    version = found.get("version")
    return version[:100] if isinstance(version, str) and version.isprintable() else None


def _load(server: Server, api: Api, request: ProbeRequest) -> str:
    """Have the model loaded by a short request; the path that the server answers at. Models without
    a chat template are served as text alone."""
    short = prompt_of(LOAD_TOKENS, secrets.token_hex(8))
    path = GENERATE if api == "ollama" else CHAT
    try:
        server.timed(path, _body(path, request, short), _reader(api))
    except SourceError as error:
        if path != CHAT or error.message.id != "probe.not_found":
            raise
        path = TEXT
        server.timed(path, _body(path, request, short), _reader(api))
    return path


def _reader(api: Api) -> OllamaReader | OpenAiReader:
    return OllamaReader() if api == "ollama" else OpenAiReader()


def _body(path: str, request: ProbeRequest, prompt: str) -> Mapping[str, Any]:
    common = {"model": request.model, "stream": True}
    if path == GENERATE:
        # Without num_ctx it cuts prompts off silently; another num_ctx would load the model anew.
        tokens = request.prompt_tokens * 3 // 2 + CONTEXT_STEP
        context = -(-tokens // CONTEXT_STEP) * CONTEXT_STEP
        options = {"num_predict": 1, "temperature": 0, "num_ctx": context}
        return {**common, "prompt": prompt, "options": options}
    asked = {"max_tokens": 1, "temperature": 0, "stream_options": {"include_usage": True}}
    if path == TEXT:
        return {**common, **asked, "prompt": prompt}
    return {**common, **asked, "messages": [{"role": "user", "content": prompt}]}


def to_json(result: ProbeResult) -> dict[str, Any]:
    """What is stored, and what `probe --json` prints beside kvcore's own pair."""
    return {
        "url": result.url,
        "model": result.model,
        "api": result.api,
        "path": result.path,
        "server_version": result.server_version,
        "created_utc": result.created_utc.isoformat(timespec="seconds"),
        "prompt": {
            "asked_tokens": result.asked_tokens,
            "characters": result.characters,
            "cut": result.cut,
        },
        "cold": _rounded(result.cold),
        "warm": _rounded(result.warm),
    }


def _rounded(timed: Timed) -> dict[str, Any]:
    times = {"first_token_s": timed.first_token_s, "total_s": timed.total_s}
    return {
        key: round(value, 6) if isinstance(value, float) else value
        for key, value in (times | asdict(timed.counts)).items()
    }
