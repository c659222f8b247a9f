"""A person's own prices on top of the book: their rows replace the listed ones for as long as they
hold, the rest of the history stays. Every row that comes from them says source and status 'own'."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from pydantic import ValidationError

from messages.errors import DataError
from price_tables.book import Model, ModeRule, Period, PriceBook, ProviderTable, Surface
from price_tables.build import ONLY_SURFACE
from price_tables.load import as_data_error, validated
from price_tables.own_schema import (
    OwnFile,
    OwnModelRow,
    OwnModeRow,
    OwnPeriodRow,
    OwnProviderRow,
)
from price_tables.yaml_loader import data_error, parse_yaml, read_yaml

OWN = "own"
"""Source and status of every row that its owner has entered."""

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAdjustment:
    """What one provider takes off the list price and what tax comes on after that, 0..1."""

    discount_ratio: Decimal
    tax_ratio: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPrices:
    """A validated file. `digest`: the first eight hex digits of its content's SHA-256."""

    name: str
    digest: str
    models: Mapping[str, tuple[OwnModelRow, ...]]
    providers: Mapping[str, OwnProviderRow]
    adjustments: Mapping[str, OwnAdjustment]
    oldest_as_of: str | None


def read_own(path: Path, book: PriceBook) -> OwnPrices:
    """The file at `path`. Raises DataError with the first fault."""
    read_yaml(path)  # size and readability, said in the same words as for the tables
    return parse_own(path.read_bytes(), path.name, book)


def parse_own(raw: bytes, name: str, book: PriceBook) -> OwnPrices:
    """`raw` as own prices for `book`; `name` stands for the file in errors. DataError."""
    file = validated(OwnFile, parse_yaml(raw, name), name)
    for fault in _against(file, name, book):
        raise fault
    dates = [row.as_of for rows in file.prices.values() for model in rows for row in model.periods]
    return OwnPrices(
        name=name,
        digest=hashlib.sha256(raw).hexdigest()[:8],
        models={provider: tuple(rows) for provider, rows in file.prices.items()},
        providers=dict(file.providers),
        adjustments={
            provider: OwnAdjustment(discount_ratio=row.discount_ratio, tax_ratio=row.tax_ratio)
            for provider, row in file.adjustments.items()
        },
        oldest_as_of=min(dates, default=None),
    )


def own_faults(raw: bytes, name: str, book: PriceBook) -> tuple[DataError, ...]:
    """Everything that is wrong with the file, one sentence each; empty where nothing is."""
    try:
        node = parse_yaml(raw, name)
    except DataError as error:
        return (error,)
    try:
        file = OwnFile.model_validate(node, context={"sources": {}})
    except ValidationError as error:
        return tuple(as_data_error(one, node, name) for one in error.errors(include_url=False))
    return tuple(_against(file, name, book))


def _against(file: OwnFile, name: str, book: PriceBook) -> Iterator[DataError]:
    """What only the book can tell: providers that it does not have, names that two models share."""
    known = ", ".join([*book.tables, *file.providers])
    taken = {name.casefold() for t in book.tables.values() for name in (t.provider, *t.also_called)}
    for provider in file.providers:
        if provider.casefold() in taken:
            yield data_error(name, f"providers > {provider}", "new_provider", provider)
    for place in ("prices", "adjustments"):
        for provider in getattr(file, place):
            if provider not in book.tables and provider not in file.providers:
                yield data_error(
                    name, f"{place} > {provider}", "known_provider", provider, options=known
                )
    for provider, rows in file.prices.items():
        for row in rows if provider in book.tables else ():
            listed = _listed(book.tables[provider], row.id)
            for alias in row.aliases:
                other = _listed(book.tables[provider], alias)
                if other is not None and other is not listed:
                    yield data_error(name, f"{provider} > {row.id}", "unique_name", alias)


