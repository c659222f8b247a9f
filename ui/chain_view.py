"""The Chain page: links with formula and band, HBM by use, what a change does, who stands where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from econ.chain import LINKS, Chain, Effect, Uses, uses
from jobs.less_kv import LessKv
from ui import charts, components, folds, market_sources, plain_table, table_csv
from ui.charts import Bar
from ui.components import Explanation, mark
from ui.less_kv_charts import band_words, plain
from ui.less_kv_controls import format_word
from ui.less_kv_view import residence_words
from ui.market_makers import quarters
from ui.market_numerals import money, period
from ui.numerals import count, md, percent, range_words, usd
from ui.plain_table import Cell, cell
from ui.spoken import spoken
from ui.tables import Column, Table
from ui.words import t

FILERS = {"sk_hynix": "skhynix", "samsung": "samsung_ds", "micron": "0000723125"}
PAYERS = ("customer", "provider")
SELLERS = ("gpu_maker", "hbm_maker", "equipment")
INDIRECT = "ssd_maker"
GB = 1e9


def first_screen(found: LessKv, now: Chain) -> None:
    """HBM dollars of this workload's keys and values; GB-hours where there is no price."""
    label = t("chain.hero", model=found.model.name)
    beneath = t("chain.hero_beneath", mark=mark("computed"), n=len(found.held.tokens),
                format=format_word(found.asked.chosen),
                residence=residence_words(found))  # fmt: skip
    if now.usd is None:
        components.hero(label, gb_hours(now.gb_hours), beneath)
        return
    band = md(range_words(usd(now.usd.low), usd(now.usd.high)))
    components.hero(label, usd(now.usd.mid), t("chain.hero_range", band=band, rest=beneath))


def gb_hours(value: float) -> str:
    """'85.9 GB-h'."""
    return t("chain.gb_hours", value=f"{value:,.3g}" if value < 100 else f"{value:,.0f}")


def sentence(now: Chain) -> None:
    """What the chain says in one sentence."""
    components.sentence(t("chain.sentence", tokens=count(now.tokens), hours=gb_hours(now.gb_hours)))


def links(found: LessKv, now: Chain) -> None:
    """Every link with the arrow that leads to it: formula, value, band."""
    price = found.hbm.price_of(found.device.memory_type)
    with components.rule("chain_links"):
        components.answer(
            t("chain.links_heading"),
            t("chain.links_unit", mark=mark("computed"), format=format_word(found.asked.chosen)),
        )
        rows = [
            _row("tokens", count(now.tokens), "exact"),
            _row("bytes", f"{now.kv_bytes / GB:,.1f} GB", "exact",
                 t("chain.a_token", bytes=f"{float(now.bytes_per_token):,.0f}")),
            _row("gb_hours", gb_hours(now.gb_hours), "assumed"),
        ]  # fmt: skip
        if now.usd_per_gb_hour is not None and now.usd is not None:
            each = now.usd_per_gb_hour
            rows.append(
                _row(
                    "price",
                    f"{each.mid:.6f}",
                    "estimate",
                    t("market.span", low=f"{each.low:.6f}", high=f"{each.high:.6f}"),
                )
            )
            rows.append(_row("usd", band_words(now.usd), "estimate"))
            rows.append(_row("makers", t("chain.makers_value", total=plain(
                found.hbm.newest_share().total)), "published"))  # fmt: skip
        head = [t(f"chain.column.{c}") for c in ("link", "formula", "value", "certainty")]
        plain_table.show(head, rows, t("chain.links_alt"), "chain_links")
        if price is None:
            components.note(t("chain.no_price", memory=md(found.device.memory_type)))
        else:
            components.how(
                Explanation(
                    formula=t("chain.how_formula"),
                    sums=(t("chain.how_stay", residence=residence_words(found)),
                          t("chain.how_life", years=plain(found.asked.life_years))),
                    why_range=t("chain.how_range"),
                    sources=(("published", f"{md(spoken(price.source))}, {price.as_of}"),
                             ("datasheet",
                              f"{md(spoken(found.model.source))}, {found.model.as_of}")),
                ),
                "how_chain",
            )  # fmt: skip


def _row(link: str, value: str, certainty: str, below: str = "") -> list[Cell]:
    return [
        cell(t(f"chain.link.{link}")),
        cell(t(f"chain.formula.{link}"), tone="words"),
        cell(value, tone="bold", below=below),
        cell(t(f"chain.certainty.{certainty}"), tone="words"),
    ]


