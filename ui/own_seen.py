"""What this browser session looked at on Own hardware and Less KV, for its reports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from econ.fleet_setup import FleetAsked
from econ.report import CostReport
from econ.report_own import OwnPart, with_own
from jobs import own_gather
from jobs.less_kv import LessKvAsked
from jobs.own_report import OwnChoice
from messages.errors import KvledgerError
from ui import state

_SEEN = "_own_seen"


def fleet(asked: FleetAsked) -> None:
    """This fleet was looked at; what was chosen of another one is forgotten."""
    seen = _seen()
    if seen.fleet != asked:
        st.session_state[_SEEN] = OwnChoice(fleet=asked, less=seen.less)


def less(asked: LessKvAsked) -> None:
    """This question about less KV was looked at."""
    st.session_state[_SEEN] = replace(_seen(), less=asked)


def remember(**values: Any) -> None:
    """Choices beside the fleet: fields of `OwnChoice`."""
    st.session_state[_SEEN] = replace(_seen(), **values)


def choice(priced_as: str) -> OwnChoice | None:
    """What was looked at in the browser session; None where neither page was."""
    seen = _seen()
    if seen.fleet is None and seen.less is None:
        return None
    return replace(seen, priced_as=priced_as, at=state.params().at)


def in_report(workload_id: str, report: CostReport) -> CostReport:
    """The report with what was looked at; as it is where nothing was."""
    return with_own(report, part(workload_id, report.params.default_model))


def part(workload_id: str, priced_as: str) -> OwnPart | None:
    """What was looked at, of this workload; None where nothing was. `priced_as`: the API model
    that a hit is compared with."""
    asked = choice(priced_as)
    if asked is None:
        return None
    try:
        return own_gather.of_page(workload_id, asked, state.owner())
    except KvledgerError:  # the page itself says what is wrong with what was typed there
        return None


def _seen() -> OwnChoice:
    found: OwnChoice = st.session_state.get(_SEEN) or OwnChoice()
    return found
