"""What a report says in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from data_sources.traces.registry import MAPPED, READERS
from econ.example import EXAMPLE_FORMAT
from econ.format_words import format_name
from econ.receipt import Receipt, SourceFile
from econ.report import Saving
from messages.catalogue import sayer
from messages.errors import Message
from tests.ui.sample import (
    RECEIPT,
    TOKENS,
    UNPRICED,
    group,
    losing,
    report,
    usd,
    without_columns,
)
from ui import charts, explain, numerals, pictures, statement
from ui.tables import frame_of, usd_style


def test_d05_the_saving_names_its_baseline_and_its_sign() -> None:
    said = statement.statement(report(), "October 2026, usage.csv")
    assert said.label == "Net saving, October 2026, usage.csv"
    assert said.value == "+$3.76"
    assert said.beneath == "75.3\u00a0% less than no caching"
    assert said.sentence.startswith("**Yes.**")
    assert not said.lost


def test_a_loss_is_said_to_be_a_loss() -> None:
    said = statement.statement(losing(), "x")
    assert said.value == "−$210.00"
    assert said.beneath == "▼ a loss: 25.4\u00a0% more than no caching"
    assert said.lost


def test_a_range_has_no_invented_middle() -> None:
    saving = Saving(earned=usd("1", "3"), earned_ratio=None, reachable=None)
    said = statement.statement(report(saving=saving), "x")
    assert said.value == "+$1.00 to +$3.00"
    crossing = Saving(earned=usd("-1", "3"), earned_ratio=None, reachable=None)
    said = statement.statement(report(saving=crossing), "x")
    assert said.value == "−$1.00 to +$3.00"
    assert not said.lost
    assert "cannot be told" in said.sentence


def test_a_file_without_cache_columns_is_never_zero() -> None:
    said = statement.statement(without_columns(), "x")
    assert said.value == "$5.00"
    assert said.label == "Cost without caching, x"
    assert "not in this file" in said.beneath
    _, billed, best = statement.three_figures(without_columns())
    assert billed.value == "not in this file"
    assert "Anthropic Console" in billed.beneath
    assert best.value == "not known"


def test_dollar_signs_in_sentences_are_no_formulas() -> None:
    said = statement.statement(report(), "x")
    assert "\\$5\\.00" in said.sentence
    assert "$" not in said.sentence.replace("\\$", "")


def test_unpriced_rows_are_named_with_their_models() -> None:
    assert statement.unpriced_line(report()) == ""
    line = statement.unpriced_line(report(unpriced=(UNPRICED,)))
    assert line.startswith("9 rows have no known price")
    assert "my\\_own\\*model" in line


def test_japanese_says_the_same(speak: Callable[[str], None]) -> None:
    speak("ja")
    said = statement.statement(losing(), "x")
    assert said.value == "−$210.00"
    assert "▼ 損失" in said.beneath
    assert statement.three_figures(report())[1].label == "実際の請求"


def test_the_receipt_adds_up_on_the_screen() -> None:
    frame = frame_of(explain.receipt_table(RECEIPT))
    rows = frame["Rows"].tolist()
    assert rows[0] == sum(rows[1:]) == 48_210
    assert "lines 1,207, 9,113, 9,114" in frame["What happened"].tolist()[3]


def test_rejected_lines_have_their_reasons() -> None:
    table = explain.rejected_table(RECEIPT)
    assert table is not None
    assert frame_of(table)["Line"].tolist() == [1_207, 9_113, 9_114]
    none = dataclasses.replace(RECEIPT, rows_read=48_207, rows_rejected=0, rejected=())
    assert explain.rejected_table(none) is None


def test_a_gain_names_who_loses_all_the_same() -> None:
    """The sample's team pays 5 where no caching would cost 4."""
    said = statement.statement(report(), "x")
    assert "the team *<b\\>x" not in said.sentence
    assert "the team *&lt;b\\>x&lt;/b\\>* loses **\\$1\\.00**" in said.sentence
    assert "85\u00a0% of its prompt tokens" in said.sentence
    calm = tuple(row for row in report().groups if row.by != "team")
    assert "loses" not in statement.statement(report(groups=calm), "x").sentence


