"""Which format a JSON object belongs to, by the keys that decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from data_sources.traces.values import mapping

JsonObject = Mapping[str, Any]
Rule = Callable[[JsonObject], bool]

CLAUDE_TYPES = frozenset({"assistant", "user", "summary", "system", "progress"})
CODEX_TYPES = frozenset(
    {"session_meta", "turn_context", "event_msg", "response_item", "token_usage_record"}
)
CODEX_EXEC_TYPES = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed"})
USAGE_KEYS = frozenset(
    {
        "input_tokens",
        "output_tokens",
        "prompt_tokens",
        "completion_tokens",
        "cache_read_input_tokens",
        "prompt_cache_hit_tokens",
        "inputTokens",
        "outputTokens",
        "promptTokenCount",
        "candidatesTokenCount",
    }
)
REPLY_ENVELOPES = ("response", "reply", "body", "message", "result")
_RAGPULSE_IDS = ("sys_prompt_id", "passage_id", "history_id", "user_input_id", "web_search_id")


def format_of_object(value: JsonObject) -> str | None:
    """The format of one record, or None when its keys decide nothing."""
    for name, rule in RULES:
        if rule(value):
            return name
    return None


def reply_in(value: JsonObject) -> JsonObject | None:
    """The API reply in a record: the record itself, or what lies under a known envelope key."""
    layer: JsonObject = value
    for _ in range(3):
        if _has_usage(layer):
            return layer
        inner = next(
            (layer[key] for key in REPLY_ENVELOPES if isinstance(layer.get(key), Mapping)), None
        )
        if inner is None:
            return None
        layer = inner
    return None


def _has_usage(value: JsonObject) -> bool:
    usage = value.get("usage")
    if isinstance(usage, Mapping) and not USAGE_KEYS.isdisjoint(usage):
        return True
    meta = value.get("usageMetadata", value.get("usage_metadata"))
    return isinstance(meta, Mapping)


def _has(*keys: str) -> Rule:
    wanted = frozenset(keys)
    return lambda value: wanted <= value.keys()


def _kind(value: JsonObject) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def _objects(value: JsonObject, key: str) -> list[JsonObject]:
    inner = value.get(key)
    if not isinstance(inner, list):
        return []
    return [item for item in inner if isinstance(item, Mapping)]


def _mooncake(value: JsonObject) -> bool:
    if "input_length" not in value and not {"hash_ids", "timestamp"} <= value.keys():
        return False
    return any(k in value for k in ("hash_ids", "output_length", "timestamp"))


def _weka(value: JsonObject) -> bool:
    return {"requests", "block_size"} <= value.keys() and (
        "hash_id_scope" in value or "tool_tokens" in value
    )


def _openai_usage(value: JsonObject) -> bool:
    buckets = _objects(value, "data") if value.get("object") == "page" else [value]
    for bucket in buckets:
        if bucket.get("object") != "bucket":
            return False
        for result in _objects(bucket, "results"):
            return str(result.get("object", "")).startswith("organization.usage.")
    return bool(buckets) or value.get("object") == "page"


def _openai_costs(value: JsonObject) -> bool:
    buckets = _objects(value, "data") if value.get("object") == "page" else [value]
    results = (r for bucket in buckets[:50] for r in _objects(bucket, "results"))
    return any(str(r.get("object", "")).startswith("organization.costs.") for r in results)


def _admin_results(value: JsonObject) -> list[JsonObject]:
    return [r for bucket in _objects(value, "data")[:50] for r in _objects(bucket, "results")]


def _anthropic_usage(value: JsonObject) -> bool:
    wanted = {"uncached_input_tokens", "cache_creation"}
    found = [value, *_objects(value, "results"), *_admin_results(value)]
    return any(wanted <= r.keys() for r in found)


def _anthropic_cost(value: JsonObject) -> bool:
    return any({"amount", "currency", "cost_type"} <= r.keys() for r in _admin_results(value))


def _claude_code(value: JsonObject) -> bool:
    return (
        value.get("type") == "assistant"
        and "sessionId" in value
        and ("usage" in mapping(value, "message"))
    )


def _claude_code_hint(value: JsonObject) -> bool:
    return _kind(value) in CLAUDE_TYPES and ("sessionId" in value or "leafUuid" in value)


def _codex(value: JsonObject) -> bool:
    return _kind(value) in CODEX_TYPES and isinstance(value.get("payload"), Mapping)


def _codex_exec(value: JsonObject) -> bool:
    return value.get("type") == "turn.completed" and isinstance(value.get("usage"), Mapping)


def _gemini_cli(value: JsonObject) -> bool:
    if value.get("type") == "gemini" and "tokens" in value:
        return True
    return "sessionId" in value and any(
        m.get("type") == "gemini" for m in _objects(value, "messages")
    )


def _cloudflare(value: JsonObject) -> bool:
    wanted = {"tokens_in", "tokens_out", "cached"}
    return any(wanted <= r.keys() for r in [value, *_objects(value, "result")[:50]])


def _conversation(key: str) -> Rule:
    return lambda value: key in value and isinstance(value.get("conversation"), list)


def _batch(inner: str, under: str | None = None) -> Rule:
    def rule(value: JsonObject) -> bool:
        return "custom_id" in value and inner in value and (under is None or under in value)

    return rule


RULES: tuple[tuple[str, Rule], ...] = (
    ("bailian_trace", _has("chat_id", "parent_chat_id", "turn")),
    ("ragpulse_trace", lambda v: "sys_prompt" in mapping(v, "hash_ids")),
    ("weka_kv_cache_tester", _weka),
    ("tracelab_rounds", _has("prefix_tokens", "newly_append_tokens", "timing_events")),
    (
        "generic_request_jsonl",
        lambda v: "arrival_ms" in v and "timestamp" not in v and "hash_ids" not in v,
    ),
    ("mooncake_trace", _mooncake),
    (
        "lmcache_agent_text",
        lambda v: (
            {"session_id", "input", "output", "timestamp"} <= v.keys()
            and isinstance(v["input"], str)
            and "usage" not in v
        ),
    ),
    (
        "sharegpt",
        lambda v: any({"from", "value"} <= m.keys() for m in _objects(v, "conversations")),
    ),
    ("lmsys_chat", _conversation("conversation_id")),
    ("wildchat", _conversation("conversation_hash")),
    ("tokenizer_json", lambda v: "vocab" in mapping(v, "model") and "added_tokens" in v),
    ("openai_batch_input", _batch("body")),
    ("openai_batch_output", _batch("response")),
    ("anthropic_batch_results", _batch("result")),
    ("openai_cost_csv", _openai_costs),
    ("openai_usage_api", _openai_usage),
    ("anthropic_usage_report", _anthropic_usage),
    ("anthropic_cost_report", _anthropic_cost),
    ("otel_genai_spans", _has("resourceSpans")),
    ("claude_code_jsonl", _claude_code),
    ("codex_rollout", _codex),
    ("codex_exec_json", _codex_exec),
    ("gemini_cli_chat", _gemini_cli),
    ("langfuse_observations", _has("usage_details", "provided_model_name")),
    ("litellm_spend_logs", _has("request_id", "spend", "prompt_tokens", "metadata")),
    ("bedrock_invocation_log", lambda v: v.get("schemaType") == "ModelInvocationLog"),
    ("cloudflare_ai_gateway_logs", _cloudflare),
    ("cursor_usage_events", _has("usageEventsDisplay")),
    (
        "ragpulse_dictionary",
        lambda v: "token_length" in v and any(k in v for k in _RAGPULSE_IDS),
    ),
    ("api_replies", lambda v: reply_in(v) is not None),
)

HINTS: tuple[tuple[str, Rule], ...] = (
    ("claude_code_jsonl", _claude_code_hint),
    ("codex_exec_json", lambda v: _kind(v) in CODEX_EXEC_TYPES),
    ("gemini_cli_chat", _has("sessionId", "startTime")),
)
"""Rows that a format starts with but that hold no request: taken when no row decides."""


def hint_of_object(value: JsonObject) -> str | None:
    """The format that a record without a request points to, or None."""
    return next((name for name, rule in HINTS if rule(value)), None)
