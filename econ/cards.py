"""Who bills a row: the names that a price is looked up by, and the cards found for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from econ.method import DEFAULT_MODEL
from econ.workload import IntArray, Workload
from price_tables.book import PriceBook, RateCard, Unpriced
from price_tables.lookup import rate_card

REF_COLUMNS = ("provider", "surface", "model", "mode", "geo")
GEO_ANYWHERE = ("global", "not_available")  # an export's ways to say "no region was asked for"
DENSE_KEYS = 1_000_000  # up to here a table of all combinations is cheaper than sorting the rows


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The names a price is looked up by; None = not stated."""

    provider: str | None
    surface: str | None
    model: str
    mode: str | None


CardFor: TypeAlias = Callable[[ModelRef], RateCard | Unpriced]
"""Finds the rate card of a ModelRef."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """For rows that state none, and the user's own model names."""

    model: str = DEFAULT_MODEL
    provider: str | None = None
    surface: str | None = None
    mode: str | None = None
    model_names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Payee:
    """One combination of names in the workload: `ref` prices it, `name` is what the file calls the
    model, `assumed` says that the file names none."""

    ref: ModelRef
    name: str
    assumed: bool


def cards_of(book: PriceBook) -> CardFor:
    """The look-up in `book`, which remembers what it found."""

    def find(ref: ModelRef) -> RateCard | Unpriced:
        return rate_card(
            book, provider=ref.provider, surface=ref.surface, model=ref.model, mode=ref.mode
        )

    return find


def payees_of(workload: Workload, defaults: Defaults) -> tuple[list[Payee], IntArray]:
    """The combinations of names in `workload`, and for each row the number of its combination."""
    columns = [workload.text(name) for name in REF_COLUMNS]
    sizes = [len(column.values) + 1 for column in columns]
    key = np.zeros(workload.rows, dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        if size > 1:
            key = key * size + (column.codes + 1)
    used, codes = _numbered(key, sizes)
    payees = []
    for combination in used:
        names: dict[str, str | None] = {}
        for name, column, size in reversed(list(zip(REF_COLUMNS, columns, sizes, strict=True))):
            combination, code = divmod(combination, size)
            names[name] = column.values[code - 1] if code else None
        payees.append(_payee(names, defaults))
    return payees, codes


def _numbered(key: IntArray, sizes: Sequence[int]) -> tuple[list[int], IntArray]:
    combinations = int(np.prod([float(size) for size in sizes]))
    if combinations <= DENSE_KEYS:
        used = np.flatnonzero(np.bincount(key, minlength=1))
        if len(used) == 1:
            return used.tolist(), np.zeros(len(key), dtype=np.int64)
        rank = np.zeros(combinations, dtype=np.int64)
        rank[used] = np.arange(len(used))
        return used.tolist(), rank[key]
    used, codes = np.unique(key, return_inverse=True)
    return used.tolist(), codes.reshape(-1).astype(np.int64)


def _payee(names: Mapping[str, str | None], defaults: Defaults) -> Payee:
    name = names["model"]
    if name is None:
        ref = ModelRef(
            names["provider"] or defaults.provider,
            names["surface"] or defaults.surface,
            defaults.model,
            names["mode"] or defaults.mode,
        )
        return Payee(ref, defaults.model, assumed=True)
    ref = ModelRef(
        names["provider"] or defaults.provider,
        _surface(names) or defaults.surface,
        defaults.model_names.get(name, name),
        names["mode"] or defaults.mode,
    )
    return Payee(ref, name, assumed=False)


def _surface(names: Mapping[str, str | None]) -> str | None:
    """The surface, or the region that an export of the model's maker states instead of one."""
    geo = (names["geo"] or "").lower()
    if names["surface"] or names["provider"] not in (None, "anthropic"):
        return names["surface"]
    return None if geo in GEO_ANYWHERE else geo or None
