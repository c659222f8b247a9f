"""The page to send: self-contained, whole, harmless, in the reader's language."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any

import pytest

from econ.money import Amount
from econ.receipt import Receipt, Rejection
from econ.report import CostReport, Period, Rate, ReportParams
from econ.report_build import build_report
from econ.report_html import report_html
from econ.sheet_text import converted, usd, yen
from messages.catalogue import sayer
from messages.errors import Message
from price_tables.load import load_book
from tests.econ.hand import table

HOSTILE = "<script>alert(1)</script>\"'&\u202e"
RECEIPT = Receipt(
    files=(),
    rows_read=2,
    rows_kept=1,
    rows_rejected=1,
    rejected=(Rejection(file=HOSTILE, line=2, reason=Message("report.parts_exceed_total")),),
)


class Seen(HTMLParser):
    """Tags with their attributes, the text, and the rows of all tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    @property
    def words(self) -> str:
        """All that is read."""
        return " ".join(self.text)


def made(rows: list[dict[str, Any]], **params: Any) -> CostReport:
    """The report of rows of claude-opus-5 with 1,000 tokens of output."""
    full = {"model": "claude-opus-5", "arrival_utc": "2026-10-01", "input_tokens": 100_000,
            "cached_read_tokens": 90_000, "output_tokens": 1_000}  # fmt: skip
    return build_report(
        table([{**full, **row} for row in rows]), RECEIPT, load_book(), ReportParams(**params)
    )


def page(report: CostReport, language: str = "en", name: str = "August", *rates: Rate) -> str:
    """The file's text."""
    return report_html(report, name, language, sayer(language), rates)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_outside_is_referred_to_and_nothing_runs(language: str) -> None:
    text = page(made([{"team": "a"}, {"team": "b"}]), language)
    seen = Seen(text)
    tags = {tag for tag, _ in seen.tags}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"}
    for _, attributes in seen.tags:
        assert not {"src", "href", "xlink:href", "action", "srcset"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(r"@import|url\((?!#hatch\))", text)
    assert seen.tags[0] == ("html", {"lang": language})


def test_hostile_names_are_text() -> None:
    text = page(made([{"team": HOSTILE}, {"team": "b"}]), "en", HOSTILE)
    assert "<script" not in text
    assert "\u202e" not in text
    assert "<script>alert(1)</script>\"'&" in Seen(text).words


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_group_row_stands_in_a_table(language: str) -> None:
    rows = [{"user": f"user-{n:03}", "arrival_utc": f"2026-10-{n % 28 + 1:02}"} for n in range(60)]
    report = made(rows)
    seen = Seen(page(report, language))
    for group in report.groups:
        assert group.key in seen.words
    shown = sum(1 for tag, _ in seen.tags if tag == "tr")
    groupings = {group.by for group in report.groups}
    prices = 1
    assert shown == len(report.groups) + len(groupings) + prices + 1


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_day_is_never_broken_at_its_hyphens(language: str) -> None:
    """Broken days doubled the rows of a month, and two sides became three."""
    text = page(made([{"arrival_utc": "2026-10-01"}, {"arrival_utc": "2026-10-02"}]), language)
    for day in ("2026-10-01", "2026-10-02"):
        assert f'<td class="words day">{day}</td>' in text
    assert "td.day { white-space: nowrap; }" in text
    assert sayer(language)(Message("own_report.not_seen")) in text


def test_sessions_are_counted_and_left_to_the_csv() -> None:
    report = made([{"session_id": "one"}, {"session_id": "two"}])
    assert "2 sessions are left out here" in Seen(page(report)).words


def test_the_ids_the_price_book_and_the_sources_are_printed() -> None:
    report = made([{}])
    words = Seen(page(report)).words
    for said in (report.report_id, report.workload_sha256, report.price_book_version):
        assert said in words
    for figure in report.figures.values():
        for source in figure.sources:
            assert source.source in words
            assert source.as_of in words


def test_the_number_is_the_signed_saving_and_a_loss_is_a_loss() -> None:
    assert "+$0.41" in Seen(page(made([{}]))).words  # 90,000 reads at 0.1 of 5 USD: 0.405
    lost = {"cached_read_tokens": 0, "cache_write_1h_tokens": 100_000}
    words = Seen(page(made([lost]))).words
    assert "−$0.50" in words
    assert "Caching costs money here" in words


def test_a_file_without_cache_columns_has_no_saving() -> None:
    row = {"model": "claude-opus-5", "input_tokens": 1_000_000, "output_tokens": 0}
    report = build_report(table([row]), RECEIPT, load_book(), ReportParams())
    words = Seen(page(report)).words
    assert "What caching saved is not in this file" in words
    assert "$5.00" in words


def test_nothing_priced_is_unknown_and_never_zero() -> None:
    words = Seen(page(made([{"model": "nobody-knows"}]))).words
    assert "not known" in words
    assert "$0.00" not in words


def test_the_change_and_the_reconciliation_are_tables() -> None:
    first = Period(since=date(2026, 10, 1), until=date(2026, 10, 1))
    second = Period(since=date(2026, 10, 2), until=date(2026, 10, 2))
    rows = [{"arrival_utc": "2026-10-01"}, {"arrival_utc": "2026-10-02", "output_tokens": 2_000}]
    report = made(rows, change=(first, second), invoice_usd=Decimal(1))
    words = Seen(page(report)).words
    assert "Change from 2026-10-01" in words
    assert "unexplained" in words


def test_long_and_many_names_do_not_widen_the_charts() -> None:
    names = [{"team": "長い名前" * 30 + str(n)} for n in range(20)]
    text = page(made(names), "ja")
    for x, width in re.findall(r'<rect x="([\d.]+)" y="[^"]+" width="([\d.]+)"', text):
        assert float(x) + float(width) <= 680


YEN = Rate(currency="JPY", per_usd=Decimal("161.67"), date=date(2026, 6, 26), source="H.10")


@pytest.mark.parametrize(
    ("value", "japanese", "english"),
    [
        ("0", "0円", "¥0"),
        ("9999.4", "9,999円", "¥9,999"),
        ("9999.5", "1万円", "¥10,000"),
        ("27456", "2.75万円", "¥27,456"),
        ("-27456", "−2.75万円", "¥−27,456"),
        ("99999999", "1億円", "¥99,999,999"),
        ("1234500000000", "1.23兆円", "¥1,234,500,000,000"),
    ],
)
def test_large_sums_of_yen_count_in_ten_thousands_in_japanese(
    value: str, japanese: str, english: str
) -> None:
    assert yen(Decimal(value), sayer("ja"), "ja") == japanese
    assert yen(Decimal(value), sayer("en"), "en") == english


def test_other_currencies_have_their_rate_and_its_date() -> None:
    report = made([{}])
    euro = Rate(currency="EUR", per_usd=Decimal("0.5"), date=None, source="user")
    words = Seen(page(report, "en", "x", YEN, euro)).words
    assert "161.67 JPY to the dollar on 2026-06-26 (H.10)" in words
    assert "EUR 0.06, at 0.5 EUR to the dollar, as entered" in words.replace("\u00a0", " ")


def test_a_range_shows_both_ends_in_every_currency() -> None:
    amount = Amount(low_e13=10**13, high_e13=2 * 10**13)
    assert usd(amount, sayer("en")) == "$1.00 to $2.00"
    assert converted(amount, YEN, sayer("en"), "en") == "¥162 to ¥323"


def test_the_same_report_is_the_same_file() -> None:
    report = made([{"team": "a"}, {"team": "b"}])
    assert page(report) == page(replace(report))
