"""The controls of the one scenario, as every page about one's own GPUs shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import streamlit as st

from econ.fleet_memory import QUANTISED
from econ.kv_formats import FORMATS, kv_format
from jobs import fleet_flows
from jobs.fleet_flows import EXAMPLE_FLEET
from messages.errors import KvledgerError
from ui import hardware_device, hardware_model, refused, scenario, typed
from ui.typed import keep
from ui.words import t

NONE = "-"
NARROW = {"hw_weights": 150, "hw_kv": 120}
KV_TYPES = ("auto", *FORMATS)
WEIGHTS = ("checkpoint", *QUANTISED, "bf16")
MOST_RANKS = 64.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What every page about one's own GPUs asks: model and device as jobs find them, the weights
    (None: as the checkpoint has them), devices a replica."""

    model: str
    device: str
    weights: str | None
    ranks: int


def place() -> Place | None:
    """The controls of `Place`; None while a device that is typed in lacks figures, which is
    said."""
    scenario.adopt()
    chosen = pick("hw_model", model_names(), EXAMPLE_FLEET.model)
    device = pick("hw_device", hardware_device.ids(), EXAMPLE_FLEET.device)
    weights = pick("hw_weights", WEIGHTS, EXAMPLE_FLEET.quantization or WEIGHTS[0])
    ranks = devices_a_replica()
    found = hardware_device.resolved(device)
    if found is None:
        return None
    return Place(model=hardware_model.resolved(chosen), device=found, ranks=ranks,
                 weights=None if weights == WEIGHTS[0] else weights)  # fmt: skip


def devices_a_replica() -> int:
    """Over how many devices a replica is spread."""
    found = typed.number(
        scenario.RANKS, Decimal(EXAMPLE_FLEET.tensor_parallel),
        label=t("own_hardware_page.hw_tp"), low=1.0, high=MOST_RANKS, step=1.0, form="%.0f",
    )  # fmt: skip
    return max(int(found or 1), 1)


def model_names() -> tuple[str, ...]:
    """Every model to choose from, the reader's own first."""
    return (*hardware_model.names(), *fleet_flows.model_ids())


def kv_types() -> tuple[str, ...]:
    """The cache formats to choose from, with the one that was said where keys and values differ:
    'q8_0/q4_0'."""
    said = str(st.query_params.get("hw_kv") or st.session_state.get("_hw_kv") or "")
    try:
        name = kv_format(said).name if "/" in said else KV_TYPES[0]
    except KvledgerError:
        return KV_TYPES
    return tuple(dict.fromkeys((*KV_TYPES, name)))


def pick(name: str, options: Sequence[str], default: str) -> str:
    """One of many names; the URL parameter `name` holds it. What this page cannot show stays with
    the session, for a page that can."""
    said = st.query_params.get(name) or st.session_state.get(f"_{name}")
    current = str(said) if said in options else default
    words = _words_of(name)
    if current == said:
        keep(name, None if current == default else current)
    else:
        refused.one_of(name, options, words(current))
        st.query_params.pop(name, None)
    st.session_state[name] = current
    spoken = {option: words(option) for option in options}
    st.selectbox(
        t(f"own_hardware_page.{name}"),
        list(options),
        format_func=spoken.__getitem__,
        key=name,
        on_change=_picked,
        args=(name, default),
        width=NARROW.get(name, typed.WIDTH_PX),
    )
    return current


def _words_of(name: str) -> Callable[[str], str]:
    if name in ("hw_model", "hw_device", "hw_second"):
        own = hardware_model.names()
        return lambda value: t("own_hardware_page.nowhere") if value == NONE else (
            own.get(value) or hardware_device.words(value)
        )  # fmt: skip
    return lambda value: t("own_hardware_page.as_checkpoint") if value == WEIGHTS[0] else value


def _picked(name: str, default: str) -> None:
    value = st.session_state[name]
    keep(name, None if value == default else value)
