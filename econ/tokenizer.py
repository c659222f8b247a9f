"""Token counts of one tokenizer as another would have them: one factor on every count of a row.

Lengths decide tiers and shortest prefixes, so counts are multiplied before anything is simulated
or priced, and rounded half up. What was billed keeps its own counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from econ.billing import Pricing
from econ.cards import ModelRef
from econ.structure import Structure
from econ.turns import Turns
from econ.workload import TOKEN_COLUMNS, IntArray, Workload
from messages.errors import Message, input_error
from price_tables.book import PriceBook, Unpriced

SAME = Decimal(1)
LEAST, MOST = Decimal("0.1"), Decimal(10)
STEPS = 10_000
"""Factors have at most four decimals."""


def check_factors(factors: Mapping[str, Decimal], book: PriceBook) -> None:
    """Raises InputError for a name that is neither a provider nor a model of the book, and for a
    factor outside 0.1 to 10."""
    known = {model.id for table in book.tables.values() for model in table.models}
    for name, factor in factors.items():
        if name not in book.tables and name not in known:
            raise input_error("policies.unknown_tokenizer", found=name)
        if not LEAST <= factor <= MOST or factor * STEPS % 1:
            raise input_error("policies.tokenizer_range", found=f"{name}={factor}")


def by_factor(
    refs: Iterable[ModelRef], factors: Mapping[str, Decimal], pricing: Pricing
) -> Mapping[Decimal, Sequence[ModelRef]]:
    """The candidates of each factor: that of the model's id, else of its provider, else 1."""
    found: dict[Decimal, list[ModelRef]] = {}
    for ref in refs:
        card = pricing.cards(ref) if factors else None
        factor = SAME
        if card is not None and not isinstance(card, Unpriced):
            factor = factors.get(card.model, factors.get(card.provider, SAME))
        found.setdefault(factor.normalize(), []).append(ref)
    return found


def note(factor: Decimal) -> tuple[Message, ...]:
    """What a row says of its factor; nothing where counts are as in the file."""
    if factor == SAME:
        return ()
    return (Message("policies.tokenizer_factor", {"factor": f"{factor.normalize():f}"}),)


def scaled(counts: IntArray, factor: Decimal) -> IntArray:
    """`counts` times `factor`, rounded half up; what is empty stays empty."""
    times = int(factor * STEPS)
    return np.where(counts < 0, counts, (counts * times + STEPS // 2) // STEPS)


def scaled_workload(workload: Workload, factor: Decimal) -> Workload:
    """The requests with every token count times `factor`; its blocks are those of the file."""
    if factor == SAME:
        return workload
    columns = {
        name: scaled(np.asarray(column), factor) if name in TOKEN_COLUMNS else column
        for name, column in workload.columns.items()
    }
    return replace(workload, columns=columns)


def scaled_source(source: Structure | Turns | None, factor: Decimal) -> Structure | Turns | None:
    """The same sharing with every length times `factor`."""
    if source is None or factor == SAME:
        return source
    if isinstance(source, Turns):
        return replace(
            source,
            prompt=scaled(source.prompt, factor),
            most=scaled(source.most, factor),
            least=scaled(source.least, factor),
            stored=scaled(source.stored, factor),
        )
    ends, prompt = scaled(source.ends, factor), scaled(source.prompt, factor)
    return replace(source, ends=ends, prompt=prompt, memo={})
