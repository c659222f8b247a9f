"""Own hardware: what fits, how fast it is, what it costs, and when it beats the API."""

from __future__ import annotations

import streamlit as st

from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from jobs.own_question import Own, of_fleet
from jobs.tiering import TiersFound
from ui import (
    components,
    hardware_details,
    hardware_fleets,
    hardware_form,
    hardware_money_view,
    hardware_strip,
    hardware_view,
    studies,
    view,
)
from ui.words import t


def what_fits(found: FleetStudy, asked: FleetAsked) -> None:
    """How many fit and whether the fleet keeps up; beside it the memory."""

    def tools() -> None:
        hardware_view.flags(asked)
        hardware_view.how(found, asked)

    left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
    with left:
        hardware_view.hero(found, asked)
        hardware_view.sentence(found, asked)
    with right:
        hardware_view.memory(found, tools)


def three(found: FleetStudy, asked: FleetAsked, own: Own, places: TiersFound | None) -> None:
    """Times, the curve in dollars, break-even, side by side; below what an hour costs."""
    with components.rule("three"), components.three_across():
        times, dollars, load = (st.container(gap="xsmall") for _ in range(3))
    with times:
        hardware_view.speed(found, asked)
    hour = hardware_money_view.hour(own)
    if places is None or not found.memory.fits:  # what does not run saves nothing and costs nothing
        return
    with dollars:
        made = hardware_money_view.dollars(own, places, hour)
    if made and not studies.is_waiting():  # one job is shown at a time
        with load:
            hardware_money_view.break_even(own, hour)


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("own_hardware_page.title"))
    seen = view.load()
    if seen is None:
        return
    with st.container(gap="medium"):
        with st.container(gap="xsmall"):
            asked = hardware_form.asked()
        if asked is None:
            return
        hardware_strip.remember(asked)
        found = hardware_details.study(seen.workload_id, asked)
        if found is None:
            return
        what_fits(found, asked)
        priced_as = seen.report.params.default_model
        own = of_fleet(seen.workload_id, asked, found, priced_as)
        places = hardware_money_view.places(own)
        three(found, asked, own, places)
        hardware_view.speed_notes(found, asked)
        hardware_fleets.pools(found, asked)
        hardware_details.sections(seen.workload_id, found, asked, places)


page()
