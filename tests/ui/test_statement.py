"""What a report says in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from econ.report import Saving
from tests.ui.sample import RECEIPT, UNPRICED, losing, report, usd, without_columns
from ui import explain, statement
from ui.tables import frame_of


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
