"""Workloads, receipts and reports made for the store's tests."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from data_sources.store.reports import NewReport
from econ.receipt import Ignored, Receipt, Rejection, SourceFile
from econ.workload import (
    FLOAT_COLUMNS,
    INT_COLUMNS,
    TEXT_COLUMNS,
    TIME_COLUMNS,
    Prefix,
    Text,
    Workload,
)
from messages.errors import Message


def small_workload(
    name: str = "day.csv", sessions: tuple[str, ...] = ("s1", "s2", "s1")
) -> Workload:
    """Three requests of two sessions with prefix structure."""
    return Workload(
        name=name,
        format="plain_csv",
        rows=3,
        columns={
            "input_tokens": np.array([1000, 2000, 3000]),
            "cached_read_tokens": np.array([-1, 500, 0]),
            "arrival_s": np.array([0.0, 1.5, np.nan]),
            "arrival_utc": np.array(["2026-11-29T00:00:00.000001", "NaT", "2026-11-29"], "M8[us]"),
            "session_id": Text.of(sessions),
            "model": Text.of(["claude-opus-5", None, "名前\x00模型"]),
        },
        prefix=Prefix(
            offsets=np.array([0, 2, 4, 5]),
            block_ids=np.array([7, 8, 7, 9, 2**62]),
            block_tokens=512,
            scope="model",
        ),
        format_stats={"lines": 3, "ratio": 0.5, "price": Decimal("0.10"), "pair": (1, "a")},
    )


def small_receipt(path: str = "day.csv") -> Receipt:
    """Six lines read, three kept."""
    return Receipt(
        files=(SourceFile(path=path, sha256="ab" * 32, format="plain_csv", encoding="cp932"),),
        rows_read=6,
        rows_kept=3,
        rows_collapsed=1,
        rows_rejected=1,
        rows_ignored=1,
        rejected=(
            Rejection(
                file=path,
                line=4,
                reason=Message(
                    "traces.x", {"found": Decimal("1.10"), "why": Message("traces.y")}, 2
                ),
            ),
        ),
        rejected_by_reason={"traces.x": 1},
        collapsed=(Ignored(reason=Message("traces.dup"), rows=1),),
        ignored=(Ignored(reason=Message("traces.none"), rows=1),),
        assumptions=(Message("traces.assumed", {"zone": "Asia/Tokyo", "n": None, "f": 0.1}),),
        collapsed_cost_e13=2**60 + 1,
    )


def new_report(digest: str, owner: str = "ann", number: int = 1, **changes: Any) -> NewReport:
    """A report whose id is `number`."""
    values: dict[str, Any] = {
        "id": f"{number:064x}",
        "workload_digest": digest,
        "params": {"model": "claude-opus-5", "at": None},
        "report": {"no_cache_usd": Decimal("2.32654"), "rows": [{"usd": "5.575"}], "x": 0.1},
        "name": "Monday",
        "owner": owner,
        "method_version": 1,
        "price_book_version": "2026-11-29",
    }
    return NewReport(**{**values, **changes})


TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Any workload that the types allow, up to 12 rows."""
    rows = draw(st.integers(0, 12))
    columns: dict[str, Any] = {}
    for name in draw(st.sets(st.sampled_from(INT_COLUMNS), max_size=4)):
        columns[name] = draw(hnp.arrays(np.int64, rows))
    for name in draw(st.sets(st.sampled_from(FLOAT_COLUMNS))):
        columns[name] = draw(hnp.arrays(np.float64, rows))
    for name in draw(st.sets(st.sampled_from(TIME_COLUMNS))):
        columns[name] = draw(hnp.arrays(np.dtype("M8[us]"), rows))
    for name in draw(st.sets(st.sampled_from(TEXT_COLUMNS), max_size=3)):
        values = tuple(draw(st.lists(TEXTS.filter(bool), unique=True, min_size=1, max_size=5)))
        codes = draw(hnp.arrays(np.int32, rows, elements=st.integers(-1, len(values) - 1)))
        columns[name] = Text(codes, values)
    return Workload(
        name=draw(TEXTS),
        format="any",
        rows=rows,
        columns=columns,
        prefix=draw(st.none() | prefixes(rows)),
        granularity=draw(st.sampled_from(["request", "bucket"])),
        format_stats=draw(
            st.dictionaries(TEXTS, st.integers() | st.floats(allow_nan=False) | TEXTS)
        ),
    )


@st.composite
def prefixes(draw: st.DrawFn, rows: int) -> Prefix:
    """Prefix structure over `rows` requests, with and without unequal blocks and breakpoints."""
    lengths = draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    total = int(offsets[-1])
    points: dict[str, Any] = {}
    if draw(st.booleans()):
        counts = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
        points["bp_offsets"] = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(
            np.int64
        )
        marks = int(points["bp_offsets"][-1])
        points["bp_blocks"] = draw(hnp.arrays(np.int64, marks, elements=st.integers(0, 9)))
        points["bp_ttl_s"] = draw(
            hnp.arrays(np.int64, marks, elements=st.sampled_from([300, 3600]))
        )
    return Prefix(
        offsets=offsets,
        block_ids=draw(hnp.arrays(np.int64, total)),
        block_tokens=draw(
            st.integers(1, 4096) | hnp.arrays(np.int64, total, elements=st.integers(1, 99))
        ),
        scope=draw(st.sampled_from(["file", "model", "global"])),
        message_blocks=draw(st.booleans()),
        **points,
    )
