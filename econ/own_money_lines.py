"""The money of one's own hour as figures of a report: load, curve, places, implied rent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from econ.dollar_curve import DollarCurve
from econ.implied_rent import Premium, Rent
from econ.implied_rent_rows import verdict
from econ.own_break_even import UTILISATIONS, OwnRate
from econ.report_own import OwnLine
from econ.tier_study import TierStudy
from price_tables.hardware import DeviceSpec
from price_tables.tiers import TierSpec

Ends = tuple[Decimal, Decimal | None, Decimal]


def load_lines(rate: OwnRate, load: float | None, source: str, as_of: str) -> Iterator[OwnLine]:
    """The hour, the tokens that it serves, and a million of them at some loads."""
    where: dict[str, Any] = {"source": source, "as_of": as_of}
    yield OwnLine(section="load", item="usd_per_hour", unit="USD/h", value=rate.usd_per_hour,
                  basis="published" if source else "typed", **where)  # fmt: skip
    yield OwnLine(section="load", item="tokens_per_s", unit="tokens/s", value=rate.tokens_per_s,
                  basis="typed" if load is None else "simulated")  # fmt: skip
    yield OwnLine(section="load", item="busy_usd_per_mtok", unit="USD/Mtok", basis="computed",
                  value=rate.busy_usd_per_mtok, **where)  # fmt: skip
    yield OwnLine(section="load", item="load", unit="ratio", basis="simulated", value=load)
    for at, usd in rate.curve(UTILISATIONS):
        yield OwnLine(section="load", item="usd_per_mtok_at_load", unit="USD/Mtok",
                      basis="computed", key=f"{at}", value=usd)  # fmt: skip


def curve_lines(curve: DollarCurve, value: str, here_gb: float | None) -> Iterator[OwnLine]:
    """Where the next GB costs what it saves, and where this fleet stands. `value`: what a hit is
    taken to be worth, 'recompute' or 'api'. Money a hour of the workload's own span."""

    def line(item: str, unit: str, figure: float, key: str = "") -> OwnLine:
        return OwnLine(section="curve", item=item, unit=unit, basis="simulated", value=figure,
                       key=key)  # fmt: skip

    yield line("hours", "h", curve.hours)
    yield line("hit_usd_per_mtok", "USD/Mtok", curve.usd_per_hit_token * 1_000_000, value)
    yield line("rent_usd_per_gb_hour", "USD/GB-h", curve.usd_per_gb_hour)
    places = [("knee", curve.knee)]
    if here_gb is not None:
        places.append(("here", curve.at(here_gb)))
    for name, at in places:
        gb = here_gb if name == "here" and here_gb is not None else float(curve.gb[at])
        yield line(f"{name}_gb", "GB", gb)
        yield line(f"{name}_hit_ratio", "ratio", float(curve.hit_ratio[at]))
        for item in ("saved", "rent", "net"):
            money = float(getattr(curve, item)[at])
            if name == "knee" or item == "saved":
                yield line(f"{name}_{item}_usd_per_hour", "USD/h", money)
        step = curve.next_gb(at)
        if step is not None:
            yield line(f"{name}_next_gb_usd_per_hour", "USD/h", step)


def tier_lines(
    study: TierStudy, tiers: Mapping[str, TierSpec], prices: Mapping[str, Ends]
) -> Iterator[OwnLine]:
    """Every place: load or compute again, what it answers of the workload, what a GB costs."""
    for item, unit, value in (
        ("prefix_tokens", "tokens", study.prefix_tokens),
        ("recompute_s", "s", study.recompute.prefill_s),
        ("break_even_bytes_per_s", "bytes/s", study.break_even_bytes_per_s),
    ):
        yield OwnLine(section="tiers", item=item, unit=unit, basis="computed", value=value)
    for row in study.rows:
        choice = row.choice
        spec = tiers.get(choice.tier)
        where: dict[str, Any] = {} if spec is None else {"source": spec.source, "as_of": spec.as_of}

        def line(item: str, unit: str, value: float | int | None, basis: str,
                 key: str = choice.tier, state: str = "", where: dict[str, Any] = where,
                 ) -> OwnLine:  # fmt: skip
            return OwnLine(section="tiers", item=item, unit=unit, basis=basis, value=value,
                           key=key, state=state, **where)  # fmt: skip

        yield line("bytes_per_s", "bytes/s", choice.bytes_per_s, "datasheet")
        yield line("transfer_s", "s", choice.transfer_s, "computed", state=choice.choice)
        if row.hits is not None:
            yield line("hit_tokens", "tokens", row.hits.hit_tokens, "simulated")
            yield line("not_worth_loading_tokens", "tokens", row.hits.not_worth_loading_tokens,
                       "simulated")  # fmt: skip
            yield line("saved_s", "s", row.hits.saved_s, "simulated")
        ends = prices.get(choice.tier)
        if ends is not None:
            yield OwnLine(section="tiers", item="usd_per_gb_hour", unit="USD/GB-h",
                          basis="published", key=choice.tier, value=ends[1], low=ends[0],
                          high=ends[2], **where)  # fmt: skip


def rent_lines(
    device: DeviceSpec, named: Sequence[Rent], premiums: Sequence[Premium],
    ends: tuple[Decimal, Decimal],
) -> Iterator[OwnLine]:  # fmt: skip
    """The named rents of a GB, then what premiums imply at the `ends` of bytes a token."""
    for rent in named:
        yield OwnLine(section="rent", item="rent_usd_per_gb_hour", unit="USD/GB-h",
                      basis="published", key=rent.name, value=rent.usd_per_gb_hour,
                      source=rent.source or device.source, as_of=rent.as_of)  # fmt: skip
    low_bytes, high_bytes = ends
    if not premiums:
        return
    yield OwnLine(section="rent", item="implied_bytes_per_token", unit="bytes", basis="assumption",
                  low=int(low_bytes), high=int(high_bytes))  # fmt: skip
    for premium in premiums:
        one = verdict(premium, named, low_bytes, high_bytes)
        low, high = one.low_usd_per_gb_hour, one.high_usd_per_gb_hour
        yield OwnLine(
            section="rent", item="implied_usd_per_gb_hour", unit="USD/GB-h", basis="computed",
            key=premium.kind, provider=premium.provider, model=premium.model,
            value=low if low == high else None, low=low, high=high,
            state=", ".join(row.name for row in one.above),
            source=premium.source, as_of=premium.as_of,
        )  # fmt: skip
