"""Bucketed billing exports: the Anthropic Console's tokens, the OpenAI dashboard's usage."""

from __future__ import annotations

import pytest

from messages.errors import InputError
from tests.data_sources.traces_columnar.conftest import ReadFiles

CONSOLE = (
    "usage_date_utc,model_version,api_key,workspace,usage_type,context_window,"
    "usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,"
    "usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,"
    "web_search_count,inference_geo,speed"
)
OPENAI = (
    "start_time,end_time,project_id,num_model_requests,user_id,api_key_id,model,batch,"
    "service_tier,input_tokens,output_tokens,input_cached_tokens,input_cache_write_tokens,"
    "input_cache_write_12h_tokens,input_audio_tokens"
)


def console(*rows: str) -> str:
    return "\r\n".join((CONSOLE, *rows)) + "\r\n"


def openai(*rows: str) -> str:
    return "\n".join((OPENAI, *rows)) + "\n"


def test_console_columns_are_disjoint_and_the_prompt_is_their_sum(read_text: ReadFiles) -> None:
    text = console('2026-10-01,claude-opus-5,app,"Acme, Inc",standard,≤ 200k,10,20,30,40,5,0,us,')
    work = read_text("console_csv", "\ufeff" + text).workload
    assert work.ints("input_tokens").tolist() == [100]
    assert work.ints("cached_read_tokens").tolist() == [40]
    assert work.ints("cache_write_5m_tokens").tolist() == [20]
    assert work.ints("cache_write_1h_tokens").tolist() == [30]
    assert work.text("workspace").decode() == ["Acme, Inc"]
    assert work.text("provider").decode() == ["anthropic"]
    assert work.granularity == "bucket"
    assert work.requests().tolist() == [0]  # the export does not say how many
    assert str(work.times("bucket_end_utc")[0]) == "2026-10-02T00:00:00.000000"


@pytest.mark.parametrize(
    ("usage_type", "speed", "mode"),
    [
        ("standard", "", "standard"),
        ("message", "", "standard"),
        ("batch", "", "batch"),
        ("standard", "fast", "fast"),
        ("batch", "fast", "batch"),
        ("priority_on_demand", "", "priority_on_demand"),
    ],
)
def test_console_mode_follows_from_usage_type_and_speed(
    read_text: ReadFiles, usage_type: str, speed: str, mode: str
) -> None:
    row = f"2026-10-01,m,k,w,{usage_type},≤ 200k,10,0,0,0,5,0,global,{speed}"
    assert read_text("console_csv", console(row)).workload.text("mode").decode() == [mode]


@pytest.mark.parametrize(
    ("window", "flag"),
    [("> 200k", 1), ("≤ 200k", 0), ("<= 200k", 0), ("0-200k", 0), ("200k-1M", 1), ("odd", -1)],
)
def test_console_context_window_is_the_long_prompt_flag(
    read_text: ReadFiles, window: str, flag: int
) -> None:
    row = f"2026-10-01,m,k,w,standard,{window},10,0,0,0,5,0,us,"
    result = read_text("console_csv", console(row))
    assert result.workload.ints("long_context").tolist() == [flag]
    said = any(a.id == "columnar.unknown_context" for a in result.receipt.assumptions)
    assert said == (flag < 0)


def test_console_geo_us_is_a_surface_everything_else_is_global(read_text: ReadFiles) -> None:
    rows = [f"2026-10-0{d},m,k,w,standard,≤ 200k,10,0,0,0,5,0,{g}," for d, g in
            ((1, "us"), (2, "global"), (3, "not_available"), (4, ""))]  # fmt: skip
    work = read_text("console_csv", console(*rows)).workload
    assert work.text("surface").decode() == ["us", "global", "global", "global"]
    assert work.text("geo").decode() == ["us", "global", "not_available", None]


def test_console_hours_end_an_hour_later(read_text: ReadFiles) -> None:
    rows = [f"2026-10-06 0{h}:00,m,k,w,standard,≤ 200k,10,0,0,0,5,0,us," for h in (2, 3)]
    work = read_text("console_csv", console(*rows)).workload
    assert str(work.times("bucket_end_utc")[0]) == "2026-10-06T03:00:00.000000"
    assert work.floats("arrival_s").tolist() == [0.0, 3600.0]


