"""kvledger's own CSV: what a row means, and what becomes of a row that means nothing."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from data_sources.traces.plain_csv import to_plain_csv_rows
from econ.receipt import Receipt
from econ.workload import digest
from messages.errors import InputError
from tests.data_sources.traces_columnar.conftest import ReadFiles

HEAD = "start_s,shared_prefix_tokens,fresh_tokens,output_tokens"


def rejected(receipt: Receipt) -> list[tuple[int, str]]:
    return [(r.line, r.reason.id) for r in receipt.rejected]


def test_shared_and_fresh_tokens_make_the_prompt(read_text: ReadFiles) -> None:
    result = read_text("plain_csv", f"{HEAD}\n100,8000,200,40\n160,8000,300,50\n")
    work = result.workload
    assert work.ints("input_tokens").tolist() == [8200, 8300]
    assert work.floats("arrival_s").tolist() == [0.0, 60.0]
    assert work.text("prefix_id").decode() == ["<file1.txt>"] * 2
    assert not work.observed
    assert not work.dated
    assert (work.format, work.granularity) == ("kvledger_csv", "request")


def test_each_part_may_be_zero_but_not_the_whole_prompt(read_text: ReadFiles) -> None:
    result = read_text("plain_csv", f"{HEAD}\n0,0,5,0\n1,5,0,0\n2,0,0,7\n")
    assert result.workload.ints("output_tokens").tolist() == [0, 0]
    assert rejected(result.receipt) == [(4, "columnar.zero_input")]


def test_every_column_of_the_request_table_is_read_by_its_name(read_text: ReadFiles) -> None:
    head = (
        "arrival_utc,bucket_end_utc,session_id,model,provider,surface,mode,geo,ttl,team,"
        "input_tokens,output_tokens,cached_read_tokens,cache_write_5m_tokens,"
        "cache_write_1h_tokens,cache_write_30m_tokens,cache_write_12h_tokens,long_context,failed,"
        "response_s,finished_s,observed_cost_usd,n_requests"
    )
    row = (
        "2026-10-01T09:00:00+09:00,,s1,claude-opus-5,Anthropic,US,Batch,us,1H,red,"
        "1000,50,400,100,50,25,25,true,no,0.5,2,0.0123456789012,1"
    )
    work = read_text("plain_csv", f"{head}\n{row}\n").workload
    assert str(work.times("arrival_utc")[0]) == "2026-10-01T00:00:00.000000"
    values = {n: work.text(n).decode()[0] for n in ("provider", "surface", "mode", "ttl", "team")}
    assert values == {
        "provider": "anthropic",
        "surface": "us",
        "mode": "batch",
        "ttl": "1h",
        "team": "red",
    }
    assert work.ints("cached_read_tokens")[0] == 400
    assert [int(work.ints(f"cache_write_{t}_tokens")[0]) for t in ("5m", "1h", "30m", "12h")] == [
        100,
        50,
        25,
        25,
    ]
    assert (work.ints("long_context")[0], work.ints("failed")[0]) == (1, 0)
    assert work.ints("observed_cost_e13")[0] == 123_456_789_012
    assert work.observed
    assert not work.has("bucket_end_utc")


def test_lifetime_none_is_a_lifetime_and_an_unknown_one_is_rejected(read_text: ReadFiles) -> None:
    result = read_text("plain_csv", f"{HEAD},ttl\n0,1,1,1,none\n1,1,1,1,\n2,1,1,1,2h\n")
    assert result.workload.text("ttl").decode() == ["none", None]
    assert rejected(result.receipt) == [(4, "columnar.unknown_lifetime")]


def test_with_input_tokens_shared_and_fresh_are_structure_and_must_add_up(
    read_text: ReadFiles,
) -> None:
    text = "input_tokens,shared_prefix_tokens,fresh_tokens,output_tokens\n9,5,4,1\n9,5,5,1\n9,,,1\n"
    result = read_text("plain_csv", text)
    assert result.workload.ints("input_tokens").tolist() == [9, 9]
    assert result.workload.ints("shared_prefix_tokens").tolist() == [5, -1]
    assert rejected(result.receipt) == [(3, "columnar.structure_is_not_total")]


def test_d01_parts_above_their_total_are_rejected_with_their_line(read_text: ReadFiles) -> None:
    text = (
        "model,input_tokens,cached_read_tokens,cache_write_30m_tokens,output_tokens\n"
        "gpt-5.6-sol,2600,2000,400,0\n"
        "gpt-5.6-sol,2600,2700,400,0\n"
    )
    result = read_text("plain_csv", text)
    assert result.workload.ints("input_tokens").tolist() == [2600]
    (rejection,) = result.receipt.rejected
    assert rejection.line == 3
    assert dict(rejection.reason.values) == {"parts": 3100, "total": 2600}


def test_uncached_input_excludes_the_cache_and_the_prompt_is_the_sum(read_text: ReadFiles) -> None:
    text = (
        "uncached_input_tokens,cached_read_tokens,cache_write_5m_tokens,output_tokens\n10,80,5,1\n"
    )
    assert read_text("plain_csv", text).workload.ints("input_tokens").tolist() == [95]


def test_several_requests_a_row_make_a_bucket(read_text: ReadFiles) -> None:
    result = read_text("plain_csv", "input_tokens,output_tokens,n_requests\n900,90,3\n10,1,\n")
    work = result.workload
    assert work.granularity == "bucket"
    assert work.text("granularity").decode() == ["bucket", "request"]
    assert work.requests().tolist() == [3, 1]


def test_numbers_are_understood_as_people_write_them(read_text: ReadFiles) -> None:
    text = 'input_tokens,output_tokens\n"12,345",3.0\n１２３,4\n 7 ,1e2\n8,None\n9,0\n'
    result = read_text("plain_csv", text)
    assert result.workload.ints("input_tokens").tolist() == [12345, 123, 7, 9]
    assert result.workload.ints("output_tokens").tolist() == [3, 4, 100, 0]
    assert rejected(result.receipt) == [(5, "columnar.no_output")]


@pytest.mark.parametrize(
    "cell", ["x", "-1", "1.5", "1e40", "inf", "2026-10-01", "99999999999999999"]
)
def test_a_count_that_is_none_is_rejected_with_column_expected_and_found(
    read_text: ReadFiles, cell: str
) -> None:
    result = read_text("plain_csv", f"input_tokens,output_tokens\n5,1\n5,{cell}\n6,2\n")
    (rejection,) = result.receipt.rejected
    assert rejection.line == 3
    assert rejection.reason.id == "columnar.wrong_cell"
    assert rejection.reason.values["column"] == "output_tokens"
    assert str(rejection.reason.values["expected"]) == "columnar.expected_count"
    assert result.workload.ints("input_tokens").tolist() == [5, 6]


def test_empty_is_not_zero(read_text: ReadFiles) -> None:
    text = "input_tokens,output_tokens,cached_read_tokens\n5,1,\n6,1,0\n"
    work = read_text("plain_csv", text).workload
    assert work.ints("cached_read_tokens").tolist() == [-1, 0]
    without = read_text("plain_csv", "input_tokens,output_tokens,cached_read_tokens\n5,1,\n")
    assert not without.workload.observed


def test_crlf_bom_blank_lines_and_no_final_line_end_change_nothing(read_text: ReadFiles) -> None:
    plain = read_text("plain_csv", "start_s,input_tokens,output_tokens\n0,5,1\n1,6,2\n3,x,2\n")
    odd = read_text(
        "plain_csv",
        b"\xef\xbb\xbf\r\nstart_s,input_tokens,output_tokens\r\n\r\n0,5,1\r\n  \r\n1,6,2\r\n3,x,2",
    )
    assert digest(plain.workload) == digest(odd.workload)
    assert odd.receipt.rows_read == 3
    assert [r.line for r in odd.receipt.rejected] == [7]
    assert [r.line for r in plain.receipt.rejected] == [4]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_comma_semicolon_and_tab_are_told_apart(read_text: ReadFiles, delimiter: str) -> None:
    text = "start_s,input_tokens,output_tokens\n0.5,5,1\n".replace(",", delimiter)
    assert read_text("plain_csv", text).workload.ints("input_tokens").tolist() == [5]


def test_line_numbers_count_line_breaks_inside_quotes(read_text: ReadFiles) -> None:
    text = 'session_id,input_tokens,output_tokens\n"a\nb",5,1\n\nc,x,1\n"d",6\n'
    result = read_text("plain_csv", text)
    assert rejected(result.receipt) == [(5, "columnar.wrong_cell"), (6, "columnar.cells")]
    assert result.workload.rows == 1


def test_a_row_of_blank_cells_holds_no_request(read_text: ReadFiles) -> None:
    result = read_text("plain_csv", "session_id,input_tokens,output_tokens\na,5,1\n,,\n")
    assert result.receipt.rows_ignored == 1
    assert result.receipt.ignored[0].reason.id == "columnar.no_request"


def test_rows_out_of_time_order_are_named_and_sorted_stably(read_text: ReadFiles) -> None:
    text = "start_s,session_id,input_tokens,output_tokens\n5,a,1,1\n2,b,2,1\n2,c,3,1\n,d,4,1\n"
    result = read_text("plain_csv", text)
    assert result.workload.ints("input_tokens").tolist() == [2, 3, 1, 4]
    assert result.workload.floats("arrival_s")[:3].tolist() == [0.0, 0.0, 3.0]
    (note,) = [a for a in result.receipt.assumptions if a.id == "columnar.out_of_order"]
    assert note.values["rows"] == 1
    assert "lines=3" in str(note)


def test_unknown_columns_are_said_not_silently_left_out(read_text: ReadFiles) -> None:
    result = read_text("plain_csv", "input_tokens,output_tokens,colour\n5,1,red\n")
    (note,) = result.receipt.assumptions
    assert (note.id, note.values["columns"]) == ("columnar.columns_not_used", "colour")


def test_epoch_starts_are_real_times_in_any_unit(read_text: ReadFiles) -> None:
    for unit in ("1791244800", "1791244800000", "1791244800000000", "1791244800000000000"):
        work = read_text("plain_csv", f"start_s,input_tokens,output_tokens\n{unit},5,1\n").workload
        assert str(work.times("arrival_utc")[0]) == "2026-10-06T00:00:00.000000"
        assert work.floats("arrival_s").tolist() == [0.0]


def test_a_broken_time_rejects_its_row_only(read_text: ReadFiles) -> None:
    text = (
        "start_utc,input_tokens,output_tokens\n2026-10-01 00:00:00.1234567,1,1\nyesterday,2,1\n"
        "2026-02-30,3,1\n2026-10-01T00:00:01Z,4,1\n1791244800,5,1\n"
    )
    result = read_text("plain_csv", text)
    assert rejected(result.receipt) == [(3, "columnar.wrong_cell"), (4, "columnar.wrong_cell")]
    times = [str(t) for t in result.workload.times("arrival_utc")]
    assert times == [
        "2026-10-01T00:00:00.123456",
        "2026-10-01T00:00:01.000000",
        "2026-10-06T00:00:00.000000",
    ]


def test_a_missing_column_is_named(read_text: ReadFiles) -> None:
    with pytest.raises(InputError, match=r"missing_column.*output_tokens"):
        read_text("plain_csv", "start_s,input_tokens\n0,5\n")
    with pytest.raises(InputError, match=r"missing_column.*input_tokens"):
        read_text("plain_csv", "start_s,fresh_tokens,output_tokens\n0,5,1\n")


def test_two_columns_of_one_meaning_are_refused(read_text: ReadFiles) -> None:
    with pytest.raises(InputError, match="field_twice"):
        read_text("plain_csv", "start_s,arrival_s,input_tokens,output_tokens\n0,0,5,1\n")
    with pytest.raises(InputError, match="field_twice"):
        read_text("plain_csv", "input_tokens,input_tokens,output_tokens\n5,5,1\n")


def test_a_hundred_columns_are_refused_with_the_limit(read_text: ReadFiles) -> None:
    head = ",".join(f"c{i}" for i in range(100))
    with pytest.raises(InputError, match=r"too_many_columns.*found=100.*limit=64"):
        read_text("plain_csv", f"{head}\n")


def test_a_long_cell_is_refused_with_the_limit(read_text: ReadFiles) -> None:
    text = f"session_id,input_tokens,output_tokens\n{'x' * 5000},5,1\n"
    with pytest.raises(InputError, match=r"cell_too_long.*session_id.*5000.*4096"):
        read_text("plain_csv", text)


@pytest.mark.parametrize("opened", ['"x,5,1', 'x,"5,1', 'x,5,1\n"'])
def test_a_quotation_mark_that_is_never_closed_is_refused_by_line(
    read_text: ReadFiles, opened: str
) -> None:
    text = f"session_id,input_tokens,output_tokens\na,5,1\n{opened}\n" + "x,5,1\n" * 50
    line = 3 if "\n" not in opened else 4
    with pytest.raises(InputError, match=rf"unclosed_quote.*line={line}"):
        read_text("plain_csv", text)


def test_a_stray_quotation_mark_inside_a_name_is_part_of_it(read_text: ReadFiles) -> None:
    work = read_text("plain_csv", 'session_id,input_tokens,output_tokens\n5" disk,5,1\n').workload
    assert work.text("session_id").decode() == ['5" disk']


def test_a_row_without_end_is_refused(read_text: ReadFiles) -> None:
    text = f'session_id,input_tokens,output_tokens\n"{"x" * 40_000_000}",5,1\n'
    with pytest.raises(InputError, match=r"row_too_long"):
        read_text("plain_csv", text)


def test_when_no_row_is_usable_the_first_reason_is_said(read_text: ReadFiles) -> None:
    with pytest.raises(InputError, match=r"all_rejected.*rejected=2.*line=2.*wrong_cell"):
        read_text("plain_csv", "input_tokens,output_tokens\nx,1\n5,\n")
    with pytest.raises(InputError, match="no_usage"):
        read_text("plain_csv", "input_tokens,output_tokens\n,\n")
    with pytest.raises(InputError, match="no_usage"):
        read_text("plain_csv", "input_tokens,output_tokens\n")


def test_a_hundred_rejections_are_listed_and_all_are_counted(read_text: ReadFiles) -> None:
    rows = "".join("x,1\n" for _ in range(250))
    receipt = read_text("plain_csv", f"input_tokens,output_tokens\n{rows}5,1\n5\n").receipt
    assert len(receipt.rejected) == 100
    assert receipt.rejected_by_reason == {"columnar.cells": 1, "columnar.wrong_cell": 250}
    assert (receipt.rows_read, receipt.rows_kept) == (252, 1)


def test_names_are_kept_as_written_not_as_numbers(read_text: ReadFiles) -> None:
    work = read_text(
        "plain_csv", "session_id,input_tokens,output_tokens\n007,5,1\n7,5,1\n"
    ).workload
    assert work.text("session_id").decode() == ["007", "7"]


def test_files_share_one_clock(read_text: ReadFiles) -> None:
    head = "start_s,prefix_id,shared_prefix_tokens,fresh_tokens,output_tokens"
    work = read_text(
        "plain_csv", f"{head}\n10,,1,1,1\n30,p,2,1,1\n", f"{head}\n20,,3,1,1\n"
    ).workload
    assert work.floats("arrival_s").tolist() == [0.0, 10.0, 20.0]
    assert work.text("prefix_id").decode() == ["<file1.txt>", "<file2.txt>", "p"]


def test_dated_files_are_joined_by_their_dates(read_text: ReadFiles) -> None:
    head = "start_s,start_utc,input_tokens,output_tokens"
    second = f"{head}\n0,2026-10-01 00:00:05,2,1\n"
    work = read_text("plain_csv", second, f"{head}\n0,2026-10-01 00:00:00,1,1\n").workload
    assert work.ints("input_tokens").tolist() == [1, 2]
    assert work.floats("arrival_s").tolist() == [0.0, 5.0]


def test_files_without_a_common_clock_keep_their_own_and_say_so(read_text: ReadFiles) -> None:
    result = read_text(
        "plain_csv",
        "start_s,input_tokens,output_tokens\n7,1,1\n9,2,1\n",
        "start_utc,input_tokens,output_tokens\n2026-10-01,3,1\n2026-10-01 00:00:01,4,1\n",
        "input_tokens,output_tokens\n5,1\n",
    )
    assert result.workload.ints("input_tokens").tolist() == [1, 3, 4, 2, 5]
    assert "columnar.own_clocks" in [a.id for a in result.receipt.assumptions]


def test_uncached_and_whole_input_must_agree(read_text: ReadFiles) -> None:
    text = (
        "input_tokens,uncached_input_tokens,cached_read_tokens,output_tokens\n"
        "90,10,80,1\n95,10,80,1\n,10,80,1\n"
    )
    result = read_text("plain_csv", text)
    assert result.workload.ints("input_tokens").tolist() == [90]
    assert rejected(result.receipt) == [
        (3, "columnar.parts_are_not_total"),
        (4, "columnar.no_input"),
    ]


def test_bad_costs_and_flags_are_named(read_text: ReadFiles) -> None:
    text = (
        "input_tokens,output_tokens,observed_cost_usd,failed\n5,1,$0.25,\n5,1,free,\n"
        "5,1,1e999980,\n5,1,,perhaps\n0,0,,true\n"
    )
    result = read_text("plain_csv", text)
    assert [(r.line, r.reason.values["column"]) for r in result.receipt.rejected] == [
        (3, "observed_cost_usd"),
        (4, "observed_cost_usd"),
        (5, "failed"),
    ]
    assert result.workload.ints("observed_cost_e13")[0] == 25 * 10**11
    assert result.workload.ints("failed").tolist() == [-1, 1]


def test_block_ids_in_cells_become_prefix_structure(read_text: ReadFiles) -> None:
    text = (
        "start_s,input_tokens,output_tokens,block_ids,block_tokens,hash_scope\n"
        '0,20,1,"[1, 2]",16,global\n1,40,1,1 2 9,16,global\n2,5,1,,16,global\n'
    )
    prefix = read_text("plain_csv", text).workload.prefix
    assert prefix is not None
    assert prefix.offsets.tolist() == [0, 2, 5, 5]
    assert prefix.block_ids.tolist() == [0, 1, 0, 1, 2]
    assert (prefix.block_tokens, prefix.scope) == (16, "global")


def test_names_of_models_are_replaced_by_the_users_own(read_text: ReadFiles) -> None:
    text = "model,input_tokens,output_tokens\nmine,5,1\nother,5,1\nclaude-opus-5,5,1\n"
    work = read_text("plain_csv", text, model_names={"mine": "claude-opus-5"}).workload
    assert work.text("model").decode() == ["claude-opus-5", "other", "claude-opus-5"]
    assert work.text("model").values == ("claude-opus-5", "other")


def test_a_workload_written_as_this_format_reads_back_the_same(read_text: ReadFiles) -> None:
    text = (
        "start_utc,response_s,session_id,model,ttl,shared_prefix_tokens,fresh_tokens,"
        "output_tokens,cached_read_tokens,observed_cost_usd,tags\n"
        '2026-10-01 00:00:00,0.25,s1,m,5m,100,5,7,,-0.0000000000001,"a, ""b"""\n'
        "2026-10-01 00:00:01.000001,,s1,m,,100,9,8,100,1.5,\n"
    )
    first = read_text("plain_csv", text).workload
    out = io.StringIO()
    csv.writer(out).writerows(to_plain_csv_rows(first))
    second = read_text("plain_csv", out.getvalue()).workload
    assert digest(first) == digest(second)
    assert second.ints("observed_cost_e13").tolist() == [-1, 15_000_000_000_000]
    assert np.array_equal(first.floats("arrival_s"), second.floats("arrival_s"))


