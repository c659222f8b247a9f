"""The study of less KV for others to read: JSON for the shell, one flat CSV for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from econ.csv_safe import Cell, csv_bytes
from econ.energy import rebounds
from econ.hbm_spend import HbmSpend, UsdBand
from econ.hybrid_gain import FULL_MS, HYBRID_MS, PRINTED_GAIN, PRINTED_PERCENT
from econ.less_kv import Scenario
from econ.model_switch import Switch, find_pair, is_named, switch
from jobs.less_kv import LessKv
from jobs.less_kv_parts import EnergyRow, Hybrid, Switching
from jobs.model_sizes import hardware
from messages.errors import input_error
from price_tables.facts_load import load_switch
from price_tables.kv_quality import Measured

DIGITS = 6
COLUMNS = ("section", "row", "figure", "value", "low", "high", "unit", "basis", "source", "as_of")
BYTES = ("bytes_per_token", "bytes_p50", "bytes_p95", "reserved_p95", "peak_bytes")


def to_json(found: LessKv) -> dict[str, Any]:
    """The whole study; money as strings, ratios as floats, unknown as null."""
    held = found.held
    return {
        "model": found.model.id,
        "device": found.device.id,
        "weights_bytes": found.weights_bytes,
        "memory_fraction": float(found.fraction),
        "kv_format_chosen": found.asked.chosen,
        "residence": {
            "model": held.model,
            "lifetime_s": held.lifetime_s,
            "requests": len(held.tokens),
            "left_out": held.left_out,
            "span_s": round(held.span_s, DIGITS),
        },
        "lengths": asdict(found.lengths),
        "scenarios": [_scenario(found, row) for row in found.rows],
        "unchanged": list(found.unchanged),
        "hybrid": None if found.hybrid is None else _hybrid(found.hybrid),
        "hbm_spend": {"as_is": _spend(found.spend), "chosen": _spend(found.spend_chosen)},
        "energy": [_energy(row) for row in found.energy],
        "switch": None if found.switching is None else _switching(found.switching),
    }


def _number(value: Fraction | float) -> int | float:
    exact = float(value)
    return int(exact) if exact == int(exact) else round(exact, DIGITS)


def _band(band: UsdBand | None) -> dict[str, str] | None:
    if band is None:
        return None
    return {name: f"{getattr(band, name):.6f}" for name in ("low", "mid", "high")}


def _scenario(found: LessKv, row: Scenario) -> dict[str, Any]:
    measured = found.quality.of(row.kv_format) if row.lever in ("format", "chosen") else ()
    return {
        "lever": row.lever,
        "kv_format": row.kv_format,
        **{name: _number(getattr(row, name)) for name in BYTES},
        "gb_hours": round(row.gb_hours, DIGITS),
        "devices_a_group": row.devices_a_group,
        "sequences_p95": row.sequences_p95,
        "devices": row.devices,
        "hbm_usd": _band(row.hbm_usd),
        "quality": [_measured(one) for one in measured],
    }


def _measured(row: Measured) -> dict[str, Any]:
    return {
        "model": row.model,
        "task": row.task,
        "metric": row.metric,
        "before": None if row.before is None else float(row.before),
        "after": float(row.after),
        "source": row.source,
        "as_of": row.as_of,
    }


def _hybrid(hybrid: Hybrid) -> dict[str, Any]:
    gain = hybrid.gain
    return {
        "model": hybrid.model.id,
        "kv_saving_ratio": round(hybrid.saving, DIGITS),
        "kv_saving_printed_percent": PRINTED_PERCENT,
        "gain_at_1m": round(FULL_MS / HYBRID_MS, DIGITS),
        "gain_printed": PRINTED_GAIN,
        "curve": [{**asdict(point), "gain": round(point.gain, DIGITS)} for point in hybrid.curve],
        "workload": None
        if gain is None
        else {name: round(value, DIGITS) for name, value in asdict(gain).items()},
    }


def _spend(spend: HbmSpend | None) -> dict[str, Any] | None:
    if spend is None:
        return None
    return {
        "kv_gb_hours": round(spend.kv_gb_hours, DIGITS),
        "weights_gb_hours": round(spend.weights_gb_hours, DIGITS),
        "kv_usd": _band(spend.kv),
        "weights_usd": _band(spend.weights),
        "peak_usd": _band(spend.peak),
        "by_maker_usd": {maker: _band(band) for maker, band in spend.by_maker.items()},
        "share_total_percent": float(spend.share_total),
    }


def _energy(row: EnergyRow) -> dict[str, Any]:
    band = row.band
    return {
        "lever": row.scenario.lever,
        "kv_format": row.scenario.kv_format,
        **{name: value if value is None else round(value, DIGITS)
           for name, value in asdict(row.energy).items()},
        "band": None if band is None else {"low": band.low_ratio, "high": band.high_ratio},
        "outside": list(row.outside),
    }  # fmt: skip


def _switching(found: Switching) -> dict[str, Any]:
    return {
        "in_workload": found.counted,
        "at_timed": switch_json(found.at_timed),
        "at_workload": switch_json(found.at_workload),
        "earned_after": [found.earned.switches_low, found.earned.switches_high],
    }


def switch_json(found: Switch) -> dict[str, Any]:
    """One switch; times null where nobody measured them."""
    gain = found.gain
    return {
        **asdict(found),
        "gain": None if gain is None else round(gain, DIGITS),
        "measured": found.advice != "not_measured",
    }


def switch_of(sender: str, receiver: str, tokens: int) -> dict[str, Any]:
    """What is published of going from one model to another, as the shell's `switch` prints it."""
    facts = load_switch()
    known = hardware().models
    for name in (sender, receiver):
        if not is_named(facts, name) and name.lower() not in known:
            pairs = "; ".join(f"{p.sender} → {p.receiver}" for p in facts.pairs)
            raise input_error("cli.switch_unknown", name=name[:60], pairs=pairs)
    pair = find_pair(facts, sender, receiver)
    return {
        **switch_json(switch(facts, sender, receiver, tokens)),
        "timed_tokens": facts.timing.tokens if pair and pair.id == facts.timing.pair else None,
        "source": None if pair is None else pair.source,
        "as_of": None if pair is None else pair.as_of,
    }


