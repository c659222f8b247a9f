"""The formats that are known by name, and what a user can do with those not read yet.

Names are those under which the formats are catalogued: one id each, words in `traces.format.*`.
"""

from __future__ import annotations

from messages.errors import Message

MAP = "map"  # --map can read it
CONVERT = "convert"  # nested or textual: convert it to kvledger's CSV first
TOKENIZER = "tokenizer"  # how text is cut: helps files of text
COST_ONLY = "cost_only"  # money without token counts
NOT_REQUESTS = "not_requests"  # counters, rates or dictionaries, not requests

UNREAD: dict[str, str] = {
    "anthropic_console_cost_csv": COST_ONLY,
    "anthropic_cost_report": COST_ONLY,
    "cloudflare_ai_gateway_logs": CONVERT,
    "cursor_usage_events": CONVERT,
    "deepseek_usage_zip": CONVERT,
    "gcp_billing_standard": COST_ONLY,
    "helicone_requests": CONVERT,
    "langfuse_observations": CONVERT,
    "openai_cost_csv": COST_ONLY,
    "openrouter_activity_daily": MAP,
    "openrouter_generations": MAP,
    "otel_genai_spans": CONVERT,
    "ragpulse_dictionary": NOT_REQUESTS,
    "servegen_client_rate": NOT_REQUESTS,
    "sglang_request_log": CONVERT,
    "tokenizer_json": TOKENIZER,
    "vllm_engine_log": NOT_REQUESTS,
    "vllm_prometheus": NOT_REQUESTS,
}
"""Formats that are recognised and not read yet, with what their user can do."""

MAP_FLAGS: dict[str, tuple[str, ...]] = {
    "openrouter_activity_daily": (
        "Date=start_utc",
        "Slug=model",
        "Requests=n_requests",
        "Prompt Tokens=input_tokens",
        "Completion Tokens=output_tokens",
    ),
    "openrouter_generations": (
        "created_at=start_utc",
        "model_permaslug=model",
        "tokens_prompt=input_tokens",
        "tokens_cached=cached_read_tokens",
        "tokens_completion=output_tokens",
    ),
}
"""COLUMN=FIELD pairs with which a table of a format without a reader can be read today."""

GENERIC = frozenset({"generic_csv", "generic_request_jsonl", "generic_json", "generic_parquet"})
"""Tables that nothing is known about: the column picker (`--map`) reads them."""


def label(format_id: str) -> Message:
    """The name of a format in words."""
    return Message(f"traces.format.{format_id}")


def advice(format_id: str) -> Message:
    """What to do with a file of a format that is not read yet."""
    kind = UNREAD[format_id]
    if kind != MAP:
        return Message(f"traces.advice.{kind}")
    flags = " ".join(f'--map "{pair}"' for pair in MAP_FLAGS[format_id])
    return Message("traces.advice.map", {"flags": flags})
