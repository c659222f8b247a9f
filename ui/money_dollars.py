"""Dollars on the hit-ratio curve: how large a cache pays for itself."""

from __future__ import annotations

from decimal import Decimal

import streamlit as st

from econ.cache_study import CacheStudy
from econ.curve import Curve
from econ.dollar_curve import DollarCurve
from econ.implied_rent_rows import bought, rents
from jobs import own_money
from jobs.own_money import HitValue
from jobs.tiering import TiersFound
from price_tables.tiers_load import load_tiers
from ui import components, controls, money_charts, own_seen, refused
from ui.cache_size import gb_words
from ui.components import Explanation, mark
from ui.money_charts import Span, short_usd
from ui.numerals import md, percent
from ui.rent_chart import rent_name, usd_gb_hour
from ui.words import t

VALUES = ("recompute", "api")
SPANS = {"hour": 1.0, "month": 730.5}
BOUGHT = ("dram", "ssd")
"""Places whose memory can be had without a device."""


@st.fragment
def section(
    found: TiersFound, study: CacheStudy, whole: Curve, value: HitValue, hours: float,
    here_gb: float | None, priced_as: str,
) -> None:  # fmt: skip
    """The controls, the curve under its answer, and how it is computed."""
    shown = st.container(gap="xxsmall")
    with st.container(horizontal=True, gap="small", key="controls_money_dollars"):
        with st.popover(
            t("hardware_money.assume"), type="tertiary", icon=":material/tune:", key="assume_hit"
        ):
            kind = controls.choice(
                t("hardware_money.value"), VALUES, "hit_value",
                lambda name: t(f"hardware_money.value_{name}"),
            )  # fmt: skip
            span_name = controls.choice(
                t("hardware_money.span"), tuple(SPANS), "money_span",
                lambda name: t(f"hardware_money.span_{name}"),
            )  # fmt: skip
            rent = _rent(found)
        own_seen.remember(hit_value=kind)
        each = value.api_usd_per_mtok if kind == "api" else value.recompute_usd_per_mtok
        if each is None:
            with shown:
                components.note(t("hardware_money.no_api_price", model=md(priced_as)))
            return
        span = Span(hours=SPANS[span_name], name=t(f"hardware_money.a_{span_name}"))
        curve = own_money.dollars(study, whole, found, hours, each, rent)
        components.how(_how(found, curve, each, kind, priced_as), "how_dollars")
    unit = t("hardware_money.dollars_unit", mark=mark("simulated"), span=span.name,
             n=study.main.requests)  # fmt: skip
    with shown:
        components.chart_block(
            _heading(curve, span), unit, money_charts.dollar_chart(curve, span, here_gb), "dollars"
        )
    if here_gb is not None:
        components.note(_here(curve, span, here_gb))


def _rent(found: TiersFound) -> Decimal:
    """USD a GB and hour, by a named row of the device or of memory that is bought."""
    rows = {rent.name: (rent_name(rent), rent.usd_per_gb_hour) for rent in rents(found.device)}
    for tier in load_tiers().values():
        row = bought(tier) if tier.id in BOUGHT else None
        if row is not None:
            rows[tier.id] = (t(f"hardware_money.tier_{tier.id}"), row.mid)
    names = tuple(rows)
    first = "on_demand_median" if "on_demand_median" in rows else names[0]
    asked = st.query_params.get("rent_row") or st.session_state.get("_rent_row")
    current = asked if asked in rows else first
    refused.one_of("rent_row", names, rows[current][0])
    st.session_state["rent_row"] = current

    def chosen() -> None:
        name = st.session_state["rent_row"]
        st.session_state["_rent_row"] = None if name == first else name
        if name == first:
            st.query_params.pop("rent_row", None)
        else:
            st.query_params["rent_row"] = name

    st.selectbox(
        t("hardware_money.rent"),
        names,
        key="rent_row",
        format_func=lambda name: f"{rows[name][0]}: {usd_gb_hour(float(rows[name][1]))}",
        on_change=chosen,
        width=340,
    )
    own_seen.remember(rent_row=current, rent=rows[current][1])
    return rows[current][1]


def _heading(curve: DollarCurve, span: Span) -> str:
    if not curve.knee:
        return t("hardware_money.nothing_pays")
    net = float(curve.net[curve.knee]) * span.hours
    size = gb_words(float(curve.gb[curve.knee]))
    key = "pays_least" if curve.knee == 1 and curve.capacity_blocks[1] > 1 else "pays_to"
    return t(f"hardware_money.{key}", size=size, usd=md(short_usd(net)), span=span.name)


def _here(curve: DollarCurve, span: Span, here_gb: float) -> str:
    at = curve.at(here_gb)
    step = curve.next_gb(at)
    values = {
        "size": gb_words(here_gb),
        "ratio": percent(float(curve.hit_ratio[at])),
        "usd": md(short_usd(float(curve.saved[at]) * span.hours)),
        "span": span.name,
    }
    if step is None:
        return t("hardware_money.here_full", **values)
    rent = curve.usd_per_gb_hour
    key = "hardware_money.here_more" if step > rent else "hardware_money.here_enough"
    return t(
        key, **values, step=md(short_usd(step * span.hours)), rent=md(short_usd(rent * span.hours))
    )


def _how(
    found: TiersFound, curve: DollarCurve, each: Decimal, kind: str, priced_as: str
) -> Explanation:
    values = {"usd": md(short_usd(float(each))), "model": md(priced_as)}
    sums = (
        t(f"hardware_money.how_value_{kind}", **values),
        t("hardware_money.how_hours", hours=f"{curve.hours:,.2f}"),
        t("hardware_money.how_replayed", bytes=f"{found.bytes_per_token:,.0f}"),
        t("hardware_money.how_rent", rent=md(usd_gb_hour(curve.usd_per_gb_hour))),
        t("hardware_money.how_prefill", share=percent(found.speeds.ops_ratio, 0)),
    )
    sources = (
        ("simulated", t("hardware_money.how_replay")),
        ("datasheet", f"{md(found.device.name)}: {md(found.device.source)}, {found.device.as_of}"),
    )
    return Explanation(formula=t("hardware_money.how_dollars"), sums=sums, sources=sources)
