"""The money of one's own hardware: what an hour costs, dollars on the curve, break-even with the
APIs. Places for keys and values are found here for the sections that show them."""

from __future__ import annotations

from decimal import Decimal

import streamlit as st

from econ.cache_study import CacheStudy
from econ.report_params import ReportParams
from jobs import devices, flows, own_money
from jobs.own_question import Own, places_of, room_gb
from jobs.tiering import BYTES_A_GB, TiersFound
from messages.errors import InputError, KvledgerError
from ui import (
    components,
    failures,
    money_dollars,
    money_load,
    money_tiers,
    own_seen,
    state,
    studies,
)
from ui.words import t

CURVE_SLOT, BILLS_SLOT = "_money_curve_job", "_money_bills_job"


def hour(own: Own) -> Decimal:
    """Asks what an hour costs; USD of all devices together."""
    with components.rule("money_hour"):
        return money_load.hour(devices.device_of(own.device), own.devices, own.usd_per_gpu_hour)


def dollars(own: Own, found: TiersFound, usd_per_hour: Decimal) -> bool:
    """How large a cache pays. False while a job runs."""
    with st.container(gap="xsmall", key="money_dollars"):
        return _dollars(own, found, usd_per_hour)


def break_even(own: Own, usd_per_hour: Decimal) -> None:
    """From which load owning is cheaper."""
    with st.container(gap="xsmall", key="money_load"):
        _break_even(own, usd_per_hour)


def places(own: Own) -> TiersFound | None:
    """The places for keys and values; None where they cannot be said, which is said."""
    typed = money_tiers.overrides(room_gb(own), own.bandwidth_bytes_per_s)
    asked = places_of(own, money_tiers.prefix_tokens(), typed)
    own_seen.remember(places=asked)
    try:
        return own_money.tiers_of(own.workload_id, asked, state.owner())
    except KvledgerError as error:
        failures.show(error)
        return None


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


def _break_even(own: Own, usd_per_hour: Decimal) -> None:
    owner, params = state.owner(), ReportParams(at=state.params().at)
    shown = st.container(gap="xxsmall")
    with st.container(horizontal=True, gap="small", key="controls_money_load"):
        with st.popover(
            t("hardware_money.assume"), type="tertiary", icon=":material/tune:", key="assume_load"
        ):
            rate, load = money_load.rate(own.workload_id, own.utilisation, usd_per_hour)
        with shown:
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
        if bills is None:
            return
        rows = own_money.own_rows_at(bills, rate)
        money_load.more(rate, rows)
    with shown:
        money_load.section(rate, rows, load)
    money_load.by_load(rate)
