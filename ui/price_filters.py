"""The filters of the Prices page. Each lives in the URL, so that a link shows the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import streamlit as st

from jobs import price_flows
from price_tables.book import MODES
from ui import refused
from ui.words import known, t

ALL = "all"
DEFAULT_SURFACE = "default"
FIRST_DAY = date(2024, 1, 1)
LAST_DAY = date(2029, 12, 31)
_LONGEST_TEXT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is looked at: one provider or all, a part of the name, a mode, a surface, a day."""

    provider: str | None
    text: str
    mode: str
    surface: str | None
    at: date


def today() -> date:
    """The day it is, UTC."""
    return datetime.now(tz=UTC).date()


def show() -> Filters:
    """Draw the filters and say what they are set to; what the URL says counts only if it exists."""
    surfaces = {name: names for name, _, names in price_flows.providers()}
    with st.container(horizontal=True, gap="medium", key="controls_prices"):
        provider = _pick(t("prices_page.provider"), [ALL, *surfaces], "provider", _provider_words)
        text = _text(t("prices_page.model"), "q")
        mode = _pick(t("prices_page.mode"), list(MODES), "mode", mode_words)
        offered = surfaces.get(provider) or _all_names(surfaces.values())
        surface = _pick(
            t("prices_page.surface"), [DEFAULT_SURFACE, *offered], "surface", _surface_words
        )
        at = _day(t("prices_page.day"), "at")
    return Filters(
        provider=None if provider == ALL else provider,
        text=text,
        mode=mode,
        surface=None if surface == DEFAULT_SURFACE else surface,
        at=at,
    )


def mode_words(mode: str) -> str:
    """The words for a mode."""
    return _words("prices_page.mode", mode)


def _provider_words(provider: str) -> str:
    if provider == ALL:
        return t("prices_page.all_providers")
    return next(name for key, name, _ in price_flows.providers() if key == provider)


def _surface_words(surface: str) -> str:
    return _words("prices_page.surface", surface)


def _words(group: str, name: str) -> str:
    key = f"{group}.{name}"
    return t(key) if known(key) else name


def _all_names(groups: Iterable[Sequence[str]]) -> list[str]:
    names: dict[str, None] = {}
    for group in groups:
        names.update(dict.fromkeys(group))
    return list(names)


def _asked(name: str, default: str) -> str:
    return str(st.query_params.get(name, st.session_state.get(f"_prices_{name}", default)))


def _pick(label: str, options: Sequence[str], name: str, words: Callable[[str], str]) -> str:
    asked = _asked(name, options[0])
    current = asked if asked in options else options[0]
    refused.one_of(name, options, words(current))
    st.session_state[name] = current
    st.selectbox(
        label,
        list(options),
        format_func=words,
        key=name,
        width=200,
        on_change=_keep,
        args=(name, options[0]),
    )
    return current


def _text(label: str, name: str) -> str:
    current = _asked(name, "")[:_LONGEST_TEXT]
    st.session_state[name] = current
    st.text_input(
        label, key=name, max_chars=_LONGEST_TEXT, width=200, on_change=_keep, args=(name, "")
    )
    return current


def _day(label: str, name: str) -> date:
    default = min(max(today(), FIRST_DAY), LAST_DAY)
    said = _asked(name, default.isoformat())
    current = _day_of(said, default)
    if current.isoformat() != said:
        refused.day(name, current.isoformat())
    st.session_state[name] = current
    st.date_input(
        label,
        key=name,
        min_value=FIRST_DAY,
        max_value=LAST_DAY,
        format="YYYY-MM-DD",
        width=160,
        on_change=_keep,
        args=(name, default.isoformat()),
    )
    return current


def _day_of(text: str, default: date) -> date:
    try:
        asked = date.fromisoformat(text)
    except ValueError:
        return default
    return asked if FIRST_DAY <= asked <= LAST_DAY else default


def _keep(name: str, default: str) -> None:
    chosen = st.session_state[name]
    value = chosen.isoformat() if isinstance(chosen, date) else str(chosen or "")
    st.session_state[f"_prices_{name}"] = value or default
    if value in ("", default):
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = value
