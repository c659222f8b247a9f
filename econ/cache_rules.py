"""What each provider's prompt cache does, as plain data read from the price book.

The prices decide the family: who sells a write at another price than input sells breakpoints with
those lifetimes; who does not, and prices a read, caches by itself (a prefix family). The rest is
the book's `cache_rules`, whose values are words as often as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from price_tables.book import (
    READ_EXPLICIT,
    STORAGE,
    Model,
    PriceBook,
    RateCard,
    Sourced,
)

LIFETIME_S = {"5m": 300, "1h": 3600, "30m": 1800, "12h": 43200}
"""Lifetimes that are sold, by name, in seconds."""

OBJECT_LIFETIME_S = 3600  # Gemini: the default of an explicit object
MINIMUM_LIFETIMES = frozenset({"30m", "12h"})  # promised as minimum lifetimes: entries may live on
MESSAGE_LOOKBACK_LIFETIMES = frozenset({"5m", "1h"})
CLAUDE_MAKER = "anthropic"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRules:
    """One model's cache at one provider.

    `lifetimes`: names of those sold at breakpoints, shortest first; empty = no breakpoints.
    `implicit`: caches by itself and prices reads; `explicit`: objects with storage by the hour.
    `min_tokens`: shortest prefix kept; `step_tokens`: hits come in multiples of it.
    `lookback`: message blocks that a breakpoint looks back over, itself included; None = no limit.
    `refresh`: a read restarts the lifetime; None = not established.
    `by_workspace`: workspaces do not see each other's entries.
    `batch`: caching works inside a batch; None = not documented.
    `ping_output_tokens`: output tokens of a request that only keeps an entry alive.
    """

    provider: str
    lifetimes: tuple[str, ...]
    implicit: bool
    explicit: bool
    min_tokens: int
    step_tokens: int
    lookback: int | None
    refresh: bool | None
    by_workspace: bool
    batch: bool | None
    ping_output_tokens: int

    @property
    def default_lifetime(self) -> str | None:
        """The lifetime that is meant where none is named."""
        return self.lifetimes[0] if self.lifetimes else None

    @staticmethod
    def outlives(lifetime: str) -> bool:
        """Whether the lifetime is only a minimum: entries may live longer."""
        return lifetime in MINIMUM_LIFETIMES


def rules_of(book: PriceBook, card: RateCard) -> CacheRules:
    """The rules for the model of `card`."""
    model = next(m for m in book.tables[card.provider].models if m.id == card.model)
    lifetimes = _lifetimes(card)
    rules = _rules(book, model, resold_claude=card.provider == "vertex" and bool(lifetimes))
    reads = any("read" in segment.usd_per_mtok for segment in card.segments)
    return CacheRules(
        provider=card.provider,
        lifetimes=lifetimes,
        implicit=reads and (not lifetimes or _both_kinds(rules)),
        explicit="explicit" in model.caching and _priced(card, STORAGE),
        min_tokens=_minimum(book, model, rules),
        step_tokens=_step(rules),
        lookback=_lookback(rules, lifetimes),
        refresh=_flag(rules, "ttl_refreshed_by_read", missing=True),
        by_workspace=str(_value(rules, "isolation") or "").startswith("workspace"),
        batch=_flag(rules, "batch_stacks_with_caching", missing=None),
        ping_output_tokens=0 if card.provider == "anthropic" else 1,
    )


def at_breakpoints(card: RateCard) -> RateCard:
    """The card with the read price that entries written at breakpoints have, where it is apart."""
    if not _priced(card, READ_EXPLICIT):
        return card
    segments = tuple(
        replace(s, usd_per_mtok={**s.usd_per_mtok, "read": s.usd_per_mtok[READ_EXPLICIT]})
        if READ_EXPLICIT in s.usd_per_mtok
        else s
        for s in card.segments
    )
    return replace(card, segments=segments)


def _rules(book: PriceBook, model: Model, *, resold_claude: bool) -> Mapping[str, Sourced]:
    """The rules of the model's own family over those of the whole provider. A reseller of several
    makers states those of one; Claude then follows its maker, within the reseller's isolation."""
    own = book.tables[model.provider].cache_rules
    whole = own.get("all", {})
    if resold_claude and CLAUDE_MAKER in book.tables:
        kept = {name: whole[name] for name in ("isolation",) if name in whole}
        whole = {**book.tables[CLAUDE_MAKER].cache_rules.get("all", {}), **kept}
    return {**whole, **own.get(model.rule_family or "", {})}


def _lifetimes(card: RateCard) -> tuple[str, ...]:
    """Those with a write price; none where every write costs what input costs."""
    sold = {
        name: [s.usd_per_mtok[f"write_{name}"] for s in card.segments if _writes(s, name)]
        for name in LIFETIME_S
    }
    dearer = any(
        s.usd_per_mtok[f"write_{name}"] != s.usd_per_mtok.get("uncached")
        for name in LIFETIME_S
        for s in card.segments
        if _writes(s, name)
    )
    names = [name for name, prices in sold.items() if prices] if dearer else []
    return tuple(sorted(names, key=LIFETIME_S.__getitem__))


def _writes(segment: object, name: str) -> bool:
    return f"write_{name}" in getattr(segment, "usd_per_mtok", {})


def _priced(card: RateCard, bucket: str) -> bool:
    return any(bucket in segment.usd_per_mtok for segment in card.segments)


def _value(rules: Mapping[str, Sourced], name: str) -> object:
    rule = rules.get(name)
    return None if rule is None else rule.value


def _both_kinds(rules: Mapping[str, Sourced]) -> bool:
    """Providers with explicit markers beside a cache that works by itself."""
    writes = _value(rules, "write_multiplier")
    return isinstance(writes, Mapping) and "explicit" in writes


def _minimum(book: PriceBook, model: Model, rules: Mapping[str, Sourced]) -> int:
    """The model's own, else its maker's, else the provider's. Not documented counts as 0."""
    if model.min_cacheable_tokens is not None:
        return model.min_cacheable_tokens
    stated = _number(_value(rules, "min_cacheable_tokens"))
    if stated is not None:
        return stated
    same = (m for table in book.tables.values() for m in table.models if m.id == model.id)
    return next((m.min_cacheable_tokens for m in same if m.min_cacheable_tokens), 0)


def _step(rules: Mapping[str, Sourced]) -> int:
    """Of a cache that works by itself; what a breakpoint writes is not rounded."""
    value = _value(rules, "token_granularity")
    if isinstance(value, Mapping):
        value = value.get("implicit")
    return value if isinstance(value, int) else 1


def _lookback(rules: Mapping[str, Sourced], lifetimes: tuple[str, ...]) -> int | None:
    """In message blocks; OpenAI's families have no limit in blocks."""
    for name in ("lookback_positions", "lookback_blocks"):
        if name in rules and lifetimes and set(lifetimes) <= MESSAGE_LOOKBACK_LIFETIMES:
            return _number(rules[name].value)
    return None


def _flag(rules: Mapping[str, Sourced], name: str, missing: bool | None) -> bool | None:
    if name not in rules:
        return missing
    value = rules[name].value
    if isinstance(value, str):  # 'from_gpt-5', 'per_model': the prices say where not
        return True
    return value if isinstance(value, bool) else None


def _number(value: object) -> int | None:
    """The number, or the first one in the words: '128 to 1,024 depending on the model' is 128."""
    if isinstance(value, int):
        return value
    found = re.search(r"\d[\d,]*", str(value or ""))
    return int(found.group(0).replace(",", "")) if found else None
