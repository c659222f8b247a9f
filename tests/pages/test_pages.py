"""Every page opens, in both languages, with the bundled example and with a file."""

from __future__ import annotations

import errno
import hashlib
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from jobs import flows
from jobs.spool import forget_old, new_folder, uploads_dir
from messages.catalogue import t
from ui import upload

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(p.stem for p in (ROOT / "pages").glob("*.py") if p.stem != "__init__")
PATIENCE_S = 60
TABLE = (
    "start_utc,model,input_tokens,output_tokens,cached_read_tokens,cache_write_5m_tokens,team\n"
    "2026-10-08T09:00:00Z,claude-opus-5,100000,1000,0,90000,search\n"
    "2026-10-08T09:01:00Z,claude-opus-5,100000,1000,90000,0,search\n"
    "2026-10-09T09:00:00Z,claude-opus-5,100000,1000,0,100000,=1+1\n"
)
"""Opus 5: no caching 1.50 + 0.075 output; billed 0.05 + 0.5625, 0.05 + 0.045, 0.625, + 0.075."""


def opened(page: str = "overview", **query: str) -> AppTest:
    """The page after its first run."""
    at = AppTest.from_file(str(ROOT / "ui" / "router.py"), default_timeout=PATIENCE_S)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    if page != "overview":
        at.switch_page(f"../pages/{page}.py").run()
    calm(at)
    return at


def calm(at: AppTest) -> None:
    """No traceback and no error box."""
    assert not at.exception
    assert [box.value for box in at.error] == []


def dropped(at: AppTest, name: str = "usage.csv", content: str = TABLE) -> AppTest:
    """The page after a file was dropped on it and read. Jobs run in place here."""
    at.file_uploader[0].upload(name, content.encode()).run()
    return at


def metrics(at: AppTest) -> dict[str, str]:
    """Label -> value of every number on the page."""
    return {plain(metric.label): plain(metric.value) for metric in at.metric}


def plain(markdown: str) -> str:
    """What escaped Markdown shows."""
    return re.sub(r"\\(.)", r"\1", markdown)


def asked(at: AppTest, name: str) -> str:
    """One parameter of the page's URL."""
    value = at.query_params[name]
    return value if isinstance(value, str) else value[0]


def words(at: AppTest) -> str:
    """All Markdown of the page."""
    return "\n".join(str(part.value) for part in at.markdown)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_in_both_languages(page: str, language: str) -> None:
    """Reliability 24."""
    at = opened(page, lang=language)
    assert len(at.title) == 1
    shown = at.title[0].value
    rooms = (page, f"{page}_page", page.split("_")[0])
    assert shown in {t(language, f"{room}.title") for room in rooms}


def test_the_first_screen_is_one_number_with_its_baseline_and_named_example() -> None:
    at = opened()
    first = at.metric[0]
    assert first.label.startswith("Net saving")
    assert first.label.endswith("example data")
    assert plain(first.value).startswith(("+$", "−$"))
    assert "no caching" in words(at)
    assert list(metrics(at))[1:4] == ["No caching", "As billed", "Best reachable"]


def test_a_dropped_file_is_billed_to_the_cent() -> None:
    at = dropped(opened())
    calm(at)
    shown = metrics(at)
    assert shown["Net saving, 2026-10-08 to 2026-10-09, usage.csv"] == "+$0.17"
    assert shown["No caching"] == "$1.58"  # 1.575, half-up
    assert shown["As billed"] == "$1.41"  # 1.4075
    assert shown["Token hit ratio"] == "30.0\u00a0%"
    assert len(asked(at, "w")) == 64


def test_the_url_of_unsaved_work_asks_for_its_file_and_takes_it_again() -> None:
    first = dropped(opened())
    link = {name: asked(first, name) for name in ("w", "file")}
    second = opened(**link, since="2026-10-09")
    assert not second.metric
    assert "usage\\.csv" in words(second)
    assert "A reload starts a new session" in words(second)
    assert "sha256" not in words(second)  # the link does not say, and the workload's is another
    dropped(second)
    calm(second)
    assert "Net saving, 2026-10-09, usage.csv" in metrics(second)  # the link's period is kept


def test_another_file_than_the_link_asked_for_is_said_to_be_another() -> None:
    link = {"w": "0" * 64, "file": "lost.csv"}
    at = dropped(opened(**link))
    assert any("another file" in box.value for box in at.info)


