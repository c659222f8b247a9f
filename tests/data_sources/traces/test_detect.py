"""Recognition: by the keys of objects and the names of headers, never by the file's name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_sources.traces import formats, registry
from data_sources.traces.decode import decode
from data_sources.traces.detect import Detection, detect
from data_sources.traces.detect_csv import RULES as HEADER_RULES
from data_sources.traces.detect_json import HINTS, RULES
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError
from tests.data_sources.traces.helpers import read_text, source

HEADERS = {
    "TIMESTAMP,ContextTokens,GeneratedTokens": "azure_llm_trace",
    "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens": "azure_lmm_trace",
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type": "burstgpt",
    "arrived_at,num_prefill_tokens,num_decode_tokens": "vidur_trace",
    "num_prefill_tokens,num_decode_tokens,pd_ratio": "vidur_lengths",
    "usage_date_utc,usage_input_tokens_no_cache": "anthropic_console_tokens_csv",
    "usage_date_utc,token_type,cost_usd": "anthropic_console_cost_csv",
    "model,num_model_requests,input_tokens": "openai_usage_csv",
    "end_time,start_time,start_time_iso,end_time_iso": "openai_usage_csv",
    "start_time,amount_value,amount_currency": "openai_cost_csv",
    "Date,Slug,Usage,Prompt Tokens": "openrouter_activity_daily",
    "tokens_prompt,model_permaslug": "openrouter_generations",
    "sku.description,usage.amount": "gcp_billing_standard",
    "start_s,shared_prefix_tokens,fresh_tokens,output_tokens": "kvledger_csv",
    "output_tokens;input_tokens;model": "kvledger_csv",
    "input_tokens\toutput_tokens\tcached_read_tokens": "kvledger_csv",
    "input_tokens,output_tokens,cache_hits": "generic_csv",
    "日時,モデル,入力トークン": "generic_csv",
    "0,0,0,,0,0": "servegen_client_rate",
}


def found(folder: Path, text: str) -> Detection:
    [decoded] = decode(source(folder, "anything", text), folder)
    return detect(decoded)


@pytest.mark.parametrize("header", HEADERS)
def test_a_table_is_known_by_its_header_names_in_any_order(tmp_path: Path, header: str) -> None:
    detection = found(tmp_path, header + "\n1,2,3\n")
    assert detection.format == HEADERS[header]
    assert detection.shape == "csv"


OBJECTS: list[tuple[str, dict[str, Any]]] = [
    ("bailian_trace", {"chat_id": 1, "parent_chat_id": -1, "turn": 1, "input_length": 9}),
    ("ragpulse_trace", {"input_length": 1, "hash_ids": {"sys_prompt": [1]}, "timestamp": "1"}),
    ("weka_kv_cache_tester", {"requests": [], "block_size": 64, "hash_id_scope": "local"}),
    ("tracelab_rounds", {"prefix_tokens": 1, "newly_append_tokens": 1, "timing_events": []}),
    ("mooncake_trace", {"timestamp": 0, "input_length": 5, "output_length": 2, "hash_ids": [1]}),
    ("mooncake_trace", {"input_length": 5, "output_length": 2}),
    ("generic_request_jsonl", {"arrival_ms": 0.0, "input_length": 5, "output_length": 2}),
    ("lmcache_agent_text", {"timestamp": 1, "input": "", "output": "", "session_id": "x"}),
    ("sharegpt", {"id": "a", "conversations": [{"from": "human", "value": ""}]}),
    ("lmsys_chat", {"conversation_id": "a", "conversation": []}),
    ("wildchat", {"conversation_hash": "a", "conversation": []}),
    ("openai_batch_input", {"custom_id": "a", "method": "POST", "url": "/v1", "body": {}}),
    ("openai_batch_output", {"custom_id": "a", "response": None, "error": {}}),
    ("anthropic_batch_results", {"custom_id": "a", "result": {"type": "expired"}}),
    ("openai_usage_api", {"object": "page", "data": []}),
    ("anthropic_usage_report", {"data": [{"results": [{"uncached_input_tokens": 1,
                                                       "cache_creation": {}}]}]}),
    ("otel_genai_spans", {"resourceSpans": []}),
    ("claude_code_jsonl", {"type": "summary", "leafUuid": "x"}),
    ("codex_rollout", {"type": "session_meta", "payload": {}}),
    ("codex_exec_json", {"type": "thread.started", "thread_id": "x"}),
    ("gemini_cli_chat", {"sessionId": "x", "messages": [{"type": "gemini"}]}),
    ("langfuse_observations", {"usage_details": {}, "provided_model_name": None}),
    ("litellm_spend_logs", {"request_id": 1, "spend": 0, "prompt_tokens": 1, "metadata": "{}"}),
    ("bedrock_invocation_log", {"schemaType": "ModelInvocationLog"}),
    ("cloudflare_ai_gateway_logs", {"result": [{"tokens_in": 1, "tokens_out": 1, "cached": True}]}),
    ("cursor_usage_events", {"usageEventsDisplay": []}),
    ("ragpulse_dictionary", {"passage_id": 1, "token_length": 9}),
    ("api_replies", {"response": {"body": {"usage": {"prompt_tokens": 1}}}}),
    ("generic_json", {"when": 1, "how_much": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), OBJECTS)
def test_a_record_is_known_by_its_keys_alone_and_in_lists(
    tmp_path: Path, name: str, value: dict[str, Any]
) -> None:
    assert found(tmp_path, json.dumps(value, indent=1)).format == name
    assert found(tmp_path, json.dumps([value, value])).format == name
    lines = found(tmp_path, f"{json.dumps(value)}\n{json.dumps(value)}\n")
    assert lines.shape == "jsonl"
    assert lines.format == name.replace("generic_json", "generic_request_jsonl")


def test_a_session_is_known_by_a_late_row(tmp_path: Path) -> None:
    early = '{"type": "mode", "sessionId": "x"}\n' * 300
    late = '{"type": "assistant", "sessionId": "x", "message": {"usage": {}}}\n'
    assert found(tmp_path, early + late).format == "claude_code_jsonl"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# HELP vllm:prompt_tokens_total x\nvllm:prompt_tokens_total 1.0\n", "vllm_prometheus"),
        ("INFO Engine 000: Prefix cache hit rate: 61.3%\n", "vllm_engine_log"),
        ("[2026-10-03 01:00:00] Finish: obj=G(input_ids=[6223, 1])\n", "sglang_request_log"),
    ],
)
def test_server_logs_are_known_and_told_apart_from_json(
    tmp_path: Path, text: str, name: str
) -> None:
    assert found(tmp_path, text).format == name


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello world\nhow are you\n", "not_a_table"),
        ("1,2,3\n4,5,6\n", "no_header"),
        (",".join(f"c{n}" for n in range(65)) + "\n", "too_many_columns"),
        ('{"a": [1, 2,\n', "not_json"),
        ('{"a": ' * 5_000, "not_json"),
        ("[1, 2, 3]\n", "no_object"),
        ("42\n", "no_header"),
        ("[]", "no_object"),
    ],
)
def test_what_is_nothing_known_gets_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        found(tmp_path, text)
    assert caught.value.message.id == f"traces.{reason}"


@pytest.mark.parametrize("name", sorted(formats.UNREAD))
def test_a_format_not_read_yet_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    for language in LANGUAGES:
        label, advice = (say(language, m) for m in (formats.label(name), formats.advice(name)))
        assert not label.startswith("traces.")
        assert not advice.startswith("traces.")


def test_the_refusal_of_a_daily_export_reads_as_a_sentence(tmp_path: Path) -> None:
    text = "Date,Slug,Requests,Prompt Tokens,Completion Tokens\n2026-10-01,x/y,3,374,44\n"
    with pytest.raises(InputError) as caught:
        read_text(tmp_path, text, "daily.csv")
    assert say("en", caught.value.message) == (
        "daily.csv is a file of this kind: OpenRouter daily activity. kvledger does not read it "
        'yet. Say what its columns mean (in the shell: --map "Date=start_utc" '
        '--map "Slug=model" --map "Requests=n_requests" --map "Prompt Tokens=input_tokens" '
        '--map "Completion Tokens=output_tokens").'
    )


def test_every_format_that_is_detected_is_either_read_or_refused_by_name() -> None:
    names = {name for name, _ in (*RULES, *HINTS, *HEADER_RULES)} | formats.GENERIC
    assert names - registry.READERS.keys() - formats.UNREAD.keys() == set()
    assert not registry.READERS.keys() & formats.UNREAD.keys()
