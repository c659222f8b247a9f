"""From the tokens of a workload to the makers of HBM, link by link, and what a change does to each.

    tokens          kept by all requests
    bytes           tokens x bytes a token (of this model and format)
    GB-hours        bytes x hours that they stay
    USD             GB-hours x (USD a GB / (life in years x 8,766 h)), low, mid, high
    makers          USD x published share

Every change is the same chain computed again, at unchanged requests and prices: what demand makes
of a saving is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from econ.csv_safe import Cell, csv_bytes
from econ.hbm_spend import UsdBand, hour_price
from econ.kv_formats import KvFormat, kv_format
from econ.kv_levers import with_lever
from econ.kv_memory import growing_per_token
from econ.kv_residence import Kept, gb_hours, request_bytes
from econ.less_kv import Setting
from price_tables.hardware import ModelSpec
from price_tables.hbm import Share

LINKS = ("tokens", "bytes", "gb_hours", "usd")
TWICE = 2
COLUMNS = ("change", "tokens", "bytes_per_token", "kv_bytes", "gb_hours", "usd_low", "usd_mid",
           "usd_high")  # fmt: skip
CHANGES = ("mla", "gqa", "fp8", "twice_context", "twice_stay")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The links' values. `usd` and `makers` are None where the memory has no public price."""

    tokens: int
    bytes_per_token: Fraction
    kv_bytes: float
    gb_hours: float
    usd_per_gb_hour: UsdBand | None
    usd: UsdBand | None
    makers: Mapping[str, UsdBand] | None

    def link(self, name: str) -> float | None:
        """A link's middle value."""
        usd = None if self.usd is None else float(self.usd.mid)
        return {"tokens": float(self.tokens), "bytes": self.kv_bytes,
                "gb_hours": self.gb_hours, "usd": usd}[name]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a change does: each link's value over the one before, None where there is none.
    `chain` None: the model has nothing that this change could alter."""

    change: str
    chain: Chain | None
    factors: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """GB-hours of HBM by use. Training is what is assumed to lie beside serving."""

    weights: float
    kv: float
    training: float

    @property
    def total(self) -> float:
        """All three."""
        return self.weights + self.kv + self.training


def chain(held: Kept, model: ModelSpec, dtype: KvFormat, setting: Setting, share: Share) -> Chain:
    """The chain of what a workload keeps."""
    sizes = request_bytes(model, dtype, held.tokens)
    hours = gb_hours(sizes, held.residence_s)
    price = None if setting.price is None else hour_price(setting.price, setting.life_years)
    usd = None if price is None else price.times(hours)
    return Chain(
        tokens=int(held.tokens.sum()),
        bytes_per_token=growing_per_token(model, dtype),
        kv_bytes=float(np.sum(sizes)),
        gb_hours=hours,
        usd_per_gb_hour=price,
        usd=usd,
        makers=None if usd is None else {
            maker: usd.times(percent / 100) for maker, percent in share.by_maker().items()
        },
    )  # fmt: skip


def effects(
    held: Kept, model: ModelSpec, dtype: KvFormat, setting: Setting, share: Share
) -> tuple[Effect, ...]:
    """Each of CHANGES against the chain as it is."""
    now = chain(held, model, dtype, setting, share)
    made = []
    for name in CHANGES:
        after = _changed(name, held, model, dtype)
        there = None if after is None else chain(*after, setting, share)
        made.append(Effect(change=name, chain=there, factors=_factors(now, there)))
    return tuple(made)


def _changed(
    name: str, held: Kept, model: ModelSpec, dtype: KvFormat
) -> tuple[Kept, ModelSpec, KvFormat] | None:
    if name == "twice_context":
        return replace(held, tokens=held.tokens * TWICE), model, dtype
    if name == "twice_stay":
        return replace(held, residence_s=held.residence_s * TWICE), model, dtype
    if name == "fp8":
        return None if dtype.name == "fp8" else (held, model, kv_format("fp8"))
    changed = with_lever(model, name)
    return None if changed is None else (held, changed, dtype)


def _factors(now: Chain, after: Chain | None) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name in LINKS:
        old, new = now.link(name), None if after is None else after.link(name)
        found[name] = new / old if old and new is not None else None
    return found


def uses(kv_gb_hours: float, weights_gb_hours: float, training_share: Fraction) -> Uses:
    """HBM by use where `training_share` (0 up to, not including, 1) of all GB-hours is training."""
    if not 0 <= training_share < 1:
        raise ValueError("the share of training must lie below 1")
    serving = kv_gb_hours + weights_gb_hours
    return Uses(
        weights=weights_gb_hours,
        kv=kv_gb_hours,
        training=serving * float(training_share / (1 - training_share)),
    )


def chain_csv(now: Chain, found: Sequence[Effect]) -> bytes:
    """The chain as it is and after each change that alters something; raw numbers."""
    lines = [("as_is", now), *((one.change, one.chain) for one in found if one.chain)]
    return csv_bytes(COLUMNS, [_line(name, one) for name, one in lines])


def _line(name: str, one: Chain) -> dict[str, Cell]:
    line: dict[str, Cell] = {
        "change": name,
        "tokens": one.tokens,
        "bytes_per_token": float(one.bytes_per_token),
        "kv_bytes": one.kv_bytes,
        "gb_hours": one.gb_hours,
    }
    if one.usd is not None:
        line |= {"usd_low": one.usd.low, "usd_mid": one.usd.mid, "usd_high": one.usd.high}
    return line
