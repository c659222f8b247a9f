"""What a plan costs on one model: its two simulations, summed and priced.

Simulations and their sums are kept for all models with the same rules. Peak hours and prices that
lack a bucket go the long way, row by row through `billing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from econ.billing import Pricing
from econ.cache_rules import CacheRules, at_breakpoints
from econ.cards import ModelRef
from econ.extra_costs import Objects, kept_alive, objects_of
from econ.own_settings import own_lifetimes, own_points
from econ.policy_plans import Kind, Plan
from econ.policy_sums import Frame, Priced, Sums
from econ.prompt_cache import CacheTokens, Sim, simulate, ttl_us
from econ.rate_grid import RateGrid, grid_of
from econ.scenarios import moments
from econ.storage_cost import storage_e13, stored_token_us
from econ.structure import Structure, structure_of
from econ.tokenizer import SAME, scaled_source, scaled_workload
from econ.turns import Turns, turns_of
from econ.usage import Usage, usage_of
from econ.workload import WRITE_COLUMNS, IntArray, Workload
from price_tables.book import BUCKETS, RateCard


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One end of a plan: tokens and 1e-13 USD by bucket, storage and pings included."""

    tokens: Mapping[str, int]
    e13: Mapping[str, int]
    sources: tuple[Any, ...]
    pings: int | None = None
    storage_token_us: int | None = None

    @property
    def total_e13(self) -> int:
        """All buckets together."""
        return sum(self.e13.values())


