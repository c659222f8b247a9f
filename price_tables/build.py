"""From validated files to the book's plain data, inherited prices resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from price_tables import schema
from price_tables.book import (
    Disagreement,
    Model,
    ModeRule,
    PeakSchedule,
    Period,
    ProviderTable,
    Sourced,
    Surface,
    UsageShape,
    Withdrawn,
)

ONLY_SURFACE = "global"
"""The name of the one surface of a provider whose table lists none."""


def table(file: schema.TableFile) -> ProviderTable:
    """One provider's table with its own models only; `inherit` adds the rest."""
    surfaces = [_surface(row) for row in file.surfaces] or [Surface(name=ONLY_SURFACE)]
    default = next((row.name for row in file.surfaces if row.default), ONLY_SURFACE)
    shared: dict[str, tuple[ModeRule, ...]] = {
        name: tuple(_mode(row) for row in rows) for name, rows in file.modes.items()
    }
    return ProviderTable(
        provider=file.provider,
        display_name=file.name,
        pages=dict(file.pages),
        surfaces=tuple(surface.name for surface in surfaces),
        default_surface=default,
        surface_rules={surface.name: surface for surface in surfaces},
        cache_rules={
            family: {name: _rule(row) for name, row in rules.items()}
            for family, rules in file.cache_rules.items()
        },
        models=tuple(_model(file.provider, row, shared) for row in file.models),
        disagreements=tuple(_disagreement(row) for row in file.disagreements),
        schedules={name: _schedule(name, row) for name, row in file.schedules.items()},
        schedule_starts={name: row.applies_from for name, row in file.schedules.items()},
        schedule_sources={name: _hours(row) for name, row in file.schedules.items()},
        maker=file.maker,
        also_called=tuple(file.also_called),
        id_prefixes=dict(file.id_prefixes),
        publishers=tuple(file.publishers),
        mode_words=dict(file.mode_words),
        free_writes=tuple(file.free_writes),
        usage=tuple(_usage(row) for row in file.usage),
        other_fees=tuple(_fee(row) for row in file.other_fees),
    )


def inherit(
    own: ProviderTable, rows: list[schema.InheritRow], tables: Mapping[str, ProviderTable]
) -> ProviderTable:
    """`own` with the models of the tables it inherits from; a model of its own always wins."""
    known = {name.casefold() for model in own.models for name in (model.id, *model.aliases)}
    models = list(own.models)
    for row in rows:
        for model in tables[row.provider].models:
            if model.id.casefold() not in known:
                models.append(_inherited(own.provider, model, row, known))
    return replace(own, models=tuple(models))


def _inherited(provider: str, model: Model, row: schema.InheritRow, known: set[str]) -> Model:
    """The maker's model as this provider sells it. Dates of retirement are the maker's own and
    say nothing about another seller, so they do not come along."""
    return replace(
        model,
        provider=provider,
        aliases=tuple(name for name in model.aliases if name.casefold() not in known),
        rule_family=row.rule_family or model.rule_family,
        regional_multiplier=row.regional_multiplier,
        retires_on=None,
        inherited_from=row.provider,
        periods=tuple(_inherited_period(period, row) for period in model.periods),
    )


def _inherited_period(period: Period, row: schema.InheritRow) -> Period:
    without = frozenset(row.without)
    modes = {
        name: tuple(replace(rule, usd_per_mtok=_less(rule.usd_per_mtok, without)) for rule in rules)
        for name, rules in period.modes.items()
    }
    return replace(
        period,
        usd_per_mtok=_less(period.usd_per_mtok, without),
        tiers=tuple((above, _less(prices, without)) for above, prices in period.tiers),
        modes=modes,
        second_source=row.source,
    )


def _less(prices: Mapping[str, Decimal], without: frozenset[str]) -> dict[str, Decimal]:
    return {name: price for name, price in prices.items() if name not in without}


def _model(
    provider: str, row: schema.ModelRow, shared: Mapping[str, tuple[ModeRule, ...]]
) -> Model:
    return Model(
        provider=provider,
        id=row.id,
        aliases=tuple(row.aliases),
        status=row.status,
        periods=tuple(_period(period, shared) for period in row.periods),
        min_cacheable_tokens=row.min_cacheable_tokens,
        rule_family=row.rule_family,
        retires_on=row.retires_on,
        caching=tuple(row.caching),
        regional_multiplier=row.regional_multiplier,
        notes=tuple(row.notes),
        withdrawn=tuple(_withdrawn(entry) for entry in row.withdrawn),
    )


def _period(row: schema.PeriodRow, shared: Mapping[str, tuple[ModeRule, ...]]) -> Period:
    own: dict[str, tuple[ModeRule, ...]] = {
        name: tuple(_mode(entry) for entry in rows) for name, rows in row.modes.items()
    }
    return Period(
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        status=row.status,
        usd_per_mtok=dict(row.usd_per_mtok),
        tiers=tuple((tier.above, dict(tier.usd_per_mtok)) for tier in row.tiers),
        modes={**shared, **own},
        source=row.source,
        as_of=row.as_of,
        via=row.via,
        note=row.note,
        schedule=row.schedule,
    )


def _mode(row: schema.ModeRow) -> ModeRule:
    return ModeRule(
        multiplier=row.multiplier,
        bucket_multipliers=dict(row.bucket_multipliers),
        usd_per_mtok=dict(row.usd_per_mtok),
        buckets=tuple(row.buckets),
        long_prompts_offered=row.long_prompts == "offered",
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        status=row.status,
        source=row.source,
        as_of=row.as_of,
        note=row.note,
    )


def _withdrawn(row: schema.WithdrawnRow) -> Withdrawn:
    return Withdrawn(
        announced_for=row.announced_for,
        usd_per_mtok=dict(row.usd_per_mtok),
        source=row.source,
        as_of=row.as_of,
        note=row.note,
    )


def _surface(row: schema.SurfaceRow) -> Surface:
    return Surface(
        name=row.name, regional=row.regional, source=row.source, as_of=row.as_of, note=row.note
    )


def _rule(row: schema.RuleRow) -> Sourced:
    return Sourced(value=row.value, source=row.source, as_of=row.as_of, note=row.note, via=row.via)


def _hours(row: schema.ScheduleRow) -> Sourced:
    return Sourced(value=row.holiday_source, source=row.source, as_of=row.as_of, note=row.note)


def _fee(row: schema.FeeRow) -> Sourced:
    return Sourced(value=row.what, source=row.source, as_of=row.as_of, note=row.note, via=row.via)


def _disagreement(row: schema.DisagreementRow) -> Disagreement:
    values = tuple(_rule(value) for value in row.values)
    return Disagreement(topic=row.topic, values=values, taken=row.taken, why=row.why)


def _usage(row: schema.UsageRow) -> UsageShape:
    return UsageShape(
        api=row.api,
        prompt_contains=tuple(row.prompt_contains),
        fields={name: tuple(paths) for name, paths in row.fields.items()},
        source=row.source,
        as_of=row.as_of,
        via=row.via,
        note=row.note,
    )


def _schedule(name: str, row: schema.ScheduleRow) -> PeakSchedule:
    return PeakSchedule(
        name=name,
        windows_min=tuple(row.windows_utc),
        weekdays_only=row.weekdays_only,
        holidays=frozenset(row.holidays),
        covers_through=row.covers_through,
        multiplier=row.multiplier,
    )


def book_moment(version: date) -> datetime:
    """The first moment of the book's own day, UTC."""
    return datetime(version.year, version.month, version.day, tzinfo=schema.EARLIEST.tzinfo)
