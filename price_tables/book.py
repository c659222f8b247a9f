"""The price book: pure data and look-up. Reading and validating YAML is `price_tables.load`.

A look-up is (provider, surface, model, moment, mode, prompt length). It answers the matched row
with its source and date, or *unpriced* with the reason: never a zero, never a guess.
Vectorised billing takes a whole `RateCard` (every period and tier of one model, mode and surface)
and picks segments by moment and prompt length; `price_at` does the same for one request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from messages.errors import Message

BUCKETS = (
    "uncached",
    "read",
    "write_5m",
    "write_1h",
    "write_30m",
    "write_12h",
    "output",
)
"""Token buckets of a bill. Each has a price in USD per million tokens, or none."""

STORAGE = "storage_per_mtok_hour"
READ_EXPLICIT = "read_explicit"  # where a provider prices reads of explicit entries apart
OUTPUT_THINKING = "output_thinking"
UNCACHED_AUDIO = "uncached_audio"
READ_AUDIO = "read_audio"
EXTRA_PRICES = (STORAGE, READ_EXPLICIT, OUTPUT_THINKING, UNCACHED_AUDIO, READ_AUDIO)
WRITE_BUCKETS = ("write_5m", "write_1h", "write_30m", "write_12h")

_ONE = Decimal(1)


def canonical(amount: Decimal) -> Decimal:
    """The same amount written in one way: no trailing zeros, no exponent. For equal texts."""
    short = amount.normalize()
    exponent = short.as_tuple().exponent
    return short.quantize(_ONE) if isinstance(exponent, int) and exponent > 0 else short


MODES = ("standard", "batch", "flex", "fast", "priority", "ultrafast")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakSchedule:
    """Clock hours in which prices are multiplied. Hours are UTC, half-open, in minutes of the day;
    `holidays` are dates in UTC+8 on which no peak applies; weekdays Monday to Friday."""

    name: str
    windows_min: tuple[tuple[int, int], ...]
    weekdays_only: bool
    holidays: frozenset[date]
    covers_through: date | None
    multiplier: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One row of prices: valid in [valid_from, valid_to) for prompts of more than `above_tokens`.

    `usd_per_mtok` is complete for this mode and surface: factors applied, free writes filled in at
    the input price. A bucket that is absent has no price: tokens in it make a request unpriced.
    `peak` multiplies every token price inside its windows.
    `refused`: this mode does not serve such prompts; the message says why.
    """

    valid_from: datetime | None
    valid_to: datetime | None
    above_tokens: int
    usd_per_mtok: Mapping[str, Decimal]
    source: str
    as_of: str
    status: str
    via: str | None = None
    note: str | None = None
    factors: tuple[str, ...] = ()
    peak: PeakSchedule | None = None
    refused: Message | None = None
    second_source: str | None = None  # inherited prices: the page that says they are inherited


@dataclass(frozen=True, slots=True, kw_only=True)
class RateCard:
    """All segments of one (provider, surface, model, mode), oldest first, tiers ascending.

    `matched_by` is 'exact', 'alias' or 'decoration'; `asked` is the name that was looked up.
    `assumptions` are to be shown with every figure that used the card.
    """

    provider: str
    surface: str
    model: str
    mode: str
    asked: str
    matched_by: str
    segments: tuple[Segment, ...]
    assumptions: tuple[Message, ...] = ()
    retires_on: date | None = None  # first day without service: segments end there


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpriced:
    """There is no price, and this is why."""

    reason: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """A rule's value with where it was read: `value` None = not documented."""

    value: object
    source: str
    as_of: str
    note: str | None = None
    via: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Sources that contradict each other, what was taken, and why."""

    topic: str
    values: tuple[Sourced, ...]
    taken: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeRule:
    """What a mode does to a period's prices, in force in [valid_from, valid_to).

    Either `multiplier` (with another factor for single buckets in `bucket_multipliers`, and only
    the buckets of `buckets` where that is not empty), or `usd_per_mtok`, which replaces all prices.
    Storage is not a token price: no multiplier touches it.
    """

    multiplier: Decimal | None = None
    bucket_multipliers: Mapping[str, Decimal] = field(default_factory=dict)
    usd_per_mtok: Mapping[str, Decimal] = field(default_factory=dict)
    buckets: tuple[str, ...] = ()
    long_prompts_offered: bool = True
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    status: str | None = None
    source: str | None = None
    as_of: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Prices as published, before mode and surface: see Segment for prices as billed."""

    valid_from: datetime | None
    valid_to: datetime | None
    status: str
    usd_per_mtok: Mapping[str, Decimal]
    tiers: tuple[tuple[int, Mapping[str, Decimal]], ...]
    modes: Mapping[str, tuple[ModeRule, ...]]
    source: str
    as_of: str
    via: str | None = None
    note: str | None = None
    schedule: str | None = None
    second_source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A price change that was announced and called off. It is shown, and never applies."""

    announced_for: datetime
    usd_per_mtok: Mapping[str, Decimal]
    source: str
    as_of: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One priced model of one provider."""

    provider: str
    id: str
    aliases: tuple[str, ...]
    status: str
    periods: tuple[Period, ...]
    min_cacheable_tokens: int | None = None
    rule_family: str | None = None
    retires_on: date | None = None
    caching: tuple[str, ...] = ()
    regional_multiplier: Decimal | None = None
    inherited_from: str | None = None
    notes: tuple[str, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A variant of one provider. `regional`: a model's regional multiplier applies on it."""

    name: str
    regional: bool = False
    source: str | None = None
    as_of: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageShape:
    """Which field of an API reply is which bucket. `prompt_contains`: what the prompt count of
    that API already includes ('read', 'writes')."""

    api: str
    prompt_contains: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]]
    source: str
    as_of: str
    via: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderTable:
    """One provider: its models, cache rules, surfaces and disagreements."""

    provider: str
    display_name: str
    pages: Mapping[str, str]
    surfaces: tuple[str, ...]
    default_surface: str
    cache_rules: Mapping[str, Mapping[str, Sourced]]
    models: tuple[Model, ...]
    disagreements: tuple[Disagreement, ...] = ()
    schedules: Mapping[str, PeakSchedule] = field(default_factory=dict)
    schedule_starts: Mapping[str, datetime] = field(default_factory=dict)
    schedule_sources: Mapping[str, Sourced] = field(default_factory=dict)
    maker: bool = False
    also_called: tuple[str, ...] = ()
    surface_rules: Mapping[str, Surface] = field(default_factory=dict)
    id_prefixes: Mapping[str, str] = field(default_factory=dict)  # 'us.' -> surface
    publishers: tuple[str, ...] = ()  # 'anthropic' in 'anthropic.claude-opus-5'
    mode_words: Mapping[str, str] = field(default_factory=dict)  # 'priority' -> 'fast'
    free_writes: tuple[str, ...] = ()  # rule families whose writes cost what input costs; '*' all
    usage: tuple[UsageShape, ...] = ()
    other_fees: tuple[Sourced, ...] = ()
    own: bool = False  # its owner has entered it: it is in no list


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook:
    """All tables. `version` is the book's own date; undated requests are priced at it."""

    version: str
    as_of: datetime
    tables: Mapping[str, ProviderTable]
    memo: dict[object, object] = field(default_factory=dict, compare=False, repr=False)
    """Look-ups that were made: a cache of `price_tables.lookup`, never part of what a book is."""