def test_absurd_durations_and_starts_are_rejected_with_their_line(read_text: ReadFiles) -> None:
    text = (
        "start_s,finished_s,input_tokens,output_tokens\n0,1,5,1\n1,1e13,5,1\n2,1,5,1\n1e15,1,5,1\n"
    )
    result = read_text("plain_csv", text)
    assert [(r.line, r.reason.values["column"]) for r in result.receipt.rejected] == [
        (3, "finished_s"),
        (5, "start_s"),
    ]


OWN = "{column},model,input_tokens,output_tokens"


@pytest.mark.parametrize("column", ["timestamp", "Created_At", "datetime", "日時"])
def test_a_column_of_times_under_another_name_dates_the_requests(
    read_text: ReadFiles, column: str
) -> None:
    rows = "2026-10-08T09:00:00+09:00,claude-opus-5,10,1\n2026-10-08T09:01:00Z,claude-opus-5,10,1"
    result = read_text("plain_csv", f"{OWN.format(column=column)}\n{rows}\n")
    times = [str(t) for t in result.workload.times("arrival_utc")]
    assert times == ["2026-10-08T00:00:00.000000", "2026-10-08T09:01:00.000000"]
    said = {note.id: note.values for note in result.receipt.assumptions}
    assert said["columnar.read_as_start"]["column"] == column
    assert "columnar.columns_not_used" not in said


