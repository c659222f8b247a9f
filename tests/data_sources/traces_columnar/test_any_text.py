"""Whatever a file holds, a reader answers with a workload or with one sentence."""

from __future__ import annotations

import json
import tempfile
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sources.traces.base import ReadOptions, no_progress
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError, Message
from tests.data_sources.traces_columnar.conftest import decoded

HEADS = {
    "plain_csv": "start_s,session_id,input_tokens,output_tokens,block_ids,ttl",
    "console_csv": (
        "usage_date_utc,model_version,api_key,workspace,usage_type,context_window,"
        "usage_input_tokens_no_cache,usage_input_tokens_cache_write,"
        "usage_input_tokens_cache_read,usage_output_tokens"
    ),
    "openai_csv": "start_time,end_time,model,batch,input_tokens,output_tokens,num_model_requests",
    "mapped": "when,in,out,cost",
}
MAPPING = {"when": "arrival_utc", "in": "input_tokens", "out": "output_tokens", "cost": (
    "observed_cost_usd")}  # fmt: skip
CELLS = st.sampled_from(
    ["", "1", "5", "-1", "2.0", "x", '"', '""', '"a', 'a"b', "1,2", "\r", "\n", "2026-10-01",
     "1791244800", "> 200k", "5m", "nan", "1e999", "[1, 2]", "\ufeff", "２", "$1", "1/2/2026"]
)  # fmt: skip
ROWS = st.lists(st.lists(CELLS, max_size=11).map(",".join), max_size=8)


def answer(module: str, data: bytes, options: ReadOptions) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(data)
        try:
            files = decoded(path, Path(folder))
            result = import_module(f"data_sources.traces.{module}").read(
                files, options, no_progress
            )
        except InputError as error:
            worded(error.message)
            return
    receipt = result.receipt
    assert receipt.rows_kept == result.workload.rows
    for rejection in receipt.rejected:
        assert 1 <= rejection.line <= data.count(b"\n") + data.count(b"\r") + 1
        worded(rejection.reason)
    for message in (*receipt.assumptions, *(group.reason for group in receipt.ignored)):
        worded(message)


def worded(message: Message) -> None:
    """Both languages have words for it, and every placeholder is filled."""
    for language in LANGUAGES:
        text = say(language, message)
        assert "columnar." not in text
        assert "{" not in text.replace("{}", "") or "{" in str(message)


@pytest.mark.parametrize("module", sorted(HEADS))
@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from(["\n", "\r\n"]))
def test_any_table(module: str, rows: list[str], ending: str) -> None:
    options = ReadOptions(mapping=MAPPING if module == "mapped" else {})
    answer(module, ending.join((HEADS[module], *rows)).encode(), options)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(), st.text(max_size=4),
    st.lists(st.one_of(st.integers(0, 9), st.text(max_size=2), st.none()), max_size=3),
)  # fmt: skip
KEYS = ["timestamp", "input_length", "output_length", "hash_ids", "block_size", "model"]
OBJECTS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)


@pytest.mark.parametrize("module", ["mooncake", "mapped"])
@settings(max_examples=80, deadline=None)
@given(st.lists(OBJECTS, max_size=5), st.sampled_from(["", "{", "[]", "7", "\n\n"]))
def test_any_objects(module: str, rows: list[dict[str, object]], tail: str) -> None:
    mapping = {"input_length": "input_tokens", "output_length": "output_tokens", "timestamp": (
        "start_s"), "hash_ids": "block_ids", "model": "model"}  # fmt: skip
    data = "\n".join((*(json.dumps(row) for row in rows), tail)).encode()
    options = ReadOptions(mapping=mapping if module == "mapped" else {}, block_tokens=16)
    answer(module, data, options)
