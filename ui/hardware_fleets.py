"""Fleets of one's own hardware side by side, prefill elsewhere, and what reserved hours cost."""

from __future__ import annotations

from decimal import Decimal

import streamlit as st

from econ.fleet import FleetResult, Latency
from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy, priced
from jobs import fleet_flows
from ui import components, tables
from ui.cache_size import gb_words
from ui.hardware_view import p
from ui.numerals import md, percent, usd
from ui.tables import Column, Table
from ui.time_lines import duration


def fleets(found: FleetStudy, asked: FleetAsked) -> None:
    """Every number of replicas and routing side by side."""
    if not found.results:
        return
    alone = next((row for row in found.results if row.replicas == 1), None)
    rows = [row for row in found.results if row.replicas > 1 or row is alone]
    rows.sort(key=lambda row: row.replicas)
    worst = max(rows, key=lambda row: row.lost_hit_tokens)
    heading = p("fleets_none") if not worst.lost_hit_tokens else p(
        "fleets_heading", n=worst.replicas, routing=p(f"routing_{worst.routing}"),
        share=percent(worst.lost_hit_tokens / worst.total_tokens),
    )  # fmt: skip
    with components.rule("fleets"), st.container(gap="xxsmall"):
        components.answer(heading, p("fleets_unit", percentile=asked.percentile))
        tables.show(_fleet_table(rows, asked.percentile), "hw-fleets")


def _fleet_table(rows: list[FleetResult], level: int) -> Table:
    def ms(latency: Latency, scale: float) -> float | None:
        value = latency.at(level)
        return None if value is None else round(value * scale, 3)

    return Table(
        columns=(
            Column(title=p("col_replicas"), values=[r.replicas for r in rows], kind="count"),
            Column(
                title=p("col_routing"),
                values=["" if r.replicas == 1 else p(f"routing_{r.routing}") for r in rows],
            ),
            Column(title=p("col_hits"), values=[r.token_hit_ratio for r in rows], kind="percent"),
            Column(title=p("col_lost"), values=[r.lost_hit_tokens for r in rows], kind="count"),
            Column(title=p("col_load"), values=[r.utilisation for r in rows], kind="percent"),
            Column(title=p("col_state"),
                   values=[p("state_full" if r.saturated else "state_fine") for r in rows]),
            Column(title=p("col_ttft"), values=[ms(r.ttft, 1) for r in rows], kind="number"),
            Column(title=p("col_tpot"), values=[ms(r.tpot, 1000) for r in rows], kind="number"),
        ),
        alt=p("fleets_alt"),
    )  # fmt: skip


def pools(found: FleetStudy, asked: FleetAsked) -> None:
    """Prefill on another device, where one is chosen."""
    if found.pools is None or found.handoff is None or asked.prefill_device is None:
        return
    moved, both = found.handoff, found.pools
    with components.rule("pools"), st.container(gap="medium"):
        components.answer(
            p("pools_heading", device=md(fleet_flows.name_of(asked.prefill_device)),
              ms=duration(moved.transfer_s)),
            p("pools_unit", prompt=found.prompt_p50 or 0),
        )  # fmt: skip
        with components.three_across():
            components.figure(p("moved"), gb_words(moved.bytes / 1e9),
                              p("moved_beneath", bytes=moved.bytes))  # fmt: skip
            ttft = both.ttft.at(asked.percentile)
            share = "-" if moved.share_of_ttft is None else percent(moved.share_of_ttft)
            components.figure(
                p("pools_ttft", percentile=asked.percentile),
                p("state_full") if ttft is None else duration(ttft),
                p("pools_share", share=share),
            )
            tpot = both.tpot.at(asked.percentile)
            components.figure(
                p("pools_tpot", percentile=asked.percentile),
                p("state_full") if tpot is None else duration(tpot),
                p("pools_fit", n=moved.max_in_decode or 0),
            )


def money(found: FleetStudy) -> None:
    """Reserved hours and a million tokens of each kind."""
    cost, charged = found.cost, priced(found.smallest, found.results)
    if cost is None or charged is None:
        return
    with components.rule("cost"), st.container(gap="medium"):
        components.answer(
            p("cost_heading", charged.replicas, usd=md(usd(cost.usd)),
              hours=f"{cost.reserved_gpu_hours:,.1f}"),
            p("cost_unit", price=md(usd(cost.usd_per_gpu_hour)), source=md(cost.source),
              as_of=cost.as_of or "-"),
        )  # fmt: skip
        with components.three_across():
            for name in ("uncached_input", "cached_input", "output"):
                each: Decimal | None = getattr(cost, name)
                components.figure(
                    p(f"cost_{name}"), "-" if each is None else usd(each), p(f"split_{name}")
                )
