"""The cost report: every figure a page, a CSV and the shell show, and where it came from.

Plain data. `econ.report_build.build_report` makes it, `econ.report_json` prints it in the shape of
the shell's `report`, `econ.report_store` keeps it without loss, `econ.report_csv` exports it.
Money is `Amount` (exact or a range); None is "not known", never zero. Words are Messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from econ.money import Amount as Amount
from econ.receipt import Receipt
from econ.report_finance import AdjustedRow as AdjustedRow
from econ.report_finance import FittedPrice as FittedPrice
from econ.report_finance import FocusRow as FocusRow
from econ.report_finance import InvoiceCheck as InvoiceCheck
from econ.report_finance import Reconciliation as Reconciliation
from econ.report_params import Adjustment as Adjustment
from econ.report_params import Period as Period
from econ.report_params import Rate as Rate
from econ.report_params import ReportParams as ReportParams
from econ.report_params import StatedTotal as StatedTotal
from messages.errors import Message

if TYPE_CHECKING:
    from econ.report_own import OwnPart


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSource:
    """One price row that was used. `tier_above_tokens` is 0 for the base tier; `prices` are USD per
    million tokens of the buckets that were used, mode, surface and `peak` applied.
    `status` is the price row's own ('current', 'unverified', ...)."""

    provider: str
    surface: str
    model: str
    mode: str
    tier_above_tokens: int
    peak: bool
    valid_from: datetime | None
    valid_to: datetime | None
    prices: Mapping[str, Decimal]
    source: str
    as_of: str
    status: str
    via: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How a figure came about: the formula in words, its inputs as text, the price rows used."""

    formula: Message
    inputs: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[PriceSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadInfo:
    """What was billed. `requests` counts single calls, None where rows are sums that do not say
    over how many; `rows` are the table's rows. Times are UTC, None where the file has none."""

    name: str
    format: str
    requests: int | None
    rows: int
    first_utc: datetime | None
    last_utc: datetime | None
    days_utc: int | None
    granularity: str
    observed: bool
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Baselines:
    """The three amounts side by side, over the same priced rows. None with a reason under
    'no_cache_usd', 'billed_usd' or 'best_reachable_usd'."""

    no_cache: Amount | None
    billed: Amount | None
    best_reachable: Amount | None
    reasons: Mapping[str, Message]
    rows: int
    requests: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BestRef:
    """Which policy row is the best reachable one."""

    provider: str
    surface: str
    model: str
    policy: str
    placement: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """Signed. earned = no caching - billed; reachable = billed - best reachable."""

    earned: Amount | None
    earned_ratio: float | None
    reachable: Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Hit ratios 0..1, None = no data. `n` requests (rows for a bucketed export) are behind them.

    All over the rows of the baselines that say what the cache did. token_hit = reads / (uncached +
    reads + writes); request_hit = requests with a read / requests;
    usd_weighted_hit = read tokens at input price / all prompt tokens at input price.
    """

    token_hit: float | None
    request_hit: float | None
    usd_weighted_hit: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One row of a table by day, model, session or payer. `key` '' = unassigned.

    Requests and tokens count every row of the group; money only the priced ones, None where the
    group has none. `requests` is None where a row does not say how many it is. `unpriced_rows` says
    how many rows are outside the money. `ratio_tokens`: the prompt tokens behind `token_hit`, of
    the rows in the money that say what the cache did. `priced_as`: the model that prices rows which
    name none; their key by model is ''.
    """

    by: str
    key: str
    requests: int | None
    rows: int
    unpriced_rows: int
    tokens: Mapping[str, int]
    no_cache: Amount | None
    billed: Amount | None
    ratio_tokens: Mapping[str, int] | None = None
    priced_as: str | None = None

    @property
    def saving(self) -> Amount | None:
        """No caching - billed, signed; None where either is unknown. Ends are compared with ends:
        both baselines of a row are uncertain for the same reason, its price."""
        if self.no_cache is None or self.billed is None:
            return None
        return self.no_cache.less(self.billed)

    @property
    def token_hit(self) -> float | None:
        """Reads / (uncached + reads + writes) of the group's rows in the baselines that say what
        the cache did; None = no data."""
        tokens = self.tokens if self.ratio_tokens is None else self.ratio_tokens
        prompt = sum(count for bucket, count in tokens.items() if bucket != "output")
        return tokens["read"] / prompt if prompt and "read" in tokens else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRow:
    """What one policy costs on one model, or on the models as used (provider and model None).

    `status` 'priced' or 'unpriced'. Tokens and USD by bucket: two mappings where the truth is a
    range, the same one twice where it is not. `saving` is signed, against no caching.
    `hit_ratio_low`, `hit_ratio_high`: token hit ratio, None = not known.
    """

    provider: str | None
    surface: str | None
    model: str | None
    mode: str | None
    policy: str
    placement: str | None
    status: str
    reason: Message | None
    usd: Amount | None
    saving: Amount | None
    tokens_low: Mapping[str, int]
    tokens_high: Mapping[str, int]
    usd_by_bucket: Mapping[str, Amount]
    hit_ratio_low: float | None = None
    hit_ratio_high: float | None = None
    pings: int | None = None
    storage_mtok_hours: Decimal | None = None
    assumptions: tuple[Message, ...] = ()
    sources: tuple[PriceSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Why period 1 cost more or less than period 0; the four parts add up to `total` exactly."""

    from_period: Period
    to_period: Period
    volume: Amount
    mix: Amount
    caching: Amount
    price: Amount
    total: Amount
    assumptions: tuple[Message, ...] = ()
    sources: tuple[PriceSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """The figures of a month of 30.4375 days: each times `factor`."""

    factor: Fraction
    source: Message
    no_cache: Amount | None
    billed: Amount | None
    reachable: Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """When one lifetime pays on one model: from `uses` uses of a prefix within the lifetime, or
    above `token_hit_ratio` if every token that is not read is written. None: never."""

    provider: str
    surface: str
    model: str
    policy: str
    write_factor: Decimal
    read_factor: Decimal
    token_hit_ratio: float | None
    uses: int | None
    source: PriceSource


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpricedRow:
    """Rows of the workload outside every baseline, and why. Their cost is unknown, not zero."""

    model: str
    rows: int
    requests: int | None
    reason: Message
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CostReport:
    """The whole report. `figures` opens each number: figure id -> provenance. Ids are
    'no_cache', 'billed', 'best_reachable', 'earned', 'not_cacheable', 'token_hit', 'request_hit',
    'usd_weighted_hit', 'month', 'observed_cost', 'reconciliation', 'change', 'break_even' and
    'bucket.<bucket>' for the buckets of the bill; only those that the report has.
    `focus`: the rows of charges, filled in where a report is saved."""

    report_id: str
    method_version: int
    price_book_version: str
    price_book_as_of: datetime
    workload_sha256: str
    params: ReportParams
    receipt: Receipt
    assumptions: tuple[Message, ...]
    workload: WorkloadInfo
    baselines: Baselines
    best: BestRef | None
    saving: Saving
    not_cacheable: Amount | None
    ratios: Ratios
    groups: tuple[GroupRow, ...]
    reconciliation: Reconciliation | None
    change: Change | None
    month: Month | None
    rates: tuple[Rate, ...]
    break_even: tuple[BreakEven, ...]
    unpriced: tuple[UnpricedRow, ...]
    observed_cost: Amount | None
    rows: tuple[PolicyRow, ...]
    figures: Mapping[str, Provenance]
    invoices: tuple[InvoiceCheck, ...] = ()
    adjusted: tuple[AdjustedRow, ...] = ()
    focus: tuple[FocusRow, ...] = ()
    own: OwnPart | None = None
