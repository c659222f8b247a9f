"""The service calls of both doors, on a real store, with jobs that run in place."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from data_sources.store.engine import close_current_store, current_store
from data_sources.store.jobs import expire_jobs
from data_sources.store.workloads import expire_unsaved
from data_sources.traces.base import ReadOptions
from econ.report import Period, Rate, ReportParams
from econ.workload import Text
from jobs import flows, tasks
from jobs.lifespan import current_runner
from jobs.progress import Progress
from messages.errors import InputError, KvledgerError, NotFoundError
from settings import Settings
from tests.shell import plain_csv

ALICE, BOB = "alice-session", "bob-session"
WHOLE = ReportParams()
BOM = b"\xef\xbb\xbf"
SECRETS = (
    "alice@example.com",
    "sk-ant-secret-key",
    "/srv/alice/clients/acme",
    "session-of-alice",
    "request-of-alice",
    "acme-workspace",
    "acme-usage.csv",
)


@pytest.fixture(autouse=True)
def _own_ledger(settings: Settings) -> Iterator[Settings]:
    yield settings
    close_current_store()


def usage_rows() -> list[dict[str, Any]]:
    """Two days, two users, one session each; everything that has a name has one."""
    common = {"model": "claude-opus-5", "input_tokens": 10_000, "output_tokens": 100}
    mine = {
        "user": SECRETS[0],
        "api_key": SECRETS[1],
        "project": SECRETS[2],
        "session_id": SECRETS[3],
        "request_id": SECRETS[4],
        "workspace": SECRETS[5],
        "team": "search",
    }
    his = {"user": "bob", "team": "support", "session_id": "other", "request_id": "r2"}
    return [
        {**common, **mine, "start_utc": "2026-10-01T09:00:00Z", "cached_read_tokens": 0},
        {**common, **mine, "request_id": "r1", "start_utc": "2026-10-01T09:05:00Z",
         "cached_read_tokens": 9_000},
        {**common, **his, "start_utc": "2026-10-02T09:00:00Z", "cached_read_tokens": 9_000},
    ]  # fmt: skip


@pytest.fixture
def usage(tmp_path: Path) -> Path:
    return plain_csv(tmp_path / "acme-usage.csv", usage_rows())


def read(file: Path, owner: str = ALICE) -> str:
    """The workload of `file`, read as a job for `owner`."""
    job = flows.job(flows.start_read([(file.name, file)], ReadOptions(), owner), owner)
    assert job.state == "done", job.error
    assert job.result_id is not None
    return job.result_id


def test_the_example_costs_what_it_has_always_cost() -> None:
    report = flows.report(flows.example_id(), WHOLE, ALICE)
    assert report.workload.requests == 2_199
    assert report.baselines.billed is not None
    assert report.baselines.no_cache is not None
    assert report.saving.earned is not None
    assert report.baselines.billed.usd == Decimal("169.8283315")
    assert report.baselines.no_cache.usd == Decimal("429.39014")
    assert report.saving.earned.usd == Decimal("259.5618085")
    assert report.ratios.token_hit == pytest.approx(0.7962, abs=5e-5)
    assert report.unpriced == ()


def test_the_example_is_there_for_everyone_and_cannot_be_deleted() -> None:
    assert flows.workload_info(flows.example_id(), BOB).is_example
    flows.delete_workload(flows.example_id(), BOB)
    assert flows.workload_info(flows.example_id(), ALICE).requests == 2_199


def test_every_grouping_of_the_example_adds_up_to_its_bill() -> None:
    report = flows.report(flows.example_id(), WHOLE, ALICE)
    for by in {row.by for row in report.groups}:
        rows = [row for row in report.groups if row.by == by]
        assert sum(row.requests or 0 for row in rows) == 2_199
        billed = sum(row.billed.low_e13 for row in rows if row.billed)
        assert report.baselines.billed is not None
        assert billed == report.baselines.billed.low_e13


def test_a_file_is_read_as_a_job_and_its_facts_are_there(usage: Path) -> None:
    facts = flows.workload_info(read(usage), ALICE)
    assert (facts.name, facts.rows, facts.requests) == ("acme-usage.csv", 3, 3)
    assert facts.first_utc == datetime(2026, 10, 1, 9, tzinfo=UTC)
    assert facts.last_utc == datetime(2026, 10, 2, 9, tzinfo=UTC)
    assert (facts.observed, facts.saved, facts.is_example) == (True, False, False)
    assert facts.receipt.rows_read == facts.receipt.rows_kept == 3


def test_a_refused_file_leaves_its_sentence_in_the_job_and_nothing_else(tmp_path: Path) -> None:
    bad = tmp_path / "colours.csv"
    bad.write_text("colour,size\nred,3\n", encoding="utf-8")
    job_id = flows.start_read([(bad.name, bad)], ReadOptions(), ALICE)
    job = flows.job(job_id, ALICE)
    assert (job.state, job.error_class, job.result_id) == ("failed", "InputError", None)
    assert job.error is not None
    assert job.error.values["file"] == "colours.csv"
    with pytest.raises(InputError, match=r"colours\.csv"):
        current_runner().result(job_id, ALICE)


def test_a_column_picker_says_what_columns_there_are(tmp_path: Path) -> None:
    table = plain_csv(tmp_path / "t.csv", [{"prompt": 1000, "answer": 10, "when": "2026-10-01"}])
    asked = flows.picker_for([(table.name, table)])
    assert sorted(asked.columns) == ["answer", "prompt", "when"]
    assert asked.guess == {"input_tokens": "prompt"}
    assert not asked.block_size
    options = ReadOptions(mapping={"prompt": "input_tokens", "answer": "output_tokens"})
    job = flows.job(flows.start_read([(table.name, table)], options, ALICE), ALICE)
    assert job.state == "done", job.error
    report = flows.report(str(job.result_id), WHOLE, ALICE)
    assert (report.workload.input_tokens, report.workload.output_tokens) == (1000, 10)


def test_a_cancelled_read_keeps_no_workload(usage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tasks.TASKS, "read_files", f"{__name__}:cancel_then_read")
    job_id = flows.start_read([(usage.name, usage)], ReadOptions(), ALICE)
    assert flows.job(job_id, ALICE).state == "cancelled"
    monkeypatch.undo()
    workload_id = read(usage, BOB)
    with pytest.raises(NotFoundError):
        flows.report(workload_id, WHOLE, ALICE)


def cancel_then_read(params: dict[str, Any], progress: Progress) -> str:
    """The user presses 'cancel' just as reading begins."""
    from data_sources.store.jobs import list_jobs
    from jobs.reading import read_task

    for job in list_jobs(current_store(), params["owner"]):
        flows.cancel(job.id, params["owner"])
    return read_task(params, progress)


def test_jobs_are_their_owners_alone(usage: Path) -> None:
    job_id = flows.start_read([(usage.name, usage)], ReadOptions(), ALICE)
    with pytest.raises(NotFoundError):
        flows.job(job_id, BOB)
    with pytest.raises(NotFoundError):
        flows.cancel(job_id, BOB)


def test_unsaved_work_is_its_owners_alone_and_saved_work_is_everyones(usage: Path) -> None:
    workload_id = read(usage)
    for call in (
        lambda: flows.report(workload_id, WHOLE, BOB),
        lambda: flows.workload_info(workload_id, BOB),
        lambda: flows.workload_series(workload_id, WHOLE, BOB),
        lambda: flows.save_report(workload_id, WHOLE, BOB, "mine"),
        lambda: flows.delete_workload(workload_id, BOB),
    ):
        with pytest.raises(NotFoundError):
            call()
    saved = flows.save_report(workload_id, WHOLE, ALICE, "for all")
    assert flows.report(workload_id, WHOLE, BOB).report_id == saved
    assert flows.workload_info(workload_id, BOB).saved


def test_the_same_question_is_answered_from_the_cache(usage: Path) -> None:
    workload_id = read(usage)
    first = flows.report(workload_id, WHOLE, ALICE)
    assert flows.report(workload_id, ReportParams(), ALICE) is first
    series = flows.workload_series(workload_id, WHOLE, ALICE)
    assert flows.workload_series(workload_id, ReportParams(), ALICE) is series


@pytest.mark.parametrize(
    "changed",
    [
        ReportParams(since=date(2026, 10, 2)),
        ReportParams(until=date(2026, 10, 1)),
        ReportParams(at=datetime(2026, 9, 1, tzinfo=UTC)),
        ReportParams(tz="Asia/Tokyo"),
        ReportParams(by=("user",)),
        ReportParams(models=("claude-opus-5-5",)),
        ReportParams(rates=(Rate(currency="JPY", per_usd=Decimal(150), date=None, source="u"),)),
        ReportParams(month_factor=Decimal(2)),
        ReportParams(
            change=(
                Period(since=date(2026, 10, 1), until=date(2026, 10, 1)),
                Period(since=date(2026, 10, 2), until=date(2026, 10, 2)),
            )
        ),
    ],
    ids=("since", "until", "at", "tz", "by", "models", "rates", "month", "change"),
)
def test_another_question_has_another_id_and_back_again_the_first(
    usage: Path, changed: ReportParams
) -> None:
    workload_id = read(usage)
    first = flows.report(workload_id, WHOLE, ALICE).report_id
    assert flows.report(workload_id, changed, ALICE).report_id != first
    assert flows.report(workload_id, WHOLE, ALICE).report_id == first


def test_a_period_bills_its_own_days(usage: Path) -> None:
    workload_id = read(usage)
    first_day = ReportParams(until=date(2026, 10, 1))
    report = flows.report(workload_id, first_day, ALICE)
    assert report.workload.requests == 2
    series = flows.workload_series(workload_id, first_day, ALICE)
    assert series.arrivals is not None
    assert sum(series.arrivals.requests or ()) == 2
    assert series.input_lengths.requests_counted == 2


def test_series_of_the_example_count_what_its_report_counts() -> None:
    series = flows.workload_series(flows.example_id(), WHOLE, ALICE)
    report = flows.report(flows.example_id(), WHOLE, ALICE)
    assert series.arrivals is not None
    assert series.hit_ratio is not None
    assert series.saving_by_hour is not None
    assert sum(series.arrivals.requests or ()) == report.workload.requests
    assert sum(series.arrivals.input_tokens) == report.workload.input_tokens
    saved = sum(hour.saving.low_e13 for hour in series.saving_by_hour if hour.saving)
    assert report.saving.earned is not None
    assert saved == report.saving.earned.low_e13
    hits = sum(series.hit_ratio.hit_tokens) / sum(series.hit_ratio.prompt_tokens)
    assert hits == pytest.approx(report.ratios.token_hit)


def test_a_saved_report_reopens_to_the_same_numbers_and_the_same_id(usage: Path) -> None:
    workload_id = read(usage)
    params = ReportParams(
        rates=(Rate(currency="JPY", per_usd=Decimal("150.5"), date=date(2026, 10, 1), source="u"),),
        change=(
            Period(since=date(2026, 10, 1), until=date(2026, 10, 1)),
            Period(since=date(2026, 10, 2), until=date(2026, 10, 2)),
        ),
    )
    before = flows.report(workload_id, params, ALICE)
    saved_id = flows.save_report(workload_id, params, ALICE, "October")
    close_current_store()
    opened = flows.open_report(saved_id)
    assert (opened.id, opened.name) == (before.report_id, "October")
    assert replace(opened.report, focus=()) == before
    assert flows.report_json(opened.report, "ja") == flows.report_json(before, "ja")
    assert flows.report_csv(opened.report, "en") == flows.report_csv(before, "en")
    assert flows.report(workload_id, opened.report.params, BOB).report_id == saved_id


def test_the_example_can_be_saved_and_reopened() -> None:
    before = flows.report(flows.example_id(), WHOLE, ALICE)
    saved_id = flows.save_report(flows.example_id(), WHOLE, ALICE, "a day")
    kept = flows.open_report(saved_id).report
    assert replace(kept, focus=(), rates=()) == before
    assert [rate.currency for rate in kept.rates] == ["JPY"]  # the published rate of that day
    costs = [row.cost for row in kept.focus if row.cost is not None]
    assert sum(cost.high_e13 for cost in costs) == before.baselines.billed.high_e13


def test_a_report_of_files_that_the_shell_read_is_the_browsers_report(usage: Path) -> None:
    shell = flows.report_of(flows.read_paths([usage], ReadOptions(), lambda *_: None), WHOLE)
    browser = flows.report(read(usage), WHOLE, ALICE)
    assert shell.report_id == browser.report_id
    assert shell.baselines == browser.baselines
    assert shell.groups == browser.groups


def saved_bytes(folder: Path) -> bytes:
    """Every byte that the ledger keeps, its log included."""
    close_current_store()
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_saving_with_numbers_keeps_tokens_and_money(usage: Path) -> None:
    workload_id = read(usage)
    named = flows.report(workload_id, WHOLE, ALICE)
    saved_id = flows.save_report_with_numbers(workload_id, WHOLE, ALICE, "")
    numbered = flows.open_report(saved_id).report
    assert numbered.baselines == named.baselines
    assert numbered.ratios == named.ratios
    assert numbered.saving == named.saving
    users = {row.key: row.billed for row in numbered.groups if row.by == "user"}
    assert set(users) == {"user 1", "user 2"}
    assert {row.key for row in numbered.groups if row.by == "team"} == {"search", "support"}
    assert sorted(a.low_e13 for a in users.values() if a) == sorted(
        row.billed.low_e13 for row in named.groups if row.by == "user" and row.billed
    )


def test_saving_with_numbers_leaves_no_name_once_the_session_has_ended(
    usage: Path, settings: Settings
) -> None:
    """No user, key, path, session, request or file name in the database, its log or the files."""
    name_in_the_wrong_column = {**usage_rows()[2], "input_tokens": SECRETS[0]}
    plain_csv(usage, [*usage_rows(), name_in_the_wrong_column])
    workload_id = read(usage)
    assert flows.workload_info(workload_id, ALICE).receipt.rows_rejected == 1
    saved_id = flows.save_report_with_numbers(workload_id, WHOLE, ALICE, "")
    later = datetime.now(UTC) + timedelta(seconds=1)
    expire_unsaved(current_store(), later)
    expire_jobs(current_store(), later)
    kept = flows.open_report(saved_id).report
    workload = kept.workload_sha256
    content = saved_bytes(settings.data_dir)
    for name in SECRETS:
        assert name.encode() not in content, name
    from data_sources.store.workloads import load_workload

    loaded, receipt = load_workload(current_store(), workload, BOB)
    texts = [c for c in loaded.columns.values() if isinstance(c, Text)]
    words = {value for column in texts for value in column.values}
    words |= {file.path for file in receipt.files} | {loaded.name}
    assert words.isdisjoint(SECRETS)
    assert {"file 1", "user 1", "api_key 1"} <= words


def test_numbers_and_names_of_the_same_rows_are_never_taken_for_each_other(
    tmp_path: Path,
) -> None:
    """Without a column of names both have the same digest and the same id."""
    rows = [{"model": "claude-opus-5", "input_tokens": 10, "output_tokens": 1}]
    workload_id = read(plain_csv(tmp_path / SECRETS[-1], rows))
    with_names = flows.save_report(workload_id, WHOLE, ALICE, "")
    with pytest.raises(InputError) as refused:
        flows.save_report_with_numbers(workload_id, WHOLE, ALICE, "")
    assert refused.value.message.id == "reports_page.saved_with_names"
    flows.delete_report(with_names, ALICE)
    assert flows.save_report_with_numbers(workload_id, WHOLE, ALICE, "") == with_names
    assert flows.has_numbers(with_names)
    again = read(tmp_path / SECRETS[-1], BOB)
    assert flows.save_report(again, WHOLE, BOB, SECRETS[-1]) == with_names
    assert flows.has_numbers(with_names)
    assert [row.name for row in flows.list_reports()] == ["file 1"]
    assert flows.workload_info(workload_id, "carol").name == "file 1"


def test_saving_as_it_is_keeps_the_names(usage: Path) -> None:
    workload_id = read(usage)
    saved_id = flows.save_report(workload_id, WHOLE, ALICE, "")
    users = {row.key for row in flows.open_report(saved_id).report.groups if row.by == "user"}
    assert users == {SECRETS[0], "bob"}


def test_a_saved_report_is_listed_renamed_and_deleted_for_good(
    usage: Path, settings: Settings
) -> None:
    workload_id = read(usage)
    saved_id = flows.save_report(workload_id, WHOLE, ALICE, "first name")
    flows.rename_report(saved_id, "second name", "a note")
    (row,) = flows.list_reports()
    assert (row.id, row.name, row.note) == (saved_id, "second name", "a note")
    flows.delete_report(saved_id, ALICE)
    assert flows.list_reports() == []
    with pytest.raises(NotFoundError):
        flows.open_report(saved_id)
    with pytest.raises(NotFoundError):
        flows.delete_report(saved_id, ALICE)
    assert flows.workload_info(workload_id, ALICE).saved is False
    with pytest.raises(NotFoundError):
        flows.workload_info(workload_id, BOB)


def test_the_first_characters_of_an_id_are_enough_where_they_name_one_report(usage: Path) -> None:
    workload_id = read(usage)
    ids: list[str] = []
    while len({found[0] for found in ids}) == len(ids):  # at most 17 of 16 first characters
        params = ReportParams(month_factor=Decimal(len(ids) + 1))
        ids.append(flows.save_report(workload_id, params, ALICE, "one of many"))
    assert flows.full_report_id(ids[0][:12]) == ids[0]
    assert flows.full_report_id(ids[0][:12].upper()) == ids[0]
    assert flows.full_report_id("no such report") == "no such report"
    with pytest.raises(InputError, match=r"cli\.ambiguous_id"):
        flows.full_report_id(ids[-1][0])


def test_a_deleted_workload_is_gone_from_every_cache_and_from_the_disk(
    usage: Path, settings: Settings
) -> None:
    workload_id = read(usage)
    flows.report(workload_id, WHOLE, ALICE)
    flows.delete_workload(workload_id, ALICE)
    for call in (flows.report, flows.workload_series):
        with pytest.raises(NotFoundError):
            call(workload_id, WHOLE, ALICE)
    assert not list((settings.data_dir / "workloads").rglob("*.parquet"))


def test_a_workload_under_a_saved_report_is_not_deleted(usage: Path) -> None:
    workload_id = read(usage)
    flows.save_report(workload_id, WHOLE, ALICE, "kept")
    with pytest.raises(InputError, match=r"store\.workload_in_use"):
        flows.delete_workload(workload_id, ALICE)


def test_two_owners_of_the_same_file_do_not_take_it_from_each_other(usage: Path) -> None:
    first, second = read(usage, ALICE), read(usage, BOB)
    assert first == second
    flows.delete_workload(first, ALICE)
    assert flows.report(second, WHOLE, BOB).workload.requests == 3


def test_rows_without_a_model_are_billed_by_the_provider_that_was_chosen(tmp_path: Path) -> None:
    row = {"start_s": 0, "input_tokens": 1_000_000, "output_tokens": 0}
    workload_id = read(plain_csv(tmp_path / "p.csv", [row]))
    params = ReportParams(
        providers=("bedrock",), models=("claude-opus-5",), default_model="claude-opus-5"
    )
    report = flows.report(workload_id, params, ALICE)
    assert report.baselines.no_cache is not None
    (row_of_bedrock,) = report.rows
    assert row_of_bedrock.provider == "bedrock"
    assert report.baselines.no_cache == row_of_bedrock.usd


def test_the_csv_can_be_written_and_a_bad_path_is_one_sentence(tmp_path: Path) -> None:
    report = flows.report(flows.example_id(), WHOLE, ALICE)
    target = tmp_path / "report.csv"
    flows.write_csv(target, report, "en")
    content = target.read_bytes()
    assert content.startswith(BOM)
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert {row["report_id"] for row in rows} == {report.report_id}
    with pytest.raises(KvledgerError, match=r"cli\.cannot_write"):
        flows.write_csv(tmp_path, report, "en")


def test_readiness_names_the_part_that_is_not_ready(settings: Settings, tmp_path: Path) -> None:
    assert flows.readiness() == {"store": "ok", "prices": "ok", "pool": "not started"}
    import settings as settings_module

    (tmp_path / "a-file").touch()
    with settings_module.using(settings.model_copy(update={"data_dir": tmp_path / "a-file"})):
        assert flows.readiness()["store"].startswith("store.")


def test_the_saving_by_hour_is_billed_as_the_report_is(tmp_path: Path) -> None:
    """Rows that name no model: the chosen candidate prices the report and its chart alike."""
    row = {
        "start_utc": "2026-10-01T09:00:00Z",
        "input_tokens": 1_000_000,
        "cached_read_tokens": 1_000_000,
        "output_tokens": 0,
    }
    workload_id = read(plain_csv(tmp_path / "n.csv", [row]))
    params = ReportParams(models=("claude-haiku-4-5",), providers=("bedrock",), surface="global")
    saving = flows.report(workload_id, params, ALICE).saving.earned
    hours = flows.workload_series(workload_id, params, ALICE).saving_by_hour
    assert hours is not None
    assert saving is not None
    assert (saving.usd, [hour.saving for hour in hours]) == (Decimal("0.9"), [saving])


def test_a_workload_of_more_than_two_days_has_no_saving_by_hour(tmp_path: Path) -> None:
    common = {"model": "claude-opus-5", "input_tokens": 9, "cached_read_tokens": 1}
    rows = [
        {**common, "output_tokens": 1, "start_utc": f"2026-10-0{day}T00:00:00Z"}
        for day in (1, 2, 3)
    ]
    workload_id = read(plain_csv(tmp_path / "days.csv", rows))
    assert flows.workload_series(workload_id, WHOLE, ALICE).saving_by_hour is None
    two_days = ReportParams(until=date(2026, 10, 2))
    hours = flows.workload_series(workload_id, two_days, ALICE).saving_by_hour
    assert hours is not None
    assert len(hours) == 25
