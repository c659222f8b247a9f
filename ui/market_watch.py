"""The Four numbers page: each number with its value, day, last change, history and next day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import streamlit as st

from econ.market_multipliers import ReadPrice, Step, next_day, read_csv, steps
from jobs import market_facts
from price_tables.articles import Figure as Claim
from price_tables.hardware import DeviceSpec
from price_tables.hbm import HbmFacts
from ui import (
    components,
    controls,
    downloads,
    folds,
    market_charts,
    market_japan,
    market_sources,
    plain_table,
    watch_dates,
)
from ui.components import Explanation, mark
from ui.less_kv_charts import figure as shown
from ui.market_charts import DateLine
from ui.market_numerals import multiplier
from ui.numerals import day, foreign, md
from ui.plain_table import cell
from ui.spoken import spoken
from ui.words import known, t

NAMED = ("anthropic", "openai", "google")
WHO = ("named", "all")
SUPPLY = ("hynix_contracts", "micron_hbm4", "micron_ramp")
"""Claims on HBM4 supply by their ids in `articles.yaml`; those it does not hold are left out."""
CPX = ("rubin-cpx-original", "rubin-cpx-revised")
SHORT_NAME = 24


def first_screen() -> None:
    """The lowest read multiplier that a maker lists today, and since when."""
    found = steps(market_facts.reads(), market_facts.today())
    lowest = min(_newest(found), key=lambda step: step.row.multiplier)
    components.hero(
        t("watch.hero"),
        multiplier(lowest.row.multiplier),
        t("watch.hero_beneath", name=md(lowest.provider_name), model=md(lowest.row.model),
          since=day(lowest.since)),
    )  # fmt: skip


def _newest(found: Sequence[Step]) -> list[Step]:
    return list({step.provider: step for step in found}.values())


def multipliers() -> None:
    """1: what a cache read costs, provider by provider, as steps over time."""
    rows, now = market_facts.reads(), market_facts.today()
    found = steps(rows, now)
    with components.rule("watch_read"):
        top = st.container(gap="medium")
        with st.container(key="controls_watch"):
            who = controls.choice(t("watch.who"), WHO, "watch_who", lambda k: t(f"watch.who_{k}"))
        chosen = [step for step in found if who == "all" or step.provider in NAMED]
        with top:
            _step_chart(chosen, now, rows)
        last = max(found, key=lambda step: step.since)
        watch_dates.standing(
            (
                ("as_of", market_facts.book_day()),
                ("last_change", t("watch.read_change", name=md(last.provider_name),
                                  value=multiplier(last.row.multiplier), day=day(last.since),
                                  model=md(last.row.model))),
                ("next", _day_or_none(next_day(rows, now))),
            ),
            "read",
        )  # fmt: skip
        folds.section("read_table", t("watch.read_table_finding", len(_newest(chosen))),
                      lambda: _read_table(chosen))  # fmt: skip
        components.note(t("watch.read_rule"))
        components.how(
            Explanation(formula=t("watch.read_formula"),
                        sums=(t("watch.read_lowest"), t("watch.read_undated"))),
            "how_read",
        )  # fmt: skip


def _csv(rows: Sequence[ReadPrice]) -> None:
    downloads.csv_button(t("watch.download"), lambda: read_csv(rows),
                         file_name="kvledger-read-multipliers.csv",
                         key="watch_csv", kind="tertiary")  # fmt: skip


def _short(name: str) -> str:
    """A maker's name for a legend: what stands in brackets behind it goes first."""
    return name if len(name) <= SHORT_NAME else name.partition(" (")[0]


def _site(source: str) -> str:
    return source.removeprefix("https://").split("/")[0]


