"""What an hour of one's own costs, and from which load it beats an API."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from econ.charted_models import CHARTED
from econ.own_break_even import UTILISATIONS, ApiRow, OwnRate
from econ.own_costs import Owning, owning_usd_per_hour
from econ.own_offers import (
    LIFE_YEARS,
    OVERHEAD,
    PUE,
    TYPED_USD,
    USD_PER_KWH,
    offers,
    power_kw,
    purchase_usd,
)
from jobs import own_money
from jobs.own_report import DEFAULT_TOKENS_PER_S
from price_tables.hardware import DeviceSpec
from ui import components, load_chart, own_seen, refused, state, tables, typed
from ui.components import Explanation, mark
from ui.money_charts import short_usd
from ui.numerals import compact, md, percent
from ui.words import t

ABOVE, BOUGHT, TYPED = "above", "bought", "typed"
MOST_DRAWN = 6


def hour(device: DeviceSpec, devices: int, above: Decimal | None = None) -> Decimal:
    """Asks what an hour costs; USD for all `devices` together, idle hours alike. `above`: what the
    page has taken already, the first choice."""
    known = offers(device)
    if above is not None:
        known = {ABOVE: (above, "", ""), **known}
    own = (BOUGHT, TYPED) if device.purchase_usd else (TYPED, BOUGHT)
    names = (*known, *own)
    asked = st.query_params.get("hour_row") or st.session_state.get("_hour_row")
    current = asked if asked in names else names[0]
    refused.one_of("hour_row", names, "")
    st.session_state["hour_row"] = current

    def chosen() -> None:
        name = st.session_state["hour_row"]
        st.session_state["_hour_row"] = None if name == names[0] else name
        if name == names[0]:
            st.query_params.pop("hour_row", None)
        else:
            st.query_params["hour_row"] = name

    components.answer(
        t("hardware_money.hour_heading"), t("hardware_money.hour_unit", device=md(device.name))
    )
    with st.container(horizontal=True, gap="large", key="controls_money_hour"):
        st.selectbox(
            t("hardware_money.hour"), names, key="hour_row", on_change=chosen, width=340,
            format_func=lambda name: _offer_words(name, known),
        )  # fmt: skip
        if current == TYPED:
            each = typed.number(
                "usd_hour", TYPED_USD, label=t("hardware_money.usd_hour"), low=0.0, high=1e6,
                step=0.1, form="%.4f",
            ) or TYPED_USD  # fmt: skip
            said = ""
        elif current == BOUGHT:
            made = _owning(device)
            each, said = made.total, _owning_words(made)
        else:
            each, source, as_of = known[current]
            said = f"{md(source)}, {as_of}" if source else ""
    total = each * devices
    above_holds = current == ABOVE  # the fleet's own price, with its source
    _, source, as_of = known.get(current, (each, "", ""))
    own_seen.remember(
        hour_row=current,
        usd_per_device_hour=None if above_holds else each,
        hour_source=source,
        hour_as_of=as_of,
    )
    components.sentence(
        t("hardware_money.hour_sentence", devices, usd=md(short_usd(float(total))),
          month=md(short_usd(float(total) * 730.5)))
    )  # fmt: skip
    if said:
        components.note(said)
    return total


def _offer_words(name: str, known: dict[str, tuple[Decimal, str, str]]) -> str:
    words = t(f"hardware_money.rent_{name}")
    return f"{words}: {short_usd(float(known[name][0]))}" if name in known else words


def _owning(device: DeviceSpec) -> Owning:
    price, kw = purchase_usd(device), power_kw(device)
    typed_in = {
        name: typed.number(
            f"own_{name}", default, label=t(f"hardware_money.own_{name}"), low=0.0, high=high,
            step=step, form="%.2f",
        ) or default
        for name, default, high, step in (
            ("price", price, 1e7, 1000.0), ("life", LIFE_YEARS, 30.0, 1.0),
            ("kw", kw, 1e3, 0.1), ("pue", PUE, 5.0, 0.05), ("tariff", USD_PER_KWH, 10.0, 0.01),
            ("overhead", OVERHEAD, 1e4, 0.1),
        )
    }  # fmt: skip
    return owning_usd_per_hour(
        purchase_usd=typed_in["price"],
        life_years=typed_in["life"],
        power_w=typed_in["kw"] * 1000,
        pue=max(typed_in["pue"], Decimal(1)),
        usd_per_kwh=typed_in["tariff"],
        overhead_usd_per_hour=typed_in["overhead"],
    )


def _owning_words(made: Owning) -> str:
    parts = {name: md(short_usd(float(getattr(made, name)))) for name in Owning.__slots__}
    return t("hardware_money.owning_sentence", **parts)


def rate(
    workload_id: str, utilisation: float | None, usd_per_hour: Decimal
) -> tuple[OwnRate, float | None]:
    """The rate at full load: from the load at which the hardware serves the workload, else typed
    in; and the load."""
    served = None
    if utilisation is not None:
        served = own_money.served_per_s(workload_id, utilisation, state.owner())
    default = DEFAULT_TOKENS_PER_S if served is None else round(served, 1)
    said = typed.number(
        "own_tokens_s", default, label=t("hardware_money.tokens_s"), low=0.0, high=1e9,
        step=100.0, form="%.1f",
    ) or default  # fmt: skip
    own_seen.remember(tokens_per_s=None if said == default else said)
    own = OwnRate(usd_per_hour=usd_per_hour, tokens_per_s=said)
    return own, utilisation if served is not None and said == default else None


def section(own: OwnRate, rows: Sequence[ApiRow], here: float | None) -> None:
    """The chart of a few models under its answer."""
    named: dict[str | None, ApiRow] = {}
    for row in rows:
        if row.model in CHARTED:
            named.setdefault(row.model, row)
    several = list(named.values()) or list(rows)
    drawn = load_chart.apart(several, float(own.busy_usd_per_mtok))[:MOST_DRAWN]
    unit = t("hardware_money.load_unit", mark=mark("simulated"), n=len(rows))
    components.chart_block(
        _heading(rows, own, here), unit, load_chart.break_even_chart(own, drawn, here), "load"
    )


def more(own: OwnRate, rows: Sequence[ApiRow]) -> None:
    """Every API as a table, and how it is computed."""
    with st.popover(
        t("hardware_money.every_api"), type="tertiary", icon=":material/table_rows:",
        key="every-api",
    ):  # fmt: skip
        alt = t("hardware_money.break_even_alt")
        tables.show(load_chart.break_even_table(rows, alt), "every-api-rows")
    components.how(_how(own, rows), "how_load")


def by_load(own: OwnRate) -> None:
    """What a million of one's own tokens costs at a few loads."""
    pairs = ", ".join(
        f"{percent(u, 0)} {md(short_usd(float(usd)))}" for u, usd in own.curve(UTILISATIONS)
    )
    components.note(t("hardware_money.own_at", pairs=pairs))


