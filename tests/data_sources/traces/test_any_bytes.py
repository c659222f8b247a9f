"""Any bytes at all: a result whose receipt adds up, or one sentence; never another exception."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from data_sources.traces.base import ReadResult
from data_sources.traces.read import read
from messages.catalogue import say
from messages.errors import KvledgerError
from tests.data_sources.traces.helpers import claude_row, claude_usage, jsonl, source
from tests.data_sources.traces.test_read import PAGE, SESSION


def check(raw: bytes) -> None:
    """Any bytes give a result whose receipt adds up, or one sentence in both languages."""
    with tempfile.TemporaryDirectory() as folder:
        refusal = None
        try:
            _check_result(read([source(Path(folder), "upload", raw)]))
        except KvledgerError as error:
            refusal = error.message
    if refusal is not None:
        for language in ("en", "ja"):
            sentence = say(language, refusal)
            assert not sentence.startswith("traces."), refusal
            assert "{" not in sentence or "{" in str(refusal), sentence


def _check_result(result: ReadResult) -> None:
    workload = result.workload
    assert result.receipt.rows_kept >= 0
    assert workload.rows == result.receipt.rows_kept
    parts = sum(
        workload.counts(name)
        for name in ("cached_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens",
                     "cache_write_30m_tokens", "cache_write_12h_tokens")
    )  # fmt: skip
    assert bool((parts <= workload.counts("input_tokens")).all())
    for message in [*result.receipt.assumptions, *(r.reason for r in result.receipt.rejected)]:
        assert not say("ja", message).startswith("traces.")


QUIET = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUIET
@given(raw=st.binary(max_size=2_000))
@example(raw=b"")
@example(raw=b'{"type": ["list"], "usage": {}}')
@example(raw=b'{"usage": {"input_tokens": 1e400}, "model": "gpt-5"}')
@example(raw=b"9" * 5_000)
@example(raw=b"[" * 3_000)
def test_any_bytes_give_a_result_or_one_sentence(raw: bytes) -> None:
    check(raw)


@QUIET
@given(text=st.text(max_size=500), prefix=st.sampled_from(["", "a,b,c\n", "{", "[", "\ufeff"]))
def test_any_text_gives_a_result_or_one_sentence(text: str, prefix: str) -> None:
    check((prefix + text).encode("utf-8", "surrogatepass"))


GOOD = {
    "claude": SESSION,
    "page": PAGE.encode(),
    "pretty page": json.dumps(json.loads(PAGE), indent=1).encode(),
    "gzip": gzip.compress(SESSION),
    "utf-16": SESSION.decode().encode("utf-16"),
}


@QUIET
@given(name=st.sampled_from(sorted(GOOD)), share=st.floats(0, 1))
def test_a_file_cut_anywhere_gives_a_result_or_one_sentence(name: str, share: float) -> None:
    raw = GOOD[name]
    check(raw[: int(share * len(raw))])


@QUIET
@given(
    name=st.sampled_from(sorted(GOOD)),
    at=st.floats(0, 1, exclude_max=True),
    junk=st.binary(min_size=1, max_size=30),
)
def test_a_file_damaged_anywhere_gives_a_result_or_one_sentence(
    name: str, at: float, junk: bytes
) -> None:
    raw = GOOD[name]
    start = int(at * len(raw))
    check(raw[:start] + junk + raw[start + len(junk) :])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "type",
        "sessionId",
        "message",
        "usage",
        "id",
        "model",
        "timestamp",
        "payload",
        "info",
        "total_token_usage",
        "response_id",
        "input_tokens",
        "output_tokens",
        "cache_creation",
        "cache_read_input_tokens",
        "input_tokens_details",
        "prompt_tokens",
        "prompt_tokens_details",
        "prompt_cache_hit_tokens",
        "usageMetadata",
        "promptTokenCount",
        "inputTokens",
        "cacheDetails",
        "object",
        "data",
        "results",
        "start_time",
        "api",
        "provider",
        "response",
        "body",
        "request",
        "metadata",
        "headers",
        "tags",
        "messages",
        "tokens",
        "input",
        "output",
        "total",
        "cached",
        "custom_id",
        "result",
        "thread_id",
        "costUSD",
        "service_tier",
        "created",
        "isSidechain",
        "source",
    ]
)
WORDS = st.sampled_from(
    [
        "assistant",
        "gemini",
        "page",
        "bucket",
        "turn.completed",
        "session_meta",
        "event_msg",
        "token_count",
        "token_usage_record",
        "turn_context",
        "claude-opus-5",
        "gpt-6-luna",
        "gemini-3",
        "deepseek-chat",
        "organization.usage.completions.result",
    ]
)
RECORD = st.recursive(
    JSON | WORDS | st.integers(0, 10**6),
    lambda inner: st.dictionaries(KEYS, inner, max_size=7) | st.lists(inner, max_size=2),
    max_leaves=25,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=st.lists(st.dictionaries(KEYS, RECORD, max_size=8), min_size=1, max_size=4))
def test_any_records_with_known_keys_give_a_result_or_one_sentence(rows: list[object]) -> None:
    check(jsonl(rows).encode("utf-8", "surrogatepass"))


SEEDS = [
    claude_row("m", claude_usage(10, 5, read=3, write_5m=2)),
    {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": {"id": "s"}},
    {"type": "token_usage_record", "payload": {"response_id": "r", "usage": {
        "input_tokens": 5, "cached_input_tokens": 2, "output_tokens": 1}}},
    {"type": "event_msg", "payload": {"type": "token_count", "info": {
        "total_token_usage": {"input_tokens": 5, "output_tokens": 1}, "last_token_usage": {
            "input_tokens": 5, "output_tokens": 1}}}},
    {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 1}},
    {"sessionId": "s", "messages": [{"id": "a", "type": "gemini", "tokens": {
        "input": 5, "output": 1, "cached": 2, "total": 6}}]},
    json.loads(PAGE),
    {"model": "gpt-6", "usage": {"input_tokens": 9, "output_tokens": 1,
                                 "input_tokens_details": {"cached_tokens": 4}}},
    {"custom_id": "x", "response": {"body": {"model": "gpt-6", "object": "chat.completion",
                                             "usage": {"prompt_tokens": 9}}}},
]  # fmt: skip


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), seed=st.sampled_from(SEEDS), junk=JSON)
def test_a_good_record_with_one_value_replaced_gives_a_result_or_one_sentence(
    data: st.DataObject, seed: object, junk: object
) -> None:
    damaged = json.loads(json.dumps(seed))
    here = damaged
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = data.draw(st.sampled_from(keys))
        inner = here[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            here[key] = junk
            break
        here = inner
    check(jsonl([seed, damaged]).encode("utf-8", "surrogatepass"))
