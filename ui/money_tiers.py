"""Places for keys and values: what to load and what to compute again."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import streamlit as st

from econ.tier_study import TierRow
from jobs.tiering import DEFAULT_PREFIX_TOKENS, TiersFound
from price_tables.tiers import CHAIN
from price_tables.tiers_load import load_tiers
from ui import components, tables, typed
from ui.components import Explanation, mark
from ui.numerals import compact, md, percent
from ui.rent_chart import usd_gb_hour
from ui.spoken import spoken
from ui.tables import Column, Table
from ui.words import t

LINKS = tuple(name for name in CHAIN if name != "hbm")
MOST = {"gb_s": Decimal(10_000), "gb": Decimal(1_000_000), "wait_ms": Decimal(600_000)}
GB = Decimal(1_000_000_000)


def prefix_tokens() -> int:
    """The prefix of the comparison, as the URL or the reader says."""
    asked = typed.asked("prefix_tokens", Decimal(10_000_000))
    return int(asked or DEFAULT_PREFIX_TOKENS)


def overrides(room_gb: dict[str, Decimal], bandwidth: Decimal | None) -> dict[str, Any]:
    """What the reader has typed for each link, and the device's own room and bandwidth where they
    are known, as fields of the question."""
    own = {} if bandwidth is None else {"hbm": bandwidth}
    found = {name: {tier: typed.asked(f"{tier}_{name}", MOST[name]) for tier in LINKS}
             for name in MOST}  # fmt: skip
    given = {name: {tier: v for tier, v in of.items() if v} for name, of in found.items()}
    return {
        "bandwidths": own | {tier: value * GB for tier, value in given["gb_s"].items()},
        "capacities_gb": {**room_gb, **given["gb"]},
        "waits_s": {tier: value / 1000 for tier, value in given["wait_ms"].items()},
    }


def section(found: TiersFound) -> None:
    """The table under its answer, and the places' own numbers to change."""
    study = found.study
    components.answer(_heading(found), _unit(found))
    tables.show(_table(found), "tiers")
    lost = [row for row in study.rows if row.hits and row.hits.not_worth_loading_tokens]
    if lost:
        names = ", ".join(_name(row) for row in lost)
        tokens = sum(row.hits.not_worth_loading_tokens for row in lost if row.hits)
        components.sentence(t("hardware_money.not_worth", names=names, tokens=compact(tokens)))
    if study.requests is None:
        components.note(t("hardware_money.tiers_not_replayed"))
    with st.container(horizontal=True, gap="large", key="controls_money_tiers"):
        typed.number(
            "prefix_tokens", Decimal(DEFAULT_PREFIX_TOKENS), label=t("hardware_money.prefix"),
            low=1.0, high=1e7, step=1024.0, form="%.0f",
        )  # fmt: skip
        _places()
        components.how(_how(found), "how_tiers")


def _places() -> None:
    with st.popover(t("hardware_money.change_places"), type="tertiary", icon=":material/tune:"):
        for tier in LINKS:
            spec = load_tiers()[tier]
            st.markdown(f"**{t(f'hardware_money.tier_{tier}')}**")
            with st.container(horizontal=True):
                own = {
                    "gb_s": Decimal(spec.bytes_per_s or 0) / GB,
                    "gb": spec.capacity_gb,
                    "wait_ms": None,
                }
                for name, default in own.items():
                    typed.number(
                        f"{tier}_{name}", default, label=t(f"hardware_money.place_{name}"),
                        low=0.0, high=float(MOST[name]), step=1.0, form="%.1f",
                    )  # fmt: skip


def _heading(found: TiersFound) -> str:
    slow = [row for row in found.study.rows if row.choice.choice == "recompute"]
    if not slow:
        return t("hardware_money.tiers_all_load")
    names = ", ".join(_name(row) for row in slow)
    if len(slow) == len(found.study.rows):
        return t("hardware_money.tiers_all_recompute")
    return t("hardware_money.tiers_some", names=names)


def _unit(found: TiersFound) -> str:
    study = found.study
    return t(
        "hardware_money.tiers_unit", mark=mark("computed"), model=md(found.model.name),
        tokens=study.prefix_tokens, gb=f"{study.kv_bytes / 1e9:,.2f}",
        seconds=f"{study.recompute.prefill_s:,.2f}",
        edge=f"{study.break_even_bytes_per_s / 1e9:,.2f}",
    )  # fmt: skip


def _name(row: TierRow) -> str:
    return t(f"hardware_money.tier_{row.choice.tier}")


def _table(found: TiersFound) -> Table:
    rows, total = found.study.rows, found.study.prompt_tokens
    columns = [
        Column(title=t("hardware_money.column_place"), values=[_name(row) for row in rows]),
        Column(
            title=t("hardware_money.place_gb_s"),
            values=[row.choice.bytes_per_s / 1e9 for row in rows], kind="number",
        ),
        Column(
            title=t("hardware_money.column_transfer"),
            values=[round(row.choice.transfer_s, 4) for row in rows], kind="number",
        ),
        Column(
            title=t("hardware_money.column_choice"),
            values=[t(f"hardware_money.{row.choice.choice}") for row in rows],
        ),
        Column(
            title=t("hardware_money.column_price"),
            values=[_price(found, row.choice.tier) for row in rows],
        ),
    ]  # fmt: skip
    if total is not None:
        columns[4:4] = [
            Column(
                title=t("hardware_money.column_blocks"),
                values=[row.capacity_blocks for row in rows], kind="count",
            ),
            Column(
                title=t("hardware_money.column_hits"),
                values=[row.hits.hit_tokens / max(total, 1) if row.hits else None for row in rows],
                kind="percent",
            ),
            Column(
                title=t("hardware_money.column_not_worth"),
                values=[row.hits.not_worth_loading_tokens if row.hits else None for row in rows],
                kind="count",
            ),
            Column(
                title=t("hardware_money.column_saved_s"),
                values=[round(row.hits.saved_s, 1) if row.hits else None for row in rows],
                kind="number",
            ),
        ]  # fmt: skip
    return Table(columns=tuple(columns), alt=t("hardware_money.tiers_alt"))


def _price(found: TiersFound, tier: str) -> str:
    ends = found.usd_per_gb_hour.get(tier)
    if ends is None:
        return t("hardware_money.no_price")
    low, _, high = (None if end is None else float(end) for end in ends)
    assert low is not None  # noqa: S101
    assert high is not None  # noqa: S101
    return f"{usd_gb_hour(low, unit=False)} – {usd_gb_hour(high, unit=False)}"


def _how(found: TiersFound) -> Explanation:
    study, known = found.study, load_tiers()
    sums = (
        t("hardware_money.how_linear", linear=f"{study.recompute.linear_ops:.3g}",
          attention=f"{study.recompute.attention_ops:.3g}"),
        t("hardware_money.how_rate", rate=f"{found.speeds.ops_per_s:.3g}",
          share=percent(found.speeds.ops_ratio, 0)),
        t("hardware_money.how_wait"),
    )  # fmt: skip
    sources = tuple(
        (
            "datasheet",
            f"{t(f'hardware_money.tier_{tier.id}')}: {md(spoken(tier.source))}, {tier.as_of}"
            f"{_note(tier.note)}",
        )
        for tier in known.values()
    )
    return Explanation(formula=t("hardware_money.how_tiers"), sums=sums, sources=sources)


def _note(text: str | None) -> str:
    return f" ({md(spoken(text))})" if text else ""
