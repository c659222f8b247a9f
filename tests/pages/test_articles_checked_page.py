"""Articles checked: every figure, its filters, and words in both languages."""

from __future__ import annotations

import re

import pytest

from jobs import guide_facts
from tests.pages.test_pages import calm, opened, words
from ui import market_sources
from ui.guide_articles import markup, ours
from ui.verdict_chart import verdicts


def tables(at: object) -> str:
    """All HTML of the page."""
    return "\n".join(str(part.proto.body) for part in at.get("html"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_figure_is_shown_with_its_verdict(language: str) -> None:
    at = opened("articles_checked", lang=language, subject="all")
    rows = guide_facts.checked()
    assert tables(at).count('<th scope="row">') == len(rows)
    assert at.metric[0].value
    assert not re.findall(r"articles\.[a-z_.]+", tables(at) + words(at))


def test_the_filters_leave_one_article_and_one_verdict() -> None:
    at = opened("articles_checked", article="C", verdict="differs")
    assert len(at.info) == 1
    at = opened("articles_checked", article="B", verdict="differs", subject="all")
    wanted = [
        row
        for row in guide_facts.checked()
        if (row.figure.article, row.verdict) == ("B", "differs")
    ]
    assert tables(at).count('<th scope="row">') == len(wanted) > 0
    calm(at)


def test_ours_stands_in_the_unit_in_which_the_article_prints() -> None:
    rows = {row.figure.id: row for row in guide_facts.checked()}
    assert ours(rows["gpt3_128k"]) == "618.5\u00a0GB"
    assert ours(rows["step_128k_1"]) == "14.12\u00a0ms"
    assert ours(rows["contract_5m"]) == "5.575\u00a0USD"
    assert ours(rows["guide_gqa_8k"]) == "1,073,741,824\u00a0bytes"
    assert ours(rows["fred_chips"]).startswith("28.987")
    assert ours(rows["hit_rates"]) == "–"


def test_sources_are_links_and_texts_are_escaped() -> None:
    found = markup(guide_facts.checked(), 'a "quoted" <caption>')
    assert 'href="https://arxiv.org/abs/2309.06180"' in found
    assert "<caption>" not in found


def test_the_page_opens_on_one_subject_and_a_link_on_another() -> None:
    at = opened("articles_checked")
    rows = guide_facts.checked()
    first = [row for row in rows if row.figure.subject == rows[0].figure.subject]
    assert tables(at).count('<th scope="row">') == len(first)
    assert 'K1"' not in tables(opened("articles_checked", subject="statistics"))


def test_a_size_says_its_bytes_in_both_units_and_whether_the_unit_explains_it() -> None:
    rows = {row.figure.id: row for row in guide_facts.checked()}
    assert rows["llama31_token"].holds_in_binary == "KiB"
    assert rows["kv_128k_1"].holds_in_binary == "GiB"
    assert rows["qwen3_token"].holds_in_binary is None
    assert rows["gpt3_128k"].holds_in_binary is None
    found = markup([rows["llama31_token"]], "sizes")
    assert "327,680\u00a0bytes" in found
    assert "holds if KB means KiB" in found


def test_the_chart_counts_every_figure_once() -> None:
    made = verdicts(guide_facts.checked())
    counted = sum(sum(column.values) for column in made.table.columns[1:])
    assert counted == len(guide_facts.checked())


def test_the_day_of_the_snapshot_stands_on_the_page() -> None:
    at = opened("articles_checked")
    assert market_sources.snapshot_day().isoformat() in words(at)
