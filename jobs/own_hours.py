"""One's own hours against the APIs: service calls of the page and the shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from data_sources.traces.base import ReadResult
from econ.candidates import known_providers
from econ.own_break_even import (
    ApiRow,
    OwnRate,
    book_rows,
    mix_of_input,
    report_rows,
    served_per_s,
    typed_row,
)
from econ.replay import RATIO_DIGITS, ReplayParams, replay
from econ.report_params import ReportParams
from econ.workload import Workload
from jobs.reporting import book, report_of
from jobs.tiers_json import usd_text
from messages.errors import input_error

MOST_NAMED = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAsked:
    """An hour and a rate. Exactly one of the rates: `tokens_per_s` as served, re-used tokens
    counted, or `computed_per_s`, to which the re-used share is added. `api_input_usd` and
    `api_read_usd`: prices of an API that no table names."""

    usd_per_hour: Decimal
    tokens_per_s: Decimal | None = None
    computed_per_s: Decimal | None = None
    reuse_ratio: Decimal | None = None
    api_input_usd: Decimal | None = None
    api_read_usd: Decimal | None = None
    providers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    at: datetime | None = None


def own_rate(asked: OwnAsked, reuse_ratio: Decimal | None) -> OwnRate:
    """The rate as served."""
    served = asked.tokens_per_s
    if served is None:
        served = served_per_s(asked.computed_per_s or Decimal(0), reuse_ratio or Decimal(0))
    return OwnRate(usd_per_hour=asked.usd_per_hour, tokens_per_s=served, reuse_ratio=reuse_ratio)


def without_workload(asked: OwnAsked) -> tuple[OwnRate, tuple[ApiRow, ...]]:
    """Input tokens only: the API typed in, else every model of the book."""
    own = own_rate(asked, asked.reuse_ratio)
    if asked.api_input_usd is not None:
        read = asked.api_input_usd if asked.api_read_usd is None else asked.api_read_usd
        return own, (typed_row(own, asked.api_input_usd, read),)
    prices = book()
    moment = asked.at or prices.as_of
    mix = mix_of_input(own.reuse_ratio)
    known_providers(prices, asked.providers)
    rows = book_rows(prices, moment, own, mix, providers=asked.providers, models=asked.models)
    return own, _some(rows, asked)


def with_workload(asked: OwnAsked, result: ReadResult) -> tuple[OwnRate, tuple[ApiRow, ...]]:
    """All tokens of the workload, under the cheapest policy of each model. Re-use is that of an
    unlimited cache of one's own where none is typed in."""
    ratio = asked.reuse_ratio
    own = own_rate(asked, unlimited_reuse(result.workload) if ratio is None else ratio)
    providers = asked.providers
    if not providers and not asked.models:  # what names its own models is compared with everybody
        providers = tuple(sorted(book().tables))
    params = ReportParams(at=asked.at, providers=providers, models=asked.models)
    return own, _some(report_rows(report_of(result, params), own), asked)


def _some(rows: tuple[ApiRow, ...], asked: OwnAsked) -> tuple[ApiRow, ...]:
    """The rows; InputError where what was named has no price."""
    named = ", ".join((*asked.providers, *asked.models))
    if named and not rows:
        raise input_error("cli.breakeven_unpriced", names=named[:MOST_NAMED])
    return rows


def unlimited_reuse(workload: Workload) -> Decimal | None:
    """The token hit ratio of an engine's cache without a limit; None without block ids."""
    if workload.prefix is None or not len(workload.prefix.block_ids):
        return None
    (hits,) = replay(workload, ReplayParams(rules="engine")).results
    ratio = hits.token_hit_ratio
    return None if ratio is None else Decimal(str(round(ratio, RATIO_DIGITS)))


def breakeven_to_json(own: OwnRate, rows: Sequence[ApiRow]) -> dict[str, Any]:
    """What `breakeven --json` prints. No tokens a day where even a full day is not enough."""
    at = [[float(ratio), usd_text(usd)] for ratio, usd in own.curve()]
    return {
        "own": {
            "usd_per_hour": usd_text(own.usd_per_hour),
            "tokens_per_s": _rate(own.tokens_per_s),
            "reuse_ratio": None if own.reuse_ratio is None else float(own.reuse_ratio),
            "usd_per_mtok_busy": usd_text(own.busy_usd_per_mtok),
        },
        "rows": [
            {
                "provider": row.provider,
                "surface": row.surface,
                "model": row.model,
                "policy": row.policy,
                "api_usd_per_mtok": usd_text(row.point.api_usd_per_mtok),
                "utilisation_ratio": round(float(row.point.utilisation_ratio), RATIO_DIGITS),
                "tokens_per_day": (
                    round(row.point.tokens_per_day) if row.point.reachable else None
                ),
                "own_usd_per_mtok_at": at,
            }
            for row in rows
        ],
    }


def _rate(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(round(value, RATIO_DIGITS))
