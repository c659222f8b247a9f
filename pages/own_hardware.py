"""Own hardware: what fits, and how fast is it?"""

from __future__ import annotations

import streamlit as st

from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from jobs import fleet_flows
from ui import (
    components,
    hardware_curve,
    hardware_form,
    hardware_money_view,
    hardware_strip,
    hardware_view,
    state,
    studies,
    view,
)
from ui.words import t


def first_screen(found: FleetStudy, asked: FleetAsked) -> None:
    """How many fit; beside it whether the fleet keeps up, and the flags."""
    left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
    with left:
        hardware_view.hero(found, asked)
    with right:
        hardware_view.sentence(found, asked)
        with st.container(horizontal=True, key="controls_hardware_first"):
            hardware_view.flags(asked)
            hardware_view.how(found, asked)


def details(found: FleetStudy, asked: FleetAsked, workload_id: str) -> None:
    """What stands behind the decisions, each folded away; nothing empty to unfold."""
    if found.results:
        with st.expander(t("own_hardware_page.more_fleets"), key="more_fleets"):
            hardware_view.fleets(found, asked)
    if found.cost is not None:
        with st.expander(t("own_hardware_page.more_cost"), key="more_cost"):
            hardware_view.money(found)
    if hardware_curve.has_curve(workload_id, found) and not studies.is_waiting():
        with st.expander(t("own_hardware_page.more_curve"), key="more_curve"):
            each = fleet_flows.kv_bytes_per_token(asked)
            hardware_curve.hit_curve(workload_id, found, each)


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("own_hardware_page.title"))
    seen = view.load()
    if seen is None:
        return
    with st.container(gap="medium"):
        with st.container(gap="small"):
            asked = hardware_form.asked()
        if asked is None:
            return
        hardware_strip.remember(asked)
        question, owner = (seen.workload_id, asked), state.owner()
        found = studies.made(
            question,
            lambda: fleet_flows.fleet_study(*question, owner),
            lambda: fleet_flows.start_fleet(*question, owner),
        )
        if found is None:
            return
        first_screen(found, asked)
        hardware_view.memory(found)
        hardware_view.speed(found, asked)
        hardware_view.pools(found, asked)
        priced_as = seen.report.params.default_model
        own = hardware_money_view.of_fleet(seen.workload_id, asked, found, priced_as)
        places = hardware_money_view.decisions(own)
        details(found, asked, seen.workload_id)
        if places is not None:
            hardware_money_view.places(places)


page()
