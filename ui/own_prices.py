"""The reader's own prices in the browser: handed in on Prices, kept for one browser session."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from jobs import own_prices
from messages.errors import DataError
from price_tables.own import OwnPrices
from ui import components, failures
from ui.numerals import md, percent
from ui.words import t

_TEXT = "_own_prices"
_TURN = "_own_prices_turn"
_FAULTS = "_own_prices_faults"
MOST_MB = 1
EXAMPLE = """\
format: 1
adjustments:
  anthropic: {discount_ratio: 0.12, tax_ratio: 0.10}
providers:
  our-gateway: {name: Our gateway, free_writes: true}
prices:
  our-gateway:
  - id: house-model
    periods:
    - valid_from: null
      usd_per_mtok: {uncached: 2.00, read: 0.20, output: 8.00}
      modes: {batch: {multiplier: 0.5}}
      as_of: 2026-11-20
  anthropic:
  - id: claude-opus-5
    periods:
    - valid_from: 2026-11-01
      usd_per_mtok: {uncached: 4.40, read: 0.44, write_5m: 5.50, write_1h: 8.80, output: 22.00}
      as_of: 2026-11-20
      note: contract of November
"""


def _text() -> str | None:
    """The text of the session at hand; None outside of one, in the shell or a worker."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    text = st.session_state.get(_TEXT)
    return text if isinstance(text, str) else None


own_prices.ask_session_with(_text)


def show() -> None:
    """What is in force, the place to drop a file, its shape, and every fault of a refused one."""
    with components.rule("own_prices"), st.container(gap="xsmall"):
        components.answer(t("prices_page.own"), t("prices_page.own_unit"))
        components.sentence(t("prices_page.own_none"))
        try:
            own = own_prices.current()
        except DataError as error:
            failures.show(error)
            own = None
        if own is not None:
            _in_force(own)
        _upload()
        for message in st.session_state.get(_FAULTS, ()):
            failures.show_message(message)
        with st.popover(
            t("prices_page.own_example"), type="tertiary", icon=":material/code:", key="own_example"
        ):
            st.code(EXAMPLE, language="yaml")


def _in_force(own: OwnPrices) -> None:
    components.sentence(
        t(
            "prices_page.own_from",
            file=md(own.name),
            digest=own.digest,
            rows=sum(len(rows) for rows in own.models.values()),
        )
    )
    for provider, row in own.adjustments.items():
        components.note(
            t(
                "prices_page.own_adjusted",
                provider=provider,
                discount=percent(float(row.discount_ratio)),
                tax=percent(float(row.tax_ratio)),
            )
        )
    if _text() is not None:
        st.button(
            t("prices_page.own_remove"),
            icon=":material/undo:",
            key="own_remove",
            on_click=_remove,
        )


def _upload() -> None:
    turn = st.session_state.get(_TURN, 0)
    file = st.file_uploader(
        t("prices_page.own_upload"), key=f"own_file-{turn}", max_upload_size=MOST_MB
    )
    if file is None:
        return
    raw = file.getvalue()
    faults = own_prices.faults_of(raw)
    st.session_state[_FAULTS] = faults
    if not faults:
        st.session_state[_TEXT] = raw.decode("utf-8-sig")
    st.session_state[_TURN] = turn + 1
    st.rerun()


def _remove() -> None:
    st.session_state.pop(_TEXT, None)
    st.session_state.pop(_FAULTS, None)
