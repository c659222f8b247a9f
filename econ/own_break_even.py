"""One's own hours against every API of the price book, re-use applied on both sides.

By a mix of input tokens: an API's million costs (1 - r) uncached and r read. The premium of writes
is left out, as if each were read very often.

By a report: all tokens of the workload. The API's bill is that of the cheapest policy of each model
(the one with the lowest high end, of those that a client can follow) over those tokens, writes,
storage and output included; the own rate counts the same tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from econ.own_costs import (
    MTOK,
    BreakEvenPoint,
    at_utilisation,
    blended_usd_per_mtok,
    break_even,
    busy_usd_per_mtok,
)
from econ.policy_plans import LEVER_PLACEMENTS
from econ.report import CostReport, PolicyRow
from price_tables.book import PriceBook, RateCard, Segment, Unpriced
from price_tables.lookup import price_at, rate_card

UTILISATIONS = tuple(map(Decimal, ("0.1", "0.25", "0.5", "1")))
NO_REUSE, REUSE, TYPED = "none", "read", "typed-in"
STANDARD = "standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRate:
    """An hour of one's own and the tokens a second that it serves while busy, re-used ones counted.
    `reuse_ratio` None: not known."""

    usd_per_hour: Decimal
    tokens_per_s: Decimal
    reuse_ratio: Decimal | None = None

    @property
    def busy_usd_per_mtok(self) -> Decimal:
        """USD a million tokens at full load."""
        return busy_usd_per_mtok(self.usd_per_hour, self.tokens_per_s)

    def curve(
        self, utilisations: Sequence[Decimal] = UTILISATIONS
    ) -> list[tuple[Decimal, Decimal]]:
        """(utilisation, USD a million tokens): idle hours are paid too."""
        busy = self.busy_usd_per_mtok
        return [(u, at_utilisation(busy, u)) for u in utilisations]


def served_per_s(computed_per_s: Decimal, reuse_ratio: Decimal) -> Decimal:
    """Tokens served a second by a device that computes so many: the re-used share comes on top.
    A ratio of 1 would serve without end."""
    if not 0 <= reuse_ratio < 1:
        raise ValueError("a re-use ratio lies at 0 or above, and below 1")
    return computed_per_s / (1 - reuse_ratio)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRow:
    """One API against the own rate. `provider` and `model` are None for prices typed in.
    `low_usd_per_mtok` is below `point.api_usd_per_mtok` where only a range is known: the point is
    that of the high end. `source`, `as_of`: of the price row, the first of several."""

    provider: str | None
    surface: str | None
    model: str | None
    policy: str
    low_usd_per_mtok: Decimal
    point: BreakEvenPoint
    source: str | None
    as_of: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Shares of input tokens that add up to 1."""

    uncached: Decimal
    read: Decimal

    def usd_per_mtok(self, prices: Mapping[str, Decimal]) -> Decimal | None:
        """What a million tokens of this mix cost; a model without a read price reads at its input
        price. None without an input price."""
        usd = prices.get("uncached")
        if usd is None:
            return None
        return blended_usd_per_mtok(usd, prices.get("read", usd), self.read)


def mix_of_input(reuse_ratio: Decimal | None) -> Mix:
    """Input alone, of which that share is read."""
    read = reuse_ratio or Decimal(0)
    return Mix(uncached=1 - read, read=read)


def typed_row(own: OwnRate, input_usd: Decimal, read_usd: Decimal) -> ApiRow:
    """An API whose prices of a million input and read tokens were typed in."""
    usd = blended_usd_per_mtok(input_usd, read_usd, own.reuse_ratio or Decimal(0))
    return _row(own, (None, None, None), TYPED, usd, usd, None, None)


