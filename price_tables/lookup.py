"""Prices as billed: one model's rate card on a surface in a mode, and the row for one request.

The order is that of the providers: the tier is chosen, then the mode multiplies, then the surface.
All in exact decimals. Cards are kept with the book, so asking again costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from messages.errors import Message, Value
from price_tables.book import (
    MODES,
    OUTPUT_THINKING,
    READ_EXPLICIT,
    STORAGE,
    WRITE_BUCKETS,
    Model,
    ModeRule,
    PeakSchedule,
    Period,
    PriceBook,
    ProviderTable,
    RateCard,
    Segment,
    Unpriced,
    canonical,
)
from price_tables.match import DECORATION, Match, resolve

STANDARD = "standard"
_LIST_PRICE = ModeRule(multiplier=Decimal(1))
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
_MEMO_LIMIT = 5_000  # a hostile file may name a million models; each card is small


def rate_card(
    book: PriceBook,
    *,
    provider: str | None = None,
    surface: str | None = None,
    model: str | None,
    mode: str | None = None,
) -> RateCard | Unpriced:
    """Every period and tier of one model, or why there is none. None: the maker, the provider's
    default surface (said in `assumptions`), the standard mode."""
    key = ("card", provider, surface, model, mode)
    known = book.memo.get(key)
    if isinstance(known, (RateCard, Unpriced)):
        return known
    if len(book.memo) >= _MEMO_LIMIT:
        book.memo.clear()
    card = _rate_card(book, provider, surface, model, mode)
    book.memo[key] = card
    return card


def price_at(card: RateCard, at: datetime, prompt_tokens: int) -> Segment | Unpriced:
    """The row that prices a request of `prompt_tokens` (uncached, read and written) at `at`, an
    aware moment: the highest tier below the prompt's length. Unpriced outside all periods."""
    if at.tzinfo is None:
        raise ValueError("a request's moment needs a time zone")
    rows = [
        segment
        for segment in card.segments
        if _holds(segment, at)
        and (prompt_tokens > segment.above_tokens or not segment.above_tokens)
    ]
    if not rows:
        return _no_period(card, at)
    row = max(rows, key=lambda segment: segment.above_tokens)
    return Unpriced(reason=row.refused) if row.refused else row


def _rate_card(
    book: PriceBook, provider: str | None, surface: str | None, model: str | None, mode: str | None
) -> RateCard | Unpriced:
    match = resolve(book, model, provider, surface)
    if isinstance(match, Unpriced):
        return match
    table = book.tables[match.provider]
    word = (mode or STANDARD).strip().casefold()
    name = table.mode_words.get(word, word)
    if name not in MODES:
        return _unpriced("unknown_mode", mode=mode, known=", ".join(MODES))
    segments = tuple(_segments(table, match, name))
    if not segments:
        return _unpriced(
            "mode_not_priced", model=match.model.id, provider=table.provider, mode=name
        )
    return RateCard(
        provider=match.provider,
        surface=match.surface,
        model=match.model.id,
        mode=name,
        asked=match.asked,
        matched_by=match.matched_by,
        segments=segments,
        assumptions=tuple(_assumptions(table, match, segments)),
        retires_on=match.model.retires_on,
    )


def _unpriced(key: str, **values: Value) -> Unpriced:
    return Unpriced(reason=Message(f"prices.{key}", values))


def _segments(table: ProviderTable, match: Match, mode: str) -> Iterator[Segment]:
    model = match.model
    last = _LAST
    if model.retires_on is not None:
        last = datetime.combine(model.retires_on, datetime.min.time(), tzinfo=UTC)
    for period in model.periods:
        rules = (_LIST_PRICE,) if mode == STANDARD else period.modes.get(mode, ())
        for start, end in _spans(table, period, rules, last):
            rule = next((rule for rule in rules if _covers(rule, start)), None)
            if rule is not None:
                yield from _tiers(table, match, mode, period, rule, start, end)


def _spans(
    table: ProviderTable, period: Period, rules: tuple[ModeRule, ...], last: datetime
) -> Iterator[tuple[datetime, datetime]]:
    """The period cut wherever a mode or a schedule begins or ends inside it."""
    start, end = period.valid_from or _FIRST, min(period.valid_to or _LAST, last)
    cuts = {at for rule in rules for at in (rule.valid_from, rule.valid_to) if at is not None}
    if period.schedule is not None:
        cuts.add(table.schedule_starts[period.schedule])
    points = [start, *sorted(at for at in cuts if start < at < end), end]
    for begin, finish in pairwise(points):
        if begin < finish:
            yield begin, finish


def _covers(rule: ModeRule, at: datetime) -> bool:
    return (rule.valid_from or _FIRST) <= at < (rule.valid_to or _LAST)


def _tiers(
    table: ProviderTable,
    match: Match,
    mode: str,
    period: Period,
    rule: ModeRule,
    start: datetime,
    end: datetime,
) -> Iterator[Segment]:
    levels: tuple[tuple[int, Mapping[str, Decimal]], ...] = (
        (0, period.usd_per_mtok),
        *(period.tiers if rule.long_prompts_offered else period.tiers[:1]),
    )
    for above, prices in levels:
        refused = above > 0 and not rule.long_prompts_offered
        second = period.second_source or rule.source
        yield Segment(
            valid_from=None if start == _FIRST else start,
            valid_to=None if end == _LAST else end,
            above_tokens=above,
            usd_per_mtok={} if refused else _billed(table, match, prices, rule),
            source=period.source,
            as_of=period.as_of,
            status=rule.status or period.status,
            via=period.via,
            note="; ".join(filter(None, (period.note, rule.note))) or None,
            factors=tuple(_factors(table, match, mode, rule)),
            peak=_peak(table, period, start),
            refused=_refused(match.model, mode, above) if refused else None,
            second_source=second if second != period.source else None,
        )