def test_two_sessions_never_share_uploads() -> None:
    """Reliability 19: the digest alone opens nothing."""
    first = dropped(opened())
    second = opened(w=asked(first, "w"))
    assert not second.metric


def test_a_refused_file_gets_one_sentence_and_the_page_stays() -> None:
    at = opened("workload")
    dropped(at, "notes.csv", "%PDF-1.4\x00\x01")
    assert len(at.error) == 1
    assert "notes" in at.error[0].value
    assert at.metric
    at.run()
    assert len(at.error) == 1  # still there on the next run
    dropped(at)
    calm(at)


def test_the_column_picker_reads_a_table_that_names_nothing_we_know() -> None:
    at = opened("workload")
    dropped(at, "t.csv", "who,prompt,answer\nann,1000,10\nbob,3000,20\n")
    pick = {box.key: box for box in at.selectbox}
    pick["map-input_tokens"].set_value("prompt")
    pick["map-output_tokens"].set_value("answer")
    pick["map-user"].set_value("who")
    next(b for b in at.button if b.label == "Read it like this").click().run()
    at.run()
    calm(at)
    assert "**2 requests** with 4,000 prompt tokens and 30 output tokens" in words(at)


def test_names_from_a_file_are_shown_as_they_are() -> None:
    dropped(opened("workload"))  # the same content under another name belongs to another session
    at = dropped(opened("workload", by="team"), "a *b* $c$ [d](e).csv")
    calm(at)
    label = at.metric[0].label
    assert label.endswith(r"a \*b\* \$c\$ \[d\]\(e\)\.csv")


def test_the_period_filters_the_workload_and_stands_in_the_url() -> None:
    at = dropped(opened("workload"))
    at.date_input[0].set_value((date(2026, 10, 9), date(2026, 10, 9))).run()
    calm(at)
    assert asked(at, "since") == "2026-10-09"
    assert metrics(at)["As billed, 2026-10-09, usage.csv"] == "$0.65"
    at.date_input[0].set_value((date(2026, 10, 8), date(2026, 10, 9))).run()
    assert "since" not in at.query_params
    assert metrics(at)["As billed, 2026-10-08 to 2026-10-09, usage.csv"] == "$1.41"


@pytest.mark.parametrize("nonsense", ["abc", "2026-13-45", "NaN", "9999-99-99"])
def test_nonsense_in_the_url_is_not_an_error(nonsense: str) -> None:
    opened(since=nonsense, until=nonsense, w=nonsense, by=nonsense, lang=nonsense, model="<x>")
    at = opened("reports")
    at.query_params["report"] = nonsense
    at.run()
    (said,) = at.error
    assert "is not saved here" in said.value
    assert not at.metric  # and nothing else is shown in its place


@pytest.mark.parametrize("nonsense", ["abc", "F" * 63, "0" * 65])
def test_an_address_that_is_not_understood_says_so_and_leaves_the_url(nonsense: str) -> None:
    at = opened(w=nonsense, since="abc", model="no-such-model", by="abc")
    (said,) = at.warning
    assert "do not understand" in said.value
    assert not {"w", "since", "model"} & set(at.query_params)
    at.run()
    assert not at.warning
    at = opened("workload")
    at.query_params["by"] = "abc"
    at.run()
    assert "by" not in at.query_params


def test_a_report_opens_by_the_first_characters_of_its_id_in_any_case() -> None:
    first = dropped(opened())
    first.switch_page("../pages/reports.py").run()
    next(b for b in first.button if b.key == "save_report").click().run()
    (kept,) = flows.list_reports()
    for text in (kept.id[:8], kept.id[:63], kept.id.upper()):
        at = opened("reports")
        at.query_params["report"] = text
        at.run()
        calm(at)
        assert metrics(at)["As billed"] == "$1.41"


def test_a_table_dropped_anywhere_is_asked_what_its_columns_mean() -> None:
    at = dropped(opened(), "t.csv", "who,prompt,answer\nann,1000,10\n")
    assert any(box.key == "map-input_tokens" for box in at.selectbox)
    for page in ("reports", "workload"):
        at.switch_page(f"../pages/{page}.py").run()
        assert any(box.key == "map-input_tokens" for box in at.selectbox)  # for the same upload