def book_rows(
    book: PriceBook,
    at: datetime,
    own: OwnRate,
    mix: Mix,
    *,
    providers: Sequence[str] = (),
    models: Sequence[str] = (),
) -> tuple[ApiRow, ...]:
    """Every model whose mix has a price at `at` (base tier, standard mode, default surface); the
    dearest API first."""
    rows = []
    for provider, table in book.tables.items():
        if providers and provider not in providers:
            continue
        for model in table.models:
            if models and not {model.id, *model.aliases} & set(models):
                continue
            card = rate_card(book, provider=provider, model=model.id)
            row = card if isinstance(card, Unpriced) else price_at(card, at, 1)
            usd = mix.usd_per_mtok(row.usd_per_mtok) if isinstance(row, Segment) else None
            if isinstance(card, RateCard) and isinstance(row, Segment) and usd:
                policy = REUSE if mix.read and "read" in row.usd_per_mtok else NO_REUSE
                who = (provider, card.surface, model.id)
                rows.append(_row(own, who, policy, usd, usd, row.source, row.as_of))
    return _dearest_first(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiBill:
    """What a million tokens of a workload cost at one API under its cheapest policy: both ends,
    equal where the truth is no range. `source`, `as_of`: of the first price row."""

    provider: str | None
    surface: str | None
    model: str | None
    policy: str
    low_usd_per_mtok: Decimal
    high_usd_per_mtok: Decimal
    source: str | None
    as_of: str | None

    def against(self, own: OwnRate) -> ApiRow:
        """The break-even at the high end."""
        who = (self.provider, self.surface, self.model)
        low, high = self.low_usd_per_mtok, self.high_usd_per_mtok
        return _row(own, who, self.policy, low, high, self.source, self.as_of)


def cheapest_bills(report: CostReport) -> tuple[ApiBill, ...]:
    """The cheapest policy of each (provider, surface, model) of the report that a client can
    follow, over the workload's tokens. Nothing where the report compares no models."""
    tokens = report.workload.input_tokens + report.workload.output_tokens
    best: dict[tuple[str | None, str | None, str | None], tuple[int, ApiBill]] = {}
    for row in report.rows if tokens else ():
        if row.usd is None or row.model is None or row.usd.high_e13 <= 0:
            continue
        if row.placement in LEVER_PLACEMENTS or row.mode != STANDARD:
            continue
        who = (row.provider, row.surface, row.model)
        if who not in best or row.usd.high_e13 < best[who][0]:
            best[who] = (row.usd.high_e13, _bill(row, tokens))
    return tuple(bill for _, bill in best.values())


def report_rows(report: CostReport, own: OwnRate) -> tuple[ApiRow, ...]:
    """The cheapest bills of a report against the own rate; the dearest API first."""
    return _dearest_first(bill.against(own) for bill in cheapest_bills(report))


def _bill(row: PolicyRow, tokens: int) -> ApiBill:
    assert row.usd is not None  # noqa: S101
    first = row.sources[0] if row.sources else None
    return ApiBill(
        provider=row.provider,
        surface=row.surface,
        model=row.model,
        policy=row.policy if row.placement is None else f"{row.policy} {row.placement}",
        low_usd_per_mtok=row.usd.low_usd * MTOK / tokens,
        high_usd_per_mtok=row.usd.high_usd * MTOK / tokens,
        source=None if first is None else first.source,
        as_of=None if first is None else first.as_of,
    )


def _row(
    own: OwnRate, who: tuple[str | None, str | None, str | None], policy: str, low: Decimal,
    high: Decimal, source: str | None, as_of: str | None,
) -> ApiRow:  # fmt: skip
    return ApiRow(
        provider=who[0],
        surface=who[1],
        model=who[2],
        policy=policy,
        low_usd_per_mtok=low,
        point=break_even(own.usd_per_hour, own.tokens_per_s, high),
        source=source,
        as_of=as_of,
    )


def _dearest_first(rows: Iterable[ApiRow]) -> tuple[ApiRow, ...]:
    return tuple(sorted(rows, key=lambda row: row.point.utilisation_ratio))
