"""What is asked of one's own hardware: controls whose values live in the URL, and pasted lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import streamlit as st

from econ.engine_line import read_log_line, read_serve_line
from econ.fleet_memory import DEFAULT_FRACTION
from econ.fleet_names import MOST_REPLICAS, PERCENTILES, ROUTINGS, Routing
from econ.fleet_setup import FleetAsked
from econ.own_device import OWN
from jobs import fleet_flows
from jobs.fleet_flows import EXAMPLE_FLEET
from messages.errors import KvledgerError
from ui import (
    controls,
    failures,
    hardware_device,
    hardware_model,
    hardware_runs,
    scenario,
    typed,
)
from ui.scenario_form import NONE, WEIGHTS, kv_types, pick
from ui.typed import keep
from ui.words import t

COUNTS: Mapping[str, tuple[int | None, int]] = {
    "hw_tp": (EXAMPLE_FLEET.tensor_parallel, 64),
    "hw_copies": (EXAMPLE_FLEET.attention_copies, 64),
    "hw_replicas": (EXAMPLE_FLEET.replicas[0], MOST_REPLICAS),
    "hw_block": (EXAMPLE_FLEET.block_tokens, 512),
    "hw_seqs": (EXAMPLE_FLEET.max_sequences, 2_048),
    "hw_budget": (EXAMPLE_FLEET.budget_tokens, 262_144),
    "hw_longest": (None, 100_000_000),
    "hw_overhead": (None, 10**12),
    "hw_weights_bytes": (None, 10**14),
    "hw_prefill_replicas": (1, MOST_REPLICAS),
    "hw_log_blocks": (None, 10**12),
}
"""Whole numbers in the URL: default and most."""
FROM_LINE = {
    "tensor_parallel": "hw_tp", "attention_copies": "hw_copies", "replicas": "hw_replicas",
    "fraction": "hw_fraction",
    "max_model_len": "hw_longest", "block_tokens": "hw_block", "max_sequences": "hw_seqs",
    "budget_tokens": "hw_budget",
}  # fmt: skip
REASONABLE = {"low": 1.0, "step": 1.0, "form": "%.0f"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A figure of the device that can be typed over: its URL name, the field, units in one."""

    name: str
    field: str
    unit: int
    most: float


OVERRIDES = (
    Override(name="hw_memory_gb", field="device_bytes", unit=10**9, most=10_000),
    Override(name="hw_tb_per_s", field="bandwidth_bytes_per_s", unit=10**12, most=1_000),
    Override(name="hw_tflops", field="ops_per_s", unit=10**12, most=10**7),
)


def asked() -> FleetAsked | None:
    """The fleet that the controls describe; None where something typed cannot be, which is said."""
    scenario.adopt()
    with st.container(horizontal=True, gap="small", key="controls_hardware"):
        models = (*hardware_model.names(), *fleet_flows.model_ids())
        chosen = pick("hw_model", models, EXAMPLE_FLEET.model)
        chosen_device = pick("hw_device", hardware_device.ids(), EXAMPLE_FLEET.device)
        weights = pick("hw_weights", WEIGHTS, EXAMPLE_FLEET.quantization or WEIGHTS[0])
        kv_dtype = pick("hw_kv", kv_types(), EXAMPLE_FLEET.kv_dtype)
        _count("hw_tp", EXAMPLE_FLEET.tensor_parallel)
        _count("hw_replicas", 1)
        model = hardware_model.resolved(chosen)
    with st.container(horizontal=True, gap="small", key="controls_hardware_more"):
        with st.popover(t("own_hardware_page.promise"), icon=":material/timer:", key="hw_promise"):
            promise, percentile, routing = _promise()
        with st.popover(t("own_hardware_page.engine"), icon=":material/tune:", key="hw_engine"):
            engine = _engine()
        speed = hardware_runs.asked(model, chosen_device)
        with st.popover(t("own_hardware_page.device"), icon=":material/memory:", key="hw_over"):
            over = _overrides(chosen_device)
        with st.popover(t("own_hardware_page.pools"), icon=":material/call_split:", key="hw_pools"):
            second, link = _pools()
        with st.popover(t("own_hardware_page.paste"), icon=":material/content_paste:",
                        key="hw_paste"):  # fmt: skip
            _paste()
        hardware_model.bring()
    device = hardware_device.resolved(chosen_device)
    if device is None:
        return None
    replicas = _known("hw_replicas") or 1
    return _built(
        model=model, device=device, tensor_parallel=_known("hw_tp") or 1,
        quantization=None if weights == WEIGHTS[0] else weights, kv_dtype=kv_dtype,
        replicas=(replicas,),
        routings=(routing, *(r for r in ROUTINGS if r != routing)), percentile=percentile,
        prefill_device=second, prefill_replicas=_known("hw_prefill_replicas") or 1,
        link_bytes_per_s=link, **promise, **engine, **over, **speed,
    )  # fmt: skip


