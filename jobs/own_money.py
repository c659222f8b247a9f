"""What the money sections of one's own hardware show: service calls of the page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from econ.cache_study import CacheStudy
from econ.curve import Curve, curve_of, spread
from econ.dollar_curve import DollarCurve, dollar_curve, recompute_usd_per_token
from econ.method import METHOD_VERSION
from econ.own_break_even import ApiBill, ApiRow, OwnRate, cheapest_bills
from econ.replay import row_hits
from econ.replay_input import blocks_of
from econ.replay_names import DEFAULT_POLICY
from econ.report_params import ReportParams
from econ.tier_study import prefill_time
from econ.workload import Workload
from jobs import tasks
from jobs.lifespan import current_runner
from jobs.progress import Progress
from jobs.reporting import book, report
from jobs.shelf import LastUsed, Opened, example, opened
from jobs.tiering import TiersAsked, TiersFound, tiers_found
from price_tables.book import Segment, Unpriced
from price_tables.lookup import price_at, rate_card

KIND = "api_bills"
MOST_ENTRIES = 2_000_000
"""Block references up to which a page replays at once; more goes by the shell."""
KEPT = 32
SMALL_POINTS = 24
TOKENS_A_MTOK = 1_000_000
tasks.register(KIND, "jobs.own_money:bills_task")
_bills: LastUsed[tuple[ApiBill, ...]] = LastUsed(KEPT)
_tiers: LastUsed[TiersFound] = LastUsed(KEPT)
_recompute: LastUsed[float] = LastUsed(KEPT)
_curves: LastUsed[Curve] = LastUsed(KEPT)


class _NotThere(Exception):
    """Nothing has been kept yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HitValue:
    """What a hit token is worth, USD a million: computed again on the device, or paid to an API
    (its input price less its read price). None: no such price."""

    recompute_usd_per_mtok: Decimal
    api_usd_per_mtok: Decimal | None


def hours_of(workload_id: str, owner: str) -> float | None:
    """Hours from the first to the last request; None where the file has no times, or one moment."""
    return hours_in(opened(workload_id, owner).workload)


def has_blocks(workload_id: str, owner: str) -> bool:
    """Whether the workload says who shares a prefix, so that a cache can be replayed."""
    return blocks_in(opened(workload_id, owner).workload)


def blocks_in(workload: Workload) -> bool:
    """`has_blocks` of a workload at hand."""
    return workload.prefix is not None and bool(len(workload.prefix.block_ids))


def served_per_s(workload_id: str, utilisation: float, owner: str) -> Decimal | None:
    """Tokens a second at full load, of hardware that serves this workload at that load: its tokens,
    prompt and output, over its hours and the load. None without times or load."""
    return served_in(opened(workload_id, owner).workload, utilisation)


def served_in(workload: Workload, utilisation: float) -> Decimal | None:
    """`served_per_s` of a workload at hand."""
    hours = hours_in(workload)
    if hours is None or utilisation <= 0:
        return None
    tokens = int(workload.counts("input_tokens").sum() + workload.counts("output_tokens").sum())
    return Decimal(tokens) / Decimal(str(hours * 3600 * utilisation)) if tokens else None


def hours_in(workload: Workload) -> float | None:
    """`hours_of` a workload at hand."""
    times = workload.floats("arrival_s")
    if not len(times) or np.isnan(times).all():
        return None
    spent = float(np.nanmax(times) - np.nanmin(times)) / 3600
    return spent or None


def tiers_of(workload_id: str, asked: TiersAsked, owner: str) -> TiersFound:
    """The places, with what they answer of the workload where it can be replayed at once.
    NotFoundError, InputError or UsageError with one sentence."""
    found = opened(workload_id, owner)
    workload = found.workload if is_quick(found.workload) else None
    return _tiers.get((found.key, str(asked)), lambda: tiers_found(asked, workload))


def is_replayed(workload_id: str, owner: str) -> bool:
    """Whether `tiers_of` says what the places answer."""
    return is_quick(opened(workload_id, owner).workload)


def is_quick(workload: Workload) -> bool:
    """Whether a page replays the workload at once."""
    prefix = workload.prefix
    return prefix is not None and 0 < len(prefix.block_ids) <= MOST_ENTRIES


def hit_value(
    workload_id: str, study: CacheStudy, found: TiersFound, usd_per_hour: Decimal,
    model: str, owner: str,
) -> HitValue:  # fmt: skip
    """Both values of a hit token. The seconds are the mean over the hits of an unlimited cache; of
    a workload too large to replay at once, those of its mean hit."""
    opened_at = opened(workload_id, owner)

    key = (opened_at.key, METHOD_VERSION, found.model.id, str(found.speeds))
    an_hour_at_1_usd = _recompute.get(key, lambda: recompute_in(opened_at.workload, study, found))
    return value_of(an_hour_at_1_usd, usd_per_hour, model)


def recompute_in(workload: Workload, study: CacheStudy, found: TiersFound) -> float:
    """What computing a hit token again costs where an hour costs one USD."""
    main = study.main
    if is_quick(workload):
        blocks = blocks_of(workload, "engine")
        hits = blocks.tokens_of(row_hits(blocks, None, DEFAULT_POLICY))
    else:
        mean = int(main.hit_tokens[-1]) // max(main.requests, 1)
        hits = np.array([mean], dtype=np.int64)
    seconds = prefill_time(found.model, found.speeds)
    return recompute_usd_per_token(hits, seconds, Decimal(1))


