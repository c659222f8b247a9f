"""Data and changes: sizes, hosts from the constant, reports computed again, both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data_sources.public.hosts import HOSTS
from econ.method import METHOD_DAYS, METHOD_VERSION
from econ.report import ReportParams
from jobs import data_facts, flows, own_prices
from messages.catalogue import LANGUAGES, t
from settings import Settings, using

PAGE = Path(__file__).parents[2] / "pages" / "data_and_changes.py"


def opened(language: str = "en") -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=60)
    app.session_state["_language"] = language
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_opens_and_names_every_host(language: str) -> None:
    app = opened(language)
    words = "\n".join(block.value for block in app.markdown)
    assert app.title[0].value == t(language, "data.title")
    assert all(host in words for host in HOSTS)
    assert [box.label for box in app.metric] == [
        t(language, f"data.kept.{name}") for name in ("ledger", "workloads", "uploads")
    ]
    assert set(data_facts.hosts()) == HOSTS


def test_the_ledger_has_a_size_and_grows_with_a_report(tmp_path: Path) -> None:
    with using(Settings(data_dir=tmp_path)):
        assert data_facts.effects() == []
        before = {row.id: row.size_bytes for row in data_facts.kept()}
        flows.save_report(flows.example_id(), ReportParams(), "ann", "kept")
        after = {row.id: row.size_bytes for row in data_facts.kept()}
        assert before["ledger"]
        assert (after["workloads"] or 0) > (before["workloads"] or 0)
        (same,) = data_facts.effects()
        cheaper = "format: 1\nprices:\n  anthropic:\n  - id: claude-opus-5\n    periods:\n" \
            "    - {valid_from: null, usd_per_mtok: {uncached: 1, read: 0.1, write_5m: 1.25, " \
            "write_1h: 2, output: 5}, as_of: 2026-11}\n"  # fmt: skip
        with own_prices.using(cheaper):
            (other,) = data_facts.effects()
    assert (same.same_id, same.today) == (True, same.saved)
    assert other.same_id is False
    assert other.saved == same.saved
    assert other.today is not None
    assert same.saved is not None
    assert other.today.low_usd < same.saved.low_usd


def test_every_version_of_the_method_says_what_it_moved() -> None:
    assert data_facts.methods()[0][0] == METHOD_VERSION == len(METHOD_DAYS)
    for language in LANGUAGES:
        words = "\n".join(block.value for block in opened(language).markdown)
        assert all(t(language, f"data.method_moved.{version}") in words for version in METHOD_DAYS)


def test_every_host_belongs_to_a_source() -> None:
    by_source = data_facts.hosts_by_source()
    assert sorted(host for hosts in by_source.values() for host in hosts) == sorted(HOSTS)
    assert all(by_source.values())
