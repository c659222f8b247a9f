"""The Less KV page's figures: bars of every lever, a curve over context, makers, joules."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from econ.hbm_spend import HbmSpend, UsdBand
from econ.hybrid_gain import FULL_MS, HYBRID_MS, TIMED_CONTEXT, GainPoint
from econ.less_kv import Scenario
from jobs.less_kv import LessKv
from jobs.less_kv_parts import EnergyRow
from ui import charts
from ui.byte_words import Unit, size
from ui.charts import Bar, Chart
from ui.less_kv_controls import format_word
from ui.numerals import count, md, percent, usd
from ui.tables import Column, Table
from ui.time_lines import Axes, Line, lines
from ui.words import t

LEVER_FORMAT = ("format", "chosen")


def scenario_name(row: Scenario) -> str:
    """'As is, bf16', 'One KV head (MQA), bf16', 'fp8'."""
    if row.lever == "format":
        return format_word(row.kv_format)
    return t("less_kv.named", lever=t(f"less_kv.lever.{row.lever}"),
             format=format_word(row.kv_format))  # fmt: skip


def levers(found: LessKv, unit: Unit) -> Chart:
    """KV at the fullest moment, one bar a scenario, the smallest last. What every query head would
    keep is many times as much and in the table alone."""
    whole = found.as_is.peak_bytes or 1.0
    shown = [row for row in found.shown if row.lever != "mha"]
    ordered = sorted(shown, key=lambda row: -row.peak_bytes)
    bars = [
        Bar(
            name=scenario_name(row),
            value=row.peak_bytes,
            shown=size(row.peak_bytes, unit),
            style="read" if row.lever == "chosen" else "total",
            more=_more(row, whole),
        )
        for row in ordered
    ]
    return charts.ranked_bars(bars, t("less_kv.levers_alt"), scenario_table(found))


def _more(row: Scenario, whole: float) -> str:
    part = percent(row.peak_bytes / whole, 0)
    return t("less_kv.of_as_is", share=part) if row.lever != "as_is" else ""


def scenario_table(found: LessKv) -> Table:
    """Every scenario with bytes, what fits, and dollars; raw numbers."""
    rows, word = found.shown, "less_kv.column."
    return Table(
        columns=(
            Column(title=t(f"{word}scenario"), values=[scenario_name(row) for row in rows]),
            _counts(f"{word}bytes_per_token", [float(row.bytes_per_token) for row in rows]),
            _counts(f"{word}bytes_p50", [row.bytes_p50 for row in rows]),
            _counts(f"{word}bytes_p95", [row.bytes_p95 for row in rows]),
            _counts(f"{word}reserved_p95", [row.reserved_p95 for row in rows]),
            _counts(f"{word}peak_bytes", [row.peak_bytes for row in rows]),
            _counts(f"{word}sequences", [row.sequences_p95 for row in rows]),
            _counts(f"{word}devices", [row.devices for row in rows]),
            Column(
                title=t(f"{word}gb_hours"),
                values=[round(row.gb_hours, 3) for row in rows],
                kind="number",
            ),
            *(_usd_column(name, [row.hbm_usd for row in rows]) for name in ("low", "mid", "high")),
            Column(title=t(f"{word}quality"), values=[quality_words(found, row) for row in rows]),
        ),
        alt=t("less_kv.levers_alt"),
    )


def _counts(title: str, values: Sequence[float | None]) -> Column:
    return Column(title=t(title), values=values, kind="count")


def _usd_column(name: str, bands: Sequence[UsdBand | None]) -> Column:
    values = [None if band is None else round(float(getattr(band, name)), 6) for band in bands]
    return Column(title=t(f"less_kv.column.usd_{name}"), values=values, kind="number")


def quality_words(found: LessKv, row: Scenario) -> str:
    """How many figures there are of this format; 'not measured' where nobody has any."""
    if row.lever == "as_is":
        return t("less_kv.quality_baseline")
    measured = found.quality.of(row.kv_format) if row.lever in LEVER_FORMAT else ()
    if not measured:
        return t("less_kv.not_measured")
    return t("less_kv.quality_rows", len(measured))


def quality_short(found: LessKv, row: Scenario) -> str:
    """The same for a narrow column."""
    measured = found.quality.of(row.kv_format) if row.lever in LEVER_FORMAT else ()
    return t("less_kv.quality_short", len(measured)) if measured else quality_words(found, row)


def gain_curve(points: Sequence[GainPoint]) -> Chart:
    """A step's floor over context with full layers and as the hybrid, and the published pair."""
    alt = t("less_kv.hybrid_alt")
    drawn = [
        Line(
            name=t("less_kv.all_full"),
            tone="plain",
            points=[(float(point.context_tokens), point.full_s) for point in points],
        ),
        Line(
            name=t("less_kv.hybrid"),
            tone="ours",
            points=[(float(point.context_tokens), point.hybrid_s) for point in points],
        ),
        Line(
            name=t("less_kv.published_full"), tone="plain", series=2,
            points=[(float(TIMED_CONTEXT), FULL_MS / 1000)],
        ),
        Line(
            name=t("less_kv.published_hybrid"), tone="ours", series=2,
            points=[(float(TIMED_CONTEXT), HYBRID_MS / 1000)],
        ),
    ]  # fmt: skip
    columns = (
        _counts("less_kv.column.context", [point.context_tokens for point in points]),
        Column(
            title=t("less_kv.all_full_ms"), values=[round(p.full_s * 1e3, 4) for p in points],
            kind="number",
        ),
        Column(
            title=t("less_kv.hybrid_ms"), values=[round(p.hybrid_s * 1e3, 4) for p in points],
            kind="number",
        ),
        Column(
            title=t("less_kv.gain_floor"), values=[round(p.gain, 3) for p in points], kind="number"
        ),
        Column(
            title=t("less_kv.gain_published"),
            values=[None if p.published is None else round(p.published, 2) for p in points],
            kind="number",
        ),
    )  # fmt: skip
    return lines(drawn, Axes(x=t("less_kv.column.context")), alt, Table(columns=columns, alt=alt))


