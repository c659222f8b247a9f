"""What the Less KV page asks for: model, device, formats of keys and of values, residence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from econ.fleet_memory import QUANTISED
from econ.kv_formats import ELEMENTS, kv_format
from econ.kv_residence import LIFETIMES_S, Residence
from jobs import fleet_flows
from jobs.fleet_flows import EXAMPLE_FLEET
from jobs.less_kv import CHECKPOINT, DEFAULT_FORMAT, LessKvAsked, queue_of
from messages.errors import KvledgerError
from ui import byte_words, controls, hardware_strip, refused, scenario, scenario_form, state
from ui.byte_words import Unit
from ui.numerals import foreign, seconds
from ui.typed import keep
from ui.words import t

RESIDENCES: tuple[Residence, ...] = ("lifetime", "session", "answer")
PARTS = ("less_kv_keys", "less_kv_values")
SHOWN_FORMATS = ("fp8", "bf16", "int8", "q8_0", "q4_0", "int4", "int4-channel")
WIDE_PX, NARROW_PX = 240, 150


def asked(workload_id: str) -> tuple[LessKvAsked, Unit] | None:
    """The controls, in the URL each; nonsense in it counts as not said. The unit of bytes, too.
    None while a device that is typed in lacks figures, which is said."""
    with st.container(horizontal=True, gap="small", key="controls_less_kv"):
        place = scenario_form.place()
        keys, values = _keys_and_values()
    scenario.said()
    if place is None:
        return None
    with st.container(horizontal=True, gap="large", key="controls_less_kv_more"):
        queue = _queue(workload_id)
        names: tuple[Residence, ...] = RESIDENCES if queue is None else ("queue", *RESIDENCES)
        residence = names[names.index(_residence(names))]
        lifetime = _choice("less_kv_lifetime", [str(s) for s in LIFETIMES_S], _lifetime_word)
        unit = byte_words.unit()
    question = placed(
        place,
        keys=keys,
        values=values,
        residence=residence,
        lifetime_s=int(lifetime),
        queue_s=queue if residence == "queue" else None,
    )
    return question, unit


def placed(place: scenario_form.Place, **more: Any) -> LessKvAsked:
    """The question about a place, with further fields of it."""
    weights = place.weights or CHECKPOINT
    return LessKvAsked(
        model=place.model,
        device=place.device,
        weights_dtype=QUANTISED.get(weights, weights),
        tensor_parallel=place.ranks,
        **more,
    )


def format_word(name: str) -> str:
    """A format as people call it; both where keys and values differ."""
    key, slash, value = name.partition("/")
    if slash:
        return t("less_kv.keys_and_values", keys=format_word(key), values=format_word(value))
    return t(f"less_kv.format.{name.replace('-', '_')}")


def _keys_and_values() -> tuple[str, str]:
    """The scenario's cache format, keys and values apart; earlier addresses say both by name."""
    formats = {name: format_word(name) for name in (*SHOWN_FORMATS, *ELEMENTS)}
    known = str(st.query_params.get(scenario.KV) or st.session_state.get(f"_{scenario.KV}") or "")
    try:
        found = kv_format(known or DEFAULT_FORMAT)
    except KvledgerError:
        found = kv_format(DEFAULT_FORMAT)
        refused.value(scenario.KV, DEFAULT_FORMAT)
    current = dict(zip(PARTS, scenario.parted(found, {n: ELEMENTS[n] for n in formats}),
                       strict=True))  # fmt: skip
    for name in PARTS:
        refused.one_of(name, list(formats), formats[current[name]])
        said = st.query_params.pop(name, None)
        current[name] = said if said in formats else current[name]
    _keep_format(current)

    def chosen() -> None:
        _keep_format({name: st.session_state[f"{name}_widget"] for name in PARTS})

    for name in PARTS:
        st.session_state[f"{name}_widget"] = current[name]
        st.selectbox(
            t(f"less_kv.control.{name}"),
            list(formats),
            format_func=formats.__getitem__,
            key=f"{name}_widget",
            on_change=chosen,
            width=NARROW_PX,
        )
    return current[PARTS[0]], current[PARTS[1]]


def _keep_format(parts: Mapping[str, str]) -> None:
    name = scenario.joined(*(parts[part] for part in PARTS))
    keep(scenario.KV, None if name == EXAMPLE_FLEET.kv_dtype else name)


def _residence(names: Sequence[str]) -> str:
    return _choice("less_kv_residence", names, lambda name: t(f"less_kv.residence.{name}"))


def _queue(workload_id: str) -> tuple[float, float] | None:
    """The queue of the fleet that was looked at last, where it has been made for this workload."""
    fleet = st.session_state.get(hardware_strip.LAST) or fleet_flows.EXAMPLE_FLEET
    try:
        return queue_of(workload_id, fleet, state.owner())
    except KvledgerError:  # Own hardware says what is wrong with what was typed there
        return None


def _lifetime_word(name: str) -> str:
    return seconds(float(name))


def _choice(name: str, options: Sequence[str], words: Callable[[str], str]) -> str:
    return controls.choice(t(f"less_kv.control.{name}"), options, name, words)


def one(name: str, options: Mapping[str, str], default: str, width: int = WIDE_PX) -> str:
    """One of many, by a list that can be typed into; the default leaves the URL."""
    said = st.query_params.get(name) or st.session_state.get(f"_{name}")
    current = str(said) if said in options else default
    refused.one_of(name, list(options), options[current])
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