def test_a_grouping_survives_a_visit_to_another_page() -> None:
    at = dropped(opened("workload"))
    by = next(group for group in at.button_group if group.key == "by")
    by.set_value("team").run()
    assert asked(at, "by") == "team"
    at.switch_page("../pages/overview.py").run()
    at.switch_page("../pages/workload.py").run()
    assert next(group for group in at.button_group if group.key == "by").value == "team"
    assert asked(at, "by") == "team"


def test_the_link_says_the_sha256_of_the_file_itself() -> None:
    first = dropped(opened())
    link = {name: asked(first, name) for name in ("w", "file", "sha")}
    assert link["sha"] == hashlib.sha256(TABLE.encode()).hexdigest()[:8]
    assert link["sha"] in words(opened(**link))


def test_a_saved_report_opens_with_the_same_numbers_in_another_session() -> None:
    """D40."""
    first = dropped(opened())
    first.switch_page("../pages/reports.py").run()
    before = metrics(first)
    next(b for b in first.button if b.key == "save_report").click().run()
    (kept,) = flows.list_reports()
    second = opened("overview", report=kept.id)
    second.switch_page("../pages/reports.py")
    second.query_params["report"] = kept.id
    second.run()
    calm(second)
    after = metrics(second)
    assert after.items() >= before.items()
    assert after["As billed"] == "$1.41"


def test_a_deleted_report_is_gone_for_everyone() -> None:
    at = dropped(opened())
    at.switch_page("../pages/reports.py").run()
    next(b for b in at.button if b.key == "save_report").click().run()
    (kept,) = flows.list_reports()
    at.query_params["report"] = kept.id
    at.run()
    next(b for b in at.button if b.key == f"delete-now-{kept.id[:12]}").click().run()
    assert flows.list_reports() == []
    at.query_params["report"] = kept.id
    at.run()
    assert len(at.error) == 1


def test_an_unexpected_error_is_one_sentence_with_a_number(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_args: object) -> None:
        raise RuntimeError("secret-canary")

    monkeypatch.setattr(flows, "report", broken)
    at = AppTest.from_file(str(ROOT / "ui" / "router.py"), default_timeout=PATIENCE_S).run()
    assert not at.exception
    (box,) = at.error
    assert "secret-canary" not in box.value
    (number,) = re.findall(r"\b[0-9a-f]{8}\b", box.value)
    assert f"error {number} on a page" in caplog.text


def test_yen_stand_in_the_url_and_in_the_file_at_the_rate_that_was_entered() -> None:
    """D39: JPY comes with its rate; without an entered one it is the published rate."""
    at = dropped(opened())
    at.switch_page("../pages/reports.py").run()
    assert at.number_input(key="yen").placeholder == "161.67 (2026-06-26)"
    at.number_input(key="yen").set_value(150.0).run()
    calm(at)
    assert asked(at, "jpy") == "150.0"
    assert at.number_input(key="yen").value == 150.0
    at.number_input(key="yen").set_value(None).run()
    assert "jpy" not in at.query_params


def test_a_workload_without_a_model_is_priced_as_the_chosen_one() -> None:
    table = "start_s,shared_prefix_tokens,fresh_tokens,output_tokens\n0,0,100000,1000\n"
    at = dropped(opened("workload"), "plain.csv", table)
    calm(at)
    assert metrics(at)["Cost without caching, plain.csv"] == "$0.53"  # 0.525, half-up, Opus 5
    box = next(box for box in at.selectbox if box.key == "priced_as")
    assert box.value == "claude-opus-5"
    box.set_value("claude-haiku-4-5").run()
    calm(at)
    assert asked(at, "model") == "claude-haiku-4-5"
    assert metrics(at)["Cost without caching, plain.csv"] == "$0.11"  # 0.105


def test_a_period_outside_the_workload_has_a_way_back() -> None:
    at = AppTest.from_file(str(ROOT / "ui" / "router.py"), default_timeout=PATIENCE_S)
    at.query_params["since"] = "2031-01-01"
    at.run()
    assert not at.metric
    assert any("chosen days" in box.value for box in at.info)
    next(b for b in at.button if b.key == "all_days").click().run()
    calm(at)
    assert at.metric[0].label.endswith("example data")


def test_a_workload_can_be_deleted_before_its_session_ends() -> None:
    at = dropped(opened("workload"))
    link = asked(at, "w")
    next(b for b in at.button if b.key == "delete_workload").click().run()
    calm(at)
    assert at.metric[0].label.endswith("example data")
    at.query_params["w"] = link
    at.run()
    assert not at.metric


