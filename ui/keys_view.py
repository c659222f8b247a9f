"""Keys of the public sources, held by this browser session alone, and the button that fetches."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from pydantic import SecretStr

from data_sources.public.hosts import SOURCES, Source
from jobs import public_asked, public_keys, public_refresh
from jobs.public_asked import Keys, Refreshed, Wanted
from messages.errors import KvledgerError
from ui import components, failures, tables
from ui.numerals import count, day, foreign, md
from ui.tables import Column, Table
from ui.words import say, t

_TYPED = "public_key_"
_KEPT = "_public_kept_"  # a widget forgets its text when another page is opened
_BROUGHT = "_public_brought"
MOST_ROWS = 500


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


def fetch(sources: Sequence[Source], wanted: Wanted | None = None) -> None:
    """A button that asks `sources`, and what the last press in this browser changed. Nothing is
    asked before it is pressed."""
    chosen = wanted or Wanted()
    name = "_".join(sources)
    if st.button(t("public_keys.refresh"), key=f"fetch_{name}", icon=":material/sync:"):
        _ask(sources, chosen, name)
    for result in st.session_state.get(f"{_BROUGHT}_{name}", ()):
        _show(result)


def _ask(sources: Sequence[Source], wanted: Wanted, name: str) -> None:
    with st.status(t("public_keys.refresh")) as status:

        def stage(source: Source, what: str) -> None:
            named = {"source": t(f"public.source.{source}"), "what": md(foreign(what))}
            status.update(label=t("public_keys.asking", **named))

        try:
            brought = public_refresh.refresh(sources, wanted, keys_now(), stage)
        except KvledgerError as error:
            status.update(state="error")
            failures.show(error)
            return
        status.update(
            label=t("public_keys.refresh"),
            state="error" if any(one.failures for one in brought) else "complete",
        )
    st.session_state[f"{_BROUGHT}_{name}"] = brought


def _show(result: Refreshed) -> None:
    source = t(f"public.source.{result.source}")
    counts = {"new": count(len(result.new)), "changed": count(len(result.changed)),
              "unchanged": count(result.unchanged)}  # fmt: skip
    components.sentence(t("public_keys.changes", source=source, **counts))
    for failure in result.failures:
        what = f"{source} {foreign(failure.what)}"
        st.warning(md(t("public_keys.failed", what=what, why=say(failure.message)), longest=1000))
    if result.new or result.changed:
        tables.show(_table(result), f"public_changes_{result.source}")


def _table(result: Refreshed) -> Table:
    changes = [*result.changed, *result.new][:MOST_ROWS]
    rows = [
        (
            foreign(change.after.series),
            foreign(change.after.entity),
            day(change.after.end),
            "" if change.before is None or change.before.value is None
            else str(change.before.value),
            change.after.marker if change.after.value is None else str(change.after.value),
            foreign(change.after.unit),
        )
        for change in changes
    ]  # fmt: skip
    names = ("series", "entity", "period_end", "before", "after", "unit")
    return Table(
        columns=tuple(
            Column(title=t(f"public_keys.{name}"), values=[row[at] for row in rows])
            for at, name in enumerate(names)
        ),
        alt=t("public_keys.changes_alt"),
    )
