"""Public serving traces and layout files: every statistic of their catalogue, counted elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from data_sources.traces.base import ReadResult
from data_sources.traces.read import read
from data_sources.traces.source import open_path
from data_sources.traces.stats import inspect_json
from econ.prefix_stats import prefix_stats
from messages.catalogue import sayer
from messages.errors import InputError

PLAIN = (
    "serving_plain/azure2023/AzureLLMInferenceTrace_conv.csv",
    "serving_plain/azure_layouts/AzureLLM_2024_layout.2000.synthetic.csv",
    "serving_plain/azure_layouts/AzureLMM_2025_layout.500.synthetic.csv.gz",
    "serving_plain/burstgpt/BurstGPT_1.head3.csv",
    "serving_plain/burstgpt/BurstGPT_1_layout.3000.synthetic.csv",
    "serving_plain/burstgpt/BurstGPT_3.head4.csv",
    "serving_plain/burstgpt/BurstGPT_3_layout.2000.synthetic.csv",
    "serving_plain/vidur/arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv",
    "serving_plain/vidur/splitwise_conv.csv",
)
TRACELAB = "serving_prefix/tracelab/round_trace.jsonl"
VENDORS = (
    "usage_exports/anthropic_admin/usage_report_messages.synthetic.json",
    "usage_exports/bedrock/model_invocation_log.synthetic.jsonl",
)
RAGPULSE = "serving_prefix/ragpulse/0_trace.jsonl"
DICTIONARIES = tuple(
    f"serving_prefix/ragpulse/{name}.jsonl"
    for name in ("1_sys_prompt", "2_passages", "3_history", "4_user_input", "5_web_search")
)
BLOCKS = (
    "serving_prefix/bailian_layout/qwen_traceA_layout.1500.synthetic.jsonl",
    *(
        f"serving_prefix/kv_cache_tester/trace_{number}.json"
        for number in (
            "0014", "0026", "0036", "0042", "0051", "0057", "0058", "0091", "0103", "0256",
            "0274", "0277", "0291",
        )
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def index(reference_data: Path) -> dict[str, dict[str, Any]]:
    text = (reference_data / "traces" / "INDEX.yaml").read_text("utf-8")
    entries = yaml.load(text, Loader=yaml.CSafeLoader)["files"]
    return {entry["file"]: entry for entry in entries}


def read_files(reference_data: Path, *names: str) -> ReadResult:
    return read([open_path(reference_data / "traces" / name) for name in names])


def counted(result: ReadResult) -> dict[str, Any]:
    """What `inspect` prints, `stats` before `format_stats`."""
    found = inspect_json(result, prefix_stats(result.workload), sayer("en"))
    return {**found["format_stats"], **found["stats"]}


@pytest.mark.parametrize("name", [*PLAIN, *BLOCKS, *VENDORS, TRACELAB])
def test_every_statistic_of_a_trace_is_reached(
    name: str, reference_data: Path, index: dict[str, Any]
) -> None:
    result = read_files(reference_data, name)
    found, expected = counted(result), index[name]["stats"]
    assert {key: found.get(key) for key in expected} == expected
    assert result.workload.format == index[name]["format"]


def test_sessions_read_together_hit_as_often_as_each_alone(
    reference_data: Path, index: dict[str, Any]
) -> None:
    names = [name for name in BLOCKS if "kv_cache_tester" in name]
    found = counted(read_files(reference_data, *names))
    for key in ("rows", "total_blocks", "unique_blocks", "ideal_hit_blocks"):
        assert found[key] == sum(index[name]["stats"][key] for name in names)
    per_model = "ideal_hit_blocks_per_model"
    assert found[per_model] == sum(index[name]["stats"][per_model] for name in names)


def test_ragpulse_with_its_dictionaries_reaches_every_statistic(
    reference_data: Path, index: dict[str, Any]
) -> None:
    result = read_files(reference_data, *reversed(DICTIONARIES), RAGPULSE)
    found, expected = counted(result), index[RAGPULSE]["stats"]
    assert {key: found.get(key) for key in expected} == expected
    entries = sum(index[name]["stats"]["rows"] for name in DICTIONARIES)
    receipt = result.receipt
    assert (receipt.rows_read, receipt.rows_kept) == (7_106 + entries, 7_106)
    assert receipt.rows_ignored == entries


def test_ragpulse_alone_is_split_evenly(reference_data: Path, index: dict[str, Any]) -> None:
    result = read_files(reference_data, RAGPULSE)
    found, expected = counted(result), index[RAGPULSE]["stats"]
    by_dictionary = {"ideal_hit_tokens", "ideal_token_hit_ratio", "dictionary_tokens"}
    by_dictionary.add("position_free_token_hit_ratio")
    same = expected.keys() - by_dictionary
    assert {key: found.get(key) for key in same} == {key: expected[key] for key in same}
    assert abs(found["ideal_token_hit_ratio"] - expected["ideal_token_hit_ratio"]) < 0.15


def test_dictionaries_alone_hold_no_request(reference_data: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_files(reference_data, *DICTIONARIES)
    assert caught.value.message.id == "traces.unread_format"
