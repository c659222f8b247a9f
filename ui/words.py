"""The reader's language, and the words in it."""

from __future__ import annotations

import streamlit as st

from messages import catalogue
from messages.errors import Message, Value
from settings import current

NAMES = {"en": "English", "ja": "日本語"}
"""What each language calls itself."""

_SESSION = "_language"
_WIDGET = "language"
_URL = "lang"


def language() -> str:
    """The language of the browser session, 'en' or 'ja'."""
    return str(st.session_state.get(_SESSION, catalogue.DEFAULT_LANGUAGE))


def preferred() -> str:
    """What the browser asks for, where we speak it; else the setting's language."""
    asked = (st.context.locale or "").split("-")[0]
    return asked if asked in catalogue.LANGUAGES else current().language


def settle() -> str:
    """Decide the language of this run: the URL, then the browser session, then the browser.

    Comes before the navigation is built, because page titles are words. The URL says the language
    wherever the browser would have chosen another, so that a link opens as it was sent.
    """
    asked = st.query_params.get(_URL)
    known = st.session_state.get(_SESSION)
    chosen = asked if asked in catalogue.LANGUAGES else known or preferred()
    st.session_state[_SESSION] = chosen
    if asked != chosen and (asked is not None or chosen != preferred()):
        st.query_params[_URL] = chosen
    return str(chosen)


def _switched() -> None:
    chosen = st.session_state[_WIDGET]
    st.session_state[_SESSION] = chosen
    st.query_params[_URL] = chosen


def switch() -> None:
    """The control that changes the language."""
    st.session_state[_WIDGET] = language()
    st.segmented_control(
        t("ui.language"),
        list(NAMES),
        format_func=NAMES.__getitem__,
        key=_WIDGET,
        required=True,
        label_visibility="collapsed",
        on_change=_switched,
    )


def t(key: str, n: int | None = None, /, **values: Value) -> str:
    """The words for `key`; `n` chooses the plural form and fills {n}."""
    return catalogue.t(language(), key, n, **values)


def known(key: str) -> bool:
    """The catalogue has words for `key`."""
    return t(key) != key


def say(message: Message) -> str:
    """A message of an error, a receipt or a report, in words."""
    return catalogue.say(language(), message)
