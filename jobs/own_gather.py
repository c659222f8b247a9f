"""Gathers what a report says of one's own hardware: for a page from what is made, for the shell by
making it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from data_sources.traces.base import ReadResult
from econ import cache_study
from econ.cache_study import CacheStudy
from econ.own_break_even import cheapest_bills
from econ.replay_names import Rules, Scope
from econ.report_own import OwnPart
from econ.report_params import ReportParams
from econ.roofline import WEIGHT_BYTES
from jobs import fleet_flows, own_money
from jobs.less_kv import LessKv, LessKvAsked, less_kv, less_kv_of
from jobs.own_question import Own, of_fleet
from jobs.own_report import Found, OwnChoice, dollars_of, hour_of, own_of, places_asked
from jobs.progress import Progress, no_progress
from jobs.replaying import StudyParams
from jobs.replaying import cache_study as kept_study
from jobs.reporting import book, report_of
from jobs.tiering import TiersFound, tiers_found
from messages.errors import KvledgerError, Message

RULES: Rules = "engine"
SCOPE: Scope = "file"


def of_page(workload_id: str, choice: OwnChoice, owner: str) -> OwnPart | None:
    """What was looked at of a workload that `owner` may see; None where nothing was. Nothing slow
    is started: what is being made still is named. NotFoundError: no such workload."""
    if choice.fleet is None and choice.less is None:
        return None
    found, choice = Found(), _whole(choice)
    if choice.fleet is not None:
        _page_fleet(workload_id, choice, owner, found)
    _less(choice, found, lambda asked: less_kv(workload_id, asked, owner))
    return own_of(choice, found, workload_id)


def _page_fleet(workload_id: str, choice: OwnChoice, owner: str, found: Found) -> None:
    asked = choice.fleet
    assert asked is not None  # noqa: S101
    found.study = fleet_flows.fleet_study(workload_id, asked, owner)
    if found.study is None:
        found.waiting.append(Message("own_report.wait_fleet"))
        return
    own = of_fleet(workload_id, asked, found.study, choice.priced_as)
    if own.utilisation is not None:
        found.served_per_s = own_money.served_per_s(workload_id, own.utilisation, owner)
    _tiers(found, lambda: own_money.tiers_of(workload_id, places_asked(choice, own), owner))
    bills = own_money.api_bills(workload_id, ReportParams(at=choice.at), owner)
    if bills is None:
        found.waiting.append(Message("own_report.wait_apis"))
    found.bills = bills or ()
    hours = own_money.hours_of(workload_id, owner)
    if _can_replay(found, own_money.has_blocks(workload_id, owner), hours):
        found.cache = kept_study(workload_id, StudyParams(rules=RULES), owner)
        if found.cache is None:
            found.waiting.append(Message("own_report.wait_curve"))
        elif found.tiers is not None:
            found.fine = own_money.fine_curve(workload_id, found.cache, owner)
            found.value = own_money.hit_value(
                workload_id, found.cache, found.tiers, _device_hour(choice, own, found),
                choice.priced_as, owner,
            )  # fmt: skip
    found.curve = dollars_of(choice, found, hours)


def of_files(result: ReadResult, choice: OwnChoice, tell: Progress = no_progress) -> OwnPart:
    """The same of files that were just read: everything is made now. NotFoundError or InputError
    with one sentence."""
    found, choice = Found(), _whole(choice)
    workload, asked = result.workload, choice.fleet
    if asked is not None:
        fleet_flows.checked_setup(asked)
        found.study = fleet_flows.served(workload, asked, tell)
        own = of_fleet("", asked, found.study, choice.priced_as)
        if own.utilisation is not None:
            found.served_per_s = own_money.served_in(workload, own.utilisation)
        quick = workload if own_money.is_quick(workload) else None
        _tiers(found, lambda: tiers_found(places_asked(choice, own), quick))
        everybody = ReportParams(at=choice.at, providers=tuple(sorted(book().tables)))
        found.bills = cheapest_bills(report_of(result, everybody))
        hours = own_money.hours_in(workload)
        if _can_replay(found, own_money.blocks_in(workload), hours) and found.tiers is not None:
            found.cache = _study(result, tell)
            found.fine = own_money.fine_in(workload, found.cache)
            at_one_usd = own_money.recompute_in(workload, found.cache, found.tiers)
            each = _device_hour(choice, own, found)
            found.value = own_money.value_of(at_one_usd, each, choice.priced_as)
        found.curve = dollars_of(choice, found, hours)
    _less(choice, found, lambda less: less_kv_of(workload, less))
    return own_of(choice, found)


def _study(result: ReadResult, tell: Progress) -> CacheStudy:
    return cache_study.study(result.workload, RULES, SCOPE, tell)


def _device_hour(choice: OwnChoice, own: Own, found: Found) -> Decimal:
    each, _, _ = hour_of(choice, own, found)
    return each * own.devices / own.devices


def _tiers(found: Found, make: Callable[[], TiersFound]) -> None:
    """The places; what is wrong with them is said in their place."""
    try:
        found.tiers = make()
    except KvledgerError as error:
        found.waiting.append(error.message)


def _can_replay(found: Found, blocks: bool, hours: float | None) -> bool:
    if not blocks:
        found.waiting.append(Message("own_report.no_blocks"))
    elif hours is None:
        found.waiting.append(Message("own_report.no_times"))
    return blocks and hours is not None


def _less(choice: OwnChoice, found: Found, make: Callable[[LessKvAsked], LessKv | None]) -> None:
    """Less KV as it was looked at, else of the fleet's own model and device."""
    try:
        found.less = make(choice.less or LessKvAsked())
    except KvledgerError as error:
        found.waiting.append(error.message)
        return
    if found.less is None:
        found.waiting.append(Message("own_report.no_lengths"))


def _whole(choice: OwnChoice) -> OwnChoice:
    """With the question about less KV: as it was looked at, else the page's own with the model,
    the device and the weights of the fleet."""
    fleet = choice.fleet
    if choice.less is not None or fleet is None:
        return choice
    made = replace(
        LessKvAsked(), model=fleet.model, device=fleet.device,
        tensor_parallel=fleet.tensor_parallel,
    )  # fmt: skip
    if fleet.quantization in WEIGHT_BYTES:
        made = replace(made, weights_dtype=str(fleet.quantization))
    return replace(choice, less=made)
