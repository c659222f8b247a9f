"""What the Less KV page says of bytes: first screen, levers, quality, and the hybrid model."""

from __future__ import annotations

from collections.abc import Sequence

from econ.hybrid_gain import (
    EXAMPLE_CONTEXT,
    EXAMPLE_TOKENS,
    FULL_MS,
    HYBRID_MS,
    LONG_CONTEXT,
    PRINTED_GAIN,
    PRINTED_PERCENT,
    TIMED_CONTEXT,
    GainPoint,
    writing_s,
)
from econ.kv_residence import HOUR_S
from jobs import less_kv_out
from jobs.less_kv import LessKv
from ui import (
    components,
    downloads,
    folds,
    less_kv_charts,
    less_kv_quality,
    plain_table,
    table_csv,
)
from ui.byte_words import Unit, both, size
from ui.components import Explanation, mark
from ui.less_kv_charts import plain, quality_short, quality_words, whole
from ui.less_kv_controls import format_word
from ui.numerals import count, md, percent, seconds, usd
from ui.plain_table import cell
from ui.spoken import spoken
from ui.words import t

PAPER = "https://arxiv.org/abs/2510.26692"
"""Kimi Linear: where the published pair of times stands."""


def first_screen(found: LessKv, unit: Unit) -> None:
    """KV at the fullest moment in the reader's own formats."""
    beneath = t(
        "less_kv.hero_beneath",
        mark=mark("computed"),
        as_is=size(found.as_is.peak_bytes, unit),
        n=len(found.held.tokens),
        residence=residence_words(found),
    )
    label = t("less_kv.hero", format=format_word(found.asked.chosen))
    components.hero(label, size(found.chosen.peak_bytes, unit), beneath)


def residence_words(found: LessKv) -> str:
    """How long bytes are taken to stay."""
    return t(f"less_kv.stays.{found.held.model}", lifetime=seconds(found.held.lifetime_s))


def sentence(found: LessKv) -> None:
    """What that means for one group of devices, and what it does to answers."""
    group = found.chosen.devices_a_group
    values = {
        "model": md(found.model.name),
        "p50": count(found.lengths.p50),
        "p95": count(found.lengths.p95),
        "device": md(found.device.name),
        "before": whole(found.as_is.sequences_p95),
        "after": whole(found.chosen.sequences_p95),
        "group": count(group or 0),
        "devices": devices_words(found),
        "format": format_word(found.asked.chosen),
        "quality": quality_words(found, found.chosen),
    }
    components.sentence(t("less_kv.sentence" if group else "less_kv.sentence_none", **values))


def devices_words(found: LessKv) -> str:
    """How many devices the fullest moment needs, before and after."""
    before, after = found.as_is.devices, found.chosen.devices
    key = "less_kv.devices_same" if before == after else "less_kv.devices_fewer"
    return t(key, before=whole(before), after=whole(after))


def how(found: LessKv, unit: Unit) -> None:
    """Formulas, inputs, sources of the first screen and the levers."""
    as_is, price = found.as_is, found.hbm.price_of(found.device.memory_type)
    weights = t("less_kv.weights_unknown") if found.weights_bytes is None else both(
        found.weights_bytes
    )  # fmt: skip
    sums = [
        t("less_kv.how_bytes", each=both(as_is.bytes_per_token)),
        t("less_kv.how_peak", n=len(found.held.tokens), left_out=found.held.left_out,
          residence=residence_words(found), hours=f"{found.held.span_s / HOUR_S:,.1f}"),
        t("less_kv.how_room", memory=both(found.device.memory_bytes),
          fraction=percent(float(found.fraction), 0), weights=weights),
        t("less_kv.how_devices", peak=size(as_is.peak_bytes, unit)),
        t("less_kv.how_levers"),
        t("less_kv.how_formats"),
    ]  # fmt: skip
    sources = [
        (
            "datasheet",
            f"{md(found.model.name)}: {md(spoken(found.model.source))}, {found.model.as_of}",
        ),
        (
            "datasheet",
            f"{md(found.device.name)}: {md(spoken(found.device.source))}, {found.device.as_of}",
        ),
    ]
    if price is not None:
        line = t("less_kv.how_price", generation=price.generation, low=plain(price.low),
                 mid=plain(price.mid), high=plain(price.high))  # fmt: skip
        sources.append(("published", f"{line}: {md(spoken(price.source))}, {price.as_of}"))
    explanation = Explanation(
        formula=t("less_kv.how_formula"), sums=tuple(sums), sources=tuple(sources)
    )
    components.how(explanation, "how_less_kv")


