"""Formats: every file that a reader reads has a way to get it, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from data_sources.traces.formats import UNREAD
from data_sources.traces.registry import READERS
from messages.catalogue import LANGUAGES, t
from tests.pages.test_pages import calm, opened, words
from ui.guide_formats import SOURCES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_source_is_shown_with_its_line(language: str) -> None:
    at = opened("formats", lang=language, kind="all")
    calm(at)
    shown = words(at)
    assert [s.id for s in SOURCES if t(language, f"formats.{s.id}.name") not in shown] == []
    assert {code.value for code in at.code} == {s.line for s in SOURCES if s.line}


def test_the_filter_leaves_one_kind() -> None:
    at = opened("formats", kind="models")
    assert len(at.code) == len([s for s in SOURCES if s.kind == "models"])


def test_every_vendor_that_the_documents_name_has_a_way() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| \[?([A-Z][\w.-]+|kv-cache-tester)", text, re.MULTILINE)
    said = " ".join(t("en", f"formats.{s.id}.name") for s in SOURCES)
    assert [name for name in named if name not in said] == []


def test_the_plain_table_of_the_page_is_read_by_the_reader() -> None:
    line = next(source.line for source in SOURCES if source.id == "plain")
    at = opened("workload")
    at.file_uploader[0].upload("plain.csv", line.encode()).run()
    calm(at)
    assert "plain" in at.metric[0].label


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_registered_format_is_named_with_a_way_to_get_it(language: str) -> None:
    reads = [name for source in SOURCES for name in source.reads]
    assert sorted(reads) == sorted(READERS)
    shown = words(opened("formats", lang=language, kind="all"))
    plain = shown.replace("\\", "").replace("\u2060", "")
    named = {name: t(language, f"traces.format.{name}") for name in (*READERS, *UNREAD)}
    assert [name for name, said in named.items() if said not in plain] == []


def test_the_page_opens_on_bills_and_every_way_is_a_link_over_https() -> None:
    at = opened("formats")
    assert len(at.code) == len([s for s in SOURCES if s.kind == "bills" and s.line])
    assert all(s.address.startswith("https://") for s in SOURCES if s.address)
