"""Rows of the report's main table: as billed, without caching, and candidates without a price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from econ.bill_sheet import Bill
from econ.cards import ModelRef
from econ.money import Amount
from econ.price_sources import only
from econ.ratios import ratio_tokens, token_hit_of
from econ.report import PolicyRow, PriceSource
from econ.unpriced import why_nothing
from messages.errors import Message
from price_tables.book import RateCard

ALWAYS_SHOWN = ("uncached", "output")
FLAT_BUCKETS = ("uncached", "output")


def as_billed_row(bill: Bill) -> PolicyRow:
    """What was billed on the models as used. Only for an observed workload."""
    tokens = priced_tokens(bill)
    shown = {b: n for b, n in tokens.items() if n or b in ALWAYS_SHOWN}
    ratio = token_hit_of(ratio_tokens(bill))
    return replace(
        _as_used(bill, "as-billed", bill.billed.amount, bill.saving.amount),
        tokens_low=shown,
        tokens_high=shown,
        usd_by_bucket={b: bill.usd_by_bucket[b] for b in shown if b in bill.usd_by_bucket},
        hit_ratio_low=ratio,
        hit_ratio_high=ratio,
        sources=bill.sources,
    )


def none_row(bill: Bill) -> PolicyRow:
    """No caching at all, on the models as used."""
    tokens = flat_tokens(bill)
    ratio = 0.0 if bill.priced.any() else None
    return replace(
        _as_used(bill, "none", bill.no_cache.amount, Amount.exactly(0)),
        tokens_low=tokens,
        tokens_high=tokens,
        usd_by_bucket=dict(bill.no_cache_by_bucket),
        hit_ratio_low=ratio,
        hit_ratio_high=ratio,
        sources=only(bill.sources, FLAT_BUCKETS),
    )


def _as_used(bill: Bill, policy: str, usd: Amount, saving: Amount) -> PolicyRow:
    """A row over the models as used, its buckets still empty; without money where no row has a
    price."""
    some = bool(bill.priced.any())
    return PolicyRow(
        provider=None,
        surface=None,
        model=None,
        mode=None,
        policy=policy,
        placement=None,
        status="priced" if some else "unpriced",
        reason=None if some else why_nothing(bill),
        usd=usd if some else None,
        saving=saving if some else None,
        tokens_low={},
        tokens_high={},
        usd_by_bucket={},
        assumptions=bill.assumptions,
    )


def candidate_row(
    card: RateCard,
    tokens: Mapping[str, int],
    usd: Mapping[str, Amount],
    sources: tuple[PriceSource, ...],
    assumptions: tuple[Message, ...],
) -> PolicyRow:
    """No caching, every request billed as the model of `card`."""
    return PolicyRow(
        provider=card.provider,
        surface=card.surface,
        model=card.model,
        mode=card.mode,
        policy="none",
        placement=None,
        status="priced",
        reason=None,
        usd=sum(usd.values(), Amount.exactly(0)),
        saving=Amount.exactly(0),
        tokens_low=tokens,
        tokens_high=tokens,
        usd_by_bucket=usd,
        hit_ratio_low=0.0,
        hit_ratio_high=0.0,
        assumptions=assumptions,
        sources=only(sources, FLAT_BUCKETS),
    )


def unpriced_row(ref: ModelRef, reason: Message) -> PolicyRow:
    """A candidate that has no price, and why. Its cost is unknown, not zero."""
    return PolicyRow(
        provider=ref.provider,
        surface=ref.surface,
        model=ref.model,
        mode=ref.mode,
        policy="none",
        placement=None,
        status="unpriced",
        reason=reason,
        usd=None,
        saving=None,
        tokens_low={},
        tokens_high={},
        usd_by_bucket={},
    )


def priced_tokens(bill: Bill) -> dict[str, int]:
    """Tokens by bucket over the priced rows."""
    return {bucket: int(counts[bill.priced].sum()) for bucket, counts in bill.usage.tokens.items()}


def flat_tokens(bill: Bill) -> dict[str, int]:
    """All prompt tokens as uncached, and the output, over the priced rows."""
    return {
        "uncached": int(bill.usage.prompt[bill.priced].sum()),
        "output": int(bill.usage.tokens["output"][bill.priced].sum()),
    }


def by_cost(row: PolicyRow) -> tuple[bool, int, str]:
    """Sort key: the dearest end ascending, rows without a price last."""
    name = "|".join(str(part) for part in (row.provider, row.surface, row.model, row.mode))
    return row.usd is None, row.usd.high_e13 if row.usd else 0, f"{row.policy}|{name}"
