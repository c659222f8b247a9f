"""Tables of text: escaped, aligned, struck through, with the other unit on hover."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from ui.byte_words import both, other, size
from ui.plain_table import cell, markup

NBSP = "\u00a0"


def test_every_text_of_a_table_is_escaped() -> None:
    evil = '"><script>alert(1)</script>'
    made = markup([evil, "b"], [[cell(evil, below=evil), cell(evil, evil)]], evil)
    assert "<script" not in made
    assert made.count("&lt;script&gt;") == 6


def test_figures_carry_what_hovering_says_and_how_they_look() -> None:
    made = markup(["", "x"], [[cell("row"), cell("5 MB", "5,000,000 bytes", "struck")]], "alt")
    assert '<td title="5,000,000 bytes"><s>5 MB</s></td>' in made
    assert 'aria-label="alt"' in made
    assert '<th scope="row">row</th>' in made


def test_a_column_of_words_is_aligned_at_its_left() -> None:
    made = markup(["", "why"], [[cell("row"), cell("because", tone="words")]], "alt")
    assert '<th scope="col" class="words">why</th>' in made
    assert re.search(r'<td class="words">.*because', made)


@pytest.mark.parametrize(
    ("value", "gb", "gib"),
    [
        (0, "0 bytes", "0 bytes"),
        (999, "999 bytes", "999 bytes"),
        (70_272, "70.27 KB", "68.63 KiB"),
        (42_949_672_960, "42.95 GB", "40 GiB"),
        (999_999_999, "1 GB", "953.7 MiB"),
        (5_620_000_000_000, "5.62 TB", "5.11 TiB"),
        (-1_073_741_824, "\u22121.07 GB", "\u22121 GiB"),
        (Fraction(7, 2), "3.5 bytes", "3.5 bytes"),
    ],
)
def test_bytes_are_said_in_either_unit_and_never_mixed(value: int, gb: str, gib: str) -> None:
    assert size(value, "gb").replace(NBSP, " ") == gb
    assert size(value, "gib").replace(NBSP, " ") == gib


def test_both_units_follow_the_exact_bytes() -> None:
    shown = both(42_949_672_960).replace(NBSP, " ")
    assert shown == "42,949,672,960 bytes = 42.95 GB = 40 GiB"
    assert both(Fraction(1, 2)).replace(NBSP, " ") == "0.500 bytes"
    assert (other("gb"), other("gib")) == ("gib", "gb")
