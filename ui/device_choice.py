"""Which device a page computes with: one of the tables, with the reader's own figures in place."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import streamlit as st

from econ.own_device import OWN, own_device
from econ.size_study import Place
from jobs import model_sizes
from price_tables.hardware import DeviceSpec
from ui import controls
from ui.byte_words import Unit, both, size
from ui.numerals import foreign, md
from ui.spoken import spoken
from ui.typed import keep, number
from ui.words import t

URL_DEVICE = "kv_device"
URL_MEMORY, URL_FRACTION, URL_WEIGHTS = "kv_memory_gb", "kv_fraction", "kv_weights_gb"
DEFAULT_DEVICE, DEFAULT_OWN_GB = "b300-sxm", Decimal(80)
DEFAULT_FRACTION = Decimal("0.9")
MOST_GB = 1_000_000
GB = 1_000_000_000
RANKS = ("1", "2", "4", "8")


def device() -> DeviceSpec:
    """The chosen device; `own` needs no table."""
    devices = model_sizes.hardware().devices
    said = st.query_params.get(URL_DEVICE) or st.session_state.get(f"_{URL_DEVICE}")
    current = said if said in devices or said == OWN else DEFAULT_DEVICE
    keep(URL_DEVICE, None if current == DEFAULT_DEVICE else current)
    names = {key: device.name for key, device in devices.items()}
    names[OWN] = t("model_size.device_own")
    st.session_state["kv_device_widget"] = current
    st.selectbox(
        t("model_size.device"),
        list(names),
        format_func=names.__getitem__,
        key="kv_device_widget",
        on_change=lambda: keep(URL_DEVICE, st.session_state["kv_device_widget"]),
        width=280,
    )
    base = None if current == OWN else devices[str(current)]
    typed = number(
        URL_MEMORY, DEFAULT_OWN_GB if base is None else None, label=t("model_size.memory_gb"),
        low=0.0, high=float(MOST_GB), step=1.0, form="%.2f",
    )  # fmt: skip
    memory = None if typed is None else int(typed * GB)
    return own_device(base, name=t("model_size.device_own") if base is None else "",
                      memory_bytes=memory)  # fmt: skip


def place(of: DeviceSpec) -> Place:
    """How much of the device the engine takes, over how many it is split, and its weights."""
    fraction = number(
        URL_FRACTION, DEFAULT_FRACTION, label=t("model_size.fraction"), low=0.01, high=1.0,
        step=0.05, form="%.2f",
    )  # fmt: skip
    ranks = controls.choice(t("model_size.ranks"), RANKS, "kv_tp", str)
    weights = number(
        URL_WEIGHTS, None, label=t("model_size.weights_gb"), low=0.0, high=float(MOST_GB),
        step=1.0, form="%.2f",
    )  # fmt: skip
    return Place(
        device_bytes=of.memory_bytes,
        fraction=Fraction(fraction or DEFAULT_FRACTION),
        tensor_parallel=int(ranks),
        weights_bytes=None if weights is None else int(weights * GB),
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
