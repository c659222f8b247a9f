"""What `inspect` says: counts of the whole workload, unknown where the file does not know."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import data_sources.traces as room
from data_sources.traces.stats import inspect_json, stats
from messages.catalogue import LANGUAGES, read_catalogue, sayer
from tests.data_sources.traces.helpers import (
    claude_row,
    claude_usage,
    counts,
    read_rows,
    read_text,
)


def test_counts_models_and_sessions_of_a_workload(tmp_path: Path) -> None:
    rows = [
        claude_row("a", claude_usage(10, 5, read=20, write_1h=30), second=0),
        claude_row("b", claude_usage(1, 2), second=30, model="claude-haiku-5-5"),
        claude_row("c", claude_usage(1, 2), second=45),
    ]
    assert stats(read_rows(tmp_path, rows).workload) == {
        "rows": 3,
        "total_input_tokens": 62,
        "total_output_tokens": 9,
        "cached_read_tokens": 20,
        "cache_write_5m_tokens": 0,
        "cache_write_1h_tokens": 30,
        "cache_write_30m_tokens": None,
        "cache_write_12h_tokens": None,
        "duration_s": 45.0,
        "models": {"claude-opus-5": 2, "claude-haiku-5-5": 1},
        "sessions": 1,
    }


def test_inspect_has_its_exact_shape_in_both_languages(tmp_path: Path) -> None:
    rows = [
        claude_row("a", claude_usage(10, 5, write_5m=3) | {"cache_creation": None}),
        claude_row("b", claude_usage(0, 5)),
        {"type": "user", "sessionId": "s"},
    ]
    result = read_rows(tmp_path, rows)
    shown = inspect_json(result, {"total_blocks": 4}, sayer("en"))
    assert list(shown) == ["format", "files", "receipt", "stats", "format_stats"]
    assert list(shown["files"][0]) == ["path", "sha256", "format", "encoding"]
    assert list(shown["receipt"]) == [
        "rows_read",
        "rows_kept",
        "rows_collapsed",
        "rows_rejected",
        "rows_ignored",
        "rejected",
        "rejected_by_reason",
        "ignored",
        "assumptions",
    ]
    assert shown["receipt"]["rejected"] == [
        {"file": "upload.jsonl", "line": 2, "reason": "no input tokens"}
    ]
    assert shown["receipt"]["rejected_by_reason"] == {"zero_input": 1}
    assert shown["receipt"]["ignored"] == [{"reason": "no usage in it", "rows": 1}]
    assert shown["stats"]["total_blocks"] == 4
    assert json.loads(json.dumps(shown)) == shown
    japanese = inspect_json(result, {}, sayer("ja"))["receipt"]
    assert japanese["rejected"][0]["reason"] == "入力トークンが0です"
    assert japanese["rejected_by_reason"] == {"zero_input": 1}


def test_a_workload_without_rows_has_no_input_and_no_models(tmp_path: Path) -> None:
    result = read_text(
        tmp_path, '{"object": "page", "data": [{"object": "bucket", "results": []}]}'
    )
    found = stats(result.workload)
    assert counts(result) == (1, 0, 0, 0, 1)
    assert found["total_input_tokens"] == 0
    assert found["cached_read_tokens"] is None
    assert found["models"] is None
    assert found["duration_s"] is None


KEY_PATTERNS = (
    (re.compile(r'"(traces\.[a-z0-9_.]+)"'), "{}"),
    (re.compile(r'rejected\(\s*"([a-z0-9_]+)"'), "traces.reason.{}"),
    (re.compile(r'ignore\(\s*"([a-z0-9_]+)"'), "traces.ignored.{}"),
    (re.compile(r'without_usage(?:: str)? ?= ?"([a-z_]+)"'), "traces.ignored.{}"),
    (re.compile(r'collapse\(\s*"([a-z0-9_]+)"'), "traces.collapsed.{}"),
)
INDIRECT = {
    "traces.assume.cached_inside",
    "traces.assume.cached_beside",
    "traces.assume.zoneless_time",
}
SPOKEN_ABOUT = {"traces.format", "traces.advice"}
OWN = ("traces.", "texts.ignored.", "texts.collapsed.")


def keys_in_code() -> set[str]:
    found = set(INDIRECT)
    for path in Path(room.__path__[0]).glob("*.py"):
        code = path.read_text("utf-8")
        for pattern, shape in KEY_PATTERNS:
            told = shape.replace("traces.", "texts.", 1) if "TextRows" in code else shape
            found |= {told.format(key) for key in pattern.findall(code)}
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_in_the_code_is_in_the_catalogue_and_none_is_left_over(
    language: str,
) -> None:
    ids = [m.id for m in read_catalogue(language) if m.id]
    catalogue = {key if isinstance(key, str) else key[0] for key in ids}  # plurals come in pairs
    mine = {key for key in catalogue if key.startswith(OWN)}
    used = keys_in_code()
    assert used - mine == set()
    spoken = {key for key in mine if key.startswith(tuple(SPOKEN_ABOUT))}
    assert mine - used - spoken == set()