def levers(found: LessKv, unit: Unit) -> None:
    """Bars of every lever and format; the table is folded."""
    reduced = [row for row in found.rows if row.lever not in ("as_is", "mha")]
    least = min(reduced, key=lambda row: row.peak_bytes)
    heading = t(
        "less_kv.levers_heading",
        name=less_kv_charts.scenario_name(least),
        after=size(least.peak_bytes, unit),
        before=size(found.as_is.peak_bytes, unit),
    )
    unit_line = t("less_kv.levers_unit", mark=mark("computed"), n=len(found.held.tokens))
    with components.rule("levers"):
        made = less_kv_charts.levers(found, unit)
        components.chart_block(heading, unit_line, made, "levers", source=_sources(found),
                               beside=lambda: _tools(found))  # fmt: skip


def _sources(found: LessKv) -> str:
    """Where model and device are described, in a line."""
    return t("less_kv.levers_source", model=md(spoken(found.model.source)),
             model_day=found.model.as_of, device=md(found.device.name),
             device_source=md(spoken(found.device.source)),
             device_day=found.device.as_of)  # fmt: skip


def _tools(found: LessKv) -> None:
    downloads.csv_button(t("less_kv.download"), lambda: less_kv_out.to_csv(found),
                         "kvledger-less-kv.csv", "less_kv_csv", "tertiary")  # fmt: skip
    price = found.hbm.price_of(found.device.memory_type)
    reduction = found.quality.reduction
    lines = [
        f"{md(found.model.name)}: {md(spoken(found.model.source))}, {found.model.as_of}",
        f"{md(found.device.name)}: {md(spoken(found.device.source))}, {found.device.as_of}",
        t("less_kv.mla_baseline", model=reduction.model, baseline=reduction.baseline,
          percent=plain(reduction.percent), source=md(spoken(reduction.source)),
          as_of=reduction.as_of),
    ]  # fmt: skip
    if price is not None:
        lines.insert(2, f"{md(spoken(price.source))}, {price.as_of}")
    components.sources(lines, "levers")


def scenarios(found: LessKv, unit: Unit) -> None:
    """Every scenario as a table, and what its columns mean."""
    most, fewest = found.as_is.sequences_p95, found.chosen.sequences_p95
    finding = t("less_kv.table_heading", n=len(found.shown), before=whole(most),
                after=whole(fewest))  # fmt: skip

    def show() -> None:
        _rows(found, unit)
        components.note(t("less_kv.levers_note", mha=_mha(found, unit)))
        if found.unchanged:
            named = ", ".join(t(f"less_kv.lever.{name}") for name in found.unchanged)
            components.note(t("less_kv.unchanged", model=md(found.model.name), named=named))

    folds.section("scenarios", finding, show)


