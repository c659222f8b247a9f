"""What the Chain page asks for: model, device, lifetime, and the share assumed for training."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from econ.kv_residence import LIFETIMES_S
from jobs.less_kv import DEFAULT_DEVICE, DEFAULT_MODEL, LessKvAsked
from jobs.model_sizes import hardware
from ui import controls, less_kv_controls
from ui.numerals import percent, seconds
from ui.words import t

TRAINING = ("50", "0", "25", "75")
"""Per cent of all HBM hours; the first is assumed until the reader says otherwise."""
WIDE_PX = 260


def asked() -> tuple[LessKvAsked, Fraction]:
    """The controls, each in the URL under the name that Less KV uses."""
    known = hardware()
    models = {name: model.name for name, model in known.models.items()}
    devices = {name: device.name for name, device in known.devices.items()}
    with st.container(horizontal=True, gap="large", key="controls_chain"):
        model = less_kv_controls.one("less_kv_model", models, DEFAULT_MODEL, WIDE_PX)
        device = less_kv_controls.one("less_kv_device", devices, DEFAULT_DEVICE, WIDE_PX)
        lifetime = controls.choice(
            t("less_kv.control.less_kv_lifetime"), [str(s) for s in LIFETIMES_S],
            "less_kv_lifetime", lambda text: seconds(int(text)),
        )  # fmt: skip
        training = controls.choice(t("chain.training"), TRAINING, "chain_training",
                                   lambda text: percent(int(text) / 100, 0))  # fmt: skip
    question = LessKvAsked(model=model, device=device, lifetime_s=int(lifetime))
    return question, Fraction(int(training), 100)
