"""What the usage object of an API reply means, API by API.

A reply's flavour is its `api` field where it has one. Otherwise keys that only one API has decide,
but only where the model's provider speaks that API: gateways rename these fields and change what
they contain, so a name alone proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from data_sources.traces.tally import rejected
from data_sources.traces.usage import (
    ASSUME_5M,
    ASSUME_30M,
    Usage,
    anthropic_usage,
    counted,
    required_input,
    required_output,
)
from data_sources.traces.values import mapping, tokens

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavour:
    """One API: its names in an `api` field, the keys and the self-description by which a reply
    shows it, the providers that speak it (the first is its home), and what its counts mean.
    `rule` says it in a receipt: cached tokens 'inside' the input count or 'beside' it."""

    name: str
    rule: str
    names: frozenset[str]
    keys: frozenset[str]
    described: Callable[[JsonObject], bool]
    providers: tuple[str, ...]
    usage: Callable[[JsonObject, str | None], Usage]


def usage_of(reply: JsonObject) -> JsonObject:
    """The usage object of a reply, empty where there is none."""
    for key in ("usage", "usageMetadata", "usage_metadata"):
        if found := mapping(reply, key):
            return found
    return {}


def flavour_of(reply: JsonObject, api: object, provider: str | None) -> Flavour:
    """The flavour of `reply`, which states `api` (or None) and whose bills come from `provider`.

    RowRejectedError when the api is unknown, or nothing but a guess would decide.
    """
    if api is not None:
        return _named(api)
    usage = usage_of(reply)
    for flavour in FLAVOURS:
        shown = not flavour.keys.isdisjoint(usage) or flavour.described(reply)
        if shown and provider in flavour.providers:
            return flavour
    raise rejected("unknown_flavour")


def _named(api: object) -> Flavour:
    name = "".join(c if c.isalnum() else "." for c in str(api).strip().lower())
    for flavour in FLAVOURS:
        if name in flavour.names:
            return flavour
    raise rejected("unknown_api", found=str(api)[:40])


def _messages(usage: JsonObject, _provider: str | None) -> Usage:
    return anthropic_usage(usage)


def _responses(usage: JsonObject, _provider: str | None) -> Usage:
    details = mapping(usage, "input_tokens_details")
    write_30m, write_12h, assumed = _openai_writes(usage, details)
    return counted(
        Usage(
            input_tokens=required_input(usage, "input_tokens"),
            output_tokens=required_output(usage, "output_tokens"),
            cached_read_tokens=tokens(details, "cached_tokens"),
            cache_write_30m_tokens=write_30m,
            cache_write_12h_tokens=write_12h,
            assumption=ASSUME_30M if assumed else None,
        )
    )


def _chat(usage: JsonObject, provider: str | None) -> Usage:
    details = mapping(usage, "prompt_tokens_details")
    prompt = required_input(usage, "prompt_tokens")
    write_30m, write_12h, assumed = _openai_writes(usage, details)
    write_5m = tokens(details, "cache_creation_input_tokens")  # Alibaba's explicit cache
    return counted(
        Usage(
            input_tokens=prompt,
            output_tokens=_chat_output(usage, prompt, provider),
            cached_read_tokens=tokens(details, "cached_tokens"),
            cache_write_5m_tokens=write_5m,
            cache_write_30m_tokens=write_30m,
            cache_write_12h_tokens=write_12h,
            assumption=ASSUME_30M if assumed else ASSUME_5M if write_5m else None,
        )
    )


def _chat_output(usage: JsonObject, prompt: int, provider: str | None) -> int:
    """xAI may leave reasoning out of completion_tokens; its total holds everything billed."""
    total = tokens(usage, "total_tokens")
    if provider == "xai" and total is not None and total >= prompt:
        return total - prompt
    return required_output(usage, "completion_tokens")


def _openai_writes(usage: JsonObject, details: JsonObject) -> tuple[int | None, int | None, bool]:
    """(30-minute writes, 12-hour writes, whether a lifetime was assumed)."""
    total = tokens(details, "cache_write_tokens")
    split = mapping(details, "cache_write_tokens_details") or mapping(
        usage, "cache_write_tokens_details"
    )
    write_30m, write_12h = tokens(split, "ttl_30m_tokens"), tokens(split, "ttl_12h_tokens")
    if total is None:
        return write_30m, write_12h, False
    known = (write_30m or 0) + (write_12h or 0)
    if known > total:
        raise rejected("split_exceeds_total", split=known, total=total)
    return (write_30m or 0) + total - known, write_12h, total > known


def _gemini(usage: JsonObject, _provider: str | None) -> Usage:
    """Tool prompts stand beside the prompt, thoughts beside the candidates."""
    prompt = required_input(usage, "promptTokenCount")
    answer = tokens(usage, "candidatesTokenCount")
    thoughts = tokens(usage, "thoughtsTokenCount")
    if answer is None and thoughts is None:
        raise rejected("no_output")
    return counted(
        Usage(
            input_tokens=prompt + (tokens(usage, "toolUsePromptTokenCount") or 0),
            output_tokens=(answer or 0) + (thoughts or 0),
            cached_read_tokens=tokens(usage, "cachedContentTokenCount"),
        )
    )


def _deepseek(usage: JsonObject, _provider: str | None) -> Usage:
    hit = required_input(usage, "prompt_cache_hit_tokens")
    miss = tokens(usage, "prompt_cache_miss_tokens")
    prompt = tokens(usage, "prompt_tokens")
    if miss is None and prompt is None:
        raise rejected("no_input")
    total = hit + miss if miss is not None else prompt or 0
    if prompt is not None and total > prompt:
        raise rejected("parts_exceed_total", read=hit, write=0, total=prompt)
    return counted(
        Usage(
            input_tokens=total,
            output_tokens=required_output(usage, "completion_tokens"),
            cached_read_tokens=hit,
        )
    )


def _converse(usage: JsonObject, _provider: str | None) -> Usage:
    read = tokens(usage, "cacheReadInputTokens")
    write_5m, write_1h, assumed = _converse_writes(usage)
    uncached = required_input(usage, "inputTokens")
    return counted(
        Usage(
            input_tokens=uncached + (read or 0) + (write_5m or 0) + (write_1h or 0),
            output_tokens=required_output(usage, "outputTokens"),
            cached_read_tokens=read,
            cache_write_5m_tokens=write_5m,
            cache_write_1h_tokens=write_1h,
            assumption=ASSUME_5M if assumed else None,
        )
    )


def _converse_writes(usage: JsonObject) -> tuple[int | None, int | None, bool]:
    total = tokens(usage, "cacheWriteInputTokens")
    details = usage.get("cacheDetails")
    by_ttl = {"5m": 0, "1h": 0}
    for entry in details if isinstance(details, list) else []:
        if isinstance(entry, Mapping) and entry.get("ttl") in ("5m", "1h"):
            by_ttl[entry["ttl"]] += tokens(entry, "inputTokens") or 0
    known = by_ttl["5m"] + by_ttl["1h"]
    if total is None:
        return (by_ttl["5m"], by_ttl["1h"], False) if known else (None, None, False)
    if known > total:
        raise rejected("split_exceeds_total", split=known, total=total)
    return by_ttl["5m"] + total - known, by_ttl["1h"], total > known


_RESELLERS = ("moonshot", "minimax", "alibaba", "zai")
_CHAT_SPEAKERS = (
    "openai", "azure-openai", "xai", "mistral", "groq", "fireworks", "together", "deepseek",
    *_RESELLERS,
)  # fmt: skip

FLAVOURS: tuple[Flavour, ...] = (
    Flavour(
        name="messages",
        rule="beside",
        names=frozenset({"messages", "anthropic", "anthropic.messages", "v1.messages"}),
        keys=frozenset(
            {"cache_creation", "cache_read_input_tokens", "cache_creation_input_tokens"}
        ),
        described=lambda reply: reply.get("type") == "message" and "role" in reply,
        providers=("anthropic", "bedrock", "vertex", *_RESELLERS),
        usage=_messages,
    ),
    Flavour(
        name="responses",
        rule="inside",
        names=frozenset({"responses", "openai.responses", "v1.responses"}),
        keys=frozenset({"input_tokens_details"}),
        described=lambda reply: reply.get("object") == "response",
        providers=("openai", "azure-openai", "xai"),
        usage=_responses,
    ),
    Flavour(
        name="deepseek",
        rule="inside",
        names=frozenset({"deepseek", "deepseek.chat"}),
        keys=frozenset({"prompt_cache_hit_tokens"}),
        described=lambda _reply: False,
        providers=("deepseek",),
        usage=_deepseek,
    ),
    Flavour(
        name="chat",
        rule="inside",
        names=frozenset({"chat", "chat.completions", "openai.chat", "openai.chat.completions"}),
        keys=frozenset({"prompt_tokens_details"}),
        described=lambda reply: reply.get("object") == "chat.completion",
        providers=_CHAT_SPEAKERS,
        usage=_chat,
    ),
    Flavour(
        name="gemini",
        rule="inside",
        names=frozenset({"gemini", "generatecontent", "gemini.generatecontent"}),
        keys=frozenset({"promptTokenCount"}),
        described=lambda _reply: False,
        providers=("google", "vertex"),
        usage=_gemini,
    ),
    Flavour(
        name="converse",
        rule="beside",
        names=frozenset({"converse", "bedrock", "bedrock.converse"}),
        keys=frozenset({"cacheReadInputTokens", "cacheWriteInputTokens", "inputTokens"}),
        described=lambda _reply: False,
        providers=("bedrock",),
        usage=_converse,
    ),
)
