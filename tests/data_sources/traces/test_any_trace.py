"""Traces with any value anywhere: a result whose receipt adds up, or one sentence."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.data_sources.traces.helpers import DATA, jsonl
from tests.data_sources.traces.test_any_bytes import JSON, check
from tests.data_sources.traces.test_bailian import turn
from tests.data_sources.traces.test_ragpulse import LENGTHS, ROWS
from tests.data_sources.traces.test_serving_csv import AZURE, BURST_1, BURST_3
from tests.data_sources.traces.test_tracelab import claude, codex
from tests.data_sources.traces.test_vendor_logs import call, page, result

SESSION = json.loads((DATA / "kv_cache_session.json").read_text("utf-8"))
RECORDS: dict[str, list[Any]] = {
    "bailian": [turn(1, -1), turn(2, 1, 3.0), turn(3, 9, 4.0)],
    "kv-cache-tester": [SESSION],
    "ragpulse": ROWS,
    "ragpulse mixed up": [*ROWS, *LENGTHS],
    "tracelab": [claude(1), codex(2)],
    "usage report": [page(result()), page(day=2)],
    "bedrock": [call(1), call(2)],
}
TABLES = {"azure": AZURE, "burst 1": BURST_1, "burst 3": BURST_3}
ODD = st.sampled_from(
    [-1, 0, 1e400, 10**30, "", "x", "12", "NaN", None, True, [], {}, [None], [[1]], "\ud800"]
)  # fmt: skip
QUIET = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a JSON value."""
    keys = (
        value.keys()
        if isinstance(value, dict)
        else range(len(value) if isinstance(value, list) else 0)
    )
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """`value` with `junk` at `path`."""
    if not path:
        return junk
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = junk
    return changed


@QUIET
@given(data=st.data(), name=st.sampled_from(sorted(RECORDS)), junk=JSON | ODD)
def test_any_value_anywhere_gives_a_result_or_one_sentence(
    data: st.DataObject, name: str, junk: Any
) -> None:
    records = RECORDS[name]
    path = data.draw(st.sampled_from(places(records)[1:]))
    changed = replaced(records, path, junk)
    check(jsonl(changed).encode("utf-8", "surrogatepass"))
    check(json.dumps(changed).encode("utf-8", "surrogatepass"))


@QUIET
@given(
    name=st.sampled_from(sorted(TABLES)),
    at=st.floats(0, 1, exclude_max=True),
    junk=st.text(max_size=12) | st.binary(max_size=8),
)
def test_a_table_damaged_anywhere_gives_a_result_or_one_sentence(
    name: str, at: float, junk: str | bytes
) -> None:
    raw = TABLES[name].encode()
    start = int(at * len(raw))
    piece = junk if isinstance(junk, bytes) else junk.encode("utf-8", "surrogatepass")
    check(raw[:start] + piece + raw[start + len(piece) :])


@QUIET
@given(name=st.sampled_from(sorted(RECORDS)), share=st.floats(0, 1))
def test_a_trace_cut_anywhere_gives_a_result_or_one_sentence(name: str, share: float) -> None:
    raw = jsonl(RECORDS[name]).encode()
    check(raw[: int(share * len(raw))])
