"""What a workload costs by other levers than caching alone: batch, flex, the next smaller model.

Each is priced on these very requests, without caching and under the policy with the lowest dearer
end. Nothing is said of how long a batch waits or how well a smaller model answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from econ.billing import Pricing
from econ.candidates import candidate_rows
from econ.cards import ModelRef
from econ.money import Amount
from econ.policy_plans import LEVER_PLACEMENTS
from econ.policy_pricing import Bench
from econ.report import PolicyRow
from econ.simulated_rows import Choice, bench_of, rows_on
from econ.tokenizer import by_factor, note, scaled_workload
from econ.workload import Workload
from price_tables.book import PriceBook

CACHE, BATCH, FLEX, SMALLER = "cache", "batch", "flex", "smaller"
OPEN_PLACEMENT = "policies.placement_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """One lever: its row without caching and its best row, which may be the same. None = not sold.
    The savings are against the model itself at its standard price without caching, signed."""

    kind: str
    none: PolicyRow
    best: PolicyRow
    saving_none: Amount
    saving_best: Amount


def levers(
    workload: Workload,
    book: PriceBook,
    pricing: Pricing,
    model: ModelRef,
    smaller: str | None,
    factors: Mapping[str, Decimal],
) -> tuple[Lever, ...]:
    """The levers that the price book has for `model` (mode None), caching alone first; none where
    the model itself has no price for some request."""
    asked = [(CACHE, model)]
    asked += [(mode, replace(model, mode=mode)) for mode in (BATCH, FLEX)]
    if smaller is not None:
        asked.append((SMALLER, replace(model, model=smaller)))
    none, best = _rows([ref for _, ref in asked], workload, book, pricing, factors)
    own = none[model].usd
    if own is None:
        return ()
    found = []
    for kind, ref in asked:
        plain, usd = none[ref], none[ref].usd
        if usd is not None:
            least = best.get(ref, plain)
            found.append(
                Lever(
                    kind=kind,
                    none=plain,
                    best=least,
                    saving_none=_less(own, usd),
                    saving_best=_less(own, least.usd or usd),
                )
            )
    return tuple(found)


def _rows(
    refs: Sequence[ModelRef],
    workload: Workload,
    book: PriceBook,
    pricing: Pricing,
    factors: Mapping[str, Decimal],
) -> tuple[dict[ModelRef, PolicyRow], dict[ModelRef, PolicyRow]]:
    """By candidate: the row without caching, and the best of all its rows."""
    none: dict[ModelRef, PolicyRow] = {}
    best: dict[ModelRef, PolicyRow] = {}
    for factor, own in by_factor(refs, factors, pricing).items():
        said = note(factor)
        plain = candidate_rows(scaled_workload(workload, factor), list(own), pricing)
        plain = [replace(row, assumptions=(*row.assumptions, *said)) for row in plain]
        none |= dict(zip(own, plain, strict=True))
        bench = bench_of(workload, pricing, own, factor)
        for ref, row in zip(own, plain, strict=True):
            best[ref] = _best(bench, book, ref, row, factor)
    return none, best


def _best(
    bench: Bench | None, book: PriceBook, ref: ModelRef, none: PolicyRow, factor: Decimal
) -> PolicyRow:
    rows = [none]
    if bench is not None:
        rows += rows_on(bench, book, Choice(refs=(ref,), factor=factor), [none])
    return min((row for row in rows if followable(row)), key=_dearer_end)


def followable(row: PolicyRow) -> bool:
    """Whether a client can follow the row's policy: no lever placement, no range that starts at
    one."""
    is_open = any(said.id == OPEN_PLACEMENT for said in row.assumptions)
    return row.placement not in LEVER_PLACEMENTS and not is_open


def _dearer_end(row: PolicyRow) -> tuple[int, int]:
    return (row.usd.high_e13, row.usd.low_e13) if row.usd else (0, 0)


def _less(before: Amount, after: Amount) -> Amount:
    return Amount(low_e13=before.low_e13 - after.high_e13, high_e13=before.high_e13 - after.low_e13)