def _built(**values: object) -> FleetAsked | None:
    made = FleetAsked(**values)  # type: ignore[arg-type]
    try:
        fleet_flows.checked_setup(made)
    except KvledgerError as error:
        failures.show(error)
        return None
    return made


def _known(name: str) -> int | None:
    default, most = COUNTS[name]
    found = typed.asked(name, Decimal(most))
    return default if found is None else max(int(found), 1)


def _count(name: str, default: int | None) -> int | None:
    found = typed.number(
        name, None if default is None else Decimal(default), label=t(f"own_hardware_page.{name}"),
        high=float(COUNTS[name][1]), **REASONABLE,  # type: ignore[arg-type]
    )  # fmt: skip
    return None if found is None else max(int(found), 1)


def _promise() -> tuple[dict[str, float | None], int, Routing]:
    found = {}
    for name, default in (("ttft_s", EXAMPLE_FLEET.ttft_s), ("tpot_s", EXAMPLE_FLEET.tpot_s)):
        value = typed.number(
            f"hw_{name}", Decimal(str(default)), label=t(f"own_hardware_page.hw_{name}"),
            low=0.0, high=3_600.0, step=0.01, form="%.3f",
        )  # fmt: skip
        found[name] = None if value is None else float(value)
    label = t("own_hardware_page.hw_percentile")
    levels = [str(EXAMPLE_FLEET.percentile), *(str(p) for p in PERCENTILES if p != 95)]
    percentile = controls.choice(label, levels, "hw_percentile", lambda p: f"P{p}")
    routing = controls.choice(
        t("own_hardware_page.hw_routing"), ROUTINGS, "hw_routing",
        lambda name: t(f"own_hardware_page.routing_{name}"),
    )  # fmt: skip
    return found, int(percentile), ROUTINGS[ROUTINGS.index(routing)]


def _engine() -> dict[str, object]:
    fraction = typed.number(
        "hw_fraction", Decimal("0.9"), label=t("own_hardware_page.hw_fraction"), low=0.0,
        high=1.0, step=0.01, form="%.2f",
    )  # fmt: skip
    names = {"attention_copies": "hw_copies", "block_tokens": "hw_block",
             "max_sequences": "hw_seqs", "budget_tokens": "hw_budget",
             "max_model_len": "hw_longest", "overhead_bytes": "hw_overhead",
             "weights_bytes": "hw_weights_bytes"}  # fmt: skip
    found: dict[str, object] = {
        field: _count(name, COUNTS[name][0]) for field, name in names.items()
    }
    for field, name in names.items():
        if found[field] is None and COUNTS[name][0] is not None:
            found[field] = COUNTS[name][0]
    caching = controls.choice(
        t("own_hardware_page.hw_prefix"), ("on", "off"), "hw_prefix",
        lambda name: t(f"own_hardware_page.prefix_{name}"),
    )  # fmt: skip
    found["prefix_caching"] = caching == "on"
    found["engine_blocks"] = _known("hw_log_blocks")
    found["fraction"] = DEFAULT_FRACTION if fraction is None else Fraction(fraction)
    return found


