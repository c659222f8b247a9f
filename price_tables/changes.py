"""What is going to change: prices, promotions, modes, retirements. Only what the tables date;
a change that was announced and called off is kept in `Model.withdrawn` and never fires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from messages.errors import Message, Value
from price_tables.book import Model, Period, PriceBook, ProviderTable

PRICE, PROMISE_ENDS, PRICE_ENDS, STARTS = "price", "promise_ends", "price_ends", "starts"
RETIRES, MODE, HOLIDAYS = "retires", "mode", "holidays"

_Prices = Mapping[str, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One dated change. `on` is its first moment (UTC)."""

    provider: str
    model: str
    on: datetime
    kind: str
    what: Message
    source: str
    as_of: str


def changes_ahead(book: PriceBook, after: date) -> tuple[Change, ...]:
    """All changes whose day comes after `after`, soonest first.

    Of models that a provider inherits only changes of price are listed: the rest is the maker's.
    """
    found: list[Change] = []
    for table in book.tables.values():
        for model in table.models:
            found += _prices(model)
            if model.inherited_from is None:
                found += (*_retirement(model), *_modes(model), *_holidays(table, model))
    ahead = (change for change in found if change.on.date() > after)
    return tuple(sorted(ahead, key=lambda change: (change.on, change.provider, change.model)))


def _change(
    model: Model, on: datetime, kind: str, key: str, period: Period, **more: Value
) -> Change:
    values: dict[str, Value] = {"model": model.id, "provider": model.provider, **more}
    return Change(
        provider=model.provider,
        model=model.id,
        on=on,
        kind=kind,
        what=Message(f"prices.change.{key}", values),
        source=period.source,
        as_of=period.as_of,
    )


def _prices(model: Model) -> Iterator[Change]:
    first = model.periods[0]
    if first.valid_from is not None:
        yield _change(model, first.valid_from, STARTS, "starts", first, **_new(first))
    for index, period in enumerate(model.periods):
        end = period.valid_to
        if end is None or (model.retires_on is not None and model.retires_on <= end.date()):
            continue
        following = model.periods[index + 1] if index + 1 < len(model.periods) else None
        if following is None or following.valid_from != end:
            yield _change(model, end, PRICE_ENDS, "ends", period)
        else:
            yield from _step(model, end, period, following)


def _step(model: Model, on: datetime, old: Period, new: Period) -> Iterator[Change]:
    names = ("uncached", "output")
    if any(old.usd_per_mtok[name] != new.usd_per_mtok[name] for name in names):
        values = {
            "old_input": old.usd_per_mtok["uncached"],
            "old_output": old.usd_per_mtok["output"],
        }
        yield _change(model, on, PRICE, "price", new, **values, **_new(new))
    elif old.usd_per_mtok != new.usd_per_mtok or old.tiers != new.tiers:
        yield _change(model, on, PRICE, "other_price", new)
    elif new.status == "unverified":
        yield _change(model, on, PROMISE_ENDS, "unverified", new)


def _new(period: Period) -> dict[str, Decimal]:
    prices: _Prices = period.usd_per_mtok
    return {"new_input": prices["uncached"], "new_output": prices["output"]}


def _retirement(model: Model) -> Iterator[Change]:
    if model.retires_on is not None:
        on = datetime.combine(model.retires_on, datetime.min.time(), tzinfo=UTC)
        yield _change(model, on, RETIRES, "retires", model.periods[-1])


def _modes(model: Model) -> Iterator[Change]:
    for period in model.periods:
        for mode, rules in period.modes.items():
            ends = {rule.valid_to for rule in rules}
            starts = {rule.valid_from: rule for rule in rules}
            for rule in rules:
                if rule.valid_from is not None and rule.valid_from not in ends:
                    yield _change(model, rule.valid_from, MODE, "mode_starts", period, mode=mode)
                if rule.valid_to is None:
                    continue
                then = starts.get(rule.valid_to)
                if then is None:
                    yield _change(model, rule.valid_to, MODE, "mode_ends", period, mode=mode)
                elif then.multiplier is not None:
                    more: dict[str, Value] = {"mode": mode, "factor": then.multiplier}
                    yield _change(model, rule.valid_to, MODE, "mode_factor", period, **more)


def _holidays(table: ProviderTable, model: Model) -> Iterator[Change]:
    """Hours that leave out public holidays are known as far as the list of holidays goes."""
    name = model.periods[-1].schedule
    last = table.schedules[name].covers_through if name else None
    if name is None or last is None or model.periods[-1].valid_to is not None:
        return
    hours = table.schedule_sources[name]
    values: dict[str, Value] = {"model": model.id, "provider": table.provider}
    yield Change(
        provider=table.provider,
        model=model.id,
        on=datetime.combine(last, datetime.min.time(), tzinfo=UTC) + timedelta(days=1),
        kind=HOLIDAYS,
        what=Message("prices.change.holidays_end", values),
        source=str(hours.value or hours.source),
        as_of=hours.as_of,
    )
