"""The rows that the Prices page lists: prices, disagreements, changes, cache rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from econ.money import plain
from jobs import own_prices
from messages.errors import Message
from price_tables.book import Model, ProviderTable, RateCard, Segment, Unpriced
from price_tables.changes import changes_ahead
from price_tables.lookup import price_at, rate_card, writes_are_free
from price_tables.match import table_of
from price_tables.peak import peak_prices


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRow:
    """One line of the price table: one model's tier on one surface in one mode, at one moment.

    `usd_per_mtok` has a bucket only where it has a price; `peak_usd_per_mtok` is empty where no
    hour differs. `valid_to` is exclusive. `above_tokens` 0 = the base tier. `writes_as_input`:
    the write prices are not a list's own, writes are billed as input.
    """

    provider: str
    provider_name: str
    surface: str
    model: str
    model_status: str
    mode: str
    above_tokens: int
    usd_per_mtok: Mapping[str, Decimal]
    peak_usd_per_mtok: Mapping[str, Decimal]
    valid_from: datetime | None
    valid_to: datetime | None
    status: str
    source: str
    second_source: str | None
    as_of: str
    via: str | None
    note: str | None
    inherited_from: str | None
    retires_on: date | None
    min_cacheable_tokens: int | None
    writes_as_input: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedValue:
    """What one source says."""

    value: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisagreementRow:
    """Sources that differ, what the book took, and why."""

    provider: str
    topic: str
    values: tuple[StatedValue, ...]
    taken: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """A dated change that lies ahead; `what` is to be said in the reader's language."""

    provider: str
    model: str
    on: datetime
    kind: str
    what: Message
    source: str
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRuleRow:
    """One cache rule of one provider; `family` 'all' unless it holds for some models only.
    `value` None = not documented."""

    provider: str
    family: str
    rule: str
    value: str | bool | None
    note: str | None
    source: str
    as_of: str
    via: str | None


def price_table_rows(
    at: date | datetime | None = None,
    *,
    provider: str | None = None,
    text: str | None = None,
    mode: str | None = None,
    surface: str | None = None,
) -> list[PriceRow]:
    """The price table at `at` (default the book's own date). `provider` one provider or all;
    `text` a part of the model's name; `surface` None = each provider's default."""
    book = own_prices.book()
    moment = utc_moment(at) if at is not None else book.as_of
    rows: list[PriceRow] = []
    for table in _tables(provider):
        for model in table.models:
            if text and not _named(model, text):
                continue
            card = rate_card(
                book, provider=table.provider, surface=surface, model=model.id, mode=mode
            )
            if isinstance(card, RateCard):
                rows += _table_rows(table, card, moment)
    return rows


def providers() -> list[tuple[str, str, tuple[str, ...]]]:
    """Every provider of the book: its id, its name, its surfaces (the default first)."""
    return [
        (
            table.provider,
            table.display_name,
            tuple(sorted(table.surfaces, key=lambda name: name != table.default_surface)),
        )
        for table in own_prices.book().tables.values()
    ]


def book_version() -> str:
    """The price book's own date, as text."""
    return own_prices.book().version


def disagreement_rows(provider: str | None = None) -> list[DisagreementRow]:
    """Where sources contradict each other."""
    return [
        DisagreementRow(
            provider=table.provider,
            topic=entry.topic,
            values=tuple(
                StatedValue(value=rule_text(v.value) or "–", source=v.source, as_of=v.as_of)
                for v in entry.values
            ),
            taken=entry.taken,
            why=entry.why,
        )
        for table in _tables(provider)
        for entry in table.disagreements
    ]


def changes_ahead_rows(today: date, provider: str | None = None) -> list[ChangeRow]:
    """What changes after `today`, soonest first."""
    known = table_of(own_prices.book(), provider) if provider else None
    return [
        ChangeRow(
            provider=change.provider,
            model=change.model,
            on=change.on,
            kind=change.kind,
            what=change.what,
            source=change.source,
            as_of=change.as_of,
        )
        for change in changes_ahead(own_prices.book(), today)
        if known is None or change.provider == known.provider
    ]


def cache_rule_rows(provider: str | None = None) -> list[CacheRuleRow]:
    """Cache rules, provider by provider, in the order of the tables."""
    return [
        CacheRuleRow(
            provider=table.provider,
            family=family,
            rule=name,
            value=rule.value if isinstance(rule.value, bool) else rule_text(rule.value),
            note=rule.note,
            source=rule.source,
            as_of=rule.as_of,
            via=rule.via,
        )
        for table in _tables(provider)
        for family, rules in table.cache_rules.items()
        for name, rule in rules.items()
    ]


def rule_text(value: object) -> str | None:
    """A rule's value in one line; None stays None (not documented)."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {rule_text(item)}" for key, item in value.items())
    if isinstance(value, tuple):
        return ", ".join(str(rule_text(item)) for item in value)
    return str(value)


def _named(model: Model, text: str) -> bool:
    """Does `text` stand in the id or in an alias?"""
    wanted = text.strip().casefold()
    return any(wanted in name.casefold() for name in (model.id, *model.aliases))


def _tables(provider: str | None) -> Iterator[ProviderTable]:
    book = own_prices.book()
    if not provider:
        yield from book.tables.values()
    elif (table := table_of(book, provider)) is not None:
        yield table


def utc_moment(at: date | datetime) -> datetime:
    """A date is 00:00 UTC of that day; a moment without a zone is UTC."""
    if isinstance(at, datetime):
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    return datetime(at.year, at.month, at.day, tzinfo=UTC)


def rows_at(card: RateCard, at: datetime, prompt_tokens: int | None) -> list[Segment] | Unpriced:
    """The rows of a card that hold at `at`: one for a prompt's length, every tier without it."""
    if prompt_tokens is not None:
        row = price_at(card, at, prompt_tokens)
        return row if isinstance(row, Unpriced) else [row]
    base = price_at(card, at, 0)
    if isinstance(base, Unpriced):
        return base
    return [
        segment
        for segment in card.segments
        if segment.valid_from == base.valid_from and segment.refused is None
    ]


def _table_rows(table: ProviderTable, card: RateCard, at: datetime) -> Iterator[PriceRow]:
    rows = rows_at(card, at, None)
    model = next(model for model in table.models if model.id == card.model)
    for row in rows if isinstance(rows, list) else ():
        yield PriceRow(
            provider=table.provider,
            provider_name=table.display_name,
            surface=card.surface,
            model=card.model,
            model_status=model.status,
            mode=card.mode,
            above_tokens=row.above_tokens,
            usd_per_mtok=row.usd_per_mtok,
            peak_usd_per_mtok=peak_prices(row) if row.peak else {},
            valid_from=row.valid_from,
            valid_to=row.valid_to,
            status=row.status,
            source=row.source,
            second_source=row.second_source,
            as_of=row.as_of,
            via=row.via,
            note=row.note,
            inherited_from=model.inherited_from,
            retires_on=card.retires_on,
            min_cacheable_tokens=model.min_cacheable_tokens,
            writes_as_input=writes_are_free(table, model),
        )
