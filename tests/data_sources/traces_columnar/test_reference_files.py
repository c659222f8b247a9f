"""Real and published files give the statistics that stand in their catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.data_sources.traces_columnar.conftest import ReadFiles

MOONCAKE = "serving_prefix/mooncake/conversation_trace.jsonl"
DIRTY = "serving_prefix/edge_cases/mooncake_dirty.synthetic.jsonl"
TOTALS = {"total_input_tokens", "total_output_tokens", "duration_s"}
CHAINS = ("ideal_", "mean_request", "second_half", "unique_", "total_blocks")
AIPERF = "serving_prefix/aiperf_templates/"
CONSOLE = "usage_exports/anthropic_console/claude_api_tokens_"
OPENAI = "usage_exports/openai/completions_usage_"
GENERIC = "usage_exports/generic/usage_"


@pytest.fixture(scope="module")
def index(reference_data: Path) -> dict[str, dict[str, Any]]:
    entries = yaml.safe_load((reference_data / "traces" / "INDEX.yaml").read_text("utf-8"))["files"]
    return {entry["file"]: entry for entry in entries}


def checked(read: dict[str, Any], wanted: dict[str, Any], names: list[str]) -> None:
    for name in names:
        assert read[name] == pytest.approx(wanted[name], abs=1e-6), name


@pytest.mark.parametrize(
    ("module", "file", "options", "elsewhere"),
    [
        ("mooncake", MOONCAKE, {}, TOTALS),
        ("mooncake", DIRTY, {}, set()),
        (
            "mooncake",
            f"{AIPERF}precise_schedule.jsonl",
            {},
            TOTALS,
        ),
        (
            "mooncake",
            f"{AIPERF}production_trace.jsonl",
            {"block_tokens": 512},
            TOTALS,
        ),
        ("console_csv", f"{CONSOLE}2026_10.synthetic.csv", {}, set()),
        ("console_csv", f"{CONSOLE}2026_10_06_hourly.synthetic.csv", {}, set()),
        ("console_csv", f"{CONSOLE}handcheck.synthetic.csv", {}, set()),
        ("openai_csv", f"{OPENAI}2026-10-06.synthetic.csv", {}, set()),
    ],
)
def test_statistics_equal_the_catalogue(
    read_files: ReadFiles,
    reference_data: Path,
    index: dict[str, dict[str, Any]],
    module: str,
    file: str,
    options: dict[str, Any],
    elsewhere: set[str],
) -> None:
    workload = read_files(module, reference_data / "traces" / file, **options).workload
    wanted = index[file]["stats"]
    assert workload.format == index[file]["format"]
    chains = {
        n for n in wanted if n.startswith(("ideal_", "mean_request", "second_half", "unique_"))
    }
    names = [n for n in wanted if n not in elsewhere | chains | {"total_blocks"}]
    checked(dict(workload.format_stats), wanted, names)
    totals = {
        "total_input_tokens": int(workload.counts("input_tokens").sum()),
        "total_output_tokens": int(workload.counts("output_tokens").sum()),
        "duration_s": float(workload.floats("arrival_s").max()),
        "total_blocks": len(workload.prefix.block_ids) if workload.prefix else 0,
    }
    checked(totals, wanted, [n for n in totals if n in wanted and n != "duration_s"])
    if "duration_s" in wanted:
        checked(totals, wanted, ["duration_s"])


def test_the_mooncake_trace_has_no_flags_and_its_size_is_found(
    read_files: ReadFiles, reference_data: Path
) -> None:
    result = read_files("mooncake", reference_data / "traces" / MOONCAKE)
    assert [a.id for a in result.receipt.assumptions] == [
        "columnar.time_in_ms",
        "columnar.block_size",
    ]
    prefix = result.workload.prefix
    assert prefix is not None
    assert (prefix.block_tokens, len(set(prefix.block_ids.tolist()))) == (512, 182_790)
    assert set(prefix.block_ids[prefix.offsets[:-1]].tolist()) == {0}


def test_the_dirty_trace_loses_three_rows_with_their_reasons(
    read_files: ReadFiles, reference_data: Path
) -> None:
    receipt = read_files("mooncake", reference_data / "traces" / DIRTY).receipt
    assert [(r.line, r.reason.id) for r in receipt.rejected] == [
        (5, "columnar.zero_input"),
        (9, "columnar.no_output"),
        (11, "traces.line_not_json"),
    ]
    assert (receipt.rows_read, receipt.rows_kept) == (11, 8)


def test_the_openai_export_accounts_for_every_row(
    read_files: ReadFiles, reference_data: Path
) -> None:
    file = reference_data / "traces" / f"{OPENAI}2026-10-06.synthetic.csv"
    receipt = read_files("openai_csv", file).receipt
    counts = (
        receipt.rows_read,
        receipt.rows_kept,
        receipt.rows_collapsed,
        receipt.rows_rejected,
        receipt.rows_ignored,
    )
    assert counts == (291, 195, 0, 0, 96)


def test_generic_sheets_in_utf16_and_cp932_are_read_by_mapping(
    read_files: ReadFiles, reference_data: Path
) -> None:
    folder = reference_data / "traces"
    japanese = {
        "日時": "arrival_utc",
        "モデル": "model",
        "入力トークン": "uncached_input_tokens",
        "キャッシュ読込": "cached_read_tokens",
        "出力トークン": "output_tokens",
    }
    work = read_files(
        "mapped", folder / f"{GENERIC}ja_cp932.synthetic.csv", mapping=japanese
    ).workload
    assert (work.rows, int(work.ints("input_tokens")[0])) == (10, 52_381 + 47_716)
    assert work.format == "generic_csv"
    english = {
        "Time": "arrival_utc",
        "Model": "model",
        "Input tokens": "input_tokens",
        "Cached tokens": "cached_read_tokens",
        "Output tokens": "output_tokens",
    }
    work = read_files(
        "mapped", folder / f"{GENERIC}excel_utf16.synthetic.csv", mapping=english
    ).workload
    assert work.rows == 5
    assert work.ints("input_tokens").tolist() == [12_345] * 5
    assert work.floats("arrival_s").max() == 4 * 86_400


def test_public_traces_can_be_mapped(read_files: ReadFiles, reference_data: Path) -> None:
    file = reference_data / "traces/serving_plain/azure2023/AzureLLMInferenceTrace_conv.csv"
    mapping = {
        "TIMESTAMP": "arrival_s",
        "ContextTokens": "input_tokens",
        "GeneratedTokens": "output_tokens",
    }
    work = read_files("mapped", file, mapping=mapping).workload
    assert work.rows == 19_366
    assert not work.dated
