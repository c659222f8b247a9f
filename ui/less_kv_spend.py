"""The Less KV page's part on money and energy: HBM dollars by maker, joules, rebound, power."""

from __future__ import annotations

from econ.energy import rebounds, usd_per_mtok
from econ.hbm_spend import HbmSpend
from econ.hybrid_gain import FULL_MS, HYBRID_MS
from jobs.less_kv import LessKv
from jobs.less_kv_parts import EnergyRow
from price_tables.hbm import HbmFacts
from price_tables.power import PowerFacts
from ui import components, folds, less_kv_charts, plain_table, table_csv
from ui.components import Explanation, mark
from ui.less_kv_charts import band_words, figure, plain
from ui.numerals import md, percent, usd
from ui.plain_table import cell
from ui.spoken import spoken
from ui.tables import Table
from ui.words import t


def hbm(found: LessKv) -> None:
    """From GB-hours to dollars to makers, weights and KV apart."""
    spend = found.spend
    finding = t("less_kv.hbm_no_price", memory=md(found.device.memory_type))
    if spend is not None:
        kv, weights = band_words(spend.kv), band_words(spend.weights)
        finding = t("less_kv.hbm_heading", kv=kv, weights=weights)

    def show() -> None:
        if spend is None or found.spend_chosen is None:
            components.beneath(t("less_kv.hbm_no_price_why"), finding)
        else:
            _spent(found, spend, found.spend_chosen, finding)
        _shares(found.hbm)

    folds.section("hbm", finding, show)


def _spent(found: LessKv, spend: HbmSpend, chosen: HbmSpend, finding: str) -> None:
    unit = t("less_kv.hbm_unit", mark=mark("computed"), kv=f"{spend.kv_gb_hours:,.1f}",
             weights=f"{spend.weights_gb_hours:,.1f}")  # fmt: skip
    made, share = less_kv_charts.makers(spend), found.hbm.newest_share()
    source = t("less_kv.hbm_shares", quarter=share.quarter,
               shares=" / ".join(plain(p) for p in share.by_maker().values()),
               total=plain(share.total), source=md(spoken(share.source)))  # fmt: skip
    components.chart_block(finding, unit, made, "makers", source=source, titled=False,
                           beside=lambda: _hbm_tools(found, made.table, source))  # fmt: skip
    components.note(t("less_kv.hbm_chosen", kv=band_words(chosen.kv)))
    components.note(t("less_kv.hbm_peak", peak=band_words(spend.peak),
                      chosen=band_words(chosen.peak)))  # fmt: skip


def _hbm_tools(found: LessKv, table: Table, source: str) -> None:
    table_csv.button(table, "less_kv_makers")
    components.sources([source], "makers")
    _how_hbm(found)


def _how_hbm(found: LessKv) -> None:
    price = found.hbm.price_of(found.device.memory_type)
    if price is None:
        return
    line = t("less_kv.how_price", generation=price.generation, low=plain(price.low),
             mid=plain(price.mid), high=plain(price.high))  # fmt: skip
    note = "" if price.note is None else f" ({md(spoken(price.note))})"
    explanation = Explanation(
        formula=t("less_kv.hbm_formula"),
        sums=(
            t("less_kv.hbm_sum", years=plain(found.asked.life_years)),
            t("less_kv.hbm_weights"),
            t("less_kv.hbm_not_normalised"),
        ),
        why_range=t("less_kv.hbm_why_range"),
        sources=(("published", f"{line}: {md(spoken(price.source))}, {price.as_of}{note}"),),
    )
    components.how(explanation, "how_hbm")


def _shares(facts: HbmFacts) -> None:
    """Every published quarter and forecast, as published: they conflict, and are shown so."""
    makers = ("sk_hynix", "samsung", "micron")
    lines = [
        [
            cell(name),
            cell(t(f"less_kv.basis.{basis}"), tone="words"),
            *(cell(figure(row.by_maker().get(maker))) for maker in makers),
            cell(figure(row.total) if len(row.by_maker()) == len(makers) else "–"),
            cell(spoken(row.source), spoken(row.note), "words"),
        ]
        for name, basis, row in (
            *((share.quarter, share.basis, share) for share in facts.shares),
            *((spoken(forecast.scope), "forecast", forecast) for forecast in facts.forecasts),
        )
    ]
    head = [
        t("less_kv.column.quarter"),
        t("less_kv.column.basis"),
        *(t(f"less_kv.maker.{maker}") for maker in makers),
        t("less_kv.column.total"),
        t("less_kv.column.source"),
    ]
    plain_table.show(head, lines, t("less_kv.shares_alt"), "shares", wide=True)
    with components.tools("shares"):
        table_csv.cells_button(head, lines, "less_kv_shares")
        components.sources(list(dict.fromkeys(line[-1].text for line in lines)), "shares")


