"""Any table by the user's own column names."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from messages.errors import InputError
from tests.data_sources.traces_columnar.conftest import ReadFiles

MAP = {"prompt": "input_tokens", "answer": "output_tokens"}


def test_without_a_mapping_the_columns_and_an_example_are_shown(read_text: ReadFiles) -> None:
    with pytest.raises(InputError) as caught:
        read_text("mapped", "when,Prompt tokens,completion tokens\n1,2,3\n")
    values = caught.value.message.values
    assert caught.value.message.id == "columnar.needs_mapping"
    assert values["columns"] == "when, Prompt tokens, completion tokens"
    assert values["example"] == (
        '--map "Prompt tokens=input_tokens" --map "completion tokens=output_tokens"'
    )


@pytest.mark.parametrize("text", ["{}", "[{}]"])
def test_rows_without_any_column_are_said_to_have_none(read_text: ReadFiles, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_text("mapped", text)
    assert caught.value.message.id == "columnar.no_columns"


def test_an_unknown_column_or_field_is_answered_with_what_exists(read_text: ReadFiles) -> None:
    text = "prompt,answer\n1,2\n"
    with pytest.raises(InputError, match=r"unknown_column.*found=promt.*prompt, answer"):
        read_text("mapped", text, mapping={"promt": "input_tokens"})
    with pytest.raises(InputError, match=r"unknown_field.*found=tokens.*input_tokens"):
        read_text("mapped", text, mapping={"prompt": "tokens"})
    with pytest.raises(InputError, match=r"field_not_mapped.*output_tokens"):
        read_text("mapped", text, mapping={"prompt": "input_tokens"})
    with pytest.raises(InputError, match="field_twice"):
        read_text("mapped", text, mapping={"prompt": "input_tokens", "answer": "input_tokens"})


def test_column_names_match_without_case_and_unmapped_ones_are_said(read_text: ReadFiles) -> None:
    text = "PROMPT , Answer,colour\n5,1,red\n"
    result = read_text("mapped", text, mapping=MAP)
    assert result.workload.ints("input_tokens").tolist() == [5]
    assert result.workload.format == "generic_csv"
    assert result.receipt.assumptions[0].values["columns"] == "colour"


def test_times_without_a_zone_are_local_only_when_the_user_says_so(read_text: ReadFiles) -> None:
    text = "when,prompt,answer\n2026/10/01 09:00,5,1\n2026/10/01 09:30,6,1\n"
    mapping = {**MAP, "when": "arrival_utc"}
    unknown = read_text("mapped", text, mapping=mapping)
    assert not unknown.workload.dated
    assert unknown.workload.floats("arrival_s").tolist() == [0.0, 1800.0]
    assert [a.id for a in unknown.receipt.assumptions] == ["columnar.no_zone"]
    tokyo = read_text("mapped", text, mapping=mapping, tz="Asia/Tokyo")
    assert str(tokyo.workload.times("arrival_utc")[0]) == "2026-10-01T00:00:00.000000"
    with pytest.raises(InputError, match=r"unknown_zone.*Nowhere"):
        read_text("mapped", text, mapping=mapping, tz="Nowhere/At_all")


def test_dates_as_a_start_are_relative_unless_a_zone_is_known(read_text: ReadFiles) -> None:
    text = "when,prompt,answer\n2023-11-16 18:15:46.6805900,5,1\n2023-11-16 18:15:47.1805900,6,1"
    mapping = {**MAP, "when": "start_s"}
    work = read_text("mapped", text, mapping=mapping).workload
    assert not work.dated
    assert work.floats("arrival_s").tolist() == [0.0, 0.5]
    assert read_text("mapped", text, mapping=mapping, tz="UTC").workload.dated
    zoned = text.replace("00,5", "00Z,5").replace("00,6", "00Z,6")
    assert read_text("mapped", zoned, mapping=mapping).workload.dated


@pytest.mark.parametrize("column", ["arrival_ms", "Arrival (ms)", "startMs", "開始(ミリ秒)"])
def test_a_clock_whose_name_says_milliseconds_is_read_so_and_said(
    column: str, read_text: ReadFiles
) -> None:
    text = f"{column},prompt,answer\n500,5,1\n32700500,6,1\n"
    result = read_text("mapped", text, mapping={**MAP, column: "start_s"})
    assert result.workload.floats("arrival_s").tolist() == [0.0, 32_700.0]
    (note,) = (a for a in result.receipt.assumptions if a.id == "columnar.milliseconds")
    assert note.values["column"] == column


@pytest.mark.parametrize("column", ["when", "items", "Forms"])
def test_a_clock_without_a_unit_in_its_name_stays_in_seconds(
    column: str, read_text: ReadFiles
) -> None:
    text = f"{column},prompt,answer\n0,5,1\n60,6,1\n"
    result = read_text("mapped", text, mapping={**MAP, column: "start_s"})
    assert result.workload.floats("arrival_s").tolist() == [0.0, 60.0]
    assert "columnar.milliseconds" not in [a.id for a in result.receipt.assumptions]


def test_epoch_milliseconds_stay_real_times(read_text: ReadFiles) -> None:
    text = "time_ms,prompt,answer\n1788220800000,5,1\n1788220800500,6,1\n"
    work = read_text("mapped", text, mapping={**MAP, "time_ms": "start_s"}).workload
    assert work.dated
    assert work.floats("arrival_s").tolist() == [0.0, 0.5]


def test_ambiguous_dates_take_the_order_of_the_shorter_span(read_text: ReadFiles) -> None:
    rows = "".join(f"{day}/10/2026 9:00 AM,5,1\n" for day in range(1, 6))
    result = read_text(
        "mapped", f"when,prompt,answer\n{rows}", mapping={**MAP, "when": "start_utc"}
    )
    assert result.workload.floats("arrival_s").tolist() == [0, 86400, 172800, 259200, 345600]
    note = next(a for a in result.receipt.assumptions if a.id == "columnar.date_order")
    assert str(note.values["order"]) == "columnar.day_first"


def test_cached_above_input_suggests_the_other_meaning(read_text: ReadFiles) -> None:
    text = "prompt,read,answer\n5,9,1\n10,9,1\n"
    result = read_text("mapped", text, mapping={**MAP, "read": "cached_read_tokens"})
    assert result.receipt.rejected[0].line == 2
    assert "columnar.maybe_uncached" in [a.id for a in result.receipt.assumptions]
    other = {
        "prompt": "uncached_input_tokens",
        "answer": "output_tokens",
        "read": "cached_read_tokens",
    }
    assert read_text("mapped", text, mapping=other).workload.ints("input_tokens").tolist() == [
        14,
        19,
    ]


def test_utf16_with_tabs_and_cp932_with_japanese_headers(read_text: ReadFiles) -> None:
    sheet = 'Time\tInput tokens\tOutput tokens\n1/2/2026 9:00 AM\t"12,345"\t678\n'
    mapping = {
        "Time": "start_utc",
        "Input tokens": "input_tokens",
        "Output tokens": "output_tokens",
    }
    work = read_text("mapped", sheet.encode("utf-16"), mapping=mapping).workload
    assert work.ints("input_tokens").tolist() == [12345]
    sheet = '日時,入力トークン,出力トークン\n2026年10月1日 9:05,"52,381",１２\n'
    mapping = {
        "日時": "arrival_utc",
        "入力トークン": "input_tokens",
        "出力トークン": "output_tokens",
    }
    result = read_text("mapped", sheet.encode("cp932"), mapping=mapping)
    assert result.workload.ints("output_tokens").tolist() == [12]
    assert result.receipt.files[0].encoding == "cp932"


def test_json_lines_by_dotted_path_and_bad_lines_by_number(read_text: ReadFiles) -> None:
    rows = [
        {"use": {"in": 5, "out": 1}, "a.b": "x"},
        {"use": {"in": "6.0", "out": 2}},
        {"use": {"in": 7}},
        {"use": None},
    ]
    text = "\n".join(json.dumps(r) for r in rows) + '\n42\n{"use": {\n'
    mapping = {"use.in": "input_tokens", "use.out": "output_tokens", "a.b": "model"}
    result = read_text("mapped", text, mapping=mapping)
    assert result.workload.ints("input_tokens").tolist() == [5, 6]
    assert result.workload.text("model").decode() == ["x", None]
    assert [(r.line, r.reason.id) for r in result.receipt.rejected] == [
        (3, "columnar.no_output"),
        (5, "columnar.not_an_object"),
        (6, "traces.line_not_json"),
    ]
    assert result.receipt.rows_ignored == 1
    with pytest.raises(InputError, match=r"needs_mapping.*use\.in, use\.out, a\.b"):
        read_text("mapped", text)


def test_a_json_list_is_a_table_too(read_text: ReadFiles) -> None:
    text = json.dumps([{"prompt": 5, "answer": 1}, {"prompt": 6, "answer": True}], indent=2)
    result = read_text("mapped", text, mapping=MAP)
    assert result.workload.rows == 1
    assert result.receipt.rejected[0].line == 2


def test_a_path_that_comes_late_is_found(read_text: ReadFiles) -> None:
    text = '{"prompt": 5, "answer": 1}\n' * 300 + '{"prompt": 5, "answer": 1, "who": "z"}\n'
    work = read_text("mapped", text, mapping={**MAP, "who": "user"}).workload
    assert work.text("user").decode()[-1] == "z"


def test_block_ids_of_json_lines_keep_their_kind(read_text: ReadFiles) -> None:
    text = '{"prompt": 20, "answer": 1, "ids": [7, 8]}\n{"prompt": 5, "answer": 1, "ids": [8]}\n'
    mapping = {**MAP, "ids": "block_ids"}
    result = read_text("mapped", text, mapping=mapping, block_tokens=16)
    prefix = result.workload.prefix
    assert prefix is not None
    assert prefix.block_ids.tolist() == [0, 1, 1]
    assert "columnar.block_size" in [a.id for a in result.receipt.assumptions]


def parquet(path: Path, table: pa.Table, **options: object) -> Path:
    pq.write_table(table, path, **options)
    return path


T0_MS = 1_790_000_000_000


def test_parquet_by_row_group_with_nested_columns(tmp_path: Path, read_files: ReadFiles) -> None:
    table = pa.table(
        {
            "at": pa.array([T0_MS, T0_MS + 1, T0_MS + 2], pa.timestamp("ms", tz="UTC")),
            "use": pa.array([{"in": 5, "out": 1}, {"in": 6, "out": None}, {"in": 7, "out": 3}]),
            "model": pa.array(["a", "b", "a"]),
            "ids": pa.array([[1, 2], [1], []]),
            "cost": pa.array(["0.5", None, "-0.25"]),
        }
    )
    path = parquet(tmp_path / "t.parquet", table, row_group_size=1)
    mapping = {
        "at": "arrival_utc",
        "use.in": "input_tokens",
        "use.out": "output_tokens",
        "model": "model",
        "ids": "block_ids",
        "cost": "observed_cost_usd",
    }
    result = read_files("mapped", path, mapping=mapping, block_tokens=4)
    work = result.workload
    assert work.ints("input_tokens").tolist() == [5, 7]
    assert work.text("model").decode() == ["a", "a"]
    assert work.ints("observed_cost_e13").tolist() == [5 * 10**12, -25 * 10**11]
    assert [(r.line, r.reason.id) for r in result.receipt.rejected] == [(2, "columnar.no_output")]
    assert work.floats("arrival_s").tolist() == [0.0, 0.002]


def test_parquet_limits_are_named(tmp_path: Path, read_files: ReadFiles) -> None:
    many = pa.table(
        {"prompt": pa.array([1], pa.int8()).take(pa.array([0] * 21_000_000, pa.int8()))}
    )
    many = many.append_column("answer", many.column(0))
    with pytest.raises(InputError, match=r"too_many_rows.*21000000.*20000000"):
        read_files("mapped", parquet(tmp_path / "many.parquet", many), mapping=MAP)
    long = pa.table({"prompt": [1], "answer": [1], "who": ["x" * 5000]})
    with pytest.raises(InputError, match=r"cell_too_long.*who"):
        read_files(
            "mapped", parquet(tmp_path / "long.parquet", long), mapping={**MAP, "who": "user"}
        )


def test_a_broken_parquet_file_is_one_sentence(tmp_path: Path, read_files: ReadFiles) -> None:
    whole = parquet(tmp_path / "t.parquet", pa.table({"prompt": [1] * 99, "answer": [1] * 99}))
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(InputError, match="broken_parquet"):
        read_files("mapped", cut, mapping=MAP)


def test_files_of_several_formats_mapped_together_are_mapped(read_text: ReadFiles) -> None:
    result = read_text("mapped", "prompt,answer\n5,1\n", '{"prompt": 6, "answer": 1}', mapping=MAP)
    assert result.workload.format == "mapped"
    assert result.workload.ints("input_tokens").tolist() == [5, 6]


@pytest.mark.parametrize(
    "times",
    [
        pa.array([2**59], pa.timestamp("us", "UTC")),
        pa.array([-(2**60)], pa.timestamp("us", "UTC")),
        pa.array([10_000_000], pa.date32()),
    ],
    ids=["year 20237", "year -34565", "year 29349"],
)
def test_a_time_that_no_calendar_holds_is_no_time(
    tmp_path: Path, read_files: ReadFiles, times: pa.Array
) -> None:
    path = parquet(tmp_path / "t.parquet", pa.table({"t": times, "i": [5], "o": [1]}))
    mapping = {"t": "start_utc", "i": "input_tokens", "o": "output_tokens"}
    with pytest.raises(InputError) as caught:
        read_files("mapped", path, mapping=mapping, tz="UTC")
    assert caught.value.message.id == "columnar.all_rejected"