def _step_chart(found: Sequence[Step], now: date, rows: Sequence[ReadPrice]) -> None:
    lines = []
    for provider in dict.fromkeys(step.provider for step in found):
        own = [step for step in found if step.provider == provider]
        points = [(step.since, step.row.multiplier) for step in own]
        said = [
            t("watch.point", name=step.provider_name, day=day(step.since),
              value=multiplier(step.row.multiplier), model=step.row.model)
            for step in own
        ]  # fmt: skip
        name = foreign(_short(own[0].provider_name), SHORT_NAME)
        lines.append(DateLine(name=name, points=[*points, (now, points[-1][1])],
                              said=[*said, said[-1]]))  # fmt: skip
    newest = _newest(found)
    heading = t("watch.read_heading", low=multiplier(min(s.row.multiplier for s in newest)),
                high=multiplier(max(s.row.multiplier for s in newest)))  # fmt: skip
    unit = t("watch.read_unit", mark=mark("published"))
    made = market_charts.date_lines(lines, t("watch.read_alt"), t("watch.read_axis"), step=True)
    sites = ", ".join(dict.fromkeys(_site(step.row.source) for step in newest))
    components.chart_block(heading, unit, made, "watch_read_chart",
                           source=t("watch.read_source", sites=md(sites),
                                    day=market_facts.book_day()),
                           beside=lambda: _csv(rows))  # fmt: skip


def _read_table(found: Sequence[Step]) -> None:
    head = [t(f"watch.column.{c}") for c in ("provider", "multiplier", "since", "model", "source")]
    rows = [
        [
            cell(step.provider_name),
            cell(multiplier(step.row.multiplier)),
            cell(day(step.since), tone="words"),
            cell(step.row.model, step.row.status, "words"),
            cell(_site(step.row.source), step.row.source, "words", step.row.as_of),
        ]
        for step in _newest(found)
    ]  # fmt: skip
    plain_table.show(head, rows, t("watch.read_alt"), "watch_read")


def _day_or_none(found: date | None) -> str:
    return t("watch.no_date") if found is None else day(found)


def supply(facts: HbmFacts) -> None:
    """2: HBM4, its price and who is to make it; claims that only an article prints."""
    price = facts.price_of("HBM4")
    with components.rule("watch_supply"):
        if price is not None:
            heading = t("watch.supply_heading", low=shown(price.low), high=shown(price.high))
            components.answer(heading, t("watch.supply_unit", mark=mark("published")))
            watch_dates.supply(facts)
        head = [t(f"watch.column.{c}") for c in ("what", "figure", "source")]
        rows = [
            [
                cell(spoken(row.scope)),
                cell(" / ".join(shown(v) for v in row.by_maker().values())),
                cell(spoken(row.source), tone="words"),
            ]
            for row in facts.forecasts
        ]
        rows += [
            [cell(t(f"watch.claim.{claim.id}")), cell(_printed(claim)),
             cell(t("watch.article_only"), tone="words")]
            for claim in market_facts.claims(SUPPLY)
        ]  # fmt: skip
        plain_table.show(head, rows, t("watch.supply_alt"), "watch_supply")
        watch_dates.history("supply")
        components.note(t("watch.supply_rule"))


def _printed(claim: Claim) -> str:
    """What an article prints, in the reader's language where it has words."""
    key = f"articles.printed.{claim.id}"
    return t(key) if known(key) else claim.printed


def cpx(devices: Mapping[str, DeviceSpec]) -> None:
    """3: the prefill part, as it was planned and as one analyst reports it."""
    planned, revised = (devices[name] for name in CPX)
    with components.rule("watch_cpx"):
        heading = t("watch.cpx_heading", gb=shown(revised.label_gb), memory=revised.memory_type)
        components.answer(heading, t("watch.cpx_unit", mark=mark("published")))
        watch_dates.cpx(revised)
        head = [t(f"watch.column.{c}") for c in ("device", "memory", "watts", "standing", "source")]
        rows = [
            [
                cell(spoken(one.name)),
                cell(t("watch.memory", gb=shown(one.label_gb), kind=one.memory_type)),
                cell("–" if one.tdp_w is None else f"{one.tdp_w:,}"),
                cell(t(f"watch.device.{one.status}"), tone="words"),
                cell(spoken(one.source), spoken(one.note), "words"),
            ]
            for one in (planned, revised)
        ]
        plain_table.show(head, rows, t("watch.cpx_alt"), "watch_cpx")
        watch_dates.history("cpx")


def counts() -> None:
    """4: words in annual reports, printed; next year's are counted by the Market page."""
    with components.rule("watch_words"):
        components.answer(
            t("watch.counts_heading"), t("market.counts_unit", mark=mark("published"))
        )
        market_japan.printed_counts(unit=False)
        watch_dates.words()
        watch_dates.history("words")
        components.note(market_sources.standing())