def energy(found: LessKv) -> None:
    """Joules a token, alone and as full as memory allows."""
    rows = found.energy
    if not rows:
        folds.section("energy", t("less_kv.energy_none"),
                      lambda: components.note(t("less_kv.energy_none_why")))  # fmt: skip
        return
    first, *_, last = rows
    finding = t("less_kv.energy_heading", alone=less_kv_charts.joules(first.energy.device_j),
                full=less_kv_charts.joules(last.energy.device_j),
                batch=last.energy.batch)  # fmt: skip

    def show() -> None:
        unit = t("less_kv.energy_unit", mark=mark("computed"), tokens=found.lengths.p50)
        made = less_kv_charts.energy(rows)
        source = f"{md(spoken(found.device.source))}, {found.device.as_of}"

        def tools() -> None:
            table_csv.button(made.table, "less_kv_energy")
            components.sources([source], "energy")
            _how_energy(found, last)

        components.chart_block(finding, unit, made, "energy", source=source, titled=False,
                               beside=tools)  # fmt: skip
        components.note(_band(rows))

    folds.section("energy", finding, show)


def _band(rows: tuple[EnergyRow, ...]) -> str:
    """How far real steps lie above the floors, or why that is not known."""
    band = rows[-1].band
    if band is None:
        outside = list(dict.fromkeys(name for row in rows for name in row.outside))
        named = ", ".join(t(f"results.outside.{name}") for name in outside)
        return t("less_kv.energy_outside", named=named)
    return t("less_kv.energy_band", low=f"{band.low_ratio:.1f}", high=f"{band.high_ratio:.1f}",
             n=band.n, basis=band.basis)  # fmt: skip


def _how_energy(found: LessKv, row: EnergyRow) -> None:
    tariff = found.power.usd_per_kwh
    energy = row.energy
    costs = [usd(usd_per_mtok(energy.all_in_j or energy.device_j, price))
             for price in (tariff.low, tariff.mid, tariff.high)]  # fmt: skip
    power = {"device": f"{energy.device_w:,.0f}",
             "all_in": "–" if energy.all_in_w is None else f"{energy.all_in_w:,.0f}"}  # fmt: skip
    owned = found.device.ownership
    sources = [("datasheet", f"{md(spoken(found.device.source))}, {found.device.as_of}")]
    if owned is not None:
        sources.append(("published", f"{md(spoken(owned.source))}, {owned.as_of}"))
        if owned.note:
            sources.append(("published", md(spoken(owned.note))))
    sources.append(("published", f"{md(spoken(tariff.source))}, {tariff.as_of}"))
    explanation = Explanation(
        formula=t("less_kv.energy_formula"),
        sums=(
            t("less_kv.energy_sum", device=power["device"], step=f"{energy.step_s * 1e3:.2f}",
              batch=energy.batch, joules=less_kv_charts.joules(energy.device_j)),
            t("less_kv.energy_power", **power),
            t("less_kv.energy_example"),
            t("less_kv.energy_cost", low=costs[0], mid=costs[1], high=costs[2]),
        ),
        sources=tuple(sources),
    )  # fmt: skip
    components.how(explanation, "how_energy")


def rebound(power: PowerFacts) -> None:
    """An identity, and an assumption about demand; then two power paths that are not one."""
    finding = t("less_kv.rebound_heading", gain=f"{FULL_MS / HYBRID_MS:.2f}")
    folds.section("rebound", finding, lambda: _rebound(power, finding))


def _rebound(power: PowerFacts, finding: str) -> None:
    found = rebounds(FULL_MS / HYBRID_MS)
    components.beneath(t("less_kv.rebound_unit"), finding)
    head = [t(f"less_kv.column.{name}") for name in ("elasticity", "demand", "energy")]
    lines = [
        [cell(f"{r.elasticity:g}"), cell(f"{r.demand:.2f}"), cell(f"{r.energy_ratio:.2f}")]
        for r in found
    ]
    plain_table.show(head, lines, t("less_kv.rebound_alt"), "rebound")
    with components.tools("rebound"):
        table_csv.cells_button(head, lines, "less_kv_rebound")
        components.sources(
            [*(f"{md(spoken(path.source))}, {path.as_of}" for path in power.scenarios),
             f"{md(spoken(power.supply.source))}, {power.supply.as_of}"], "rebound",
        )  # fmt: skip
    for path in power.scenarios:
        first, last = path.points[0], path.points[-1]
        components.note(
            t(f"less_kv.power.{path.id}", first=str(first.year), last=str(last.year),
              low=plain(first.gw), high=plain(last.gw), multiple=f"{path.multiple:.2f}",
              growth=percent(path.growth_a_year), source=md(spoken(path.source)), as_of=path.as_of)
        )  # fmt: skip
    supply, shipments = power.supply, power.scenarios[0]
    growth = shipments.points[-1].gw - shipments.points[0].gw
    components.note(
        t("less_kv.power_supply", firm=plain(supply.firm_gw), years=supply.years,
          gap=plain(supply.claimed_gap_gw), growth=plain(growth),
          left=plain(growth - supply.firm_gw), source=md(spoken(supply.source)), as_of=supply.as_of)
    )  # fmt: skip