def test_console_midnight_alone_is_an_hour_when_it_is_written_as_one(read_text: ReadFiles) -> None:
    row = "2026-10-06{},m,k,w,standard,≤ 200k,10,0,0,0,5,0,us,"
    hour = read_text("console_csv", console(row.format(" 00:00"))).workload
    day = read_text("console_csv", console(row.format(""))).workload
    assert str(hour.times("bucket_end_utc")[0]) == "2026-10-06T01:00:00.000000"
    assert str(day.times("bucket_end_utc")[0]) == "2026-10-07T00:00:00.000000"


def test_console_later_file_wins_and_equal_rows_of_one_file_are_two(read_text: ReadFiles) -> None:
    old = console(
        "2026-10-01,m,k,w,standard,≤ 200k,10,0,0,0,5,0,us,",
        "2026-10-02,m,k,w,standard,≤ 200k,1,0,0,0,1,0,us,",
    )
    new = console(
        "2026-10-02,m,k,w,standard,≤ 200k,7,0,0,0,3,0,us,",
        "2026-10-02,m,k,w,standard,≤ 200k,8,0,0,0,3,0,us,",
        "2026-10-02,m,k,w,batch,≤ 200k,9,0,0,0,3,0,us,",
    )
    result = read_text("console_csv", old, new)
    assert result.workload.ints("input_tokens").tolist() == [10, 7, 8, 9]
    assert result.receipt.rows_collapsed == 1
    assert result.receipt.collapsed[0].reason.id == "columnar.same_bucket"


def test_console_hours_of_a_day_that_is_there_as_a_whole_are_not_billed_again(
    read_text: ReadFiles,
) -> None:
    day = console("2026-10-06,m,k,w,standard,≤ 200k,30,0,0,0,5,0,us,")
    hours = console(
        "2026-10-06 01:00,m,k,w,standard,≤ 200k,10,0,0,0,5,0,us,",
        "2026-10-06 02:00,m,other,w,standard,≤ 200k,4,0,0,0,5,0,us,",
        "2026-10-07 02:00,m,k,w,standard,≤ 200k,6,0,0,0,5,0,us,",
    )
    result = read_text("console_csv", hours, day)
    assert sorted(result.workload.ints("input_tokens").tolist()) == [4, 6, 30]
    assert result.receipt.collapsed[0].reason.id == "columnar.in_daily_row"


def test_console_older_exports_have_one_write_column_and_no_geo(read_text: ReadFiles) -> None:
    head = CONSOLE.replace(
        "usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h",
        "usage_input_tokens_cache_write",
    ).replace(",inference_geo,speed", "")
    result = read_text("console_csv", f"{head}\n2026-10-01,m,k,w,standard,≤ 200k,1,2,4,5,0\n")
    assert result.workload.ints("cache_write_5m_tokens").tolist() == [2]
    assert not result.workload.has("cache_write_1h_tokens")
    assert [a.id for a in result.receipt.assumptions] == [
        "columnar.writes_are_5m",
        "columnar.no_inference_geo",
    ]


@pytest.mark.parametrize(
    "column",
    ["usage_input_tokens_cache_read", "usage_input_tokens_cache_write_1h", "context_window"],
)
def test_console_missing_columns_are_refused_by_name(read_text: ReadFiles, column: str) -> None:
    text = console("2026-10-01,m,k,w,standard,≤ 200k,10,0,0,0,5,0,us,").replace(column, "other")
    with pytest.raises(InputError, match=f"missing_columns.*{column}"):
        read_text("console_csv", text)


def test_console_rows_without_usage_are_ignored_and_bad_dates_rejected(
    read_text: ReadFiles,
) -> None:
    result = read_text(
        "console_csv",
        console(
            "2026-10-01,m,k,w,standard,≤ 200k,10,0,0,0,5,0,us,",
            "2026-10-02,m,k,w,standard,≤ 200k,0,0,0,0,0,0,us,",
            "soon,m,k,w,standard,≤ 200k,10,0,0,0,5,0,us,",
            ",m,k,w,standard,≤ 200k,10,0,0,0,5,0,us,",
        ),
    )
    assert result.receipt.rows_ignored == 1
    assert [(r.line, r.reason.id) for r in result.receipt.rejected] == [
        (4, "columnar.wrong_cell"),
        (5, "columnar.blank"),
    ]


