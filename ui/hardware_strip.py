"""Own hardware's one line on the Overview: what the fleet that was looked at last would make of
this workload, where that has been worked out."""

from __future__ import annotations

import streamlit as st

from econ.fleet_setup import FleetAsked
from jobs import fleet_flows
from messages.errors import KvledgerError
from ui import components, hardware_view, own_seen, state
from ui.numerals import count, md, percent, usd
from ui.time_lines import duration
from ui.words import t

LAST = "_hw_asked"


def remember(asked: FleetAsked) -> None:
    """The fleet that this browser session looked at."""
    st.session_state[LAST] = asked
    own_seen.fleet(asked)


def on_own_hardware(workload_id: str) -> None:
    """'On your own hardware: …', or that nobody has looked yet."""
    asked = st.session_state.get(LAST) or fleet_flows.EXAMPLE_FLEET
    try:
        found = fleet_flows.fleet_study(workload_id, asked, state.owner())
    except KvledgerError:  # the page itself says what is wrong with what was typed there
        found = None
    value = t("own_hardware_page.strip_none")
    if found is not None and found.results:
        first = found.results[0]
        ttft, tpot = first.ttft.at(asked.percentile), first.tpot.at(asked.percentile)
        load = "-" if first.utilisation is None else percent(first.utilisation, 0)
        values = {"machine": md(hardware_view.machine(asked)), "load": load,
                  "sequences": count(found.sequences[0] or 0)}  # fmt: skip
        if ttft is None or tpot is None:
            value = t("own_hardware_page.strip_full", **values)
        else:
            value = t("own_hardware_page.strip_value", percentile=asked.percentile,
                      ttft=duration(ttft), tpot=duration(tpot), **values)  # fmt: skip
        if found.cost is not None:
            money = {
                "usd": md(usd(found.cost.usd)),
                "hours": f"{found.cost.reserved_gpu_hours:,.1f}",
            }
            value = f"{value} {t('own_hardware_page.strip_cost', **money)}"
    with components.rule("own_hardware"):
        st.markdown(f":small[:gray[{t('own_hardware_page.strip')}]]  \n:small[{value}]")