@dataclass(slots=True)
class Bench:
    """Rows that are all billed, and what was worked out for them: `origin` times `factor`."""

    origin: Workload
    pricing: Pricing
    grids: tuple[RateGrid, ...]
    factor: Decimal = SAME
    memo: dict[Any, Any] = field(default_factory=dict)

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once for `key`."""
        if key not in self.memo:
            self.memo[key] = make()
        return self.memo[key]

    @property
    def workload(self) -> Workload:
        """The requests as they are billed."""
        found: Workload = self.kept("workload", lambda: scaled_workload(self.origin, self.factor))
        return found

    @property
    def usage(self) -> Usage:
        """The billable view of the workload."""
        found: Usage = self.kept("usage", lambda: usage_of(self.workload))
        return found

    @property
    def frame(self) -> Frame:
        """When and how long the rows are."""
        found: Frame = self.kept("frame", self._frame)
        return found

    def _frame(self) -> Frame:
        when = moments(self.usage, self.pricing.options.at, self.pricing.default_at)
        return Frame.of(when.since_us, self.usage.prompt, self.grids)

    def source(self, by_workspace: bool) -> Structure | Turns | None:
        """Who starts like whom, or what turns may share; None where the file says neither."""
        has_workspaces = by_workspace and self.workload.has("workspace")
        found: Structure | Turns | None = self.kept(
            ("source", has_workspaces), lambda: self._source(has_workspaces)
        )
        return found

    def _source(self, by_workspace: bool) -> Structure | Turns | None:
        rows = np.ones(self.origin.rows, dtype=np.bool_)
        scope = np.zeros(self.origin.rows, dtype=np.int64)
        if by_workspace:
            scope = self.origin.text("workspace").codes.astype(np.int64) + 1
        found = structure_of(self.origin, rows, scope) or turns_of(self.origin)
        return scaled_source(found, self.factor)

    @property
    def kind(self) -> Kind:
        """What the workload says of its caching."""
        found: Kind = self.kept("kind", self._kind)
        return found

    def _kind(self) -> Kind:
        source = self.source(by_workspace=False)
        name = ""
        if isinstance(source, Turns):
            name = "observed" if source.observed else "sessions"
        elif source is not None:
            plain = "messages" if source.message_blocks else "blocks"
            name = "named" if source.named else plain
        sessions = np.unique(self.workload.text("session_id").codes)
        models = np.unique(self.workload.text("model").codes)
        return Kind(
            source=name,
            several_sessions=int((sessions >= 0).sum()) > 1,
            own=own_lifetimes(self.workload),
            answers_timed=self.workload.has("response_s"),
            several_models=len(models) > 1,
        )

    def tokens(self, sim: Sim) -> CacheTokens:
        """The simulation, made once."""
        source = self.source(sim.by_workspace)
        if source is None:
            raise AssertionError("nothing to simulate")
        key = replace(sim, by_workspace=sim.by_workspace and self.workload.has("workspace"))

        def make() -> CacheTokens:
            own = own_points(self.origin) if sim.placement == "own" else None
            return simulate(source, sim, own)

        found: CacheTokens = self.kept(("tokens", key), make)
        return found

    def sums(self, key: Any, make: Callable[[], dict[str, IntArray]]) -> Sums:
        """Sums of the columns that `make` gives, made once for `key`."""
        found: Sums = self.kept(("sums", key), lambda: Sums(self.frame, make()))
        return found


def cost_of(bench: Bench, plan: Plan, rules: CacheRules, card: RateCard, end: str) -> Cost | None:
    """One end ('low' or 'high') of `plan` at the prices of `card`; None where one is lacking."""
    if plan.policy not in ("implicit", "explicit", "none"):
        card = at_breakpoints(card)
    grid = grid_of(card)
    sim = plan.low if end == "low" else plan.high
    factors = _factors(bench, grid, plan.short)
    if sim.placement == "bound":
        if factors is None:
            return None
        sim = replace(sim, uses_to_pay=_uses(*factors))
    if plan.extra == "pings":
        premium = None
        if end == "low":
            if factors is None or not factors[1]:
                return None
            premium = (factors[0] - factors[1]) / factors[1]
        return _pinged(bench, plan, rules, sim, grid, premium)
    if plan.extra == "objects":
        return _stored(bench, rules, grid, renewed=end == "high")
    sums = bench.sums((sim, plan.short, plan.long), lambda: columns_of(bench, plan, sim))
    priced = sums.priced(grid)
    return _cost(priced) if priced is not None else _long_way(bench, sums, card)


def columns_of(bench: Bench, plan: Plan, sim: Sim) -> dict[str, IntArray]:
    """The simulated tokens under the names of their buckets."""
    return _named(bench.tokens(sim), plan, bench.usage.tokens["output"])


def _named(tokens: CacheTokens, plan: Plan, output: IntArray) -> dict[str, IntArray]:
    columns = {"uncached": tokens.uncached, "read": tokens.read, "output": output}
    if plan.short is not None:
        columns[f"write_{plan.short}"] = tokens.short
    if plan.long is not None:
        columns[f"write_{plan.long}"] = tokens.long
    return columns


def _factors(
    bench: Bench, grid: RateGrid, lifetime: str | None
) -> tuple[Fraction, Fraction] | None:
    """Write and read price over the input price at the first request, at the base tier."""
    times = bench.frame.times_us
    if lifetime is None or not len(times):
        return None
    interval = grid.intervals[int(grid.interval_of(times[:1])[0])]
    if not len(interval.segments):
        return None
    prices = dict(zip(BUCKETS, grid.prices[2 * int(interval.segments[0])].tolist(), strict=True))
    plain, write, read = prices["uncached"], prices[f"write_{lifetime}"], prices["read"]
    if plain <= 0 or write < 0 or read < 0:
        return None
    return Fraction(write, plain), Fraction(read, plain)


def _uses(write: Fraction, read: Fraction) -> int | None:
    """The smallest run of uses that costs less than as many times the input price."""
    if read >= 1:
        return None
    return int((write - read) // (1 - read)) + 1


def _cost(priced: Priced, **more: Any) -> Cost:
    tokens, e13 = dict(priced.tokens), dict(priced.e13)
    if "created" in tokens:
        tokens["uncached"] += tokens.pop("created")
        e13["uncached"] += e13.pop("created")
    if "ping_read" in tokens:
        tokens["pings"] = tokens.pop("ping_read") + tokens.pop("ping_output")
        e13["pings"] = e13.pop("ping_read") + e13.pop("ping_output")
    return Cost(tokens=tokens, e13=e13, sources=priced.sources, **more)


def _pinged(
    bench: Bench,
    plan: Plan,
    rules: CacheRules,
    sim: Sim,
    grid: RateGrid,
    premium: Fraction | None,
) -> Cost | None:
    structure = bench.source(sim.by_workspace)
    if not isinstance(structure, Structure):
        return None
    # An entry whose lifetime is a minimum is kept alive as if it were not.
    sim = replace(sim, lifetime=plan.short or sim.lifetime)
    key = ("pings", sim, premium, rules.ping_output_tokens)

    def make() -> Any:
        return kept_alive(
            structure, bench.tokens(sim), ttl_us(plan.short), rules.min_tokens, premium
        )

    kept = bench.kept(("alive", key), make)

    def columns() -> dict[str, IntArray]:
        named = _named(kept.tokens, plan, bench.usage.tokens["output"])
        named["ping_read"] = kept.pings * kept.prefix_tokens
        named["ping_output"] = kept.pings * rules.ping_output_tokens
        return named

    priced = bench.sums(key, columns).priced(grid)
    return None if priced is None else _cost(priced, pings=int(kept.pings.sum()))


def _stored(bench: Bench, rules: CacheRules, grid: RateGrid, *, renewed: bool) -> Cost | None:
    structure = bench.source(rules.by_workspace)
    if not isinstance(structure, Structure):
        return None
    key = ("objects", rules.min_tokens, rules.by_workspace, renewed)
    objects: Objects = bench.kept(
        ("made", key), lambda: objects_of(structure, rules.min_tokens, renewed=renewed)
    )

    def columns() -> dict[str, IntArray]:
        tokens = objects.tokens
        output = bench.usage.tokens["output"]
        named = {"uncached": tokens.uncached, "read": tokens.read, "output": output}
        return {**named, "created": objects.created}

    priced = bench.sums(key, columns).priced(grid)
    storage = storage_e13(objects, bench.frame.times_us, grid.card)
    if priced is None or storage is None:
        return None
    found = _cost(priced, storage_token_us=stored_token_us(objects))
    return replace(found, e13={**found.e13, "storage": storage})


def _long_way(bench: Bench, sums: Sums, card: RateCard) -> Cost | None:
    """Row by row through the bill. None where some row has no price."""
    columns = {
        "cached_read_tokens": sums.columns["read"],
        **{
            column: sums.columns[name]
            for column in WRITE_COLUMNS
            if (name := column.removeprefix("cache_").removesuffix("_tokens")) in sums.columns
        },
    }
    kept = {n: c for n, c in bench.workload.columns.items() if n not in WRITE_COLUMNS}
    workload = replace(bench.workload, columns={**kept, **columns})
    ref = ModelRef(card.provider, card.surface, card.model, card.mode)
    pricing = replace(
        bench.pricing, cards=lambda _: card, options=replace(bench.pricing.options, override=ref)
    )
    bill = pricing.bill(workload)
    if not bill.priced.all() or not bill.billed.amount.exact:
        return None
    tokens = {bucket: int(counts.sum()) for bucket, counts in bill.usage.tokens.items()}
    e13 = {bucket: amount.low_e13 for bucket, amount in bill.usd_by_bucket.items()}
    return Cost(tokens=tokens, e13=e13, sources=bill.sources)