def with_own(book: PriceBook, own: OwnPrices) -> PriceBook:
    """`book` with the rows of `own`; its version says whose they are."""
    more = {name: _new_table(name, row) for name, row in own.providers.items()}
    tables = {
        name: _overlaid(table, own.models[name]) if name in own.models else table
        for name, table in {**book.tables, **more}.items()
    }
    return replace(book, version=f"{book.version}-{OWN}-{own.digest}", tables=tables, memo={})


def _new_table(provider: str, row: OwnProviderRow) -> ProviderTable:
    """A provider of whose cache nothing is known but its prices."""
    return ProviderTable(
        provider=provider,
        display_name=row.name,
        pages={},
        surfaces=(ONLY_SURFACE,),
        default_surface=ONLY_SURFACE,
        surface_rules={ONLY_SURFACE: Surface(name=ONLY_SURFACE)},
        cache_rules={},
        models=(),
        free_writes=("*",) if row.free_writes else (),
        own=True,
    )


def _overlaid(table: ProviderTable, rows: tuple[OwnModelRow, ...]) -> ProviderTable:
    models = list(table.models)
    for row in rows:
        listed = _listed(table, row.id)
        if listed is None:
            models.append(_new(table, row))
        else:
            models[models.index(listed)] = _replaced(listed, row)
    return replace(table, models=tuple(models))


def _listed(table: ProviderTable, name: str) -> Model | None:
    wanted = name.casefold()
    return next(
        (m for m in table.models if wanted in (n.casefold() for n in (m.id, *m.aliases))), None
    )


def _new(table: ProviderTable, row: OwnModelRow) -> Model:
    return Model(
        provider=table.provider,
        id=row.id,
        aliases=tuple(row.aliases),
        status=OWN,
        periods=tuple(_period(period, {}) for period in row.periods),
        min_cacheable_tokens=row.min_cacheable_tokens,
    )


def _replaced(listed: Model, row: OwnModelRow) -> Model:
    """The listed model with the own periods cut into its history. A discount of a mode that is a
    factor goes on to hold for the own price; a mode with prices of its own is not known for it."""
    periods = list(listed.periods)
    for own in row.periods:
        start, end = own.valid_from or _FIRST, own.valid_to or _LAST
        before = next((p for p in reversed(periods) if _start(p) <= start), periods[0])
        kept = [piece for period in periods for piece in _outside(period, start, end)]
        periods = sorted([*kept, _period(own, _factors(before))], key=_start)
    aliases = dict.fromkeys((*listed.aliases, *row.aliases))
    return replace(listed, periods=tuple(periods), aliases=tuple(aliases))


def _factors(period: Period) -> dict[str, tuple[ModeRule, ...]]:
    found = {
        mode: tuple(rule for rule in rules if rule.multiplier is not None)
        for mode, rules in period.modes.items()
    }
    return {mode: rules for mode, rules in found.items() if rules}


def _outside(period: Period, start: datetime, end: datetime) -> Iterator[Period]:
    """What is left of a listed period before `start` and from `end` on."""
    if _start(period) < start:
        until = min(start, period.valid_to or _LAST)
        yield replace(period, valid_to=None if until == _LAST else until)
    if end < (period.valid_to or _LAST):
        since = max(end, _start(period))
        yield replace(period, valid_from=None if since == _FIRST else since)


def _start(period: Period) -> datetime:
    return period.valid_from or _FIRST


def _period(row: OwnPeriodRow, modes: Mapping[str, tuple[ModeRule, ...]]) -> Period:
    return Period(
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        status=OWN,
        usd_per_mtok=dict(row.usd_per_mtok),
        tiers=tuple((tier.above, dict(tier.usd_per_mtok)) for tier in row.tiers),
        modes={**modes, **{name: (_mode(mode),) for name, mode in row.modes.items()}},
        source=OWN,
        as_of=row.as_of,
        note=row.note,
    )


def _mode(row: OwnModeRow) -> ModeRule:
    return ModeRule(
        multiplier=row.multiplier,
        bucket_multipliers=dict(row.bucket_multipliers),
        usd_per_mtok=dict(row.usd_per_mtok),
        buckets=tuple(row.buckets),
        long_prompts_offered=row.long_prompts == "offered",
    )
