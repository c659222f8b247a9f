"""Which speed the fleet is served with: the fit, the data sheet, or the reader's own runs."""

from __future__ import annotations

from typing import Any

import streamlit as st

from econ.measured_device import is_measured
from econ.own_runs import OwnRun, runs_of
from jobs import accuracy, fleet_flows
from ui import accuracy_own, components, controls, doors, hardware_device
from ui.components import mark
from ui.numerals import md
from ui.words import t

KINDS = ("published", "datasheet", "measured")
MOST_REQUESTS = 100_000


def p(name: str, n: int | None = None, /, **values: object) -> str:
    """Words of this page."""
    return t(f"own_hardware_page.{name}", n, **values)  # type: ignore[arg-type]


def asked(model: str, device: str) -> dict[str, Any]:
    """`speed` and `runs` of the question, from a popover. Of a device that was measured there is
    nothing to choose: its limits are not mixed with what others measured."""
    with st.popover(p("hw_speed"), icon=":material/speed:", key="hw_speed_from"):
        if is_measured(device):
            components.note(hardware_device.about(device))
            return {"speed": "measured"}
        kind = controls.choice(p("hw_speed"), KINDS, "hw_speed", mark)
        if kind != "measured":
            components.note(p(f"speed_{kind}"))
            return {"speed": kind}
        return {"speed": "published", "runs": _runs(model)}


def _runs(model: str) -> tuple[OwnRun, ...]:
    """The runs of the file at hand; none, and why, where they cannot be used."""
    components.note(p("speed_measured"))
    accuracy_own.bring_results()
    points = accuracy_own.own_points()
    if not points:
        components.note(p("runs_none"))
        return ()
    named = accuracy.guessed_model(points)
    if named is not None and named != model:
        st.warning(p("runs_other_model", found=md(fleet_flows.name_of(named))))
        return ()
    requests = None
    if any(point.concurrency is None for point in points):
        requests = st.number_input(
            t("accuracy_page.requests"), min_value=1, max_value=MOST_REQUESTS, value=1,
            key="hw_runs_requests",
        )  # fmt: skip
    runs = runs_of(accuracy.with_concurrency(points, requests))
    components.note(p("runs_used", len(runs)) if runs else p("runs_unusable"))
    st.page_link(doors.path_of("accuracy"), label=p("runs_beside"), icon=":material/arrow_forward:")
    return runs
