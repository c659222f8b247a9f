"""The tables of the Prices page: prices, changes ahead, contradictions, cache rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import streamlit as st

from jobs.price_flows import CacheRuleRow, ChangeRow, DisagreementRow, PriceRow
from price_tables.book import EXTRA_PRICES, WRITE_BUCKETS
from ui import tables
from ui.numerals import exact
from ui.words import known, language, say, t

MAIN_PRICES = ("uncached", "output", "read", *WRITE_BUCKETS)
COMPARED_RULES = (
    ("mode",),
    ("min_cacheable_tokens",),
    ("ttl_options", "explicit_ttl_options"),
    ("ttl_refreshed_by_read",),
    ("write_multiplier", "explicit_creation_price"),
    ("read_multiplier",),
    ("batch_stacks_with_caching", "batch"),
    ("isolation",),
)
"""Rules that are shown side by side; of several names the first that a provider has."""

NOTHING = "–"
_ROW_PX = 35
_TALLEST_PX = 560
_DOUBTFUL = ("unverified", "secondary_sources_only", "single_source")


def price_table(rows: Sequence[PriceRow]) -> None:
    """Every price of every tier, the source beside it. Columns without any price are left out."""
    prices = [_listed(row) for row in rows]
    columns: dict[str, list[Any]] = {
        t("prices_page.column.provider"): [row.provider for row in rows],
        t("prices_page.column.model"): [row.model for row in rows],
        t("prices_page.column.prompt"): [_prompt(row) for row in rows],
        **_price_columns(prices, MAIN_PRICES),
        t("prices_page.column.status"): [_status(row) for row in rows],
        t("prices_page.column.source"): [row.source for row in rows],
        t("prices_page.column.as_of"): [row.as_of for row in rows],
        t("prices_page.column.from"): [row.valid_from for row in rows],
        t("prices_page.column.last_day"): [_last_day(row) for row in rows],
        **_price_columns(prices, EXTRA_PRICES),
        t("prices_page.column.note"): [_note(row) for row in rows],
        t("prices_page.column.via"): [row.via or "" for row in rows],
        t("prices_page.column.surface"): [row.surface for row in rows],
    }
    config: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="%g")
        for name in (*_price_columns(prices, MAIN_PRICES), *_price_columns(prices, EXTRA_PRICES))
    }
    for name in ("from", "last_day"):
        config[t(f"prices_page.column.{name}")] = st.column_config.DateColumn(format="YYYY-MM-DD")
    model = t("prices_page.column.model")
    config[model] = st.column_config.TextColumn(
        pinned=True, width=tables.width_px(model, columns[model], first=True)
    )
    _show(columns, config, "prices", t("prices_page.alt.prices"))


def _listed(row: PriceRow) -> dict[str, Decimal]:
    """The prices that a list has; writes that are billed as input stand in the note."""
    return {
        name: price
        for name, price in row.usd_per_mtok.items()
        if not (row.writes_as_input and name in WRITE_BUCKETS)
    }


def _price_columns(
    prices: Sequence[Mapping[str, Decimal]], names: Sequence[str]
) -> dict[str, list[float | None]]:
    """A column a bucket, those that no row has left out."""
    return {
        t(f"prices_page.bucket.{name}"): [
            float(row[name]) if name in row else None for row in prices
        ]
        for name in names
        if any(name in row for row in prices)
    }


def changes(rows: Sequence[ChangeRow]) -> None:
    """What changes, and when."""
    columns: dict[str, list[Any]] = {
        t("prices_page.column.on"): [row.on for row in rows],
        t("prices_page.column.what"): [say(row.what) for row in rows],
        t("prices_page.column.source"): [row.source for row in rows],
        t("prices_page.column.as_of"): [row.as_of for row in rows],
    }
    config = {t("prices_page.column.on"): st.column_config.DateColumn(format="YYYY-MM-DD")}
    _show(columns, config, "changes", t("prices_page.alt.changes"))


def disagreements(rows: Sequence[DisagreementRow]) -> None:
    """Who says what, what the book took, and why."""
    columns: dict[str, list[Any]] = {
        t("prices_page.column.provider"): [row.provider for row in rows],
        t("prices_page.column.topic"): [row.topic for row in rows],
        t("prices_page.column.taken"): [row.taken for row in rows],
        t("prices_page.column.why"): [row.why for row in rows],
        t("prices_page.column.sources_say"): [
            " | ".join(f"{v.value} ({v.source}, {v.as_of})" for v in row.values) for row in rows
        ],
    }
    _show(columns, {}, "disagreements", t("prices_page.alt.disagreements"))


def rules_side_by_side(rows: Sequence[CacheRuleRow]) -> None:
    """One line a provider, one column a rule."""
    families: dict[tuple[str, str], dict[str, CacheRuleRow]] = {}
    for row in rows:
        families.setdefault((row.provider, row.family), {})[row.rule] = row
    lines = [
        (provider, family, {**families.get((provider, "all"), {}), **own})
        for (provider, family), own in families.items()
        if family != "all" or "mode" in own
    ]
    columns: dict[str, list[Any]] = {
        t("prices_page.column.provider"): [
            provider if family == "all" else f"{provider} {family}" for provider, family, _ in lines
        ]
    }
    for names in COMPARED_RULES:
        columns[rule_words(names[0])] = [_cell(known_rules, names) for _, _, known_rules in lines]
    _show(columns, {}, "rules", t("prices_page.alt.rules"))


def rules_in_full(rows: Sequence[CacheRuleRow]) -> None:
    """Every rule of one provider with its source."""
    columns: dict[str, list[Any]] = {
        t("prices_page.column.rule"): [_rule_of(row) for row in rows],
        t("prices_page.column.value"): [value_words(row.value) for row in rows],
        t("prices_page.column.note"): [row.note or "" for row in rows],
        t("prices_page.column.source"): [row.source for row in rows],
        t("prices_page.column.as_of"): [row.as_of for row in rows],
    }
    _show(columns, {}, "rules_full", t("prices_page.alt.rules"))


def rule_words(rule: str) -> str:
    """The words for a rule's name."""
    return _words("prices_page.rule", rule)


