"""The market page's dated facts: HBM generations with their prices, and the CSV of power."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from econ.csv_safe import Cell, csv_bytes
from price_tables.hbm import HbmFacts
from price_tables.power import PowerFacts
from ui import components, downloads, folds, plain_table
from ui.components import mark
from ui.less_kv_charts import figure as shown
from ui.numerals import md
from ui.plain_table import Cell as Shown
from ui.plain_table import cell
from ui.spoken import spoken
from ui.words import t

GENERATIONS = (
    "generation", "gb_low", "gb_high", "pin_gbps", "bus_bits", "bandwidth_tbs", "usd_per_gb_low",
    "usd_per_gb_mid", "usd_per_gb_high", "price_as_of", "price_source", "price_note", "note",
)  # fmt: skip
POWER = ("kind", "name", "year_or_day", "gw", "what", "as_of", "source", "note")


def generations(facts: HbmFacts) -> None:
    """One stack of each generation, and the price of a GB as a band."""
    newest = facts.usd_per_gb[-1]
    heading = t("market.generations_heading", low=shown(newest.low), high=shown(newest.high),
                generation=newest.generation)  # fmt: skip

    def show() -> None:
        components.beneath(t("market.generations_unit", mark=mark("datasheet")), heading)
        head = [t(f"market.column.{name}")
                for name in ("generation", "gb", "rate", "bus", "bandwidth", "usd_gb")]  # fmt: skip
        rows = [
            [
                cell(one.name),
                cell(_span(one.gb_low, one.gb_high)),
                cell(shown(one.pin_gbps)),
                cell(f"{one.bus_bits:,}"),
                cell(shown(one.bandwidth_tbs), spoken(one.note)),
                _price(facts, one.name),
            ]
            for one in facts.generations
        ]
        plain_table.show(head, rows, t("market.generations_alt"), "generations")
        components.note(t("market.generations_formula"))
        _generation_tools(facts)

    folds.section("generations", heading, show)


def _span(low: Decimal, high: Decimal) -> str:
    return t("market.span", low=shown(low), high=shown(high))


def _price(facts: HbmFacts, generation: str) -> Shown:
    price = facts.price_of(generation)
    if price is None:
        return cell(t("market.no_price"), tone="muted")
    return cell(shown(price.mid), below=_span(price.low, price.high))


def _generation_tools(facts: HbmFacts) -> None:
    """The generations with their prices as CSV, and where the prices stand."""
    with components.tools("market_generations"):
        _button("generations", GENERATIONS, _generation_rows(facts))
        components.sources(
            [
                t("market.price_note", generation=one.generation, source=md(spoken(one.source)),
                  as_of=one.as_of, note=md(spoken(one.note)))
                for one in facts.usd_per_gb
            ]
            + list(dict.fromkeys(md(spoken(one.source)) for one in facts.generations)),
            "market_generations",
        )  # fmt: skip


def _generation_rows(facts: HbmFacts) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for one in facts.generations:
        price = facts.price_of(one.name)
        row: dict[str, Cell] = {
            "generation": one.name, "gb_low": one.gb_low, "gb_high": one.gb_high,
            "pin_gbps": one.pin_gbps, "bus_bits": one.bus_bits,
            "bandwidth_tbs": one.bandwidth_tbs, "note": one.note or "",
        }  # fmt: skip
        if price is not None:
            row |= {
                "usd_per_gb_low": price.low, "usd_per_gb_mid": price.mid,
                "usd_per_gb_high": price.high, "price_as_of": str(price.as_of),
                "price_source": price.source, "price_note": price.note or "",
            }  # fmt: skip
        rows.append(row)
    return rows


def power(facts: PowerFacts) -> None:
    """The scenarios' points and the operators' powers as CSV, and where they stand."""
    said = [f"{md(spoken(path.source))}, {path.as_of}" for path in facts.scenarios]
    said += [md(spoken(one.source)) for one in facts.operators]
    with components.tools("market_power"):
        _button("power", POWER, _power_rows(facts))
        components.sources(list(dict.fromkeys(said)), "market_power")


def _power_rows(facts: PowerFacts) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = [
        {"kind": "scenario", "name": path.id, "year_or_day": str(point.year), "gw": point.gw,
         "what": "", "as_of": str(path.as_of), "source": path.source, "note": path.note or ""}
        for path in facts.scenarios
        for point in path.points
    ]  # fmt: skip
    rows += [
        {"kind": "operator", "name": one.name, "year_or_day": str(one.day), "gw": value,
         "what": what, "as_of": "", "source": one.source, "note": ""}
        for one in facts.operators
        for what, value in (("active", one.active_gw), ("contracted", one.contracted_gw))
    ]  # fmt: skip
    return rows


def _button(name: str, columns: Sequence[str], rows: Sequence[dict[str, Cell]]) -> None:
    downloads.csv_button(
        t("market.download"),
        lambda: csv_bytes(columns, rows),
        file_name=f"kvledger-market-{name}.csv",
        key=f"market_csv_{name}",
        kind="tertiary",
    )
