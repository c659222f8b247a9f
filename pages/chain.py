"""Chain: from your tokens to the makers of memory, where does the money go?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from econ.chain import Chain, Effect, chain, chain_csv, effects
from econ.kv_formats import kv_format
from econ.less_kv import Setting
from jobs import less_kv
from messages.errors import KvledgerError
from ui import (
    chain_controls,
    chain_view,
    components,
    downloads,
    failures,
    folds,
    market_sources,
    state,
    upload,
    view,
)
from ui.words import t


def without_lengths() -> None:
    """Words for a file whose rows have no length or time, and a place for one that has."""
    st.info(t("less_kv.no_lengths"), icon=":material/info:")
    upload.uploader("chain", t("ui.upload.label"))
    st.button(t("ui.ask.example_instead"), key="example", on_click=state.choose_example)


def setting_of(found: less_kv.LessKv) -> Setting:
    """What all chains of the page share."""
    return Setting(
        device=found.device,
        weights_bytes=found.weights_bytes,
        fraction=found.fraction,
        life_years=found.asked.life_years,
        price=found.hbm.price_of(found.device.memory_type),
        least_devices=found.asked.tensor_parallel,
    )


def csv_button(now: Chain, moved: Sequence[Effect]) -> None:
    """Every link and effect as CSV."""
    downloads.csv_button(t("market.download"), lambda: chain_csv(now, moved),
                         file_name="kvledger-chain.csv", key="chain_csv",
                         kind="tertiary")  # fmt: skip


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("chain.title"))
    seen = view.load()
    if seen is None:
        return
    with st.container(gap="medium"):
        top = st.container(gap="medium")
        said = chain_controls.asked()
        if said is None:
            return
        asked, training = said
        try:
            found = less_kv.less_kv(seen.workload_id, asked, state.owner())
        except KvledgerError as error:
            failures.show(error)
            return
        if found is None:
            without_lengths()
            return
        given = setting_of(found), found.hbm.newest_share()
        dtype = kv_format(asked.chosen)
        now = chain(found.held, found.model, dtype, *given)
        moved = effects(found.held, found.model, dtype, *given)
        with top:
            left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
            with left:
                chain_view.first_screen(found, now)
            with right:
                chain_view.sentence(now)
                components.note(market_sources.standing())
        chain_view.links(found, now)
        with components.rule("chain_use"):
            chain_view.by_use(found, now, training, lambda: csv_button(now, moved))
        with folds.stack("chain"):
            chain_view.makers(found, now)
            chain_view.changes(moved)
            chain_view.stands(moved)


page()
