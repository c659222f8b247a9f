"""Azure, BurstGPT and Vidur: lengths and times in tables, with the quirks of each publisher."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from data_sources.traces.base import ReadResult
from messages.catalogue import say
from tests.data_sources.traces.helpers import counts, read_text, reasons, table

AZURE = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-11-16 18:15:46.6805900,374,44\r\n"
    "2023-11-16 18:15:50.9951695,396,109"
)
BURST_1 = """Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
45,ChatGPT,1087,0,1087,API log
45,ChatGPT,1087,0,1087,API log
60,GPT-4,0,0,0,API log
118,GPT-4,417,276,700,Conversation log
"""
BURST_3 = """Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type
19440110.0,1722ac82,43,GPT-4,906,446,1352,Conversation log
19440161.0,,2,ChatGPT,36,29,65,API log
"""  # noqa: E501


def assumed(result: ReadResult) -> list[str]:
    return [message.id for message in result.receipt.assumptions]


def test_seven_digits_without_a_zone_are_distances_and_not_dates(tmp_path: Path) -> None:
    result = read_text(tmp_path, AZURE, "conv.csv")
    assert (result.workload.format, counts(result)) == ("azure_llm_trace", (2, 2, 0, 0, 0))
    assert result.workload.floats("arrival_s").tolist() == [0.0, 4.314579]
    assert not result.workload.dated
    assert assumed(result) == ["serving.times_as_distances"]
    assert result.workload.format_stats["last_ts"] == "2023-11-16 18:15:50.9951695"


def test_a_zone_that_the_user_names_makes_the_times_moments(tmp_path: Path) -> None:
    workload = read_text(tmp_path, AZURE, "conv.csv", tz="Asia/Tokyo").workload
    assert str(workload.times("arrival_utc")[0]) == "2023-11-16T09:15:46.680590"


def test_whole_seconds_and_fractions_stand_in_one_column(tmp_path: Path) -> None:
    text = (
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        "2024-05-10 00:00:00+00:00,10,1\n2024-05-10 00:00:01.500000+00:00,20,2\n"
    )
    result = read_text(tmp_path, text, "2024.csv")
    assert result.workload.floats("arrival_s").tolist() == [0.0, 1.5]
    assert not result.workload.dated


def test_images_are_counted_and_gzip_is_opened(tmp_path: Path) -> None:
    text = (
        "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
        "2024-10-15 00:00:00.000000,1,1372,19\n2024-10-15 00:00:00.819593,3,5293,85\n"
    )
    result = read_text(tmp_path, gzip.compress(text.encode()), "lmm.csv.gz")
    assert result.workload.format == "azure_lmm_trace"
    assert result.workload.format_stats["images"] == 4
    assert int(result.workload.ints("input_tokens").sum()) == 1_372 + 5_293


def test_a_row_of_no_time_at_all_is_rejected_with_its_line(tmp_path: Path) -> None:
    result = read_text(tmp_path, AZURE + "\r\nyesterday,5,5\r\n", "conv.csv")
    assert reasons(result) == [(4, "columnar.wrong_cell")]
    assert result.workload.rows == 2


def test_failed_requests_stay_and_empty_ones_go(tmp_path: Path) -> None:
    result = read_text(tmp_path, BURST_1, "BurstGPT_1.csv")
    assert reasons(result) == [(5, "columnar.zero_input")]
    assert table(result.workload, "model", "input_tokens", "output_tokens", "failed", "tags") == [
        ("ChatGPT", 472, 18, 0, "Conversation log"),
        ("ChatGPT", 1_087, 0, 1, "API log"),
        ("ChatGPT", 1_087, 0, 1, "API log"),
        ("GPT-4", 417, 276, 0, "Conversation log"),
    ]
    assert result.workload.floats("arrival_s").tolist() == [0, 40, 40, 113]
    assert result.workload.format_stats["models"] == {"ChatGPT": 3, "GPT-4": 2}


def test_equal_rows_odd_totals_and_a_short_copy_are_said(tmp_path: Path) -> None:
    result = read_text(tmp_path, BURST_1, "BurstGPT_1.csv")
    said = {m.id: say("en", m) for m in result.receipt.assumptions}
    assert "2 rows have no response tokens" in said["serving.failed_rows"]
    assert "1 rows equal an earlier row" in said["serving.equal_rows"]
    assert (
        "Total tokens is not the sum of input and output (line 6)" in said["serving.total_differs"]
    )
    assert (
        "has 5 rows, while part 1 of BurstGPT was published with 1,429,737"
        in said["serving.not_published_count"]
    )


def test_part_three_names_sessions_and_never_starts_at_zero(tmp_path: Path) -> None:
    result = read_text(tmp_path, BURST_3, "BurstGPT_3.csv")
    assert table(result.workload, "session_id") == [("1722ac82",), (None,)]
    assert result.workload.floats("arrival_s").tolist() == [0, 51]
    assert result.workload.floats("finished_s").tolist() == [43, 2]
    stats = result.workload.format_stats
    assert (stats["first_ts_s"], stats["rows_without_session"]) == (19_440_110.0, 1)


@pytest.mark.parametrize(
    ("text", "name", "seconds"),
    [
        ("arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,374,44\n4.3,396,109\n",
         "vidur_trace", [0.0, 4.3]),
        ("num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n374,44,418,8.5\n"
         "396,109,505,3.63\n", "vidur_lengths", None),
    ],
)  # fmt: skip
def test_vidur_lengths_have_times_or_none(
    tmp_path: Path, text: str, name: str, seconds: list[float] | None
) -> None:
    result = read_text(tmp_path, text, "vidur.csv")
    workload = result.workload
    assert (workload.format, workload.ints("output_tokens").tolist()) == (name, [44, 109])
    assert workload.has("arrival_s") == (seconds is not None)
    assert assumed(result) == []
    if seconds is not None:
        assert workload.floats("arrival_s").tolist() == seconds
