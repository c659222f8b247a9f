"""Which module reads which format. A reader is imported when its first file comes."""

from __future__ import annotations

from importlib import import_module

from data_sources.traces.base import Reader

READERS: dict[str, str] = {
    "anthropic_batch_results": "batch_results",
    "anthropic_console_tokens_csv": "console_csv",
    "anthropic_usage_report": "anthropic_admin",
    "api_replies": "api_replies",
    "azure_llm_trace": "azure",
    "azure_lmm_trace": "azure",
    "bailian_trace": "bailian",
    "bedrock_invocation_log": "bedrock_log",
    "burstgpt": "burstgpt",
    "claude_code_jsonl": "claude_code",
    "codex_exec_json": "codex_exec",
    "codex_rollout": "codex",
    "gemini_cli_chat": "gemini_cli",
    "generic_csv": "mapped",
    "generic_json": "mapped",
    "generic_parquet": "mapped",
    "generic_request_jsonl": "mapped",
    "kvledger_csv": "plain_csv",
    "litellm_spend_logs": "litellm_logs",
    "lmcache_agent_text": "agent_texts",
    "lmsys_chat": "chat_texts",
    "mooncake_trace": "mooncake",
    "openai_batch_input": "batch_texts",
    "openai_batch_output": "batch_results",
    "openai_usage_api": "openai_usage_api",
    "openai_usage_csv": "openai_csv",
    "ragpulse_trace": "ragpulse",
    "sharegpt": "chat_texts",
    "tracelab_rounds": "tracelab",
    "vidur_lengths": "vidur",
    "vidur_trace": "vidur",
    "weka_kv_cache_tester": "kv_cache_tester",
    "wildchat": "chat_texts",
}
"""Format id -> module of this package with a function `read` (a `base.Reader`)."""

TEXTS = ("sharegpt", "lmsys_chat", "wildchat", "openai_batch_input", "lmcache_agent_text")
"""Formats that hold text without token counts: their tokens are estimated, or counted by the user's
own tokenizer."""

EXPLAINS: dict[str, tuple[str, ...]] = {
    "ragpulse_dictionary": ("ragpulse_trace",),
    "openai_batch_input": ("openai_batch_output",),
    "tokenizer_json": TEXTS,
}
"""Format of files that add to others -> the formats whose readers they help, when both come
together. Alone they go to their own reader, or are refused by name where they have none."""

MAPPED = "mapped"
"""The module that reads any table by the user's own column names."""


def reader(module: str) -> Reader:
    """The `read` function of a reader module of this package."""
    found: Reader = import_module(f"data_sources.traces.{module}").read
    return found
