"""Joining workloads: columns united, prefix ids kept apart, receipts added."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.store.messages_json import receipt_from_json, receipt_to_json
from data_sources.traces.base import ReadResult
from data_sources.traces.combine import add_receipts, combine, take_prefix
from econ.receipt import Ignored, Receipt, Rejection, SourceFile
from econ.workload import IntArray, Prefix, Text, Workload
from messages.errors import Message
from tests.data_sources.traces.helpers import table


def ints(*values: int) -> IntArray:
    return np.asarray(values, dtype=np.int64)


def prefix(
    *rows: list[int], tokens: int | IntArray = 16, scope: str = "file", **more: object
) -> Prefix:
    return Prefix(
        offsets=np.cumsum([0, *map(len, rows)]).astype(np.int64),
        block_ids=ints(*(block for row in rows for block in row)),
        block_tokens=tokens,
        scope=scope,
        **more,  # type: ignore[arg-type]
    )


def part(arrivals: list[float], blocks: Prefix | None = None, **columns: object) -> ReadResult:
    rows = len(arrivals)
    workload = Workload(
        name="part",
        format="test",
        rows=rows,
        columns={"arrival_s": np.asarray(arrivals), **columns},  # type: ignore[dict-item]
        prefix=blocks,
    )
    return ReadResult(workload=workload, receipt=Receipt(files=(), rows_read=rows, rows_kept=rows))


def blocks_of(found: Prefix | None) -> list[list[int]]:
    assert found is not None
    return [
        found.block_ids[a:b].tolist()
        for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True)
    ]


def test_columns_are_united_and_missing_ones_stay_empty() -> None:
    one = part([0.0, 9.0], input_tokens=ints(1, 2), model=Text.of(["a", None]))
    two = part([5.0], cached_read_tokens=ints(7), model=Text.of(["b"]))
    joined = combine([one, two], "both").workload
    assert table(joined, "arrival_s", "input_tokens", "cached_read_tokens", "model") == [
        (0.0, 1, None, "a"),
        (5.0, None, 7, "b"),
        (9.0, 2, None, None),
    ]
    assert joined.name == "both"


def test_equal_arrivals_keep_the_order_of_files() -> None:
    one = part([3.0, 3.0], input_tokens=ints(1, 2))
    two = part([3.0, 1.0], input_tokens=ints(3, 4))
    joined = combine([one, two], "x").workload
    assert joined.ints("input_tokens").tolist() == [4, 1, 2, 3]


def test_ids_of_two_files_never_meet_and_stay_equal_inside_one() -> None:
    one = part([0.0, 2.0], prefix([10, 11], [10, 12]))
    two = part([1.0, 3.0], prefix([10], [10, 11]))
    found = blocks_of(combine([one, two], "x").workload.prefix)
    assert found[0][0] == found[2][0]
    assert found[1][0] == found[3][0]
    assert found[0][0] != found[1][0]
    assert [len(row) for row in found] == [2, 1, 2, 2]


def test_global_ids_stay_as_they_are() -> None:
    one, two = part([0.0], prefix([10], scope="global")), part([1.0], prefix([10], scope="global"))
    joined = combine([one, two], "x").workload.prefix
    assert blocks_of(joined) == [[10], [10]]
    assert joined is not None
    assert joined.scope == "global"


def test_ids_that_compare_inside_a_model_keep_to_it() -> None:
    one = part(
        [0.0, 1.0, 2.0],
        prefix([7], [7], [7], scope="model"),
        model=Text.of(["a", "b", "a"]),
    )
    other = part([3.0], prefix([7]))
    found = [row[0] for row in blocks_of(combine([one, other], "x").workload.prefix)]
    assert found[0] == found[2]
    assert len(set(found)) == 3


def test_a_part_without_blocks_and_sizes_that_differ_are_joined() -> None:
    one, two = part([0.0], prefix([1, 2], tokens=16)), part([1.0])
    three = part([2.0], prefix([5], tokens=ints(99)))
    joined = combine([one, two, three], "x").workload.prefix
    assert [len(row) for row in blocks_of(joined)] == [2, 0, 1]
    assert joined is not None
    assert isinstance(joined.block_tokens, np.ndarray)
    assert joined.block_tokens.tolist() == [16, 16, 99]


def test_breakpoints_follow_their_rows() -> None:
    marks = {"bp_offsets": ints(0, 1, 3), "bp_blocks": ints(1, 1, 2), "bp_ttl_s": ints(300, 60, 9)}
    one = part([5.0, 1.0], prefix([1], [1, 2], **marks))
    two = part([3.0], prefix([4]))
    joined = combine([one, two], "x").workload.prefix
    assert joined is not None
    assert joined.bp_offsets is not None
    assert joined.bp_blocks is not None
    assert joined.bp_ttl_s is not None
    assert joined.bp_offsets.tolist() == [0, 2, 2, 3]
    assert joined.bp_blocks.tolist() == [1, 2, 1]
    assert joined.bp_ttl_s.tolist() == [60, 9, 300]


@given(
    rows=st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=8),
    seed=st.randoms(),
)
def test_taking_rows_in_any_order_moves_their_blocks_along(
    rows: list[list[int]], seed: object
) -> None:
    order = list(range(len(rows)))
    seed.shuffle(order)  # type: ignore[attr-defined]
    found = take_prefix(prefix(*rows, tokens=ints(*(b * 2 for r in rows for b in r))), ints(*order))
    assert blocks_of(found) == [rows[i] for i in order]
    assert found is not None
    assert isinstance(found.block_tokens, np.ndarray)
    assert found.block_tokens.tolist() == [b * 2 for i in order for b in rows[i]]


def test_parts_without_a_common_clock_say_so() -> None:
    dated = part([0.0], arrival_utc=np.asarray(["2026-10-07"], dtype="datetime64[us]"))
    result = combine([dated, part([4.0])], "x")
    assert [m.id for m in result.receipt.assumptions] == ["traces.assume.own_clocks"]
    assert combine([dated], "x").receipt.assumptions == ()


def test_receipts_add_up() -> None:
    reason = Message("traces.reason.zero_input")
    line = Rejection(file="a", line=1, reason=reason)

    def receipt(cost: int | None, ignored: str) -> Receipt:
        return Receipt(
            files=(),
            rows_read=74,
            rows_kept=3,
            rows_rejected=70,
            rows_ignored=1,
            rejected=(line,) * 70,
            rejected_by_reason={reason.id: 70},
            ignored=(Ignored(reason=Message(ignored), rows=1),),
            assumptions=(Message("traces.assume.no_time"),),
            collapsed_cost_e13=cost,
        )

    total = add_receipts([receipt(5, "a"), receipt(None, "a"), receipt(7, "b")])
    assert (total.rows_read, total.rows_kept, total.rows_rejected) == (222, 9, 210)
    assert len(total.rejected) == 100
    assert total.rejected_by_reason == {reason.id: 210}
    assert {g.reason.id: g.rows for g in total.ignored} == {"a": 2, "b": 1}
    assert len(total.assumptions) == 1
    assert total.collapsed_cost_e13 == 12


def test_a_receipt_that_does_not_add_up_cannot_be_made() -> None:
    with pytest.raises(AssertionError):
        Receipt(files=(), rows_read=2, rows_kept=1)


def test_each_file_of_a_receipt_says_how_many_rows_it_gave() -> None:
    def read(name: str, rows: int, files: int = 1) -> Receipt:
        source = SourceFile(path=name, sha256="0" * 64, format="x", encoding="utf-8")
        return Receipt(files=(source,) * files, rows_read=rows + 1, rows_kept=rows, rows_ignored=1)

    added = add_receipts([read("a", 2), read("b", 3)])
    assert [file.rows for file in added.files] == [2, 3]
    assert [file.rows for file in add_receipts([added]).files] == [2, 3]
    assert receipt_from_json(receipt_to_json(added)) == added
    assert [file.rows for file in add_receipts([read("c", 5, files=2)]).files] == [None, None]