def test_rows_without_a_model_are_named_in_the_sentence_and_in_their_group() -> None:
    message = Message("report.assume_model", {"model": "claude-opus-5"}, 3)
    said = statement.statement(report(assumptions=(message,)), "x").sentence
    assert "3 request rows name no model" in said
    assert r"claude\-opus\-5" in said
    nameless = dataclasses.replace(group("model", "", "5", "1", TOKENS), priced_as="claude-opus-5")
    assert pictures.key_shown(nameless) == "no model named, priced as claude-opus-5"
    assert pictures.key_shown(group("team", "", "5", "1", TOKENS)) == "(not stated)"


def test_list_prices_are_of_each_requests_day_only_where_the_rows_have_days() -> None:
    undated = dataclasses.replace(report().workload, first_utc=None, last_utc=None)
    note = Message("report.assume_at", {"at": "2026-11-29 00:00 UTC"}, 1)
    assert "own day" in statement.cost(report(), "x").beneath
    assert "own day" not in statement.cost(report(workload=undated), "x").beneath
    assert "without a date" in statement.cost(report(assumptions=(note,)), "x").beneath


def test_a_file_has_its_own_rows_and_files_read_as_one_have_them_once() -> None:
    one, other = (
        SourceFile(path=name, sha256=name * 64, format="x", encoding="utf-8", rows=rows)
        for name, rows in (("a", 2), ("b", 3))
    )
    receipt = Receipt(files=(one, other), rows_read=5, rows_kept=5)
    assert [line.split(", ")[1] for line in explain.observed_lines(receipt)] == ["2 rows", "3 rows"]
    unknown = tuple(dataclasses.replace(file, rows=None) for file in receipt.files)
    lines = explain.observed_lines(dataclasses.replace(receipt, files=unknown))
    assert [("rows" in line) for line in lines] == [False, False, True]
    assert lines[-1] == "2 files together: 5 rows"


def test_a_day_that_saved_nothing_is_no_loss_and_no_saving() -> None:
    gain, none, loss = usd("1"), usd("0"), usd("-1")
    said = pictures.saving_answer([gain, none], "day")
    assert said == "Saved on 1 of 2 days, no difference on the rest"
    said = pictures.saving_answer([gain, none, loss], "hour")
    assert said == "Saved in 1 of 3 hours, lost in 1"
    assert pictures.saving_answer([usd("1"), usd("-1")], "day") == "Saved on every day but one"


def test_a_bill_that_lost_is_drawn_as_a_loss() -> None:
    for made, color in ((losing(), charts.LOST), (report(), charts.OURS)):
        drawn = pictures.baseline_bars(made)
        assert drawn is not None
        assert drawn.figure.data[1].marker.color == color


def test_a_stretch_of_time_is_said_in_the_readers_language(
    speak: Callable[[str], None],
) -> None:
    stretches = (8, 600, 200, 7_500)
    assert [numerals.seconds(s) for s in stretches] == [
        "8\u00a0s",
        "10\u00a0min",
        "3\u00a0min 20\u00a0s",
        "2\u00a0h 05\u00a0min",
    ]
    speak("ja")
    assert [numerals.seconds(s) for s in stretches] == ["8秒", "10分", "3分20秒", "2時間05分"]


@pytest.mark.parametrize(
    ("language", "shown"),
    [("en", "Claude Code session log"), ("ja", "Claude Codeのセッションログ")],
)
def test_a_format_has_its_name_in_the_readers_language(language: str, shown: str) -> None:
    assert format_name("claude_code_jsonl", sayer(language)) == shown
    both = format_name("claude_code_jsonl+kvledger_csv", sayer(language))
    assert both.startswith(f"{shown} + kvledger")
    assert format_name("of_an_older_report", sayer(language)) == "of_an_older_report"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_format_that_can_be_read_has_a_name(language: str) -> None:
    for format_id in (*READERS, MAPPED, EXAMPLE_FORMAT):
        assert format_name(format_id, sayer(language)) != format_id


def test_a_column_of_small_amounts_shows_digits_below_the_cent() -> None:
    assert usd_style([0.15, 0.0038, None, 0]) == "$%.5f"
    assert usd_style([0.15, -0.0038]) == "%.5f USD"
    assert usd_style([0.15, 0.03, 0]) == "dollar"
    assert usd_style([5000.0, 0.0038]) == "dollar"
    assert usd_style([None]) == "dollar"
