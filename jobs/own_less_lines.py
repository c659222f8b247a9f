"""Less KV as figures of a report: representations side by side, HBM dollars, joules a token."""

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