def value_of(an_hour_at_1_usd: float, usd_per_hour: Decimal, model: str) -> HitValue:
    """Both values of a hit token at the price of an hour."""
    usd = Decimal(str(an_hour_at_1_usd * TOKENS_A_MTOK)) * usd_per_hour
    return HitValue(recompute_usd_per_mtok=usd, api_usd_per_mtok=api_saving(model))


def api_saving(model: str) -> Decimal | None:
    """USD a million read tokens save at an API: input price less read price, base tier."""
    prices = book()
    card = rate_card(prices, model=model)
    row = card if isinstance(card, Unpriced) else price_at(card, prices.as_of, 1)
    if not isinstance(row, Segment) or not {"uncached", "read"} <= row.usd_per_mtok.keys():
        return None
    return row.usd_per_mtok["uncached"] - row.usd_per_mtok["read"]


def fine_curve(workload_id: str, study: CacheStudy, owner: str) -> Curve:
    """The default policy's curve; of a workload that is replayed at once, also below the size of
    its longest request, where a single pass does not answer."""
    found = opened(workload_id, owner)
    key = (found.key, METHOD_VERSION, study.rules, study.scope)
    return _curves.get(key, lambda: fine_in(found.workload, study))


def fine_in(workload: Workload, study: CacheStudy) -> Curve:
    """`fine_curve` of a workload at hand."""
    main = study.main
    first = int(main.capacity_blocks[0])
    if first <= 1 or not is_quick(workload):
        return main
    blocks = blocks_of(workload, study.rules, study.scope)
    sizes = np.union1d(spread(1, first, SMALL_POINTS), main.capacity_blocks)
    return curve_of(blocks, DEFAULT_POLICY, study.rules, at_blocks=sizes.tolist())


def dollars(
    study: CacheStudy, curve: Curve, found: TiersFound, hours: float, usd_per_mtok: Decimal,
    rent: Decimal,
) -> DollarCurve:  # fmt: skip
    """The curve in dollars an hour."""
    return dollar_curve(
        curve,
        hours=hours,
        block_bytes=study.block_tokens * float(found.bytes_per_token),
        usd_per_hit_token=float(usd_per_mtok) / TOKENS_A_MTOK,
        usd_per_gb_hour=float(rent),
    )


def api_bills(workload_id: str, params: ReportParams, owner: str) -> tuple[ApiBill, ...] | None:
    """What the workload costs at every API under the cheapest policy of each model; None where
    `start_bills` has yet to make it. NotFoundError if `owner` sees no such workload."""
    found = opened(workload_id, owner)
    name = _name(params)

    def read() -> tuple[ApiBill, ...]:
        text = computed(current_store(), _place(found), name)
        if text is None:
            raise _NotThere
        return tuple(_bill(row) for row in json.loads(text))

    try:
        return _bills.get((found.key, name), read)
    except (_NotThere, ValueError, KeyError, TypeError):  # half a file is made again
        return None


def start_bills(workload_id: str, params: ReportParams, owner: str) -> str:
    """Start making the bills; returns the job's id. InputError: too many unfinished jobs."""
    at = None if params.at is None else params.at.isoformat()
    asked = {"workload": workload_id, "owner": owner, "at": at}
    return current_runner().submit(KIND, asked, owner)


def warm_bills() -> None:
    """Have the example's bills made, so that break-even stands on the first look."""
    params = ReportParams()
    if api_bills(example().id, params, "") is None:
        start_bills(example().id, params, "")


def bills_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: simulate, keep the result beside the workload, and answer with its name."""
    progress(0.0, "open")
    found = opened(params["workload"], params["owner"])
    at = None if params["at"] is None else datetime.fromisoformat(params["at"])
    asked = ReportParams(at=at)
    progress(0.1, "simulate")
    everybody = replace(asked, providers=tuple(sorted(book().tables)))
    made = cheapest_bills(report(found.id, everybody, params["owner"]))
    text = json.dumps([_text(bill) for bill in made])
    keep_computed(current_store(), _place(found), _name(asked), text)
    return _name(asked)


def own_rows_at(bills: tuple[ApiBill, ...], own: OwnRate) -> list[ApiRow]:
    """The bills against an own rate, the dearest API first."""
    return sorted((bill.against(own) for bill in bills), key=lambda r: r.point.utilisation_ratio)


def _text(bill: ApiBill) -> dict[str, Any]:
    values = asdict(bill)
    return {n: str(v) if isinstance(v, Decimal) else v for n, v in values.items()}


def _bill(row: dict[str, Any]) -> ApiBill:
    money = {name: Decimal(row[name]) for name in ("low_usd_per_mtok", "high_usd_per_mtok")}
    return ApiBill(**{**row, **money})


def _name(params: ReportParams) -> str:
    day = "book" if params.at is None else f"{params.at:%Y%m%dT%H%M%S}"
    return f"{KIND}-{METHOD_VERSION}-{book().version}-{day}.json"


def _place(found: Opened) -> str:
    return found.id if found.is_example else found.key
