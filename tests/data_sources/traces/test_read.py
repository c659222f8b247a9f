"""Reading as a whole: several files, any bytes, nothing left behind, nothing lost."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

import pytest

from data_sources.traces.base import ReadOptions
from data_sources.traces.read import read
from data_sources.traces.source import open_path
from messages.catalogue import say
from messages.errors import InputError
from tests.data_sources.traces.helpers import (
    DATA,
    assumed,
    claude_row,
    claude_usage,
    counts,
    jsonl,
    read_text,
    source,
    table,
)

SESSION = (DATA / "claude_session.jsonl").read_bytes()
PAGE = json.dumps(
    {
        "object": "page",
        "data": [
            {
                "object": "bucket",
                "start_time": 1_791_331_200,  # 2026-10-07
                "end_time": 1_791_417_600,
                "results": [
                    {
                        "object": "organization.usage.completions.result",
                        "input_tokens": 5_000,
                        "output_tokens": 100,
                        "num_model_requests": 4,
                        "model": "gpt-6-luna",
                    }
                ],
            }
        ],
    }
)


def test_no_file_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        read([])
    assert caught.value.message.id == "traces.no_files"


def test_a_missing_path_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        open_path(tmp_path / "nothing.csv")
    assert caught.value.message.id == "traces.no_such_file"
    assert "nothing.csv" in say("en", caught.value.message)


def test_the_same_bytes_twice_are_read_once_and_said(tmp_path: Path) -> None:
    files = [source(tmp_path, name, SESSION) for name in ("a.jsonl", "copy of a.jsonl")]
    result = read(files)
    assert counts(result) == counts(read(files[:1]))
    assert "same_file" in assumed(result)


def test_gzip_and_plain_give_the_same_workload(tmp_path: Path) -> None:
    plain = read([source(tmp_path, "a.jsonl", SESSION)])
    packed = read([source(tmp_path, "a.jsonl.gz", gzip.compress(SESSION))])
    columns = ("request_id", "input_tokens", "output_tokens", "model")
    assert table(plain.workload, *columns) == table(packed.workload, *columns)
    assert packed.receipt.files[0].encoding == "utf-8"
    assert packed.receipt.files[0].sha256 != plain.receipt.files[0].sha256


def test_files_of_different_formats_become_one_workload_on_one_clock(tmp_path: Path) -> None:
    rows = jsonl([claude_row("msg_A", claude_usage(10, 5), second=30)])
    result = read([source(tmp_path, "a.jsonl", rows), source(tmp_path, "u.json", PAGE)])
    workload = result.workload
    assert workload.name == "a.jsonl + 1"
    assert workload.format == "claude_code_jsonl+openai_usage_api"
    assert workload.granularity == "bucket"
    assert table(workload, "input_tokens", "provider", "granularity", "n_requests") == [
        (5_000, "openai", "bucket", 4),
        (10, "anthropic", "request", 1),
    ]
    assert workload.floats("arrival_s").tolist() == [0.0, 30.0]
    assert workload.requests().tolist() == [4, 1]
    assert counts(result) == (2, 2, 0, 0, 0)
    assert [f.format for f in result.receipt.files] == ["claude_code_jsonl", "openai_usage_api"]


def test_an_export_without_usage_is_a_workload_without_rows(tmp_path: Path) -> None:
    result = read_text(
        tmp_path, '{"object": "page", "data": [{"object": "bucket", "results": []}]}'
    )
    assert result.workload.rows == 0
    assert counts(result) == (1, 0, 0, 0, 1)


def test_progress_grows_to_one_and_may_cancel(tmp_path: Path) -> None:
    seen: list[float] = []
    files = [source(tmp_path, "a.jsonl", SESSION), source(tmp_path, "u.json", PAGE)]
    read(files, ReadOptions(), lambda fraction, _stage: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    class Cancelled(Exception):
        pass

    def cancel(fraction: float, _stage: str) -> None:
        if fraction > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        read(files, ReadOptions(), cancel)


def test_nothing_is_left_on_disk_after_a_read_or_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    read([source(tmp_path, "a.gz", gzip.compress(SESSION.decode().encode("utf-16")))])
    with pytest.raises(InputError):
        read([source(tmp_path, "b.gz", gzip.compress(SESSION)[:-4])])
    assert list(scratch.iterdir()) == []


def test_a_model_is_priced_under_the_name_that_the_user_gives_it(tmp_path: Path) -> None:
    rows = [
        claude_row("a", claude_usage(1, 1), model="house-model", second=1),
        claude_row("b", claude_usage(2, 1), model="claude-opus-5", second=2),
        claude_row("c", claude_usage(3, 1), model="other", second=3),
    ]
    names = {"house-model": "claude-opus-5", "claude-opus-5": "claude-sonnet-5"}
    result = read_text(tmp_path, jsonl(rows), model_names=names)
    assert table(result.workload, "model") == [
        ("claude-opus-5",),
        ("claude-sonnet-5",),
        ("other",),
    ]


def test_one_large_file_tells_its_progress_and_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data_sources.traces.follow._EVERY_CHARS", 300)
    seen: list[float] = []
    read(
        [source(tmp_path, "a.jsonl", SESSION)],
        ReadOptions(),
        lambda fraction, _stage: seen.append(fraction),
    )
    assert len(set(seen)) > 5
    assert seen == sorted(seen)
