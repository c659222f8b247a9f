"""Block traces: nothing assumed about the block size, nothing cut from ids, odd rows by line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.traces.row_values import IdCollector
from messages.errors import InputError
from tests.data_sources.traces_columnar.conftest import ReadFiles

D28 = (
    '{"timestamp":0,"input_length":10,"output_length":5,"hash_ids":[0]}\n'
    '{"timestamp":200,"input_length":20,"output_length":8,"hash_ids":[0,1]}\n'
    '{"timestamp":100,"input_length":600,"output_length":6,"hash_ids":[0,2]}\n'
)


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def row(timestamp: object, tokens: object, ids: object, **more: object) -> dict[str, object]:
    return {
        "timestamp": timestamp,
        "input_length": tokens,
        "output_length": 5,
        "hash_ids": ids,
        **more,
    }


def test_d28_inconsistent_rows_are_flagged_by_line_and_kept(read_text: ReadFiles) -> None:
    result = read_text("mooncake", D28, block_tokens=512)
    notes = {note.id: dict(note.values) for note in result.receipt.assumptions}
    misfit = notes["columnar.ids_do_not_fit"]
    assert (misfit["line"], misfit["tokens"], misfit["found"], misfit["size"]) == (2, 20, 2, 512)
    assert "lines=3" in str(notes["columnar.out_of_order"]["lines"])
    assert result.receipt.rows_kept == 3
    assert result.workload.ints("input_tokens").tolist() == [10, 600, 20]
    assert {"columnar.time_in_ms", "columnar.block_size"} <= notes.keys()


def test_d28_a_user_can_proceed_without_them(read_text: ReadFiles) -> None:
    result = read_text("mooncake", D28, block_tokens=512, leave_out_flagged=True)
    assert [(r.line, r.reason.id) for r in result.receipt.rejected] == [
        (2, "columnar.ids_left_out")
    ]
    assert result.workload.ints("input_tokens").tolist() == [10, 600]


def test_d28_the_block_size_is_never_assumed(read_text: ReadFiles) -> None:
    with pytest.raises(InputError, match=r"block_size_unknown.*best=512.*fits=2.*lines=2"):
        read_text("mooncake", D28)


def test_the_size_that_fits_nine_tenths_of_the_rows_is_taken(read_text: ReadFiles) -> None:
    good = [row(i, 130, [1, 2, 3]) for i in range(9)]
    result = read_text("mooncake", lines(*good, row(9, 130, [1])))
    assert result.workload.prefix is not None
    assert result.workload.prefix.block_tokens == 64
    assert [n.values["line"] for n in result.receipt.assumptions if n.id.endswith("not_fit")] == [
        10
    ]
    with pytest.raises(InputError, match="block_size_unknown"):
        read_text("mooncake", lines(*good[:8], row(9, 130, [1])))


def test_512_wins_a_tie(read_text: ReadFiles) -> None:
    prefix = read_text("mooncake", lines(row(0, 10, [1]), row(1, 16, [1]))).workload.prefix
    assert prefix is not None
    assert prefix.block_tokens == 512


def test_a_size_in_the_rows_goes_before_the_option(read_text: ReadFiles) -> None:
    text = lines(row(0, 130, [1, 2, 3], block_size=64), row(1, 64, [1]))
    prefix = read_text("mooncake", text, block_tokens=512).workload.prefix
    assert prefix is not None
    assert prefix.block_tokens == 64
    with pytest.raises(InputError, match=r"block_sizes_differ.*16, 64"):
        read_text("mooncake", lines(row(0, 9, [1], block_size=64), row(1, 9, [1], block_size=16)))


def test_milliseconds_may_be_floats_and_arrivals_start_at_zero(read_text: ReadFiles) -> None:
    work = read_text("mooncake", lines(row(1000, 9, [1]), row(1500.5, 9, [1]))).workload
    assert work.floats("arrival_s").tolist() == [0.0, 0.5005]
    assert (work.format_stats["first_ts_s"], work.format_stats["last_ts_s"]) == (1.0, 1.5005)


def test_rows_without_ids_are_kept_without_blocks(read_text: ReadFiles) -> None:
    text = lines(
        row(0, 9, [4]), {"timestamp": 1, "input_length": 7, "output_length": 1}, row(2, 9, [])
    )
    work = read_text("mooncake", text).workload
    assert work.prefix is not None
    assert work.prefix.offsets.tolist() == [0, 1, 1, 1]
    assert work.format_stats["rows_without_hash_ids"] == 2
    none = read_text("mooncake", lines({"timestamp": 1, "input_length": 7, "output_length": 1}))
    assert none.workload.prefix is None


def test_a_trace_without_times_has_no_arrivals(read_text: ReadFiles) -> None:
    work = read_text("mooncake", lines({"input_length": 7, "output_length": 1})).workload
    assert not work.has("arrival_s")


def test_no_prompt_or_no_answer_length_is_rejected_and_zero_answer_is_kept(
    read_text: ReadFiles,
) -> None:
    text = (
        lines(row(0, 9, [1]), row(1, 0, []), {**row(2, 9, [1]), "output_length": None})
        + lines({**row(3, 9, [1]), "output_length": 0}, row(4, None, [1]), row(5, -3, [1]))
        + '42\n"text"\n\n{"timestamp": 6, "inp'
    )
    result = read_text("mooncake", text)
    assert [(r.line, r.reason.id) for r in result.receipt.rejected] == [
        (2, "columnar.zero_input"),
        (3, "columnar.no_output"),
        (5, "columnar.no_input"),
        (6, "columnar.wrong_cell"),
        (7, "columnar.not_an_object"),
        (8, "columnar.not_an_object"),
        (10, "traces.line_not_json"),
    ]
    assert (result.receipt.rows_read, result.receipt.rows_kept) == (9, 2)


def test_numbers_out_of_range_are_rejected_on_the_quick_way_too(read_text: ReadFiles) -> None:
    result = read_text("mooncake", lines(row(0, 9, [1]), row(1, 10**17, [1]), row(2, -2, [1])))
    assert [(r.line, r.reason.values["found"]) for r in result.receipt.rejected] == [
        (2, "100000000000000000"),
        (3, "-2"),
    ]


def test_ids_keep_64_bits(read_text: ReadFiles) -> None:
    text = lines(row(0, 600, [4294967297, 1]), row(1, 600, [1, 4294967298]))
    prefix = read_text("mooncake", text).workload.prefix
    assert prefix is not None
    assert prefix.block_ids.tolist() == [4294967297, 1, 1, 4294967298]


def test_text_ids_and_ids_of_more_than_64_bits_never_collide(read_text: ReadFiles) -> None:
    text = lines(
        row(0, 600, [7, "7"]), row(1, 600, [18446744073709551623, "a"]), row(2, 600, [7, "a"])
    )
    prefix = read_text("mooncake", text).workload.prefix
    assert prefix is not None
    assert prefix.block_ids.tolist() == [0, 1, 2, 3, 0, 3]


def test_an_id_repeated_inside_a_chain_is_kept(read_text: ReadFiles) -> None:
    prefix = read_text("mooncake", lines(row(0, 2048, [1, 9, 1, 4]))).workload.prefix
    assert prefix is not None
    assert prefix.block_ids.tolist() == [1, 9, 1, 4]


@pytest.mark.parametrize("ids", [[1.5], [None], [[1]], {"a": 1}, "12", [True]])
def test_ids_that_are_none_are_rejected(read_text: ReadFiles, ids: object) -> None:
    result = read_text("mooncake", lines(row(0, 9, [1]), row(1, 9, ids)))
    (rejection,) = result.receipt.rejected
    assert (rejection.line, rejection.reason.values["column"]) == (2, "hash_ids")


def test_ids_of_two_files_are_not_the_same_blocks(read_text: ReadFiles) -> None:
    one, two = lines(row(0, 600, [5, 6])), lines(row(1, 600, [6, 5]))
    prefix = read_text("mooncake", one, two).workload.prefix
    assert prefix is not None
    first, second = prefix.block_ids[:2].tolist(), prefix.block_ids[2:].tolist()
    assert not set(first) & set(second)
    assert prefix.offsets.tolist() == [0, 2, 4]
    with pytest.raises(InputError, match="block_sizes_differ"):
        read_text("mooncake", lines(row(0, 65, [5, 6])), lines(row(1, 600, [6, 5])))


def test_sorting_moves_the_blocks_with_their_rows(read_text: ReadFiles) -> None:
    text = lines(row(2, 600, [1, 2]), row(1, 9, [3]), row(1, 9, []), row(0, 1030, [4, 5, 6]))
    work = read_text("mooncake", text).workload
    assert work.ints("input_tokens").tolist() == [1030, 9, 9, 600]
    assert work.prefix is not None
    assert work.prefix.offsets.tolist() == [0, 3, 4, 4, 6]
    assert work.prefix.block_ids.tolist() == [4, 5, 6, 3, 1, 2]


def test_the_quick_and_the_careful_reader_agree(read_text: ReadFiles) -> None:
    rows = [row(i * 7 % 50, 100 + i, list(range(i % 3, i % 3 + 1))) for i in range(40)]
    quick = read_text("mooncake", lines(*rows), block_tokens=512)
    careful = read_text("mooncake", lines(*rows) + "\n{\n", block_tokens=512)
    array = read_text("mooncake", json.dumps(rows, indent=1), block_tokens=512)
    for other in (careful, array):
        for name, column in quick.workload.columns.items():
            assert (column == other.workload.columns[name]).all()
        assert quick.workload.prefix is not None
        assert other.workload.prefix is not None
        assert quick.workload.prefix.block_ids.tolist() == other.workload.prefix.block_ids.tolist()


@given(st.lists(st.lists(st.one_of(st.integers(-(2**70), 2**70), st.text(max_size=3)), max_size=5)))
def test_equal_codes_mean_equal_ids(rows: list[list[int | str]]) -> None:
    collector = IdCollector()
    for ids in rows:
        collector.extend(collector.checked(ids))
    flat = [(type(value), value) for ids in rows for value in ids]
    pairs = set(zip(flat, collector.codes, strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