def test_cost_exports_are_answered_in_one_sentence(read_text: ReadFiles) -> None:
    with pytest.raises(InputError, match="anthropic_cost_only"):
        read_text(
            "console_csv", "usage_date_utc,model,token_type,cost_usd\n2026-10-01,m,output,1\n"
        )
    with pytest.raises(InputError, match="openai_cost_only"):
        read_text("openai_csv", "start_time,amount_value,line_item\n1790812800,4.1,x\n")


def test_openai_input_includes_reads_and_writes(read_text: ReadFiles) -> None:
    text = openai("1790812800,1790812860,p,8.0,u,k,gpt-5.6-sol,False,default,2600.0,5,2000,400,0,0")
    work = read_text("openai_csv", text).workload
    assert work.ints("input_tokens").tolist() == [2600]
    assert work.ints("cached_read_tokens").tolist() == [2000]
    assert work.ints("cache_write_30m_tokens").tolist() == [400]
    assert work.ints("n_requests").tolist() == [8]
    assert [work.text(n).decode()[0] for n in ("project", "user", "api_key", "provider")] == [
        "p",
        "u",
        "k",
        "openai",
    ]
    assert str(work.times("bucket_end_utc")[0]) == "2026-10-01T00:01:00.000000"


def test_openai_d01_parts_above_the_total_are_rejected(read_text: ReadFiles) -> None:
    row = "1790812800,1790812860,p,1,u,k,m,False,default,2600,5,{},400,0,0"
    result = read_text("openai_csv", openai(row.format(2000), row.format(2700)))
    assert [(r.line, r.reason.id) for r in result.receipt.rejected] == [
        (3, "columnar.parts_exceed_total")
    ]


@pytest.mark.parametrize(
    ("batch", "tier", "mode"),
    [
        ("False", "default", "standard"),
        ("True", "default", "batch"),
        ("False", "flex", "flex"),
        ("False", "priority", "priority"),
        ("False", "", "standard"),
        ("", "", None),
    ],
)
def test_openai_batch_goes_before_the_tier(
    read_text: ReadFiles, batch: str, tier: str, mode: str | None
) -> None:
    text = openai(f"1790812800,1790812860,p,1,u,k,m,{batch},{tier},26,5,0,0,0,0")
    assert read_text("openai_csv", text).workload.text("mode").decode() == [mode]


def test_openai_blank_minutes_are_ignored_and_an_empty_export_says_so(read_text: ReadFiles) -> None:
    blank = "1790812860,1790812920" + "," * 13
    full = "1790812800,1790812860,p,1,u,k,m,False,default,26,5,0,0,0,0"
    only_times = "start_time,end_time,start_time_iso,end_time_iso\n1790812800,1790812860,a,b\n"
    receipt = read_text("openai_csv", openai(full, blank), only_times).receipt
    assert (receipt.rows_read, receipt.rows_kept, receipt.rows_ignored) == (3, 1, 2)
    with pytest.raises(InputError, match="no_usage"):
        read_text("openai_csv", only_times)
    with pytest.raises(InputError, match="no_usage"):
        read_text("openai_csv", openai(blank))


def test_openai_overlapping_exports_count_a_bucket_once(read_text: ReadFiles) -> None:
    row = "{},{},p,1,u,k,m,False,default,{},5,0,0,0,{}"
    first = openai(
        row.format(1790812800, 1790812860, 26, 0), row.format(1790812860, 1790812920, 9, 0)
    )
    later = openai(row.format(1790812860, 1790812920, 11, 4))
    result = read_text("openai_csv", first, later)
    assert result.workload.ints("input_tokens").tolist() == [26, 11]
    assert result.receipt.rows_collapsed == 1
    assert [a.id for a in result.receipt.assumptions] == ["columnar.media_at_text_price"]


def test_openai_columns_may_be_missing_but_not_the_counts_or_the_time(read_text: ReadFiles) -> None:
    least = read_text("openai_csv", "start_time_iso,input_tokens,output_tokens\n2026-10-01,5,1\n")
    assert least.workload.rows == 1
    assert not least.workload.observed
    assert not least.workload.has("mode")
    with pytest.raises(InputError, match=r"missing_column.*output_tokens"):
        read_text("openai_csv", "start_time,input_tokens,num_model_requests\n1790812800,5,1\n")
    with pytest.raises(InputError, match=r"missing_column.*start_time"):
        read_text("openai_csv", "input_tokens,output_tokens,num_model_requests\n5,1,1\n")