def _overrides(device: str) -> dict[str, object]:
    """The device's own figures, each to be typed over; what is left as it is overrides nothing. Of
    a device that no table has, all that is known."""
    found: dict[str, object] = {}
    if device == OWN:
        hardware_device.figures()
    for over in () if device == OWN else OVERRIDES:
        own = fleet_flows.device_figure(device, over.field)
        default = None if own is None else Decimal(own) / over.unit
        value = typed.number(
            over.name, default, label=t(f"own_hardware_page.{over.name}"), low=0.0,
            high=float(over.most), step=1.0, form="%.3f",
        )  # fmt: skip
        if value is not None and value != default:
            found[over.field] = int(value * over.unit)
    price = typed.number(
        "hw_usd_hour", None, label=t("own_hardware_page.hw_usd_hour"), low=0.0, high=10_000.0,
        step=0.1, form="%.3f",
    )  # fmt: skip
    return {**found, "usd_per_gpu_hour": price}


def _pools() -> tuple[str | None, float]:
    st.markdown(t("own_hardware_page.pools_why"))
    chosen = pick("hw_second", (NONE, *fleet_flows.device_ids()), NONE)
    _count("hw_prefill_replicas", 1)
    link = typed.number(
        "hw_link_gb", Decimal(50), label=t("own_hardware_page.hw_link_gb"), low=0.0,
        high=100_000.0, step=1.0, form="%.1f",
    )  # fmt: skip
    return (None if chosen == NONE else chosen), float((link or Decimal(50)) * 10**9)


def _paste() -> None:
    """A `vllm serve` line fills the form; a log's line calibrates the overhead."""
    st.text_area(t("own_hardware_page.serve_line"), key="hw_serve_line", height=120,
                 placeholder=t("own_hardware_page.serve_example"))  # fmt: skip
    st.button(t("own_hardware_page.fill"), key="hw_fill", on_click=_fill)
    st.text_area(t("own_hardware_page.log_line"), key="hw_log_line", height=80,
                 placeholder=t("own_hardware_page.log_example"))  # fmt: skip
    with st.container(horizontal=True, key="controls_calibrate"):
        st.button(t("own_hardware_page.calibrate"), key="hw_calibrate", on_click=_calibrate)
        if _known("hw_log_blocks") is not None:
            st.button(t("own_hardware_page.forget_log"), key="hw_forget", type="tertiary",
                      on_click=keep, args=("hw_log_blocks", None))  # fmt: skip
    refused = st.session_state.pop("_hw_refused", None)
    if refused is not None:
        failures.show_message(refused)


def _fill() -> None:
    try:
        line = read_serve_line(st.session_state.get("hw_serve_line") or "")
        model = None if line.model is None else fleet_flows.known_model(line.model)
    except KvledgerError as error:
        st.session_state["_hw_refused"] = error.message
        return
    if model is not None:
        keep("hw_model", model)
    for field, name in FROM_LINE.items():
        value = getattr(line, field)
        if value is not None:
            keep(name, str(value))
    if line.quantization is not None or line.model is not None:
        keep("hw_weights", line.quantization or WEIGHTS[0])
    if line.kv_dtype is not None or line.model is not None:
        keep("hw_kv", fleet_flows.known_kv(line.kv_dtype or "auto"))
    if line.prefix_caching is not None:
        keep("hw_prefix", "on" if line.prefix_caching else "off")


def _calibrate() -> None:
    try:
        room = read_log_line(st.session_state.get("hw_log_line") or "")
    except KvledgerError as error:
        st.session_state["_hw_refused"] = error.message
        return
    keep("hw_log_blocks", str(room.blocks_of(_known("hw_block") or 16)))
