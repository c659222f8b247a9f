"""What providers' premiums imply, beside what a GB of memory is rented for."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from econ.implied_rent import Premium, Rent
from econ.implied_rent_rows import Bought, Verdict, bought, rents, verdict
from jobs.own_question import PREMIUM_MODELS, band_bytes
from jobs.tiering import TiersFound
from price_tables.tiers_load import load_tiers
from ui import components, controls, own_seen, rent_chart, typed
from ui.components import Explanation, mark
from ui.numerals import count, md
from ui.rent_chart import Chosen, premium_name, rent_name, usd_gb_hour
from ui.words import t

MEMORY = ("dram", "ssd")
MOST_MODELS = 3
USUAL = "on_demand_median"


@st.fragment
def section(found: TiersFound) -> None:
    """The chart under its answer, the words about every premium, and the sources."""
    rows = sorted(rents(found.device), key=lambda row: row.usd_per_gb_hour)
    with st.container(horizontal=True, gap="large", key="controls_money_rent"):
        lines = _premiums(found)
        chosen = _bytes(found)
    models = tuple(dict.fromkeys(line.model for line in lines))
    own_seen.remember(premium_models=models, implied_bytes=(chosen.low, chosen.high))
    if not lines:
        components.note(t("hardware_money.no_premiums"))
        return
    memory = [row for name in MEMORY if (row := bought(load_tiers()[name])) is not None]
    low, high = Decimal(chosen.low), Decimal(chosen.high)
    said = [verdict(line, rows, low, high) for line in lines]
    unit = t(
        "hardware_money.rent_unit", mark=mark("computed"), device=md(found.device.name),
        bytes=_bytes_words(chosen), as_of=_newest(rows),
    )  # fmt: skip
    made = rent_chart.rent_chart(lines, rows, memory, chosen)
    components.chart_block(_heading(said, rows), unit, made, "rent")
    for one in said:
        components.sentence(verdict_words(one))
    components.note(t("hardware_money.rent_note"))
    components.how(_how(lines, rows, memory), "how_rent")


def _premiums(found: TiersFound) -> list[Premium]:
    makers = [row for row in found.premiums if row.provider in _makers(found.premiums)]
    names = sorted({row.model for row in makers})
    first = [name for name in PREMIUM_MODELS if name in names]
    asked = [name for name in (st.query_params.get("premiums") or "").split(",") if name in names]
    st.session_state["premiums"] = asked or st.session_state.get("_premiums") or first

    def chosen() -> None:
        picked = st.session_state["premiums"]
        st.session_state["_premiums"] = picked
        if picked == first or not picked:
            st.query_params.pop("premiums", None)
        else:
            st.query_params["premiums"] = ",".join(picked)

    st.multiselect(
        t("hardware_money.premiums_of"),
        names,
        key="premiums",
        max_selections=MOST_MODELS,
        on_change=chosen,
        width=480,
    )
    picked = st.session_state["premiums"] or first
    return [row for row in makers if row.model in picked]


def _makers(rows: Sequence[Premium]) -> set[str]:
    """Providers that sell a model first: resellers repeat the same premiums."""
    first: dict[str, str] = {}
    for row in rows:
        first.setdefault(row.model, row.provider)
    resold = {row.provider for row in rows if first[row.model] != row.provider}
    return {row.provider for row in rows} - resold or set(first.values())


def _bytes(found: TiersFound) -> Chosen:
    """A band between two open models, or the model of the page as reference."""
    kinds = ("band", "reference", "own")
    kind = controls.choice(
        t("hardware_money.bytes_of"), kinds, "premium_bytes",
        lambda name: t(f"hardware_money.bytes_{name}"),
    )  # fmt: skip
    if kind == "reference":
        each = int(found.bytes_per_token)
        return Chosen(low=each, high=each, name=found.model.name)
    if kind == "own":
        own = typed.number(
            "premium_bytes_own", Decimal(327_680), label=t("hardware_money.bytes_typed"),
            low=1.0, high=1e8, step=1024.0, form="%.0f",
        )  # fmt: skip
        each = int(own or 327_680)
        return Chosen(low=each, high=each, name=t("hardware_money.bytes_own"))
    low, high = band_bytes()
    return Chosen(low=low, high=high, name=t("hardware_money.closed_band"))


def _bytes_words(chosen: Chosen) -> str:
    if chosen.low == chosen.high:
        return count(chosen.low)
    return t("ui.ends", low=count(chosen.low), high=count(chosen.high))


def _newest(rows: Sequence[Rent]) -> str:
    return max((row.as_of for row in rows), default="–")


def _heading(said: Sequence[Verdict], rows: Sequence[Rent]) -> str:
    """How many of the premiums lie above the cheapest rent, and how many above a usual one, at any
    bytes of the band."""
    if not rows:
        return t("hardware_money.no_rents")
    usual = next((row for row in rows if row.name == USUAL), rows[-1])
    return t(
        "hardware_money.rent_heading", total=len(said), lowest=rent_name(rows[0]),
        highest=rent_name(usual), cheap=sum(rows[0] in one.above for one in said),
        dear=sum(usual in one.above for one in said),
    )  # fmt: skip


def verdict_words(one: Verdict) -> str:
    """Which rents a premium lies above, which below, and which the band spans."""
    low, high = float(one.low_usd_per_gb_hour), float(one.high_usd_per_gb_hour)
    ends = usd_gb_hour(low)
    if low != high:
        ends = t("ui.ends", low=usd_gb_hour(low, unit=False), high=usd_gb_hour(high))
    names = t("hardware_money.list_join")
    parts = [
        t(f"hardware_money.lies_{name}", names=names.join(rent_name(rent) for rent in found))
        for name, found in (("above", one.above), ("between", one.between), ("below", one.below))
        if found
    ]
    words = t("hardware_money.verdict", name=md(premium_name(one.premium)), usd=md(ends))
    return words + t("hardware_money.join").join(parts) + t("hardware_money.stop")


def _how(lines: Sequence[Premium], rows: Sequence[Rent], memory: Sequence[Bought]) -> Explanation:
    sums = (
        *(
            t(
                "hardware_money.how_premium", name=md(premium_name(line)),
                usd=md(f"${line.usd_per_mtok:f}"), hours=f"{line.lifetime_s / 3600:.4g}",
            )
            for line in lines
        ),
        *(f"{md(rent_name(row))}: {md(usd_gb_hour(float(row.usd_per_gb_hour)))}" for row in rows),
    )  # fmt: skip
    sources = [("published", f"{md(line.source)}, {line.as_of}") for line in lines]
    sources += [("published", f"{md(row.source)}, {row.as_of}") for row in rows]
    sources += [("published", f"{md(row.source)}, {row.as_of}") for row in memory]
    return Explanation(
        formula=t("hardware_money.how_rent_formula"), sums=sums,
        sources=tuple(dict.fromkeys(sources)),
    )  # fmt: skip