def _rows(found: LessKv, unit: Unit) -> None:
    """The scenarios as a small table; all columns, raw, are under the bars."""
    word = "less_kv.column."
    names = ("scenario", "bytes_per_token", "p95", "peak", "sequences", "devices", "usd", "quality")
    lines = [
        [
            cell(less_kv_charts.scenario_name(row)),
            cell(size(row.bytes_per_token, unit), both(row.bytes_per_token)),
            cell(size(row.bytes_p95, unit), both(row.bytes_p95)),
            cell(size(row.peak_bytes, unit), both(row.peak_bytes), "bold"),
            cell(whole(row.sequences_p95)),
            cell(whole(row.devices)),
            cell("–" if row.hbm_usd is None else usd(row.hbm_usd.mid),
                 "" if row.hbm_usd is None else less_kv_charts.band_words(row.hbm_usd)),
            cell(quality_short(found, row), tone="words"),
        ]
        for row in found.shown
    ]  # fmt: skip
    plain_table.show([t(f"{word}{name}") for name in names], lines, t("less_kv.levers_alt"),
                     "levers")  # fmt: skip


def _mha(found: LessKv, unit: Unit) -> str:
    """What every query head would keep; as is where the model does so, or cannot be said."""
    rows = [row for row in found.rows if row.lever == "mha"] or [found.as_is]
    return size(rows[0].peak_bytes, unit)


def quality(found: LessKv) -> None:
    """Measured figures with model, task and source; our own; what is only said."""
    finding = t("less_kv.quality_heading", len(found.quality.measured))

    def show() -> None:
        components.beneath(t("less_kv.quality_unit", mark=mark("published")), finding)
        less_kv_quality.measured(found)
        less_kv_quality.own(found)
        less_kv_quality.claims(found)

    folds.section("quality", finding, show)


def hybrid(found: LessKv) -> None:
    """The curve over context, and the gain weighted by this workload's lengths."""
    part = found.hybrid
    if part is None:
        return
    gain = part.gain
    heading = t("less_kv.hybrid_plain") if gain is None else t(
        "less_kv.hybrid_heading", published=f"{gain.by_published:.2f}",
        floor=f"{gain.by_floor:.2f}",
    )  # fmt: skip
    unit = t("less_kv.hybrid_unit", mark=mark("computed"), device=md(found.device.name),
             weights=f"{(part.model.parameters_active or 0) / 1e9:g}")  # fmt: skip
    full_s, own_s = writing_s(part.curve, EXAMPLE_CONTEXT, EXAMPLE_TOKENS)

    def show() -> None:
        components.chart_block(heading, unit, less_kv_charts.gain_curve(part.curve), "hybrid",
                               source=_sources(found), titled=False,
                               beside=lambda: _hybrid_tools(found, part.curve))  # fmt: skip
        components.note(
            t("less_kv.hybrid_printed", percent=percent(part.saving), printed=PRINTED_PERCENT,
              gain=f"{FULL_MS / HYBRID_MS:.2f}", printed_gain=f"{PRINTED_GAIN:g}",
              full=f"{FULL_MS:g}", hybrid=f"{HYBRID_MS:g}")
        )  # fmt: skip
        if gain is not None:
            components.note(
                t("less_kv.hybrid_weighted", share=percent(gain.long_share),
                  long=LONG_CONTEXT, at_long=f"{gain.at_long:.2f}")
            )  # fmt: skip
        components.note(
            t("less_kv.hybrid_document", read=EXAMPLE_CONTEXT, written=EXAMPLE_TOKENS,
              low=f"{HYBRID_MS * EXAMPLE_TOKENS / 1e3:.1f}",
              high=f"{FULL_MS * EXAMPLE_TOKENS / 1e3:.1f}",
              own=f"{own_s:.1f}", full=f"{full_s:.1f}", device=md(found.device.name))
        )  # fmt: skip

    folds.section("hybrid", heading, show)


def _hybrid_tools(found: LessKv, curve: Sequence[GainPoint]) -> None:
    made = less_kv_charts.gain_curve(curve).table
    table_csv.button(made, "less_kv_hybrid")
    model = found.hybrid.model.name if found.hybrid is not None else ""
    timed = t("less_kv.hybrid_source", model=md(model), link=PAPER, tokens=TIMED_CONTEXT,
              full=f"{FULL_MS:g}", hybrid=f"{HYBRID_MS:g}")  # fmt: skip
    components.sources([timed, _sources(found)], "hybrid")
