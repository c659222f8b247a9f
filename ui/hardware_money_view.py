"""The money of one's own hardware, in four sections that a page hangs in: dollars on the curve,
break-even with the APIs, places for keys and values, and what providers' premiums imply."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import streamlit as st

from econ.cache_study import CacheStudy
from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from econ.method import DEFAULT_MODEL
from econ.report_params import ReportParams
from econ.roofline import WEIGHT_BYTES
from jobs import fleet_flows, flows, own_money, tiering
from jobs.tiering import BYTES_A_GB, TiersAsked, TiersFound
from messages.errors import InputError, KvledgerError
from ui import (
    components,
    failures,
    money_dollars,
    money_load,
    money_rent,
    money_tiers,
    state,
    studies,
)
from ui.words import t

CURVE_SLOT, BILLS_SLOT = "_money_curve_job", "_money_bills_job"


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """What the page has chosen and found. `devices`: how many of the device serve the workload;
    `utilisation`: their load, 0..1 and above; `capacity_bytes`: one cache's room for keys and
    values; `ops_per_s`, `bandwidth_bytes_per_s`: the device's, where they were typed in. None: not
    known, then the tables or the reader say. `priced_as`: the API model that a hit is compared
    with.
    """

    workload_id: str
    model: str
    device: str
    dtype: str = "bf16"
    weights_dtype: str | None = None
    devices: int = 1
    utilisation: float | None = None
    capacity_bytes: int | None = None
    usd_per_gpu_hour: Decimal | None = None
    ops_per_s: Decimal | None = None
    bandwidth_bytes_per_s: Decimal | None = None
    priced_as: str = DEFAULT_MODEL


def of_fleet(workload_id: str, asked: FleetAsked, found: FleetStudy, priced_as: str) -> Own:
    """The smallest fleet that meets its target, else the first one, as these sections see it."""
    one = found.smallest or next(iter(found.results), None)
    each = fleet_flows.kv_bytes_per_token(asked)
    known = asked.quantization if asked.quantization in WEIGHT_BYTES else None
    rate, bandwidth = asked.ops_per_s, asked.bandwidth_bytes_per_s
    return Own(
        workload_id=workload_id,
        model=asked.model,
        device=asked.device,
        dtype=asked.kv_dtype,
        weights_dtype=known,
        devices=asked.tensor_parallel * (one.replicas if one else 1),
        utilisation=one.utilisation if one else None,
        capacity_bytes=int(found.memory.tokens * each) or None,
        usd_per_gpu_hour=found.cost.usd_per_gpu_hour if found.cost else asked.usd_per_gpu_hour,
        ops_per_s=None if rate is None else Decimal(rate),
        bandwidth_bytes_per_s=None if bandwidth is None else Decimal(bandwidth),
        priced_as=priced_as,
    )


def decisions(own: Own) -> TiersFound | None:
    """How large a cache pays, and from which load owning is cheaper. What cannot be said of this
    workload is said so in its place. The places for keys and values, which `places` shows."""
    with components.rule("money_hour"):
        device = tiering.device_of(own.device)
        hour = money_load.hour(device, own.devices, own.usd_per_gpu_hour)
    found = _places(own)
    if found is None:
        return None
    with components.two_across():
        with components.rule("money_dollars"):
            made = _dollars(own, found, hour)
        if made and not studies.is_waiting():  # one job is shown at a time
            with components.rule("money_load"):
                _break_even(own, hour)
    return found


def places(found: TiersFound) -> None:
    """Load or compute again, and the rent that premiums imply: each folded away."""
    with st.expander(t("own_hardware_page.more_tiers"), key="more_tiers"):
        money_tiers.section(found)
    with st.expander(t("own_hardware_page.more_rent"), key="more_rent"):
        money_rent.section(found)


def _places(own: Own) -> TiersFound | None:
    asked = TiersAsked(
        model=own.model,
        device=own.device,
        dtype=own.dtype,
        weights_dtype=own.weights_dtype,
        ops_per_s=own.ops_per_s,
        prefix_tokens=money_tiers.prefix_tokens(),
        **money_tiers.overrides(_room(own), own.bandwidth_bytes_per_s),
    )
    try:
        return own_money.tiers_of(own.workload_id, asked, state.owner())
    except KvledgerError as error:
        failures.show(error)
        return None


def _room(own: Own) -> dict[str, Decimal]:
    room = own.capacity_bytes
    return {} if room is None else {"hbm": Decimal(room) / BYTES_A_GB}


def _study(own: Own) -> CacheStudy | None:
    """The curve's study; None while it is made, here or by the page above."""
    asked = flows.StudyParams(rules="engine")
    owner = state.owner()
    found = flows.cache_study(own.workload_id, asked, owner)
    if found is not None or studies.is_waiting():
        return found
    return studies.made(
        (own.workload_id, asked),
        lambda: flows.cache_study(own.workload_id, asked, owner),
        lambda: flows.start_study(own.workload_id, asked, owner),
        CURVE_SLOT,
    )


def _dollars(own: Own, found: TiersFound, hour: Decimal) -> bool:
    """False while a job runs."""
    if not own_money.has_blocks(own.workload_id, state.owner()):
        components.note(t("hardware_money.no_curve"))
        return True
    hours = own_money.hours_of(own.workload_id, state.owner())
    if hours is None:
        components.note(t("hardware_money.no_times"))
        return True
    study = _study(own)
    if study is None:
        components.note(t("hardware_money.being_made"))
        return False
    value = own_money.hit_value(
        own.workload_id, study, found, hour / own.devices, own.priced_as, state.owner()
    )
    here = None if own.capacity_bytes is None else own.capacity_bytes / BYTES_A_GB
    curve = own_money.fine_curve(own.workload_id, study, state.owner())
    money_dollars.section(found, study, curve, value, hours, here, own.priced_as)
    return True


def _break_even(own: Own, hour: Decimal) -> None:
    owner, params = state.owner(), ReportParams(at=state.params().at)
    rate, load = money_load.rate(own.workload_id, own.utilisation, hour)
    try:
        bills = studies.made(
            (own.workload_id, params),
            lambda: own_money.api_bills(own.workload_id, params, owner),
            lambda: own_money.start_bills(own.workload_id, params, owner),
            BILLS_SLOT,
        )
    except InputError as error:
        failures.show(error)
        return
    if bills is not None:
        money_load.section(rate, own_money.own_rows_at(bills, rate), load)
