"""The device of one's own hardware: one of the tables, one that was measured, or one typed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import streamlit as st

from econ.fleet_steps import SourceKind
from econ.measured_device import is_measured
from econ.own_device import OWN, RATES, TYPED, own_device
from jobs import devices, fleet_flows
from messages.errors import KvledgerError
from price_tables.hardware import DeviceSpec, MeasuredLimits
from ui import components, typed
from ui.components import mark
from ui.hardware_charts import TimeMark
from ui.numerals import foreign, md
from ui.typed import keep
from ui.words import t

NAME, LONGEST = "hw_own_name", devices.LONGEST_NAME
NEEDED = ("hw_own_gb", "hw_own_tb_per_s")
TERA = 10**12


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that is typed: its URL name, units in one, the most, how it is written."""

    name: str
    unit: int
    most: float
    form: str = "%.2f"


FIGURES = (
    Figure("hw_own_gb", 10**9, 10_000),
    Figure("hw_own_tb_per_s", TERA, 1_000, "%.3f"),
    *(Figure(f"hw_own_{kind}", TERA, 10**7, "%.1f") for kind in RATES),
    Figure("hw_own_w", 1, 100_000, "%.0f"),
)


def p(name: str, /, **values: object) -> str:
    """Words of this page."""
    return t(f"own_hardware_page.{name}", **values)  # type: ignore[arg-type]


def ids() -> tuple[str, ...]:
    """Every device to choose from; the last is typed in."""
    return (*fleet_flows.device_ids(), OWN)


def words(identity: str) -> str:
    """A device as the list calls it; a measured one says that it was measured, and where."""
    if identity == OWN:
        return p("device_own")
    name = foreign(fleet_flows.name_of(identity))
    found = measured(identity)
    return name if found is None else p(f"device_{found.origin}", name=name)


def measured(identity: str) -> MeasuredLimits | None:
    """What was measured on the device; None for any other."""
    if not is_measured(identity):
        return None
    try:
        return devices.device_of(identity).measured
    except KvledgerError:
        return None


def resolved(chosen: str) -> str | None:
    """The name under which jobs find the device. None while a typed one lacks what it needs, which
    is said."""
    if chosen != OWN:
        return chosen
    made = _typed(_figures(ask=False))
    if made is None:
        st.info(p("device_own_needs"), icon=":material/memory:")
        return None
    return devices.keep(made)


def figures() -> None:
    """Asks for a typed device: name, memory, bandwidth, rates by type, power, price of an hour."""
    components.note(p("device_own_why"))
    said = st.query_params.get(NAME) or st.session_state.get(f"_{NAME}") or ""
    keep(NAME, said[:LONGEST] or None)
    st.session_state[NAME] = said[:LONGEST]
    st.text_input(
        p(NAME), key=NAME, max_chars=LONGEST, placeholder=p("device_own"),
        on_change=lambda: keep(NAME, st.session_state[NAME].strip() or None),
    )  # fmt: skip
    _figures(ask=True)


def _figures(*, ask: bool) -> Mapping[str, Decimal]:
    found: dict[str, Decimal] = {}
    for one in FIGURES:
        value = (
            typed.number(one.name, None, label=p(one.name), low=0.0, high=float(one.most),
                         step=1.0, form=one.form)
            if ask else typed.asked(one.name, Decimal(str(one.most)))
        )  # fmt: skip
        if value is not None:
            found[one.name] = value * one.unit
    return found


def _typed(found: Mapping[str, Decimal]) -> DeviceSpec | None:
    rates = {kind: int(found[name]) for kind in RATES if (name := f"hw_own_{kind}") in found}
    if not rates or any(name not in found for name in NEEDED):
        return None
    price = typed.asked("hw_usd_hour", Decimal(10_000))
    said = str(st.query_params.get(NAME) or st.session_state.get(f"_{NAME}") or "").strip()
    power = found.get("hw_own_w")
    return own_device(
        None, name=said[:LONGEST] or p("device_own"), memory_bytes=int(found["hw_own_gb"]),
        bandwidth_bytes_per_s=int(found["hw_own_tb_per_s"]), dense_ops_per_s=rates,
        tdp_w=None if power is None else int(power), usd_per_hour=price,
    )  # fmt: skip


def time_mark(identity: str, source_kind: SourceKind) -> TimeMark:
    """The mark of a time on that device: limits measured on another machine, and those typed in,
    are told from this machine's and from a maker's."""
    found = measured(identity)
    if source_kind == "measured" and found is not None and found.origin != "measured":
        return "elsewhere"
    typed_in = source_kind == "datasheet" and identity.startswith(f"{TYPED}:")
    return "typed" if typed_in else source_kind


def about(identity: str) -> str:
    """What a measured device's times rest on; '' for any other."""
    found = measured(identity)
    if found is None:
        return ""
    device = devices.device_of(identity)
    rates = ", ".join(
        f"{kind} {rate / TERA:,.2f} TFLOP/s" for kind, rate in device.dense_ops_per_s.items()
    )
    rows = sum(one.n for one in (found.tpot, found.ttft) if one is not None)
    return p(
        "measured_limits", mark=mark(time_mark(identity, "measured")), device=md(device.name),
        origin=t(f"fleet.origin_{found.origin}"), date=found.day, model=md(found.model),
        rate=f"{(device.bandwidth_bytes_per_s or 0) / 1e9:,.1f} GB/s", rates=rates, n=rows,
    )  # fmt: skip
