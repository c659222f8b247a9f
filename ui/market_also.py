"""Also watched: the second article's three points, each with what is known here."""

from __future__ import annotations

from collections.abc import Mapping

from econ.energy import rebounds
from econ.hybrid_gain import FULL_MS, HYBRID_MS
from econ.market_hybrids import HybridDesign, hybrids
from price_tables.hardware import ModelSpec
from ui import components, folds, plain_table, table_csv
from ui.components import mark
from ui.numerals import md
from ui.plain_table import cell
from ui.spoken import spoken
from ui.words import t


def points(models: Mapping[str, ModelSpec]) -> None:
    """Ratio elsewhere, the largest hybrid, and how fast savings turn into longer work."""
    found = hybrids(models)
    heading = t("watch.also_heading")

    def show() -> None:
        components.beneath(t("watch.also_unit", mark=mark("published")), heading)
        _ratios(found)
        _largest(found)
        _rebound()

    folds.section("also", heading, show)


def _ratios(found: tuple[HybridDesign, ...]) -> None:
    near = sum(one.near_three for one in found)
    components.sentence(t("watch.also_ratio", near, total=len(found)))
    head = [t(f"watch.column.{c}") for c in ("model", "linear", "attention", "ratio", "size")]
    rows = [
        [
            cell(one.name),
            cell(str(one.linear_layers)),
            cell(str(one.attention_layers)),
            cell(f"{one.ratio:.2f}"),
            cell("–" if one.parameters is None else f"{one.parameters / 1e9:,.0f}"),
        ]
        for one in found
    ]
    plain_table.show(head, rows, t("watch.also_alt"), "watch_hybrids", wide=True)
    with components.tools("watch_hybrids"):
        table_csv.cells_button(head, rows, "watch_hybrids")
    components.note(t("watch.also_quality"))


def _largest(found: tuple[HybridDesign, ...]) -> None:
    sized = [one for one in found if one.parameters is not None]
    largest = max(sized, key=lambda one: one.parameters or 0)
    components.sentence(t("watch.also_largest", name=md(largest.name),
                          size=f"{(largest.parameters or 0) / 1e9:,.0f}",
                          source=md(spoken(largest.source)), as_of=largest.as_of))  # fmt: skip


def _rebound() -> None:
    gain = FULL_MS / HYBRID_MS
    components.sentence(t("watch.also_rebound", gain=f"{gain:.2f}"))
    head = [t(f"less_kv.column.{name}") for name in ("elasticity", "demand", "energy")]
    rows = [
        [cell(f"{r.elasticity:g}"), cell(f"{r.demand:.2f}"), cell(f"{r.energy_ratio:.2f}")]
        for r in rebounds(gain)
    ]
    plain_table.show(head, rows, t("less_kv.rebound_alt"), "watch_rebound")
    with components.tools("watch_rebound"):
        table_csv.cells_button(head, rows, "watch_rebound")