def to_csv(found: LessKv) -> bytes:
    """Every figure in a row of its own: UTF-8 with BOM, raw numbers."""
    return csv_bytes(COLUMNS, _lines(found))


def _line(section: str, row: str, figure: str, unit: str, basis: str, **cells: Cell
          ) -> Mapping[str, Cell]:  # fmt: skip
    named: dict[str, Cell] = {
        "section": section, "row": row, "figure": figure, "unit": unit, "basis": basis,
    }  # fmt: skip
    return {**named, **cells}


def _lines(found: LessKv) -> Iterator[Mapping[str, Cell]]:
    for row in found.rows:
        yield from _scenario_lines(found, row)
    for name, spend in (("as_is", found.spend), ("chosen", found.spend_chosen)):
        if spend is not None:
            yield from _spend_lines(found, name, spend)
    for energy in found.energy:
        name = f"{energy.scenario.lever}, batch {energy.energy.batch}"
        unit = "J/token"
        yield _line("energy", name, "device", unit, "floor", value=energy.energy.device_j)
        yield _line("energy", name, "all_in", unit, "floor", value=energy.energy.all_in_j)
    if found.hybrid is not None:
        yield from _hybrid_lines(found.hybrid)
    if found.switching is not None:
        yield from _switch_lines(found.switching)
    for one in found.quality.measured:
        yield _line(
            "quality", f"{one.format}: {one.model}, {one.task}", one.metric, "", "published",
            value=one.after, low=one.before, source=one.source, as_of=one.as_of,
        )  # fmt: skip
    for own in found.own_formats:
        name, row_name = own.found.name, f"{own.found.name}: {own.model}, {own.device}"
        source = f"{own.profile} ({name})"
        yield _line("quality", row_name, "KL divergence", "nats", own.origin,
                    value=own.found.kl_nats, source=source, as_of=own.measured)  # fmt: skip


