"""What the Chain page asks for: model, device, lifetime, and the share assumed for training."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from econ.kv_residence import LIFETIMES_S
from jobs.fleet_flows import EXAMPLE_FLEET
from jobs.less_kv import LessKvAsked
from jobs.less_kv_parts import AS_IS
from ui import controls, less_kv_controls, scenario, scenario_form
from ui.numerals import percent, seconds
from ui.words import t

TRAINING = ("50", "0", "25", "75")
"""Per cent of all HBM hours; the first is assumed until the reader says otherwise."""


def asked() -> tuple[LessKvAsked, Fraction] | None:
    """The controls, each in the URL under the name that Less KV uses; None while a device that is
    typed in lacks figures, which is said."""
    with st.container(horizontal=True, gap="small", key="controls_chain"):
        place = scenario_form.place()
        kv = scenario_form.pick(scenario.KV, scenario_form.kv_types(), EXAMPLE_FLEET.kv_dtype)
    scenario.said()
    if place is None:
        return None
    with st.container(horizontal=True, gap="large", key="controls_chain_more"):
        lifetime = controls.choice(
            t("less_kv.control.less_kv_lifetime"), [str(s) for s in LIFETIMES_S],
            "less_kv_lifetime", lambda text: seconds(int(text)),
        )  # fmt: skip
        training = controls.choice(t("chain.training"), TRAINING, "chain_training",
                                   lambda text: percent(int(text) / 100, 0))  # fmt: skip
    keys, _, values = (AS_IS if kv == scenario_form.KV_TYPES[0] else kv).partition("/")
    question = less_kv_controls.placed(place, lifetime_s=int(lifetime), keys=keys,
                                       values=values or keys)  # fmt: skip
    return question, Fraction(int(training), 100)