def test_seconds_since_1970_under_another_name_are_times_too(read_text: ReadFiles) -> None:
    text = f"{OWN.format(column='timestamp')}\n1791450000,claude-opus-5,10,1\n"
    assert str(read_text("plain_csv", text).workload.times("arrival_utc")[0])[:4] == "2026"


def test_times_under_another_name_without_a_zone_are_distances_and_the_receipt_says_so(
    read_text: ReadFiles,
) -> None:
    rows = "2026-10-08 09:00:00,claude-opus-5,10,1\n2026-10-08 09:01:00,claude-opus-5,10,1"
    result = read_text("plain_csv", f"{OWN.format(column='timestamp')}\n{rows}\n")
    assert not result.workload.dated
    assert result.workload.floats("arrival_s").tolist() == [0.0, 60.0]
    assert "columnar.no_zone" in {note.id for note in result.receipt.assumptions}


@pytest.mark.parametrize("cell", ["noon", "17", ""])
def test_a_column_named_like_a_time_that_holds_none_is_not_used(
    read_text: ReadFiles, cell: str
) -> None:
    text = f"{OWN.format(column='timestamp')}\n{cell},claude-opus-5,10,1\n"
    result = read_text("plain_csv", text)
    assert (result.receipt.rows_kept, result.workload.dated) == (1, False)
    assert [n.id for n in result.receipt.assumptions].count("columnar.columns_not_used") == 1


def test_our_own_column_comes_before_another_name(read_text: ReadFiles) -> None:
    head = "start_utc,timestamp,model,input_tokens,output_tokens"
    row = "2026-10-08T09:00:00Z,2025-01-01T00:00:00Z,claude-opus-5,10,1"
    result = read_text("plain_csv", f"{head}\n{row}\n")
    assert str(result.workload.times("arrival_utc")[0])[:10] == "2026-10-08"
    assert "columnar.columns_not_used" in {note.id for note in result.receipt.assumptions}