def _heading(rows: Sequence[ApiRow], own: OwnRate, here: float | None) -> str:
    if not rows:
        return t("hardware_money.no_api")
    if here is not None and here <= 1:
        dearer = sum(float(row.point.utilisation_ratio) < here for row in rows)
        return t("hardware_money.load_here", load=percent(here, 0), n=dearer, total=len(rows))
    never = sum(not row.point.reachable for row in rows)
    first = float(rows[0].point.utilisation_ratio)
    return t("hardware_money.load_heading", first=percent(first), n=never, total=len(rows))


def _how(own: OwnRate, rows: Sequence[ApiRow]) -> Explanation:
    busy = md(short_usd(float(own.busy_usd_per_mtok)))
    sums = [
        t("hardware_money.how_busy", usd=md(short_usd(float(own.usd_per_hour))),
          rate=f"{own.tokens_per_s:,.1f}", busy=busy),
        t("hardware_money.how_api"),
        t("hardware_money.how_ranges"),
    ]  # fmt: skip
    for row in rows[:1]:
        if row.point.reachable:
            sums.append(
                t(
                    "hardware_money.how_row", model=md(row.model or ""), busy=busy,
                    api=md(short_usd(float(row.point.api_usd_per_mtok))),
                    ratio=percent(row.point.utilisation_ratio),
                    day=compact(float(row.point.tokens_per_day)),
                )
            )  # fmt: skip
    sources = [("published", f"{md(row.source)}, {row.as_of}") for row in rows if row.source]
    return Explanation(
        formula=t("hardware_money.how_load"),
        sums=tuple(sums),
        sources=tuple(dict.fromkeys(sources))[:12],
    )
