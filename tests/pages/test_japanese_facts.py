"""Sources, notes and names out of the tables of facts are Japanese on Japanese pages."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from babel.messages.catalog import Catalog
from streamlit.testing.v1 import AppTest

from messages.catalogue import read_catalogue
from tests.pages.test_pages import opened, words
from ui import spoken

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("market", "four_numbers", "chain", "less_kv", "articles_checked")
THREE_WORDS = re.compile(r"\b[a-z]{2,},? [a-z]{2,},? [a-z]{2,}\b")
OFFICIAL = "This product uses the FRED® API but is not endorsed or certified by the Federal Reserve"
"""The words that FRED's terms of use ask for; the page has them in Japanese too."""
FACTS = ("hbm", "power", "kv_quality", "devices", "watch", "models", "tiers")
SHOWN = ("references", "note", "scope", "task", "metric")


def fragments(at: AppTest) -> Iterator[str]:
    parts: list[Any] = list(at.get("html"))
    for part in parts:
        body = str(part.proto.body)
        if "<style" in body or "{" in body:
            continue
        yield from re.findall(r'(?:title|aria-label)="([^"]*)"', body)
        yield from re.split(r"<[^>]*>", body)
    for block in (*at.markdown, *at.caption, *at.warning, *at.info):
        yield from block.value.splitlines()
    for frame in at.dataframe:
        for row in frame.value.itertuples(index=False):
            yield from (cell for cell in row if isinstance(cell, str))


@pytest.mark.parametrize("name", PAGES)
def test_no_english_sentence_stands_on_a_japanese_page(name: str) -> None:
    at = opened(name, lang="ja")
    assert words(at)
    left = set()
    for text in fragments(at):
        bare = re.sub(r"https?://\S+", "", html.unescape(text).replace("\\", ""))
        bare = bare.replace("\u2060", "").replace(OFFICIAL, "")
        bare = re.sub(r" \([A-Za-z ]+[^)]*\):", "", bare)  # the English term beside a Japanese one
        if THREE_WORDS.search(bare):
            left.add(bare)
    assert left == set()


def sentences() -> Iterator[str]:
    """Every text of the tables of facts that a page may show and that is made of words."""
    for name in FACTS:
        file = ROOT / "price_tables" / f"{name}.yaml"
        yield from _shown(yaml.safe_load(file.read_text(encoding="utf-8")), "")
    for path in (ROOT / "data_sources/public/snapshot").glob("*.csv"):
        with path.open(encoding="utf-8") as file:
            yield from (row["note"] for row in csv.DictReader(file))


def _shown(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _shown(inner, key if key == "references" else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _shown(inner, key)
    elif isinstance(value, str) and key in SHOWN:
        yield value


def known(language: str) -> dict[str, str]:
    catalogue: Catalog = read_catalogue(language)
    return {
        str(message.id): str(message.string)
        for message in catalogue
        if isinstance(message.id, str) and message.id.startswith(spoken.PREFIX)
    }


def test_every_sentence_of_the_facts_has_japanese_words() -> None:
    japanese = known("ja")
    made_of_words = {text for text in sentences() if re.search(r"[a-z]{3,} [a-z]{2,}", text)}
    assert {text for text in made_of_words if spoken.key_of(text) not in japanese} == set()


def test_no_word_is_kept_under_the_key_of_another_sentence() -> None:
    assert {key: text for key, text in known("en").items() if key != spoken.key_of(text)} == {}
