"""Which format delimited text belongs to: header names as a set, never by position."""

from __future__ import annotations

import csv
from collections.abc import Callable

from econ.workload import ALL_COLUMNS

DELIMITERS = (",", "\t", ";")
HeaderRule = Callable[[frozenset[str]], bool]

_OPENAI_TIMES = frozenset({"start_time", "end_time", "start_time_iso", "end_time_iso"})
_PLAIN_EXTRAS = frozenset(
    {"start_s", "start_utc", "observed_cost_usd", "bucket_end_utc", "arrival_s", "arrival_utc"}
)
_PLAIN_COLUMNS = frozenset(ALL_COLUMNS) | _PLAIN_EXTRAS


def _has(*names: str) -> HeaderRule:
    wanted = frozenset(names)
    return lambda header: wanted <= header


def _plain(header: frozenset[str]) -> bool:
    """kvledger's own CSV. A column about caching that it does not know could change the bill,
    so such a table goes to the column picker."""
    named = {"shared_prefix_tokens", "fresh_tokens"} <= header or (
        {"input_tokens", "output_tokens"} <= header
    )
    unknown = (name for name in header - _PLAIN_COLUMNS if "cache" in name.casefold())
    return named and next(unknown, None) is None


RULES: tuple[tuple[str, HeaderRule], ...] = (
    ("azure_lmm_trace", _has("TIMESTAMP", "ContextTokens", "GeneratedTokens", "NumImages")),
    ("azure_llm_trace", _has("TIMESTAMP", "ContextTokens", "GeneratedTokens")),
    ("burstgpt", _has("Request tokens", "Response tokens")),
    ("vidur_trace", _has("arrived_at", "num_prefill_tokens", "num_decode_tokens")),
    ("vidur_lengths", _has("num_prefill_tokens", "num_decode_tokens")),
    ("anthropic_console_tokens_csv", _has("usage_input_tokens_no_cache")),
    ("anthropic_console_cost_csv", _has("token_type", "cost_usd")),
    ("openai_usage_csv", _has("num_model_requests", "input_tokens")),
    ("openai_usage_csv", lambda header: header == _OPENAI_TIMES),
    ("openai_cost_csv", _has("amount_value")),
    ("deepseek_usage_zip", _has("type", "amount", "api_key_name")),
    ("openrouter_activity_daily", _has("Slug", "Prompt Tokens")),
    ("openrouter_generations", _has("tokens_prompt", "model_permaslug")),
    ("gcp_billing_standard", _has("sku.description", "usage.amount")),
    ("litellm_spend_logs", _has("request_id", "spend", "prompt_tokens", "metadata")),
    ("langfuse_observations", _has("usage_details", "provided_model_name")),
    ("helicone_requests", _has("prompt_cache_write_tokens", "prompt_cache_read_tokens")),
    ("kvledger_csv", _plain),
)
_SERVEGEN_COLUMNS = 6


def split_header(line: str) -> tuple[str, list[str]]:
    """(delimiter, header names) of a first line; the delimiter that gives most columns."""
    best: tuple[str, list[str]] = (",", [])
    for delimiter in DELIMITERS:
        names = _cells(line, delimiter)
        if len(names) > len(best[1]):
            best = (delimiter, names)
    return best


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        row = next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:  # a field larger than csv's own limit, a NUL
        return []
    return [cell.strip() for cell in row]


def format_of_header(names: list[str]) -> str:
    """The format of a table with these header names; 'generic_csv' when none is known."""
    header = frozenset(names)
    return next((name for name, rule in RULES if rule(header)), "generic_csv")


def headless(names: list[str]) -> str | None:
    """'servegen_client_rate' or 'no_header' when the first line is numbers only, else None."""
    filled = [name for name in names if name]
    if not filled or not all(_is_number(name) for name in filled):
        return None
    return "servegen_client_rate" if len(names) == _SERVEGEN_COLUMNS else "no_header"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
