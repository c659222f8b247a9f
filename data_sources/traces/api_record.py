"""One logged API reply: the reply inside its envelope, and who asked, when and for whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from data_sources.traces.detect_json import REPLY_ENVELOPES
from data_sources.traces.makers import provider_named, provider_of_model
from data_sources.traces.values import mapping, text, utc_us

JsonObject = Mapping[str, Any]

_TIME_KEYS = (
    "timestamp", "start_utc", "started_at", "start_time", "created_at", "created", "createTime",
)  # fmt: skip
_NAMES: dict[str, tuple[str, ...]] = {
    "session_id": ("session_id", "sessionId", "conversation_id", "thread_id"),
    "agent": ("agent", "agent_id"),
    "workspace": ("workspace", "workspace_id"),
    "project": ("project", "project_id"),
    "api_key": ("api_key_name", "api_key_id", "api_key"),
    "user": ("user", "user_id"),
    "team": ("team", "team_id"),
    "surface": ("surface",),
}
_MODES = {"default": "standard", "on_demand": "standard"}
_NO_MODE = frozenset({"auto", "unspecified"})
_SECRET = re.compile(r"(?:sk|pk|xai|gsk|AIza|AKIA)[-_A-Za-z0-9]{16,}")
_LAYERS_DEEP = 4


@dataclass(frozen=True, slots=True)
class ApiRecord:
    """A record of a log. `layers` go from the outermost object to the reply itself, then what
    was sent along: headers, metadata, the request."""

    reply: JsonObject
    layers: tuple[JsonObject, ...]
    request: JsonObject

    @staticmethod
    def of(record: JsonObject, reply: JsonObject) -> ApiRecord:
        """`record` as logged, `reply` where it was found in it."""
        path = list(_path(record, reply))
        request = mapping(record, "request")
        request = mapping(request, "body") or request
        extras = [
            *(_headers(layer) for layer in [*path, mapping(record, "request")]),
            *(mapping(layer, "metadata") for layer in [*path, request]),
            request,
        ]
        return ApiRecord(reply, (*path, *(extra for extra in extras if extra)), request)

    @property
    def api(self) -> object:
        """What the record says about its API, None where it says nothing."""
        found = (layer["api"] for layer in self.layers if layer.get("api") not in (None, ""))
        return next(found, None)

    @property
    def model(self) -> str | None:
        """As written in the reply, else in the request or the envelope."""
        keys = ("model", "modelVersion", "modelId", "model_id")
        return self._first([self.reply, self.request, *self.layers], *keys)

    @property
    def provider(self) -> str | None:
        """As stated, else who bills a model of this name. A gateway that is named but not known
        stays itself: what its counts mean does not follow from the model."""
        stated = self._first(self.layers, "provider")
        return provider_named(stated) or stated or provider_of_model(self.model)

    @property
    def reply_id(self) -> str | None:
        """The id that the API gave to its answer."""
        return text(self.reply, "id", "responseId", "response_id")

    def moment_us(self, assumed_zone: ZoneInfo | None) -> int | None:
        """When it was asked or answered, in microseconds since 1970."""
        for layer in self.layers:
            for key in _TIME_KEYS:
                if (moment := utc_us(layer.get(key), assumed_zone)) is not None:
                    return moment
        return None

    def has_time_text(self) -> bool:
        """Some time is written, usable or not."""
        return any(layer.get(key) for layer in self.layers for key in _TIME_KEYS)

    def mode(self, usage: JsonObject) -> str | None:
        """standard, batch, flex, fast, ... as far as the record says."""
        if usage.get("speed") == "fast":
            return "fast"
        tier = self._first(self.layers, "mode") or text(self.reply, "service_tier", "serviceTier")
        tier = (tier or text(usage, "service_tier") or "").lower()
        return None if not tier or tier in _NO_MODE else _MODES.get(tier, tier)

    def names(self) -> dict[str, str | None]:
        """Who spent and in which session; a key that looks like a secret is cut to its end."""
        found = {name: self._first(self.layers, *keys) for name, keys in _NAMES.items()}
        key = found["api_key"]
        if key and _SECRET.fullmatch(key):
            found["api_key"] = f"…{key[-4:]}"
        found["tags"] = self._tags()
        return found

    def stated_cost(self) -> object:
        """What the record claims to have cost in USD, None where it claims nothing."""
        for key in ("observed_cost_usd", "cost_usd", "costUSD"):
            for layer in self.layers:
                if layer.get(key) is not None:
                    return layer[key]
        return None

    def _tags(self) -> str | None:
        for layer in self.layers:
            tags = layer.get("tags")
            if isinstance(tags, list):
                return ", ".join(str(tag) for tag in tags if isinstance(tag, (str, int))) or None
            if isinstance(tags, str) and tags.strip():
                return tags.strip()
        return None

    @staticmethod
    def _first(layers: Any, *keys: str) -> str | None:
        return next((found for layer in layers if (found := text(layer, *keys))), None)


def _path(record: JsonObject, reply: JsonObject) -> Iterator[JsonObject]:
    """The objects from `record` down to `reply`."""
    layer = record
    for _ in range(_LAYERS_DEEP):
        yield layer
        if layer is reply:
            return
        inner = (layer[k] for k in REPLY_ENVELOPES if isinstance(layer.get(k), Mapping))
        layer = next(inner, reply)


def _headers(layer: JsonObject) -> dict[str, Any]:
    """x-session-id and its like as session_id."""
    found: dict[str, Any] = {}
    for key in ("headers", "request_headers"):
        for name, value in mapping(layer, key).items():
            plain = name.lower()
            if plain.startswith("x-"):
                found[plain[2:].replace("-", "_")] = value
    return found