def _scenario_lines(found: LessKv, row: Scenario) -> Iterator[Mapping[str, Cell]]:
    name = f"{row.lever}, {row.kv_format}"
    source, as_of = found.model.source, found.model.as_of
    for figure in BYTES:
        value = _number(getattr(row, figure))
        yield _line("scenario", name, figure, "bytes", "computed", value=value, source=source,
                    as_of=as_of)  # fmt: skip
    yield _line("scenario", name, "gb_hours", "GB-hours", "computed", value=row.gb_hours)
    for figure in ("sequences_p95", "devices"):
        yield _line("scenario", name, figure, "", "computed", value=getattr(row, figure),
                    source=found.device.source, as_of=found.device.as_of)  # fmt: skip
    if row.hbm_usd is not None:
        yield _usd("scenario", name, "hbm", row.hbm_usd, found)


def _usd(
    section: str, row: str, figure: str, band: UsdBand, found: LessKv
) -> Mapping[str, Cell]:  # fmt: skip
    price = found.hbm.price_of(found.device.memory_type)
    return _line(
        section, row, figure, "USD", "estimated", value=band.mid, low=band.low, high=band.high,
        source="" if price is None else price.source, as_of="" if price is None else price.as_of,
    )  # fmt: skip


def _spend_lines(found: LessKv, name: str, spend: HbmSpend) -> Iterator[Mapping[str, Cell]]:
    yield _line("hbm", name, "kv", "GB-hours", "computed", value=spend.kv_gb_hours)
    yield _line("hbm", name, "weights", "GB-hours", "computed", value=spend.weights_gb_hours)
    for figure in ("kv", "weights", "peak"):
        yield _usd("hbm", name, figure, getattr(spend, figure), found)
    share = found.hbm.newest_share()
    for maker, band in spend.by_maker.items():
        percent = share.by_maker()[maker]
        yield _line("hbm", name, f"share {maker}", "%", "published", value=percent,
                    source=share.source, as_of=share.quarter)  # fmt: skip
        yield _usd("hbm", name, maker, band, found)


def _hybrid_lines(hybrid: Hybrid) -> Iterator[Mapping[str, Cell]]:
    name = hybrid.model.id
    yield _line("hybrid", name, "kv_saving", "ratio", "computed", value=hybrid.saving)
    for point in hybrid.curve:
        row = f"{name}, {point.context_tokens} tokens"
        yield _line("hybrid", row, "gain", "times", "floor", value=point.gain)
        yield _line("hybrid", row, "gain", "times", "published", value=point.published)
    if hybrid.gain is not None:
        for figure, value in asdict(hybrid.gain).items():
            yield _line("hybrid", "workload", figure, "", "computed", value=value)
    for again in rebounds(FULL_MS / HYBRID_MS):
        row = f"elasticity {again.elasticity}"
        yield _line("rebound", row, "energy", "ratio", "assumption", value=again.energy_ratio)


def _switch_lines(found: Switching) -> Iterator[Mapping[str, Cell]]:
    for pair in found.facts.pairs:
        name = f"{pair.sender or '?'} -> {pair.receiver or '?'} ({pair.state})"
        yield _line(
            "switch", name, "retention", "ratio", "published", value=pair.retention,
            low=pair.retention_low, high=pair.retention_high, source=pair.source, as_of=pair.as_of,
        )  # fmt: skip
    for one in (found.at_timed, found.at_workload):
        row = f"{one.sender} -> {one.receiver}, {one.tokens} tokens"
        basis = "scenario" if one.scenario else "published"
        yield _line("switch", row, "map", "s", basis, value=one.map_s)
        yield _line("switch", row, "prefill", "s", basis, value=one.prefill_s)
