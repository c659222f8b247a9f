"""The study of Own hardware, and what stands behind its decisions: each section folded away, and
made only when it is unfolded."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from jobs import fleet_flows
from jobs.tiering import TiersFound
from ui import hardware_curve, hardware_fleets, money_rent, money_tiers, state, studies
from ui.words import t

BESIDE_SLOT = "_fleets_beside_job"


def study(workload_id: str, asked: FleetAsked) -> FleetStudy | None:
    """The chosen fleet; None while a job makes it, which is shown."""
    owner = state.owner()
    return studies.made(
        (workload_id, asked),
        lambda: fleet_flows.fleet_now(workload_id, asked, owner),
        lambda: fleet_flows.start_fleet(workload_id, asked, owner),
    )


def sections(
    workload_id: str, found: FleetStudy, asked: FleetAsked, places: TiersFound | None
) -> None:
    """What there is to unfold; nothing empty."""
    with st.container(gap="small"):
        if found.results:
            folded("more_fleets", lambda: _beside(workload_id, asked))
        if found.cost is not None:
            folded("more_cost", lambda: hardware_fleets.money(found))
        if hardware_curve.has_curve(workload_id, found) and not studies.is_waiting():
            each = fleet_flows.kv_bytes_per_token(asked)
            folded("more_curve", lambda: hardware_curve.hit_curve(workload_id, found, each))
        if places is not None:
            folded("more_tiers", lambda: money_tiers.section(places))
            folded("more_rent", lambda: money_rent.section(places))


def folded(name: str, show: Callable[[], object]) -> None:
    """A section that costs nothing while it is closed; the URL says whether it is open."""
    box = st.expander(
        t(f"own_hardware_page.{name}"), key=name, on_change="rerun", bind="query-params"
    )
    if box.open:
        with box:
            show()


def _beside(workload_id: str, asked: FleetAsked) -> None:
    """Other numbers of replicas beside the chosen one."""
    question, owner = fleet_flows.beside(asked), state.owner()
    found = studies.made(
        (workload_id, question),
        lambda: fleet_flows.fleet_now(workload_id, question, owner),
        lambda: fleet_flows.start_fleet(workload_id, question, owner),
        BESIDE_SLOT,
    )
    if found is not None:
        hardware_fleets.fleets(found, asked)