def value_words(value: str | bool | None) -> str:
    """The words for a rule's value; None is not documented."""
    if value is None:
        return t("prices_page.not_documented")
    if isinstance(value, bool):
        return t("prices_page.yes") if value else t("prices_page.no")
    return _words("prices_page.value", value)


def _words(group: str, name: str) -> str:
    key = f"{group}.{name}"
    return t(key) if known(key) else name.replace("_", " ")


def _rule_of(row: CacheRuleRow) -> str:
    words = rule_words(row.rule)
    return words if row.family == "all" else f"{words} ({row.family})"


def _cell(rules: Mapping[str, CacheRuleRow], names: Sequence[str]) -> str:
    row = next((rules[name] for name in names if name in rules), None)
    return NOTHING if row is None else value_words(row.value)


def _prompt(row: PriceRow) -> str:
    return t("prices_page.above", tokens=row.above_tokens) if row.above_tokens else ""


def _status(row: PriceRow) -> str:
    words = _words("prices_page.status", row.status)
    return f"▼ {words}" if row.status in _DOUBTFUL else words


def _last_day(row: PriceRow) -> date | None:
    return (row.valid_to - timedelta(microseconds=1)).date() if row.valid_to else None


def _note(row: PriceRow) -> str:
    notes = [row.note]
    if row.writes_as_input:
        notes.append(t("prices_page.writes_as_input"))
    if row.peak_usd_per_mtok:
        other = ", ".join(exact(row.peak_usd_per_mtok[name]) for name in _main(row))
        notes.append(t("prices_page.peak", prices=other))
    if row.inherited_from:
        notes.append(t("prices_page.inherited", provider=row.inherited_from))
    if row.retires_on:
        notes.append(t("prices_page.retires", day=row.retires_on.isoformat()))
    return "; ".join(note for note in notes if note)


def _main(row: PriceRow) -> list[str]:
    prices: Mapping[str, Decimal] = row.peak_usd_per_mtok
    return [name for name in ("uncached", "read", "output") if name in prices]


def _show(
    columns: Mapping[str, Sequence[Any]], config: Mapping[str, Any], key: str, alt: str
) -> None:
    frame = pd.DataFrame(dict(columns))
    found: dict[str, Any] = {}
    for title, values in columns.items():
        if tables.is_links(values):
            found[title] = tables.link_column(title)
        elif all(isinstance(value, str) for value in values):
            found[title] = st.column_config.TextColumn(width=tables.width_px(title, values))
    st.dataframe(
        frame,
        hide_index=True,
        height=min((len(frame) + 1) * _ROW_PX + 3, _TALLEST_PX),
        column_config={**found, **config},
        key=f"{key}-{language()}",
        placeholder="",
        alt=alt,
    )
