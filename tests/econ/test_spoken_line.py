"""Lines of sources in words of their own, whatever commas, colons and semicolons they have."""

from __future__ import annotations

import pytest

from econ.sheet_own import spoken_line

WORDS = {"a list, of two: things; and more": "X", "plain": "Y", "other": "Z"}


@pytest.mark.parametrize(
    ("line", "said"),
    [("a list, of two: things; and more, 2026-09", "X, 2026-09"),
     ("Name: plain, 2026-09", "Name: Y, 2026-09"), ("plain; other, 2026-09", "Y; Z, 2026-09"),
     ("https://example.org/a, 2026-09", "https://example.org/a, 2026-09"), ("plain", "Y")],
)  # fmt: skip
def test_each_source_is_said_in_its_own_words(line: str, said: str) -> None:
    assert spoken_line(line, lambda text: WORDS.get(text, text)) == said
