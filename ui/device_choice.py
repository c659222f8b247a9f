"""Which device a page computes with: one of the tables, with the reader's own figures in place."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import streamlit as st

from econ.own_device import OWN, own_device
from econ.size_study import Place
from jobs import devices, model_sizes
from jobs.fleet_flows import EXAMPLE_FLEET
from price_tables.hardware import DeviceSpec, ModelSpec
from ui import hardware_device, scenario, scenario_form
from ui.byte_words import Unit, both, size
from ui.numerals import foreign, md
from ui.spoken import spoken
from ui.typed import number
from ui.words import t

URL_MEMORY, URL_FRACTION, URL_WEIGHTS = "kv_memory_gb", "kv_fraction", "kv_weights_gb"
DEFAULT_OWN_GB = Decimal(80)
DEFAULT_FRACTION = Decimal("0.9")
MOST_GB = 1_000_000
GB = 1_000_000_000


def asked(model: ModelSpec) -> tuple[DeviceSpec, Place]:
    """The scenario's device, weights (of `model`) and devices a replica; behind them the reader's
    own figures. `own` needs no table."""
    chosen = scenario_form.pick(scenario.DEVICE, hardware_device.ids(), EXAMPLE_FLEET.device)
    usual = EXAMPLE_FLEET.quantization or scenario_form.WEIGHTS[0]
    quantised = scenario_form.pick(scenario.WEIGHTS, scenario_form.WEIGHTS, usual)
    ranks = scenario_form.devices_a_replica()
    base = None if chosen == OWN else devices.device_of(chosen)
    with st.popover(t("model_size.own_figures"), icon=":material/tune:", key="kv_own_figures"):
        typed = number(
            URL_MEMORY, DEFAULT_OWN_GB if base is None else None, label=t("model_size.memory_gb"),
            low=0.0, high=float(MOST_GB), step=1.0, form="%.2f",
        )  # fmt: skip
        fraction = number(
            URL_FRACTION, DEFAULT_FRACTION, label=t("model_size.fraction"), low=0.01, high=1.0,
            step=0.05, form="%.2f",
        )  # fmt: skip
        weights = number(
            URL_WEIGHTS, None, label=t("model_size.weights_gb"), low=0.0, high=float(MOST_GB),
            step=1.0, form="%.2f",
        )  # fmt: skip
    device = own_device(base, name=t("model_size.device_own") if base is None else "",
                        memory_bytes=None if typed is None else int(typed * GB))  # fmt: skip
    return device, Place(
        device_bytes=device.memory_bytes,
        fraction=Fraction(fraction or DEFAULT_FRACTION),
        tensor_parallel=ranks,
        weights_bytes=None if weights is None else int(weights * GB),
        quantization=None if quantised == scenario_form.WEIGHTS[0] else quantised,
        quantised=model.id,
    )


def said(of: DeviceSpec, unit: Unit) -> str:
    """Where the device's bytes come from: the label's GB, what a program finds, or the reader."""
    known = model_sizes.hardware().devices.get(of.id)
    values = {"name": foreign(of.name), "label": f"{of.label_gb.normalize():f}",
              "bytes": both(of.memory_bytes), "size": size(of.memory_bytes, unit)}  # fmt: skip
    if known is None or known.memory_bytes != of.memory_bytes:
        return t("model_size.device_typed", **values)
    if of.usable_bytes is None:
        return t("model_size.device_label", **values)
    return t("model_size.device_usable", **values)


def source(of: DeviceSpec) -> tuple[str, str]:
    """(mark, line) for 'How it is computed'."""
    line = (
        f"{of.name}: {spoken(of.source)}, {of.as_of}" if of.source else t("model_size.typed_here")
    )
    if of.status != "sold":
        line += f", {t(f'model_size.status_{of.status}')}"
    return ("datasheet", md(line))