def test_names_are_replaced_by_numbers_before_saving_if_asked() -> None:
    at = dropped(opened(), content=TABLE.replace(",team", ",user"))
    at.switch_page("../pages/reports.py").run()
    next(box for box in at.checkbox if box.key == "names_by_numbers").check().run()
    next(b for b in at.button if b.key == "save_report").click().run()
    (kept,) = flows.list_reports()
    groups = flows.open_report(kept.id).report.groups
    assert {row.key for row in groups if row.by == "user"} == {"user 1", "user 2"}


def test_names_by_numbers_keep_the_file_name_out_of_the_title_unless_it_was_typed() -> None:
    at = dropped(opened(), content=TABLE.replace(",team", ",user"))
    at.switch_page("../pages/reports.py").run()
    assert "usage.csv" in at.text_input[0].value
    next(box for box in at.checkbox if box.key == "names_by_numbers").check().run()
    assert at.text_input[0].value == "2026-10-08 to 2026-10-09, file 1"
    at.text_input[0].set_value("mine").run()
    next(box for box in at.checkbox if box.key == "names_by_numbers").uncheck().run()
    assert at.text_input[0].value == "mine"
    next(box for box in at.checkbox if box.key == "names_by_numbers").check().run()
    next(b for b in at.button if b.key == "save_report").click().run()
    (kept,) = flows.list_reports()
    assert (kept.name, flows.open_report(kept.id).report.workload.name) == ("mine", "file 1")


def test_saving_with_numbers_beside_the_same_report_with_names_is_refused() -> None:
    first = dropped(opened())
    first.switch_page("../pages/reports.py").run()
    next(b for b in first.button if b.key == "save_report").click().run()
    at = dropped(opened())
    at.switch_page("../pages/reports.py").run()
    next(box for box in at.checkbox if box.key == "names_by_numbers").check().run()
    next(b for b in at.button if b.key == "save_report").click().run()
    (said,) = at.error
    assert "delete it first" in said.value


def running(job_id: str, owner: str) -> flows.JobRecord:
    """A job that is 62 % through."""
    now = datetime.now(UTC)
    values = dict.fromkeys(flows.JobRecord.__slots__)
    return flows.JobRecord(
        **{
            **values,
            "id": job_id,
            "owner": owner,
            "kind": "read_files",
            "params": {},
            "state": "running",
            "cancel_requested": False,
            "fraction": 0.62,
            "stage": "read",
            "attempt": 1,
            "runner": "r",
            "created_utc": now - timedelta(seconds=9),
            "started_utc": now - timedelta(seconds=8),
        }
    )


def test_a_long_read_shows_its_stage_its_time_and_a_way_to_stop_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stopped: list[tuple[str, str]] = []
    monkeypatch.setattr(flows, "start_read", lambda *_args: "job-1")
    monkeypatch.setattr(flows, "job", running)
    monkeypatch.setattr(flows, "cancel", lambda *args: stopped.append(args))
    at = dropped(opened())
    calm(at)
    assert "8\u00a0s so far, about 5\u00a0s left; you may leave this page" in words(at)
    next(b for b in at.button if b.key == "cancel_job").click().run()
    assert [job_id for job_id, _ in stopped] == ["job-1"]


def test_uploaded_bytes_are_gone_once_they_are_read() -> None:
    dropped(opened())
    assert list(uploads_dir().iterdir()) == []


def test_uploads_of_closed_browsers_are_forgotten() -> None:
    left = new_folder()
    (left / "0000").write_text("x", encoding="utf-8")
    now = datetime.now(UTC)
    assert forget_old(now - timedelta(hours=1)) == 0
    assert forget_old(now + timedelta(hours=1)) == 1
    assert not left.exists()


def test_a_full_disk_is_one_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reliability 15."""

    def full() -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(upload, "new_folder", full)
    at = dropped(opened())
    assert len(at.error) == 1
    assert "No space left on device" in at.error[0].value
    assert at.metric


def test_a_file_without_one_usable_row_is_refused_with_its_first_line() -> None:
    at = opened("workload")
    cut = '{"usage": {"input_tokens": 5, "output_tokens": 3}}\n{"model": "cla'
    dropped(at, "cut.jsonl", cut)
    said = [plain(box.value) for box in at.error]
    assert len(said) == 1
    assert "cut.jsonl: none of the rows can be used (2 rejected). Line 1" in said[0]
    assert at.file_uploader, "the place for another file stays"
