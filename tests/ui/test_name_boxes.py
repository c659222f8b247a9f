"""Names in a chart keep off each other, off lines and inside the picture."""

from __future__ import annotations

from ui.name_boxes import Box, best, box, post


def test_the_first_spot_that_covers_nothing_is_taken() -> None:
    taken = [Box(0.0, 0.0, 0.5, 0.2)]
    spots = [("on a name", box(["abc"], 0.1, 0.1, left=True)),
             ("free", box(["abc"], 0.1, 0.4, left=True)),
             ("free too", box(["abc"], 0.6, 0.4, left=True))]  # fmt: skip
    assert best(spots, taken, [])[0] == "free"


def test_a_line_is_covered_rather_than_a_name_and_a_name_rather_than_the_edge() -> None:
    taken, flat = [Box(0.0, 0.0, 1.0, 0.3)], [lambda _: 0.65]
    on_a_line = ("line", box(["abc"], 0.1, 0.6, left=True))
    on_a_name = ("name", box(["abc"], 0.1, 0.1, left=True))
    outside = ("outside", box(["abc"], 0.95, 0.4, left=True))
    assert best([outside, on_a_name, on_a_line], taken, flat)[0] == "line"
    assert best([outside, on_a_name], taken, flat)[0] == "name"


def test_japanese_letters_take_twice_the_room() -> None:
    latin, kana = (box([text], 0.0, 0.0, left=True) for text in ("abcd", "現在地点"))
    assert kana.right > 1.9 * latin.right


def test_a_name_across_an_upright_line_touches_it() -> None:
    assert box(["here"], 0.5, 0.2, left=False).touches(post(0.45))
    assert not box(["here"], 0.5, 0.2, left=True).touches(post(0.45))
