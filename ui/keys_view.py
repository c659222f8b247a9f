"""Keys of the public sources, held by this browser session alone, each with a test."""

from __future__ import annotations

import streamlit as st
from pydantic import SecretStr

from data_sources.public.hosts import SOURCES, Source
from jobs import public_asked, public_keys
from jobs.public_asked import Keys
from ui import components, failures
from ui.numerals import md
from ui.words import say, t

_TYPED = "public_key_"
_KEPT = "_public_kept_"  # a widget forgets its text when another page is opened


def keys_now() -> Keys:
    """The keys typed in this browser session, those of the settings where none was."""
    given = public_asked.keys_from_settings()
    typed = {source: str(st.session_state.get(_KEPT + source) or "") for source in SOURCES}

    def secret(source: Source, known: SecretStr | None) -> SecretStr | None:
        return SecretStr(typed[source].strip()) if typed[source].strip() else known

    return Keys(
        sec_contact=typed["sec"].strip() or given.sec_contact,
        fred=secret("fred", given.fred),
        edinet=secret("edinet", given.edinet),
        estat=secret("estat", given.estat),
    )


def keys() -> None:
    """One field a source, with a button that asks the source whether it accepts the key."""
    with components.rule("public_keys"):
        st.subheader(t("public_keys.heading"), anchor=False)
        components.note(t("public_keys.how"))
        given = public_asked.keys_from_settings()
        for source in SOURCES:
            _field(source, known=public_keys.has_key(source, given))


def _field(source: Source, *, known: bool) -> None:
    name = public_keys.VARIABLES[source]
    field, button = st.columns([4, 1], vertical_alignment="bottom")
    st.session_state.setdefault(_TYPED + source, st.session_state.get(_KEPT + source, ""))
    st.session_state[_KEPT + source] = field.text_input(
        t(f"public_keys.label_{source}", name=name),
        type="default" if source == "sec" else "password",
        key=_TYPED + source,
        placeholder=t("public_keys.set", name=name) if known else None,
        autocomplete="off",
        max_chars=200,
    )
    pressed = button.button(t("public_keys.try"), key=f"try_{source}")
    if not pressed:
        return
    host = public_keys.KEY_HOSTS[source]
    with st.spinner(t("public_keys.trying", host=host)):
        answer = public_keys.try_key(source, keys_now())
    if answer.id == "public.answers":
        st.success(md(say(answer)))
    else:
        failures.show_message(answer)
