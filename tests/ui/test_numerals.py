"""Numbers as they are shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.sample import usd as amount_of
from ui import numerals as n


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("6412.8", "$6,412.80"),
        ("-210", "−$210.00"),
        ("0", "$0.00"),
        ("0.005", "$0.0050"),
        ("0.00361", "$0.0036"),
        ("1.2375", "$1.24"),
        ("0.125", "$0.13"),  # half-up
        ("-0.004", "−$0.0040"),
    ],
)
def test_usd_is_shown_to_the_cent_and_never_as_a_false_zero(value: str, shown: str) -> None:
    assert n.usd(Decimal(value)) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [("4128.64", "+$4,128.64"), ("-100.5", "−$100.50"), ("0", "$0.00")]
)
def test_signed_usd_uses_a_true_minus(value: str, shown: str) -> None:
    assert n.signed_usd(Decimal(value)) == shown


def test_exact_shows_every_digit() -> None:
    assert n.exact(Decimal("0.57959")) == "0.57959"
    assert n.exact(Decimal("1200")) == "1,200"
    assert n.exact(Decimal("-2.00")) == "−2"


def test_percent_has_a_space_that_never_breaks() -> None:
    assert n.percent(0.366412) == "36.6\u00a0%"
    assert n.percent(0.37, 0) == "37\u00a0%"


def test_range_is_worded_in_each_language(speak: Callable[[str], None]) -> None:
    assert n.range_words("$1", "$2") == "range $1 to $2"
    assert n.amount_usd(amount_of("1871", "1933")) == "$1,871.00 to $1,933.00"
    speak("ja")
    assert n.range_words("$1", "$2") == "範囲 $1 〜 $2"


def test_days_know_a_whole_month(speak: Callable[[str], None]) -> None:
    assert n.days(date(2026, 10, 1), date(2026, 10, 31)) == "October 2026"
    assert n.days(date(2024, 2, 1), date(2024, 2, 29)) == "February 2024"
    assert n.days(date(2026, 10, 1), date(2026, 10, 30)) == "2026-10-01 to 2026-10-30"
    assert n.days(date(2026, 10, 1), date(2026, 10, 1)) == "2026-10-01"
    speak("ja")
    assert n.days(date(2026, 10, 1), date(2026, 10, 31)) == "2026年10月"
    assert n.axis_day(date(2026, 10, 8)) == "10/8"


def test_age_of_the_price_book() -> None:
    today = date(2026, 11, 29)
    assert n.age(today, today) == "2026-11-29, today"
    assert n.age(date(2026, 11, 28), today) == "2026-11-28, 1 day ago"
    assert n.age(date(2026, 11, 20), today) == "2026-11-20, 9 days ago"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (8, "8\u00a0s"),
        (200, "3\u00a0min 20\u00a0s"),
        (600, "10\u00a0min"),
        (7500, "2\u00a0h 05\u00a0min"),
    ],
)
def test_stretches_of_time(value: float, shown: str) -> None:
    assert n.seconds(value) == shown


def test_foreign_text_loses_control_and_direction_marks() -> None:
    assert n.foreign("a\u202eb\nc\x00") == "a b c"
    assert len(n.foreign("x" * 500)) == 80


@given(st.text(alphabet="*_`[](){}#+-!|~$:><&\\^=abc ", max_size=40))
def test_markdown_of_foreign_text_leaves_no_active_sign(text: str) -> None:
    shown = n.md(text)
    bare = shown.replace("&amp;", "").replace("&lt;", "")
    for at, char in enumerate(bare):
        if char in "*_`[]$:~":
            before = bare[:at]
            slashes = len(before) - len(before.rstrip("\\"))
            assert slashes % 2 == 1, shown
    assert "<" not in shown


@pytest.mark.parametrize(
    "text",
    [":material/home:", "a:smile:", "https://x.y", "<-", "->", "--", "a@b.c", "www.x.y"],
)
def test_icons_links_and_arrows_stay_the_text_that_they_are(text: str) -> None:
    """Streamlit makes them of escaped text too, so something that shows nothing parts them."""
    assert n.JOINER in n.md(text)
    assert n.JOINER not in n.md("claude-opus-5, 2026: a - b")
