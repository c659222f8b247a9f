"""What every chart of the Engine page has around it: its profiles as source, its CSV, a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ui import components, folds, table_csv
from ui.charts import Chart
from ui.engine_profiles import Shown, origin
from ui.numerals import md
from ui.tables import Table
from ui.words import t


def source(shown: Shown) -> str:
    """Which profile, of which device and model, taken where and when; Markdown."""
    profile = shown.profile
    return t(
        "engine_page.source",
        name=md(shown.entry.name),
        device=md(profile.device.name),
        model=md(profile.model.name),
        made=md(profile.model.source),
        known=origin(shown.entry),
    )


def tools(found: Sequence[Shown], table: Table, name: str) -> None:
    """The CSV of a table and the profiles it is from."""
    table_csv.button(table, f"engine_{name}")
    components.sources([source(shown) for shown in found], f"engine_{name}")


def drawn(
    found: Sequence[Shown], heading: str, unit: str, made: Chart, name: str, titled: bool = True
) -> None:
    """A chart with its CSV and source; not `titled` inside a section that says the heading."""
    said = [source(shown) for shown in found]
    disturbed = t("engine_page.contended")
    if disturbed in unit:  # a picture cuts the end of a long unit line
        said.append(disturbed)
    components.chart_block(
        heading,
        unit,
        made,
        name.replace("_", "-"),
        source="; ".join(said),
        beside=lambda: tools(found, made.table, name),
        titled=titled,
    )


def folded(
    shown: Shown,
    heading: str,
    unit: str,
    make: Callable[[], Chart],
    name: str,
    note: str = "",
) -> None:
    """A section that says its finding; the chart is made while it is unfolded."""

    def show() -> None:
        drawn([shown], heading, unit, make(), name, titled=False)
        if note:
            components.note(note)

    folds.section(name, heading, show)
