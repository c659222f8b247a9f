"""Pictures of squares and bars: their names, their texts, their widths."""

from __future__ import annotations

import re

import pytest

from econ.guide_quant import example_vector, quantise
from ui.cell_pictures import Part, bar, cells, dials, key, picture, square, titles
from ui.quant_chart import GROUPS, error_chart


def test_a_picture_is_one_image_with_a_name() -> None:
    found = picture([cells("K", [square("kept", "a")])], 'keys & "values"')
    assert found.count('role="img"') == 1
    assert 'aria-label="keys &amp; &quot;values&quot;"' in found


def test_every_text_is_escaped() -> None:
    evil = "<script>"
    shown = picture(
        [
            cells(evil, [square("made", evil, hover=evil)]),
            bar(evil, [Part(kind="made", share=1.0, text=evil, hover=evil)], evil),
            titles([evil]),
            key([("made", evil)]),
            dials([(evil, 0.0, 0.0, evil)]),
        ],
        evil,
    )
    assert evil not in shown


def test_a_square_without_text_has_the_sign_of_its_kind() -> None:
    found = cells("", [square("made"), square("off"), square("again"), square("kept")])
    assert re.findall(r">([^<]*)</i>", found) == ["+", "×", "↻", ""]


def test_columns_are_the_squares_and_what_they_span() -> None:
    assert "--n:4" in cells("", [square("made", span=2), square("kept", span=2)])
    assert "--n:8" in cells("", [square("made")], 8)


def test_bars_are_as_wide_as_their_shares_and_nothing_draws_nothing() -> None:
    found = bar("", [Part(kind="made", share=0.25), Part(kind="off", share=0.0)])
    assert re.findall(r"width:([\d.]+)%", found) == ["25.00"]


def test_the_error_chart_has_a_line_a_kind_and_the_errors_that_quantising_gives() -> None:
    values = example_vector()
    made = error_chart(values, "int4", 16)
    assert len(made.figure.data) == 4
    for trace, kind in zip(made.figure.data, ("fp8", "int8", "int4", "int2"), strict=True):
        found = [quantise(values, kind, group) for group in GROUPS]  # type: ignore[arg-type]
        assert list(trace.x) == [one.bits for one in found]
        assert list(trace.y) == pytest.approx([one.relative_rms for one in found])
    assert "INT4" in made.alt
    assert len({str(trace.marker.symbol) for trace in made.figure.data}) == 4
