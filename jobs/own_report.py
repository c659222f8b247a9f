"""One's own hardware and less KV of a workload as a part of its report.

For a page: what was looked at, out of what has been made already; nothing is started, and what is
not there yet is said. For the shell: everything is made now. Both build the same figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from econ.cache_study import CacheStudy
from econ.charted_models import CHARTED
from econ.curve import Curve
from econ.dollar_curve import DollarCurve
from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from econ.implied_rent import Premium
from econ.implied_rent_rows import bought, rents
from econ.method import DEFAULT_MODEL
from econ.money import plain
from econ.own_break_even import ApiBill, OwnRate
from econ.own_lines import fleet_lines
from econ.own_money_lines import curve_lines, load_lines, rent_lines, tier_lines
from econ.own_offers import first_offer
from econ.report_own import OwnLine, OwnPart
from jobs import fleet_flows, own_money
from jobs.devices import device_of
from jobs.less_kv import LessKv, LessKvAsked
from jobs.own_assumed import assumed, assumed_less
from jobs.own_less_lines import less_lines
from jobs.own_money import HitValue
from jobs.own_question import PREMIUM_MODELS, Own, band_bytes, of_fleet, places_of
from jobs.tiering import BYTES_A_GB, TiersAsked, TiersFound
from messages.errors import KvledgerError, Message
from price_tables.hardware import DeviceSpec
from price_tables.tiers_load import load_tiers

DEFAULT_TOKENS_PER_S = Decimal(2500)
FIRST_RENT = "on_demand_median"
RATE_PLACES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnChoice:
    """What was looked at. None: not looked at, or nothing was said and the first choice holds.

    `hour_row`: which price of an hour; `usd_per_device_hour` with it, its source and day.
    `tokens_per_s`: the rate where it was typed in. `hit_value`, `rent_row`: of the dollar curve.
    `prefix_tokens`, `places`: of the places. `premium_models`, `implied_bytes`: of implied rent.
    """

    fleet: FleetAsked | None = None
    less: LessKvAsked | None = None
    priced_as: str = DEFAULT_MODEL
    at: datetime | None = None
    hour_row: str | None = None
    usd_per_device_hour: Decimal | None = None
    hour_source: str = ""
    hour_as_of: str = ""
    tokens_per_s: Decimal | None = None
    hit_value: Literal["recompute", "api"] = "recompute"
    rent_row: str | None = None
    rent: Decimal | None = None
    places: TiersAsked | None = None
    premium_models: tuple[str, ...] = PREMIUM_MODELS
    implied_bytes: tuple[int, int] | None = None


@dataclass(slots=True, kw_only=True)
class Found:
    """What is there of a workload. `waiting`: what is being made still."""

    study: FleetStudy | None = None
    tiers: TiersFound | None = None
    cache: CacheStudy | None = None
    fine: Curve | None = None
    value: HitValue | None = None
    curve: DollarCurve | None = None
    bills: tuple[ApiBill, ...] = ()
    less: LessKv | None = None
    served_per_s: Decimal | None = None
    waiting: list[Message] = field(default_factory=list)


def own_of(choice: OwnChoice, found: Found, workload_id: str = "") -> OwnPart:
    """The part of the report. Pure but for look-ups of names and sources."""
    lines: list[OwnLine] = []
    rate, load, own = None, None, None
    said: list[Message] = []
    sources: list[tuple[str, str]] = []
    asked = choice.fleet
    if asked is not None and found.study is not None:
        setup = fleet_flows.setup_of(asked)
        own = of_fleet(workload_id, asked, found.study, choice.priced_as)
        there = asked.prefill_device
        lines += fleet_lines(setup, found.study, fleet_flows.name_of(there) if there else "")
        rate, load, source, as_of = rate_of(choice, own, found)
        lines += load_lines(rate, load, source, as_of)
        lines += _money(choice, own, found)
        said += [*assumed(asked, found.study), *_assumed_money(choice, found)]
        sources += [(str(mark), text) for mark, text in fleet_flows.sources_of(asked)]
    if found.less is not None:
        lines += less_lines(found.less)
        said += assumed_less(found.less)
    return OwnPart(
        choice=dict(_settings(choice, own, found)),
        model=_model_name(choice),
        device=_device_name(choice),
        lines=tuple(lines),
        rate=rate,
        load=load,
        apis=found.bills if rate is not None else (),
        charted=CHARTED,
        less_model="" if found.less is None else found.less.model.name,
        less_device="" if found.less is None else found.less.device.name,
        assumptions=tuple(said),
        missing=tuple(found.waiting),
        sources=tuple(sources),
    )


def rate_of(choice: OwnChoice, own: Own, found: Found) -> tuple[OwnRate, float | None, str, str]:
    """The own hour and rate as the page takes them first: what the fleet is charged, else the
    first offer, and the rate at which it would be full. With the load, the source and its day."""
    each, source, as_of = hour_of(choice, own, found)
    served = None if found.served_per_s is None else round(found.served_per_s, RATE_PLACES)
    typed = choice.tokens_per_s
    rate = typed or served or DEFAULT_TOKENS_PER_S
    load = own.utilisation if served is not None and rate == served else None
    return OwnRate(usd_per_hour=each * own.devices, tokens_per_s=rate), load, source, as_of


def hour_of(choice: OwnChoice, own: Own, found: Found) -> tuple[Decimal, str, str]:
    """USD an hour of one device, its source and its day ('' where it was typed in)."""
    if choice.usd_per_device_hour is not None:
        return choice.usd_per_device_hour, choice.hour_source, choice.hour_as_of
    cost = None if found.study is None else found.study.cost
    if cost is not None:
        source = "" if cost.source == "typed" else cost.source
        return cost.usd_per_gpu_hour, source, cost.as_of
    if own.usd_per_gpu_hour is not None:
        return own.usd_per_gpu_hour, "", ""
    return first_offer(device_of(own.device))


def rent_of(choice: OwnChoice, device: DeviceSpec) -> Decimal | None:
    """USD a GB and hour of the dollar curve: what was chosen, else the median on demand, else the
    first row there is."""
    if choice.rent is not None:
        return choice.rent
    rows = {row.name: row.usd_per_gb_hour for row in rents(device)}
    if FIRST_RENT in rows:
        return rows[FIRST_RENT]
    dram = bought(load_tiers()["dram"])
    rows |= {} if dram is None else {"dram": dram.mid}
    return next(iter(rows.values()), None)


def premiums_of(found: TiersFound, models: tuple[str, ...]) -> tuple[Premium, ...]:
    """The premiums of those models at who sells each first: resellers repeat them."""
    first: dict[str, str] = {}
    for row in found.premiums:
        first.setdefault(row.model, row.provider)
    resold = {row.provider for row in found.premiums if first[row.model] != row.provider}
    makers = {row.provider for row in found.premiums} - resold or set(first.values())
    return tuple(r for r in found.premiums if r.provider in makers and r.model in models)


def places_asked(choice: OwnChoice, own: Own) -> TiersAsked:
    """The places as they were compared, else as the page compares them first."""
    return choice.places or places_of(own)


def _money(choice: OwnChoice, own: Own, found: Found) -> Iterator[OwnLine]:
    if found.curve is not None:
        room = own.capacity_bytes
        here = None if room is None else room / BYTES_A_GB
        yield from curve_lines(found.curve, choice.hit_value, here)
    if found.tiers is None:
        return
    tiers = found.tiers
    yield from tier_lines(tiers.study, load_tiers(), tiers.usd_per_gb_hour)
    low, high = choice.implied_bytes or band_bytes()
    named = sorted(rents(tiers.device), key=lambda row: row.usd_per_gb_hour)
    lines = premiums_of(tiers, choice.premium_models)
    yield from rent_lines(tiers.device, named, lines, (Decimal(low), Decimal(high)))


def dollars_of(choice: OwnChoice, found: Found, hours: float | None) -> DollarCurve | None:
    """The curve in dollars; None where something of it is not there."""
    if found.cache is None or found.tiers is None or found.value is None or not hours:
        return None
    value = found.value
    recompute = choice.hit_value == "recompute"
    usd = value.recompute_usd_per_mtok if recompute else value.api_usd_per_mtok
    rent = rent_of(choice, found.tiers.device)
    if usd is None or rent is None:
        return None
    curve = found.fine or found.cache.main
    return own_money.dollars(found.cache, curve, found.tiers, hours, usd, rent)


def _assumed_money(choice: OwnChoice, found: Found) -> Iterator[Message]:
    if found.bills:
        yield Message("own_report.assume_apis")
    if found.curve is not None:
        yield Message(f"own_report.assume_hit_{choice.hit_value}", {"model": choice.priced_as})
    if found.tiers is not None:
        share = f"{found.tiers.speeds.ops_ratio * 100:g}"
        yield Message("own_report.assume_prefill", {"percent": share})
        yield Message("own_report.assume_bytes")


def _settings(choice: OwnChoice, own: Own | None, found: Found) -> Iterator[tuple[str, str]]:
    """Every setting by name; '' = as the tables have it. What was left unsaid is written out as
    what it came to, so that saying the same makes the same report."""
    for part, prefix in ((choice.fleet, "fleet"), (choice.less, "less_kv")):
        if part is not None:
            for one in fields(part):
                yield f"{prefix}.{one.name}", _setting(getattr(part, one.name))
    if own is None:
        return
    yield from _device_settings(device_of(own.device))
    places = places_asked(choice, own)
    each, _, _ = hour_of(choice, own, found)
    values = {
        "priced_as": choice.priced_as,
        "at": choice.at,
        "usd_per_device_hour": each,
        "tokens_per_s": choice.tokens_per_s,
        "hit_value": choice.hit_value,
        "rent_usd_per_gb_hour": rent_of(choice, device_of(own.device)),
        "premium_models": choice.premium_models,
        "implied_bytes": choice.implied_bytes or band_bytes(),
        "places.prefix_tokens": places.prefix_tokens,
        "places.bandwidths": dict(places.bandwidths),
        "places.capacities_gb": dict(places.capacities_gb),
        "places.waits_s": dict(places.waits_s),
    }
    for name, value in values.items():
        yield name, _setting(value)


def _device_settings(device: DeviceSpec) -> Iterator[tuple[str, str]]:
    """The figures of a device that no table has: its name alone would not bring them back."""
    if device.measured is not None:
        yield "device.profile", device.measured.profile
    elif device.source:
        return
    for name in ("name", "memory_bytes", "bandwidth_bytes_per_s", "dense_ops_per_s", "tdp_w"):
        yield f"device.{name}", _setting(getattr(device, name))


def _setting(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, dict):
        return ",".join(f"{name}={_setting(value[name])}" for name in sorted(value))
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _model_name(choice: OwnChoice) -> str:
    asked = choice.fleet or choice.less
    return "" if asked is None else fleet_flows.name_of(asked.model)


def _device_name(choice: OwnChoice) -> str:
    asked = choice.fleet or choice.less
    try:
        return "" if asked is None else device_of(asked.device).name
    except KvledgerError:
        return asked.device if asked is not None else ""
