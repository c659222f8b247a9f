"""What the settings allow in the browser is what the reading job takes."""

from __future__ import annotations

from pathlib import Path

import pytest

import settings
from data_sources.traces.base import ReadOptions
from jobs import flows
from jobs.reading import browser_limits
from settings import read_settings

OWNER = "limits"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "start_s,input_tokens,output_tokens\n0,1,1\n1,1,1\n2,1,1\n"),
        ("t.jsonl", '{"timestamp":0,"input_length":1,"output_length":1,"hash_ids":[0]}\n' * 3),
    ],
)
def test_a_file_with_more_rows_than_allowed_is_refused_with_the_limit(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with settings.using(read_settings(data_dir=tmp_path / "data", max_rows=2)):
        job = flows.job(flows.start_read([(name, path)], ReadOptions(), OWNER), OWNER)
        assert job.state == "failed"
        assert job.error is not None
        assert job.error.values["limit"] == 2
    with settings.using(read_settings(data_dir=tmp_path / "data", max_rows=3)):
        job = flows.job(flows.start_read([(name, path)], ReadOptions(), OWNER), OWNER)
        assert job.state == "done", job.error


def test_the_byte_limit_is_the_one_of_the_uploader() -> None:
    with settings.using(read_settings(max_upload_mb=3)):
        assert browser_limits().upload_bytes == 3 * 1024 * 1024