def _refused(model: Model, mode: str, above: int) -> Message:
    values: dict[str, Value] = {"model": model.id, "mode": mode, "above_tokens": above}
    return Message("prices.long_prompt_refused", values)


def _peak(table: ProviderTable, period: Period, start: datetime) -> PeakSchedule | None:
    name = period.schedule
    if name is None or start < table.schedule_starts[name]:
        return None
    return table.schedules[name]


def _billed(
    table: ProviderTable, match: Match, prices: Mapping[str, Decimal], rule: ModeRule
) -> dict[str, Decimal]:
    factor = _surface_factor(table, match) or Decimal(1)
    billed = {
        name: canonical(price if name == STORAGE else price * _mode_factor(rule, name) * factor)
        for name, price in (rule.usd_per_mtok or prices).items()
        if not rule.buckets or name in rule.buckets
    }
    if writes_are_free(table, match.model) and not rule.buckets:
        for name in WRITE_BUCKETS:
            billed.setdefault(name, billed["uncached"])
    return billed


def _mode_factor(rule: ModeRule, name: str) -> Decimal:
    if rule.multiplier is None:
        return Decimal(1)
    # a factor for reads holds for every kind of read (explicit entries, audio)
    kind = "read" if name.startswith("read") else name
    return rule.bucket_multipliers.get(name, rule.bucket_multipliers.get(kind, rule.multiplier))


def writes_are_free(table: ProviderTable, model: Model) -> bool:
    """The provider's rule says that this model's cache writes cost what input costs."""
    return "*" in table.free_writes or model.rule_family in table.free_writes


def _surface_factor(table: ProviderTable, match: Match) -> Decimal | None:
    """The factor of the surface on this model; None where one applies but none is listed."""
    if not table.surface_rules[match.surface].regional:
        return Decimal(1)
    return match.model.regional_multiplier


def _factors(table: ProviderTable, match: Match, mode: str, rule: ModeRule) -> Iterator[str]:
    if rule.multiplier is not None and mode != STANDARD:
        yield f"{mode} x{rule.multiplier}"
        for name, factor in rule.bucket_multipliers.items():
            yield f"{mode} {name} x{factor}"
    surface = _surface_factor(table, match)
    if surface is not None and surface != 1:
        yield f"{match.surface} x{surface}"


def _assumptions(
    table: ProviderTable, match: Match, segments: tuple[Segment, ...]
) -> Iterator[Message]:
    model = match.model.id
    names: dict[str, Value] = {"provider": table.provider, "model": model}
    if match.matched_by == DECORATION:
        yield Message("prices.matched_by_decoration", {**names, "asked": match.asked})
    if match.model.inherited_from is not None:
        yield Message("prices.inherited", {**names, "origin": match.model.inherited_from})
    surface: dict[str, Value] = {"provider": table.provider, "surface": match.surface}
    if not match.surface_stated:
        yield Message("prices.surface_assumed", surface)
    if _surface_factor(table, match) is None:
        plain = next(s.name for s in table.surface_rules.values() if not s.regional)
        values: dict[str, Value] = {**surface, "model": model, "default": plain}
        yield Message("prices.surcharge_not_listed", values)
    if any(segment.peak for segment in segments):
        yield Message("prices.peak_hours", names)
    if any(_apart(segment.usd_per_mtok, "read", READ_EXPLICIT) for segment in segments):
        yield Message("prices.explicit_reads_as_read", names)
    if any(_apart(segment.usd_per_mtok, "output", OUTPUT_THINKING) for segment in segments):
        yield Message("prices.thinking_as_output", names)


def _apart(prices: Mapping[str, Decimal], plain: str, special: str) -> bool:
    """Some tokens of the bucket `plain` have a price of their own, and counts do not say which."""
    return plain in prices and special in prices and prices[plain] != prices[special]


def _holds(segment: Segment, at: datetime) -> bool:
    return (segment.valid_from or _FIRST) <= at < (segment.valid_to or _LAST)


def _no_period(card: RateCard, at: datetime) -> Unpriced:
    names: dict[str, Value] = {
        "model": card.model,
        "provider": card.provider,
        "at": moment_text(at),
    }
    if card.retires_on is not None and at.astimezone(UTC).date() >= card.retires_on:
        return _unpriced("retired", **names, retires_on=card.retires_on.isoformat())
    nearest = min(card.segments, key=lambda segment: _distance(segment, at))
    return _unpriced("outside_periods", **names, mode=card.mode, nearest=period_words(nearest))


def _distance(segment: Segment, at: datetime) -> timedelta:
    after = (segment.valid_from or _FIRST) - at
    before = at - (segment.valid_to or _LAST)
    return max(after, before)


def period_words(segment: Segment) -> Message:
    """A segment's time as a message: from, until, both or neither; the end is not included."""
    start, end = segment.valid_from, segment.valid_to
    if start and end:
        return Message("prices.from_until", {"start": moment_text(start), "end": moment_text(end)})
    if start:
        return Message("prices.from", {"start": moment_text(start)})
    if end:
        return Message("prices.until", {"end": moment_text(end)})
    return Message("prices.always")


def moment_text(at: datetime) -> str:
    """A UTC moment as text; midnight is written as its date alone, as the tables do."""
    moment = at.astimezone(UTC)
    midnight = moment.time() == datetime.min.time()
    return moment.date().isoformat() if midnight else f"{moment:%Y-%m-%dT%H:%M:%SZ}"
