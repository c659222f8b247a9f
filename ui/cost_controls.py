"""What the API costs page can be switched to; the URL holds all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

import streamlit as st

from econ.charted_models import CHARTED
from jobs import costing
from jobs.costing import LIFETIMES, MODES, PLACEMENTS, Costing
from ui import components, controls
from ui.numerals import md
from ui.words import t

URL_MODELS, URL_FACTORS = "chart", "tok"
LEAST, MOST = 0.1, 10.0
MOST_CHARTED = 30


def switches() -> Costing:
    """Placement, lifetime and mode."""
    with st.container(horizontal=True, gap="large", key="controls_costs"):
        placement = controls.choice(
            t("api_costs_page.placement"),
            PLACEMENTS,
            "placement",
            lambda name: t(f"api_costs_page.placement.{name}"),
        )
        lifetime = controls.choice(
            t("api_costs_page.lifetime"),
            LIFETIMES,
            "lifetime",
            lambda name: t(f"api_costs_page.lifetime.{name}"),
        )
        mode = controls.choice(
            t("api_costs_page.mode"),
            MODES,
            "costmode",
            lambda name: t(f"api_costs_page.mode.{name}"),
        )
    return Costing(lifetime=lifetime, placement=placement, mode=mode)


def charted() -> list[str]:
    """Which models the chart shows, each from its maker; nonsense in the URL counts as not said."""
    known = costing.makers_models()
    _take(URL_MODELS)
    said = str(st.session_state.get(f"_{URL_MODELS}") or "").split(",")
    chosen = [name for name in dict.fromkeys(said) if name in known][:MOST_CHARTED]
    chosen = chosen or [name for name in CHARTED if name in known]
    st.session_state["charted"] = chosen
    words = t("api_costs_page.charted_open", len(chosen))
    with st.popover(words, icon=":material/bar_chart:", key="charted_open"):
        st.multiselect(
            t("api_costs_page.charted"),
            list(known),
            key="charted",
            max_selections=MOST_CHARTED,
            on_change=_charted,
        )
    return chosen


def _charted() -> None:
    chosen = list(st.session_state["charted"])
    _put(URL_MODELS, "" if chosen == list(CHARTED) else ",".join(chosen))


def factors() -> Mapping[str, Decimal]:
    """Factors between tokenizers by provider or family, those that are not 1; adjustable here."""
    _take(URL_FACTORS)
    names = costing.factor_names()
    known = _parsed(str(st.session_state.get(f"_{URL_FACTORS}") or ""), names)
    words = t("api_costs_page.factors_open", len(known)) if known else t("api_costs_page.factors")
    with st.popover(words, icon=":material/straighten:", key="factors"):
        components.note(t("api_costs_page.factors_note"))
        for family in costing.tokenizers():
            components.note(
                t(
                    "api_costs_page.factor_published",
                    name=md(family.name),
                    factor=f"{family.factor.normalize():f}",
                    source=family.source,
                    as_of=family.as_of,
                )
            )
        with st.grid("auto", min_column_width=150):
            for name in names:
                key = f"factor_{name}"
                st.session_state[key] = float(known.get(name, Decimal(1)))
                st.number_input(
                    name, min_value=LEAST, max_value=MOST, step=0.05, format="%.2f", key=key,
                    on_change=_factor, args=(name, tuple(names)),
                )  # fmt: skip
    return known


def _factor(changed: str, names: Sequence[str]) -> None:
    known = dict(_parsed(str(st.session_state.get(f"_{URL_FACTORS}") or ""), names))
    known[changed] = Decimal(str(round(st.session_state[f"factor_{changed}"], 4)))
    said = [f"{name}:{f.normalize():f}" for name, f in known.items() if f != 1]
    _put(URL_FACTORS, ",".join(said))


def _parsed(text: str, names: Sequence[str]) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for part in text.split(","):
        name, _, value = part.partition(":")
        try:
            factor = round(Decimal(value or "1"), 4)
        except InvalidOperation:
            continue
        if name in names and Decimal(str(LEAST)) <= factor <= Decimal(str(MOST)) and factor != 1:
            found[name] = factor
    return found


def _take(name: str) -> None:
    if name in st.query_params:
        st.session_state[f"_{name}"] = st.query_params[name]


def _put(name: str, text: str) -> None:
    st.session_state[f"_{name}"] = text
    if text:
        st.query_params[name] = text
    else:
        st.query_params.pop(name, None)
