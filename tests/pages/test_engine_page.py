"""The Engine page: empty, with profiles of every origin, with probes, and while it measures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data_sources.store import jobs as rows
from data_sources.store.engine import current_store
from data_sources.store.jobs import JobRequest
from data_sources.store.probes import save_probe
from jobs import engine_bench, profiling
from jobs.lifespan import current_runner
from kvcore import profile_json
from kvcore.profile import STOPPED
from messages.catalogue import LANGUAGES, t
from tests.jobs.test_engine_bench import ROOT
from tests.pages.test_pages import asked, calm, opened, plain, words
from tests.ui.engine_sample import OTHER, WHOLE

pytestmark = pytest.mark.usefixtures("reference_profiles")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_STAND_IN", str(tmp_path))
    monkeypatch.setattr(engine_bench, "MODULE", "tests.jobs.stand_in")
    monkeypatch.setattr(engine_bench, "ROOT", ROOT)
    monkeypatch.setattr(engine_bench, "engine_installed", lambda: True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_machine_that_was_never_measured_is_invited_to_be(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_bench, "engine_installed", lambda: True)
    at = opened("engine", lang=language)
    assert t(language, "engine_page.empty") in words(at)
    assert [b.key for b in at.button if b.key == "bench_start"] == ["bench_start"]
    assert not at.metric


def test_without_torch_one_sentence_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_bench, "engine_installed", lambda: False)
    at = opened("engine")
    assert engine_bench.INSTALL in at.info[0].value
    assert [b for b in at.button if b.key == "bench_start"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_times_stand_above_the_fold_and_say_where_they_are_from(language: str) -> None:
    profiling.keep(WHOLE, "measured", "ann")
    at = opened("engine", lang=language)
    assert at.metric[0].label == t(language, "engine_page.hero")
    assert "67.8" in plain(at.metric[0].value)
    assert "89.7" in plain(at.metric[0].value)
    shown = words(at)
    assert t(language, "engine_page.origin_measured", date="2026-11-29") in shown
    assert "13,220" in shown


SECTIONS = ("reply", "throughput", "waste", "block_steps", "block_waste", "salt", "formats",
            "pool", "probes")  # fmt: skip
EVERY = {f"open_{name}": "true" for name in SECTIONS}


def titles(at: AppTest) -> str:
    """What the folded sections say."""
    return plain("\n".join(box.label for box in at.expander))


def test_every_finding_is_said_before_its_section_is_opened() -> None:
    profiling.keep(WHOLE, "measured", "ann")
    at = opened("engine", **EVERY)
    shown = words(at) + titles(opened("engine"))
    for part in (
        "From 128 to 13,220 tokens: cold 210",
        "bandwidth allows 36.9",
        "Re-use takes 1.87",
        "3,100\u00a0tokens/s with 95\u00a0%",
        "wastes 83.2\u00a0%, paging 1.0\u00a0%",
        "Blocks of 32 tokens decode fastest",
        "waste 0.4\u00a0%, of 64 3.6\u00a0%",
        "A stranger's prompt takes 31.0",
        "At 5.5 bits an element the likeliest token is the same 97.2\u00a0%",
        "A pool of 32 blocks, step by step",
        "arxiv.org/abs/2309.06180",
    ):
        assert part in shown, part


@pytest.mark.parametrize("name", SECTIONS)
def test_the_address_of_a_section_opens_it_alone(name: str) -> None:
    profiling.keep(WHOLE, "measured", "ann")
    at = opened("engine", **{f"open_{name}": "true"})
    assert [box.proto.expanded for box in at.expander].count(True) == 1
    assert len(at.markdown) > len(opened("engine").markdown)


def test_each_chart_stands_beside_its_csv_and_its_profile() -> None:
    profiling.keep(WHOLE, "measured", "ann")
    at = opened("engine", **EVERY)
    files = {button.key for button in at.get("download_button")}
    for name in ("first_token", "decode", *SECTIONS[:-1]):
        assert f"csv_engine_{name}" in files, name
    assert f"{WHOLE.name} on {WHOLE.device.name}" in words(at)


def test_an_imported_profile_is_never_called_measured_here() -> None:
    profiling.keep(OTHER, "imported", "ann")
    shown = words(opened("engine"))
    assert "measured on another machine, 2026-11-20" in shown
    assert "measured here" not in shown


def test_a_reference_profile_is_shown_while_nothing_was_measured(
    monkeypatch: pytest.MonkeyPatch, reference_profiles: Callable[..., None]
) -> None:
    reference_profiles(OTHER)
    monkeypatch.setattr(engine_bench, "engine_installed", lambda: True)
    at = opened("engine")
    shown = words(at)
    assert "reference profile, another machine, 2026-11-20" in shown
    assert t("en", "engine_page.empty") in shown
    assert [b for b in at.button if b.key == "delete_profile_sure"] == []


def test_disturbed_figures_say_so() -> None:
    profiling.keep(OTHER, "imported", "ann")
    assert "▲ others used the processor" in words(opened("engine"))


def test_profiles_stand_side_by_side_and_the_address_remembers_them() -> None:
    first = profiling.keep(WHOLE, "measured", "ann")
    second = profiling.keep(OTHER, "imported", "ann")
    at = opened("engine")
    at.multiselect[0].set_value([first, second]).run()
    calm(at)
    assert asked(at, "profiles") == f"{first[:12]},{second[:12]}"
    assert "2 profiles side by side" in words(at)
    again = opened("engine", profiles=f"{second[:12]},{first[:12]},nonsense,x")
    assert "measured on another machine" in words(again)
    assert "2 profiles side by side" in words(again)


def test_what_a_stranger_writes_into_the_address_does_no_harm() -> None:
    profiling.keep(WHOLE, "measured", "ann")
    assert opened("engine", profiles="<b>,,%00,zzzzzzzzzz").metric


@pytest.mark.usefixtures("stand_in")
def test_pressing_start_measures_and_shows_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_MODE", "whole")
    at = opened("engine")
    at.button("bench_start").click().run()
    calm(at)
    assert "67.8" in plain(at.metric[0].value)
    assert "measured here" in words(at)


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_that_fails_is_one_sentence_of_the_readers_language(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_MODE", "refuse")
    at = opened("engine", lang=language)
    at.button("bench_start").click().run()
    assert not at.exception
    said = t(language, "kvcore.device_missing", kind="cuda", torch="2")
    assert said in plain(at.error[0].value)
    assert "English" not in plain(at.error[0].value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stopped_run_is_marked_and_never_taken_for_the_newest_whole_one(language: str) -> None:
    (first, *others) = WHOLE.cases
    cut = [replace(row, median=None, spread=None, n=0, params={"not_measured": STOPPED})
           for row in others]  # fmt: skip
    profiling.keep(WHOLE, "measured", "ann")
    partial = replace(WHOLE, cases=(first, *cut), created_utc="2026-11-29T23:59:59Z")
    profiling.keep(partial, "measured", "ann")
    said = t(language, "engine_page.partial", missing=len(cut))
    assert said not in words(opened("engine", lang=language))
    at = opened("engine", lang=language, profiles=profiling.digest(partial)[:12])
    assert said in words(at)
    notes = [d.value for d in at.dataframe if t(language, "engine_page.note") in d.value.columns]
    assert t(language, "engine_page.reason_stopped") in notes[0].to_string()


def test_somebody_elses_run_is_shown_without_a_way_to_stop_it() -> None:
    request = JobRequest(
        kind=engine_bench.KIND,
        params={},
        owner="bob",
        runner=current_runner().name,  # type: ignore[attr-defined]
        limit=8,
    )
    job_id, _ = rows.add_job(current_store(), request)
    at = opened("engine")
    assert "Somebody else measures this machine" in words(at)
    assert [b for b in at.button if b.key in ("bench_stop", "bench_start")] == []
    rows.request_cancel(current_store(), job_id, "bob")


def test_a_profile_is_brought_in_from_its_file_and_deleted_again() -> None:
    at = opened("engine")
    text = profile_json.dumps(OTHER)
    (given,) = [u for u in at.file_uploader if u.key == "profile_file"]
    given.upload("other.json", text.encode(), "application/json").run()
    calm(at)
    assert "measured on another machine" in words(at)
    at.button("delete_profile_sure").click().run()
    calm(at)
    assert not at.metric


def test_a_file_that_is_no_profile_is_refused_with_its_place() -> None:
    at = opened("engine")
    (given,) = [u for u in at.file_uploader if u.key == "profile_file"]
    given.upload("odd.json", b'{"profile_version": 1}', "application/json").run()
    assert not at.exception
    assert "odd.json" in plain(at.error[0].value)


def test_probes_show_both_times_and_no_ratio() -> None:
    save_probe(
        current_store(),
        {
            "url": "http://localhost:11434",
            "model": "qwen3:8b",
            "api": "ollama",
            "server_version": "0.33.2",
            "created_utc": "2026-11-28T10:00:00+00:00",
            "cold": {"first_token_s": 31.983, "prompt_tokens": 13_220},
            "warm": {"first_token_s": 0.042, "cached_tokens": None},
        },
    )
    at = opened("engine", open_probes="true")
    assert "localhost:11434 took 32.0" in titles(at)
    (table,) = [d.value for d in at.dataframe if "Server" in d.value.columns]
    assert list(table["cold"]) == ["32.0\u00a0s"]
    assert list(table["warm"]) == ["42.0\u00a0ms"]
    assert not re.search(r"76\d", table.to_string())


def test_the_pool_is_walked_step_by_step() -> None:
    at = opened("engine", open_pool="true")
    assert "**Request 1 arrives**" in words(at)
    at.slider[0].set_value(at.slider[0].max).run()
    calm(at)
    assert re.search(r"\*\*Request \d+ ends", words(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_overview_says_both_times_of_this_machine_with_their_day(language: str) -> None:
    assert t(language, "engine_page.strip_none") in words(opened(lang=language))
    profiling.keep(OTHER, "imported", "ann")
    assert t(language, "engine_page.strip_none") in words(opened(lang=language))
    profiling.keep(WHOLE, "measured", "ann")
    shown = words(opened(lang=language))
    for part in ("67.8", "89.7", "13,220", "2026-11-29"):
        assert part in shown


ODD = ("abc", "", 0, -1, True, 1e200, "<script>alert(1)</script> $x$ :red[y]")


@pytest.mark.parametrize("odd", ODD)
def test_a_profile_of_strangers_making_breaks_no_page(odd: str | int | float | bool) -> None:
    """Every parameter and every name may hold anything that the file format allows."""
    cases = tuple(
        replace(row, case=row.case, params=dict.fromkeys(row.params, odd))
        for row in WHOLE.cases
        if row.median is not None
    )
    same_kind = tuple(
        replace(row, params={**row.params, "lengths": str(odd), "format": str(odd)}, median=0.0)
        for row in WHOLE.cases
        if row.median is not None
    )
    large = tuple(replace(row, median=1e200) for row in WHOLE.cases if row.median is not None)
    name = str(odd) or "-"
    for part in (cases, same_kind, cases + same_kind, large):
        strange = replace(WHOLE, name=name, cases=part, device=replace(WHOLE.device, name=name))
        profiling.keep(strange, "imported", "ann")
        calm(opened("engine", profiles=profiling.digest(strange)[:12], **EVERY))