def makers(found: LessKv, now: Chain) -> None:
    """Each maker's part, and the filing in which its sales stand."""
    if now.makers is None:
        return
    share = found.hbm.newest_share()
    rows, used = [], []
    for maker, band in now.makers.items():
        newest = quarters(FILERS[maker])[-1]["revenue"]
        used.append(newest)
        rows.append([
            cell(t(f"less_kv.maker.{maker}")),
            cell(f"{plain(share.by_maker()[maker])} %", below=share.quarter),
            cell(band_words(band)),
            cell(money(newest.value, newest.currency), market_sources.hover(newest),
                 below=period(newest)),
        ])  # fmt: skip
    first, most = max(now.makers.items(), key=lambda one: one[1].mid)
    heading = t("chain.makers_finding", name=t(f"less_kv.maker.{first}"), usd=band_words(most))

    def show() -> None:
        components.beneath(t("chain.makers_unit", mark=mark("published")), heading)
        head = [t(f"chain.column.{c}") for c in ("maker", "share", "part", "revenue")]
        plain_table.show(head, rows, t("chain.makers_alt"), "chain_makers", wide=True)
        components.note(
            t("chain.makers_rule", total=plain(share.total), source=md(spoken(share.source)))
        )
        with components.tools("chain_makers"):
            table_csv.cells_button(head, rows, "chain_makers")
            market_sources.sources(used, "chain_makers")

    folds.section("makers_part", heading, show)


def by_use(found: LessKv, now: Chain, training: Fraction, csv: Callable[[], None]) -> None:
    """GB-hours of HBM by use; training is a share that the reader assumes."""
    weights = 0.0 if found.spend_chosen is None else found.spend_chosen.weights_gb_hours
    split = uses(now.gb_hours, weights, training)
    alt = t("chain.uses_alt")
    named = _uses(split)
    bars = [
        Bar(name=t(f"chain.use.{name}"), value=value, shown=gb_hours(value),
            style="read" if name == "kv" else "total", more=percent(value / split.total))
        for name, value in named
    ]  # fmt: skip
    table = Table(
        columns=(
            Column(title=t("chain.column.use"), values=[t(f"chain.use.{n}") for n, _ in named]),
            Column(title=t("chain.column.gb_hours"), values=[v for _, v in named], kind="number"),
        ),
        alt=alt,
    )
    heading = t("chain.uses_heading", share=percent(split.kv / split.total))
    unit = t("chain.uses_unit", mark=mark("computed"), training=percent(training.numerator
             / training.denominator, 0))  # fmt: skip
    source = t("chain.uses_source", model=md(spoken(found.model.source)), day=found.model.as_of,
               device=md(found.device.name), device_source=md(spoken(found.device.source)),
               device_day=found.device.as_of)  # fmt: skip
    components.chart_block(heading, unit, charts.ranked_bars(bars, alt, table), "chain_uses",
                           source=source, beside=csv)  # fmt: skip
    components.note(t("chain.uses_rule"))


def _uses(split: Uses) -> list[tuple[str, float]]:
    named = [("weights", split.weights), ("kv", split.kv), ("training", split.training)]
    return sorted(named, key=lambda one: -one[1])


def changes(found: Sequence[Effect]) -> None:
    """What each change does to every link, at unchanged requests and prices."""
    heading = t("chain.changes_heading")

    def show() -> None:
        components.beneath(t("chain.changes_unit", mark=mark("computed")), heading)
        head = [t("chain.column.change"), *(t(f"chain.link.{name}") for name in LINKS)]
        rows = [
            [cell(t(f"chain.change.{one.change}")), *(_factor(one, name) for name in LINKS)]
            for one in found
        ]
        plain_table.show(head, rows, t("chain.changes_alt"), "chain_changes", wide=True)
        with components.tools("chain_changes"):
            table_csv.cells_button(head, rows, "chain_changes")
        components.note(t("chain.changes_rule"))

    folds.section("changes", heading, show)


def _factor(one: Effect, link: str) -> Cell:
    if one.chain is None:
        return cell(t("chain.nothing_to_change"), tone="muted")
    value = one.factors[link]
    return cell("–" if value is None else t("market.fold", value=f"{value:.3g}"))


def stands(found: Sequence[Effect]) -> None:
    """Who pays, who sells, and which way each change acts on them."""
    shown = [one for one in found if one.chain is not None]
    heading = t("chain.stands_heading")

    def show() -> None:
        components.beneath(t("chain.stands_unit"), heading)
        head = [t("chain.column.who"), *(t(f"chain.short.{one.change}") for one in shown)]
        rows = [
            [cell(t(f"chain.who.{who}"), below=t(f"chain.place.{who}")),
             *(cell(_direction(who, one), tone="words") for one in shown)]
            for who in (*PAYERS, *SELLERS, INDIRECT)
        ]  # fmt: skip
        plain_table.show(head, rows, t("chain.stands_alt"), "chain_stands", wide=True)
        with components.tools("chain_stands"):
            table_csv.cells_button(head, rows, "chain_stands")
        components.note(t("chain.stands_rule"))

    folds.section("stands", heading, show)


def _direction(who: str, one: Effect) -> str:
    if who == INDIRECT:
        return t("chain.acts.indirect")
    hours = one.factors["gb_hours"] or 1.0
    way = "same" if hours == 1.0 else "less" if hours < 1.0 else "more"
    side = "pays" if who in PAYERS else "sells"
    return t(f"chain.acts.{side}_{way}")