def makers(spend: HbmSpend) -> Chart:
    """Dollars by maker at the published shares; they add to more than the spend where those do."""
    names = list(spend.by_maker)
    bars = [
        Bar(
            name=t(f"less_kv.maker.{name}"),
            value=float(spend.by_maker[name].mid),
            shown=band_words(spend.by_maker[name]),
            style="total",
        )
        for name in names
    ]
    columns = (
        Column(title=t("less_kv.column.maker"), values=[t(f"less_kv.maker.{n}") for n in names]),
        *(_usd_column(end, [spend.by_maker[n] for n in names]) for end in ("low", "mid", "high")),
    )
    alt = t("less_kv.makers_alt")
    return charts.ranked_bars(bars, alt, Table(columns=columns, alt=alt))


def band_words(band: UsdBand) -> str:
    """'$0.21 ($0.17 to $0.30)'."""
    return t("less_kv.usd_band", mid=usd(band.mid), low=usd(band.low), high=usd(band.high))


def energy(rows: Sequence[EnergyRow]) -> Chart:
    """Joules a token of the device alone; all-in and the measured band in words."""
    bars = [
        Bar(
            name=energy_name(row),
            value=row.energy.device_j,
            shown=joules(row.energy.device_j),
            style="read" if row.scenario.lever == "chosen" else "total",
            more=_all_in(row),
        )
        for row in rows
    ]
    alt = t("less_kv.energy_alt")
    columns = (
        Column(title=t("less_kv.column.scenario"), values=[energy_name(row) for row in rows]),
        _counts("less_kv.column.batch", [row.energy.batch for row in rows]),
        Column(
            title=t("less_kv.column.step_ms"),
            values=[round(row.energy.step_s * 1e3, 4) for row in rows], kind="number",
        ),
        Column(
            title=t("less_kv.column.device_j"),
            values=[round(row.energy.device_j, 4) for row in rows], kind="number",
        ),
        Column(
            title=t("less_kv.column.all_in_j"),
            values=[None if r.energy.all_in_j is None else round(r.energy.all_in_j, 4)
                    for r in rows],
            kind="number",
        ),
    )  # fmt: skip
    return charts.ranked_bars(bars, alt, Table(columns=columns, alt=alt))


def energy_name(row: EnergyRow) -> str:
    """'As is, bf16, 4 sequences'."""
    name = scenario_name(row.scenario)
    return t("less_kv.energy_name", row.energy.batch, name=name)


def joules(value: float) -> str:
    """'10.0 J', '0.42 J'."""
    places = 0 if value >= 100 else 1 if value >= 10 else 2
    return t("less_kv.joules", value=f"{value:,.{places}f}")


def _all_in(row: EnergyRow) -> str:
    if row.energy.all_in_j is None:
        return ""
    return t("less_kv.all_in", value=joules(row.energy.all_in_j))


def figure(value: Decimal | None) -> str:
    """A published figure as it stands; '–' where there is none."""
    return "–" if value is None else f"{value.normalize():f}"


def plain(value: Decimal | None) -> str:
    """The same for a sentence, which is Markdown."""
    return md(figure(value))


def whole(value: int | None) -> str:
    """A count, or 'none' in words."""
    return t("less_kv.does_not_fit") if value is None else count(value)
