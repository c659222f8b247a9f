"""What the Less KV page asks for: model, device, formats of keys and of values, residence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from econ.kv_formats import ELEMENTS
from econ.kv_residence import LIFETIMES_S, Residence
from jobs import fleet_flows
from jobs.less_kv import (
    CHECKPOINT,
    DEFAULT_DEVICE,
    DEFAULT_FORMAT,
    DEFAULT_MODEL,
    LessKvAsked,
    queue_of,
)
from jobs.model_sizes import hardware
from messages.errors import KvledgerError
from ui import byte_words, controls, hardware_strip, state
from ui.byte_words import Unit
from ui.numerals import foreign, seconds
from ui.typed import keep
from ui.words import t

RESIDENCES: tuple[Residence, ...] = ("lifetime", "session", "answer")
WEIGHTS = (CHECKPOINT, "bf16", "fp8", "int4")
SHOWN_FORMATS = ("fp8", "bf16", "int8", "q8_0", "q4_0", "int4", "int4-channel")
WIDE_PX, NARROW_PX = 240, 170


def asked(workload_id: str) -> tuple[LessKvAsked, Unit]:
    """The controls, in the URL each; nonsense in it counts as not said. The unit of bytes, too."""
    known = hardware()
    models = {name: model.name for name, model in known.models.items()}
    devices = {name: device.name for name, device in known.devices.items()}
    with st.container(horizontal=True, gap="large", key="controls_less_kv"):
        model = one("less_kv_model", models, DEFAULT_MODEL, WIDE_PX)
        device = one("less_kv_device", devices, DEFAULT_DEVICE, WIDE_PX)
        keys = one("less_kv_keys", _formats(), DEFAULT_FORMAT, NARROW_PX)
        values = one("less_kv_values", _formats(), DEFAULT_FORMAT, NARROW_PX)
    with st.container(horizontal=True, gap="large", key="controls_less_kv_more"):
        weights = _choice("less_kv_weights", WEIGHTS, _weights_word)
        queue = _queue(workload_id)
        names: tuple[Residence, ...] = RESIDENCES if queue is None else ("queue", *RESIDENCES)
        residence = names[names.index(_residence(names))]
        lifetime = _choice("less_kv_lifetime", [str(s) for s in LIFETIMES_S], _lifetime_word)
        unit = byte_words.unit()
    question = LessKvAsked(
        model=model,
        device=device,
        keys=keys,
        values=values,
        weights_dtype=weights,
        residence=residence,
        lifetime_s=int(lifetime),
        queue_s=queue if residence == "queue" else None,
    )
    return question, unit


def format_word(name: str) -> str:
    """A format as people call it; both where keys and values differ."""
    key, slash, value = name.partition("/")
    if slash:
        return t("less_kv.keys_and_values", keys=format_word(key), values=format_word(value))
    return t(f"less_kv.format.{name.replace('-', '_')}")


def _formats() -> Mapping[str, str]:
    return {name: format_word(name) for name in SHOWN_FORMATS if name in ELEMENTS}


def _residence(names: Sequence[str]) -> str:
    return _choice("less_kv_residence", names, lambda name: t(f"less_kv.residence.{name}"))


def _queue(workload_id: str) -> tuple[float, float] | None:
    """The queue of the fleet that was looked at last, where it has been made for this workload."""
    fleet = st.session_state.get(hardware_strip.LAST) or fleet_flows.EXAMPLE_FLEET
    try:
        return queue_of(workload_id, fleet, state.owner())
    except KvledgerError:  # Own hardware says what is wrong with what was typed there
        return None


def _weights_word(name: str) -> str:
    named = {CHECKPOINT: "less_kv.weights_checkpoint", "int4": "less_kv.weights_int4"}
    return t(named[name]) if name in named else format_word(name)


def _lifetime_word(name: str) -> str:
    return seconds(float(name))


def _choice(name: str, options: Sequence[str], words: Callable[[str], str]) -> str:
    return controls.choice(t(f"less_kv.control.{name}"), options, name, words)


def one(name: str, options: Mapping[str, str], default: str, width: int = WIDE_PX) -> str:
    """One of many, by a list that can be typed into; the default leaves the URL."""
    said = st.query_params.get(name) or st.session_state.get(f"_{name}")
    current = str(said) if said in options else default
    keep(name, None if current == default else current)
    widget = f"{name}_widget"
    st.session_state[widget] = current

    def chosen() -> None:
        picked = st.session_state[widget]
        keep(name, None if picked == default else picked)

    st.selectbox(
        t(f"less_kv.control.{name}"),
        list(options),
        format_func=lambda key: foreign(options[key], 60),
        key=widget,
        on_change=chosen,
        width=width,
    )
    return current
