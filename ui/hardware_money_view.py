"""The money of one's own hardware, in four sections that a page hangs in: dollars on the curve,
break-even with the APIs, places for keys and values, and what providers' premiums imply."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from econ.cache_study import CacheStudy
from econ.method import DEFAULT_MODEL
from econ.report_params import ReportParams
from jobs import flows, own_money, tiering
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
    `utilisation`: their load, 0..1 and above; `capacity_bytes`: their room for keys and values.
    None: not known, then the sections ask. `priced_as`: the API model that a hit is compared with.
    """

    workload_id: str
    model: str
    device: str
    dtype: str = "bf16"
    weights_dtype: str | None = None
    devices: int = 1
    utilisation: float | None = None
    capacity_bytes: int | None = None
    priced_as: str = DEFAULT_MODEL


def sections(own: Own) -> None:
    """All four, top to bottom. What cannot be said of this workload is said so in its place."""
    with components.rule("money_hour"):
        hour = money_load.hour(tiering.device_of(own.device), own.devices)
    found = _places(own)
    if found is None:
        return
    study = _study(own) if own_money.has_blocks(own.workload_id, state.owner()) else None
    with components.rule("money_dollars"):
        _dollars(own, found, study, hour)
    with components.rule("money_load"):
        _break_even(own, hour)
    with components.rule("money_tiers"):
        money_tiers.section(found)
    with components.rule("money_rent"):
        money_rent.section(found)


def _places(own: Own) -> TiersFound | None:
    asked = TiersAsked(
        model=own.model,
        device=own.device,
        dtype=own.dtype,
        weights_dtype=own.weights_dtype,
        prefix_tokens=money_tiers.prefix_tokens(),
        **money_tiers.overrides(_room(own)),
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
    asked = flows.StudyParams(rules="engine")
    owner = state.owner()
    return studies.made(
        (own.workload_id, asked),
        lambda: flows.cache_study(own.workload_id, asked, owner),
        lambda: flows.start_study(own.workload_id, asked, owner),
        CURVE_SLOT,
    )


def _dollars(own: Own, found: TiersFound, study: CacheStudy | None, hour: Decimal) -> None:
    if study is None:
        components.note(t("hardware_money.no_curve"))
        return
    hours = own_money.hours_of(own.workload_id, state.owner())
    if hours is None:
        components.note(t("hardware_money.no_times"))
        return
    value = own_money.hit_value(
        own.workload_id, study, found, hour / own.devices, own.priced_as, state.owner()
    )
    here = None if own.capacity_bytes is None else own.capacity_bytes / BYTES_A_GB
    curve = own_money.fine_curve(own.workload_id, study, state.owner())
    money_dollars.section(found, study, curve, value, hours, here, own.priced_as)


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
