"""Real and layout files, each with the statistics that were counted from it by other means."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_sources.traces import formats
from data_sources.traces.base import ReadOptions, ReadResult
from data_sources.traces.read import read
from data_sources.traces.source import open_path
from data_sources.traces.stats import inspect_json
from messages.catalogue import sayer
from messages.errors import InputError
from tests.data_sources.traces.helpers import counts

AGENTS = "agent_logs"
SESSION = f"{AGENTS}/claude_code/tracelab_claude_session.jsonl"
DEMO = f"{AGENTS}/claude_code/project-demo"
READ_HERE = (
    SESSION,
    f"{DEMO}/session-main.synthetic.jsonl",
    f"{DEMO}/subagents/agent-001.synthetic.jsonl",
    f"{AGENTS}/codex/tracelab_rollout.jsonl",
    f"{AGENTS}/codex/sessions/2026/05/01/rollout-reemits.synthetic.jsonl",
    f"{AGENTS}/codex/sessions/2026/05/02/rollout-totals-only-reset.synthetic.jsonl",
    f"{AGENTS}/codex/sessions/2026/09/12/rollout-token-usage-record.synthetic.jsonl",
    f"{AGENTS}/codex/exec_json.synthetic.jsonl",
    f"{AGENTS}/gemini_cli/chats/session-2026-10-07.synthetic.json",
    f"{AGENTS}/gemini_cli/chats/session-stream.synthetic.jsonl",
    "conversations/anthropic_batch_results.30.synthetic.jsonl",
    "conversations/openai_batch_output.30.synthetic.jsonl",
    "usage_exports/openai/usage_completions_buckets.cookbook.json",
    "usage_exports/openai/usage_completions_page.synthetic.json",
)
NOT_COUNTED_HERE = ("naive_", "lines", "declared_")


@pytest.fixture(scope="module")
def index(reference_data: Path) -> dict[str, dict[str, Any]]:
    text = (reference_data / "traces" / "INDEX.yaml").read_text("utf-8")
    entries = yaml.load(text, Loader=yaml.CSafeLoader)["files"]
    return {entry["file"]: entry for entry in entries}


def read_files(reference_data: Path, *names: str) -> ReadResult:
    return read([open_path(reference_data / "traces" / name) for name in names])


def named_counts(result: ReadResult) -> dict[str, Any]:
    found = inspect_json(result, {}, sayer("en"))
    return {**found["stats"], **found["format_stats"]}


def expected_of(stats: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in stats.items() if not key.startswith(NOT_COUNTED_HERE)}


@pytest.mark.parametrize("name", READ_HERE)
def test_every_statistic_of_the_file_is_reached(
    name: str, reference_data: Path, index: dict[str, Any]
) -> None:
    result = read_files(reference_data, name)
    expected = expected_of(index[name]["stats"])
    found = named_counts(result)
    assert {key: found.get(key) for key in expected} == expected
    assert result.workload.format == index[name]["format"]


def test_the_real_claude_session_adds_up_to_ten_answers(reference_data: Path) -> None:
    result = read_files(reference_data, SESSION)
    assert counts(result) == (64, 10, 15, 0, 39)
    workload = result.workload
    assert int(workload.ints("cached_read_tokens").sum()) == 394_068
    assert int(workload.ints("cache_write_5m_tokens").sum()) == 21_086
    assert int(workload.ints("input_tokens").sum()) - 394_068 - 21_086 == 3_039
    assert int(workload.ints("output_tokens").sum()) == 9_423


def test_a_session_and_its_sub_agent_read_together_count_shared_answers_once(
    reference_data: Path, index: dict[str, Any]
) -> None:
    names = [name for name in READ_HERE if name.startswith(DEMO)]
    joint = json.loads(re.search(r"\{.*\}", index[names[0]]["notes"], re.DOTALL)[0])  # type: ignore[index]
    found = named_counts(read_files(reference_data, *names))
    expected = expected_of(joint)
    assert {key: found.get(key) for key in expected} == expected


def test_the_order_of_files_changes_no_count(reference_data: Path) -> None:
    names = [name for name in READ_HERE if name.startswith(DEMO)]
    forward = named_counts(read_files(reference_data, *names))
    backward = named_counts(read_files(reference_data, *reversed(names)))
    assert forward == backward


def test_every_other_known_file_is_refused_by_name_or_read_elsewhere(
    reference_data: Path, index: dict[str, Any]
) -> None:
    refused = {n: e for n, e in index.items() if e["format"] in formats.UNREAD}
    assert len(refused) > 20
    for name, entry in refused.items():
        with pytest.raises(InputError) as caught:
            read_files(reference_data, name)
        message = caught.value.message
        if entry["bytes"] == 0:
            assert message.id == "traces.empty_file"
        else:
            assert message.id == "traces.unread_format"
            assert message.values["format"] == formats.label(entry["format"])


MAPPED = {
    "usage_exports/openrouter/activity_daily.synthetic.csv",
    "usage_exports/openrouter/activity_generations.synthetic.csv",
}


@pytest.mark.parametrize("name", sorted(MAPPED))
def test_the_columns_that_a_refusal_names_do_read_the_file(
    name: str, reference_data: Path, index: dict[str, Any]
) -> None:
    pairs = (pair.split("=", 1) for pair in formats.MAP_FLAGS[index[name]["format"]])
    file = open_path(reference_data / "traces" / name)
    result = read([file], ReadOptions(mapping=dict(pairs)))
    stats = index[name]["stats"]
    names = ("total_input_tokens", "prompt_tokens", "tokens_prompt")
    expected = next(stats[key] for key in names if key in stats)
    assert int(result.workload.ints("input_tokens").sum()) == expected
    assert result.receipt.rows_kept >= 0.97 * stats["rows"]
