"""Less KV as figures of a report: representations side by side, HBM dollars, joules a token, what a
hybrid model gains, what a switch of models takes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from econ.hbm_spend import HbmSpend, UsdBand
from econ.less_kv import Scenario
from econ.report_own import OwnLine
from jobs.less_kv import LessKv
from jobs.less_kv_parts import EnergyRow

BYTES = ("bytes_per_token", "bytes_p50", "bytes_p95", "peak_bytes")


def less_lines(found: LessKv) -> Iterator[OwnLine]:
    """What the page shows of bytes, sequences, fleet and dollars, then makers, then energy."""
    for row in found.shown:
        yield from _scenario(found, row)
    for name, spend in (("as_is", found.spend), ("chosen", found.spend_chosen)):
        if spend is not None:
            yield from _spend(found, name, spend)
    for energy in found.energy:
        yield from _energy(found, energy)
    yield from _hybrid(found)
    yield from _switch(found)


def row_key(row: Scenario) -> str:
    """'mqa bf16': the lever and the format."""
    return f"{row.lever} {row.kv_format}"


def _whole(value: Fraction | float | int) -> float | int:
    exact = float(value)
    return int(exact) if exact == int(exact) else exact


def _scenario(found: LessKv, row: Scenario) -> Iterator[OwnLine]:
    key = row_key(row)
    model: dict[str, Any] = {"source": found.model.source, "as_of": found.model.as_of}
    device: dict[str, Any] = {"source": found.device.source, "as_of": found.device.as_of}
    for item in BYTES:
        yield OwnLine(section="less_kv", item=item, unit="bytes", basis="computed", key=key,
                      value=_whole(getattr(row, item)), **model)  # fmt: skip
    yield OwnLine(section="less_kv", item="gb_hours", unit="GB-h", basis="computed", key=key,
                  value=row.gb_hours)  # fmt: skip
    for item in ("sequences_p95", "devices"):
        yield OwnLine(section="less_kv", item=item, unit="", basis="computed", key=key,
                      value=getattr(row, item), **device)  # fmt: skip
    if row.hbm_usd is not None:
        yield _usd(found, "less_kv", "hbm_usd", key, row.hbm_usd)


def _usd(found: LessKv, section: str, item: str, key: str, band: UsdBand) -> OwnLine:
    price = found.hbm.price_of(found.device.memory_type)
    where: dict[str, Any] = {} if price is None else {"source": price.source, "as_of": price.as_of}
    return OwnLine(
        section="less_kv" if section == "less_kv" else "hbm", item=item, unit="USD",
        basis="estimated", key=key, value=band.mid, low=band.low, high=band.high, **where,
    )  # fmt: skip


def _spend(found: LessKv, name: str, spend: HbmSpend) -> Iterator[OwnLine]:
    for part in ("kv", "weights"):
        yield OwnLine(section="hbm", item=f"{part}_gb_hours", unit="GB-h", basis="computed",
                      key=name, value=getattr(spend, f"{part}_gb_hours"))  # fmt: skip
    for part in ("kv", "weights", "peak"):
        yield _usd(found, "hbm", f"{part}_usd", name, getattr(spend, part))
    share = found.hbm.newest_share()
    for maker, band in spend.by_maker.items():
        key = f"{name} {maker}"
        yield OwnLine(section="hbm", item="share_percent", unit="%", basis="published", key=key,
                      value=share.by_maker()[maker], source=share.source,
                      as_of=share.quarter)  # fmt: skip
        yield _usd(found, "hbm", "maker_usd", key, band)


def _energy(found: LessKv, row: EnergyRow) -> Iterator[OwnLine]:
    key = f"{row_key(row.scenario)} x{row.energy.batch}"
    band, device = row.band, found.device
    for item, joules in (
        ("device_j_per_token", row.energy.device_j), ("all_in_j_per_token", row.energy.all_in_j)
    ):  # fmt: skip
        if joules is None:
            continue
        yield OwnLine(
            section="energy", item=item, unit="J/token", basis="datasheet", key=key, value=joules,
            low=None if band is None else joules * band.low_ratio,
            high=None if band is None else joules * band.high_ratio,
            source=device.source, as_of=device.as_of,
        )  # fmt: skip


def _hybrid(found: LessKv) -> Iterator[OwnLine]:
    """The hybrid model beside itself with full layers only, at this workload's lengths."""
    made = found.hybrid
    if made is None:
        return
    rests: dict[str, Any] = {"source": made.model.source, "as_of": made.model.as_of}
    yield OwnLine(section="hybrid", item="kv_saving", unit="ratio", basis="computed",
                  key=made.model.name, value=made.saving, **rests)  # fmt: skip
    gain = made.gain
    if gain is None:
        return
    for item, value, unit, basis in (
        ("long_share", gain.long_share, "ratio", "observed"),
        ("gain_by_floor", gain.by_floor, "x", "datasheet"),
        ("gain_by_published", gain.by_published, "x", "published"),
    ):
        yield OwnLine(section="hybrid", item=item, unit=unit, basis=basis, key=made.model.name,
                      value=value)  # fmt: skip


def _switch(found: LessKv) -> Iterator[OwnLine]:
    """The timed pair of models, here and at this workload's median context."""
    made = found.switching
    if made is None:
        return
    timing, at = made.facts.timing, made.at_workload
    pair = f"{at.sender} → {at.receiver}"
    rests: dict[str, Any] = {"source": timing.source, "as_of": str(timing.as_of)}
    yield OwnLine(section="switch", item="switches", unit="", basis="observed", key=pair,
                  value=made.counted)  # fmt: skip
    for item, value, basis in (
        ("switch_prefill_s", at.prefill_s, "estimated"),
        ("switch_map_s", at.map_s, "estimated"),
    ):
        yield OwnLine(section="switch", item=item, unit="s", basis=basis, key=pair,
                      value=value, **rests)  # fmt: skip
    yield OwnLine(section="switch", item="retention", unit="ratio", basis="published",
                  key=pair, value=at.retention_low, **rests)  # fmt: skip
    earned = made.earned
    yield OwnLine(section="switch", item="switches_that_earn_it", unit="", basis="computed",
                  key=pair, low=earned.switches_low, high=earned.switches_high,
                  **rests)  # fmt: skip
