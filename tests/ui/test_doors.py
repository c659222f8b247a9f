"""The four doors, the theme and the six marks."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from messages.catalogue import LANGUAGES, t
from ui import doors
from ui.components import MARKS

ROOT = Path(__file__).resolve().parents[2]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_open_door_and_page_has_a_name(language: str) -> None:
    for door in doors.open_doors():
        assert t(language, f"ui.door.{door.id}") != f"ui.door.{door.id}"
        for page in door.pages:
            assert t(language, f"ui.page.{page}") != f"ui.page.{page}"


def test_pages_that_are_not_there_are_not_shown() -> None:
    shown = [page for door in doors.open_doors() for page in door.pages]
    assert shown == [p for d in doors.PLAN for p in d.pages if (ROOT / f"pages/{p}.py").exists()]
    assert all(len(door.pages) <= 5 for door in doors.PLAN)


def test_every_page_file_stands_behind_a_door() -> None:
    files = {path.stem for path in (ROOT / "pages").glob("*.py")} - {"__init__"}
    assert files <= {page for door in doors.PLAN for page in door.pages}


def test_the_first_start_asks_nothing_and_listens_here_only() -> None:
    assert CONFIG["server"]["address"] == "localhost"
    assert CONFIG["server"]["showEmailPrompt"] is False
    assert CONFIG["server"]["maxUploadSize"] == 1024
    assert CONFIG["server"]["enableXsrfProtection"] is True
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] == "none"
    assert CONFIG["client"]["disableDataExport"] is True


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_theme_has_ten_chart_colours(mode: str) -> None:
    """With fewer plotly falls back to its own colours."""
    assert len(set(CONFIG["theme"][mode]["chartCategoricalColors"])) == 10


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    ["textColor", "linkColor", "blueTextColor", "orangeTextColor", "redTextColor", "grayTextColor"],
)
def test_text_colours_reach_the_contrast_of_readable_text(mode: str, name: str) -> None:
    theme = CONFIG["theme"][mode]
    assert contrast(theme[name], theme["backgroundColor"]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_chart_colours_stand_out_from_the_background(mode: str) -> None:
    theme = CONFIG["theme"][mode]
    ratios = [contrast(c, theme["backgroundColor"]) for c in theme["chartCategoricalColors"]]
    assert min(ratios) >= 3


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance of '#RRGGBB'."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_six_marks_lie_beside_the_router_and_are_named_in_the_theme() -> None:
    font = (ROOT / "ui" / "static" / "marks.woff2").read_bytes()
    assert font[:4] == b"wOF2"
    assert len(font) < 1_000
    (face,) = CONFIG["theme"]["fontFaces"]
    assert face["url"] == "app/static/marks.woff2"
    assert set(MARKS.values()) == set("●○◆◇")
