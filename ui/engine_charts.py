"""What a device profile says, as charts: times over lengths, and bars of what was counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from econ.device_cases import DecodeStep, KvFormat, Pair
from kvcore.profile import CaseResult
from ui import charts
from ui.charts import Bar, Chart
from ui.numerals import percent
from ui.tables import Column, Table
from ui.time_lines import Axes, Line, Tone, lines
from ui.words import language, t


def first_token(found: Sequence[tuple[str, Sequence[Pair]]]) -> Chart | None:
    """Cold and warm time to the first token by prompt length, of one profile or several."""
    drawn = []
    for number, (name, pairs) in enumerate(found):
        for run in ("cold", "warm"):
            points = [(float(pair.prompt_tokens), getattr(pair, f"{run}_s")) for pair in pairs]
            words = t(f"engine_page.{run}")
            drawn.append(
                Line(
                    name=words if len(found) == 1 else f"{name}, {words}",
                    points=points,
                    tone="ours" if run == "warm" else "plain",
                    series=number,
                )
            )
    drawn = [line for line in drawn if line.points]
    if not drawn:
        return None
    alt = t("engine_page.first_token_alt")
    return lines(drawn, Axes(x=t("engine_page.axis_prompt")), alt, _pair_table(found, alt))


def _pair_table(found: Sequence[tuple[str, Sequence[Pair]]], alt: str) -> Table:
    rows = [(name, pair) for name, pairs in found for pair in pairs]
    return Table(
        columns=(
            Column(title=t("engine_page.profile"), values=[name for name, _ in rows]),
            Column(
                title=t("engine_page.axis_prompt"),
                values=[pair.prompt_tokens for _, pair in rows],
                kind="count",
            ),
            Column(
                title=t("engine_page.reused"),
                values=[pair.reused_tokens for _, pair in rows],
                kind="count",
            ),
            Column(
                title=t("engine_page.cold_s"),
                values=[pair.cold_s for _, pair in rows],
                kind="number",
            ),
            Column(
                title=t("engine_page.warm_s"),
                values=[pair.warm_s for _, pair in rows],
                kind="number",
            ),
        ),
        alt=alt,
    )


def decode(steps: Sequence[DecodeStep]) -> Chart:
    """A decode step by context beside its floor and the way without a cache."""
    given = [
        Line(
            name=t("engine_page.step"),
            points=[(float(step.context_tokens), step.step_s) for step in steps],
            tone="ours",
        ),
        Line(
            name=t("engine_page.floor"),
            points=[(float(s.context_tokens), s.floor_s) for s in steps if s.floor_s],
            tone="floor",
        ),
        Line(
            name=t("engine_page.no_cache"),
            points=[(float(s.context_tokens), s.no_cache_s) for s in steps if s.no_cache_s],
            tone="plain",
        ),
    ]
    alt = t("engine_page.decode_alt")
    columns = (
        Column(
            title=t("engine_page.axis_context"),
            values=[step.context_tokens for step in steps],
            kind="count",
        ),
        Column(title=t("engine_page.step_s"), values=[s.step_s for s in steps], kind="number"),
        Column(title=t("engine_page.floor_s"), values=[s.floor_s for s in steps], kind="number"),
        Column(
            title=t("engine_page.no_cache_s"),
            values=[s.no_cache_s for s in steps],
            kind="number",
        ),
    )
    drawn = [line for line in given if line.points]
    return lines(drawn, Axes(x=t("engine_page.axis_context")), alt, Table(columns=columns, alt=alt))


def case_columns(
    rows: Sequence[CaseResult],
    labels: Sequence[str],
    shown: Callable[[float], str],
    titles: tuple[str, str, str],
    scale: float = 1.0,
) -> Chart:
    """One column a row. `titles`: the label column, the value column, the alt text; `scale` turns
    the case's unit into the axis' unit."""
    values = [(row.median or 0.0) * scale for row in rows]
    hover = [
        f"{label}: {shown(row.median or 0.0)}" for label, row in zip(labels, rows, strict=True)
    ]
    table = Table(
        columns=(
            Column(title=titles[0], values=list(labels)),
            Column(title=titles[1], values=values, kind="number"),
        ),
        alt=titles[2],
    )
    return charts.columns(labels, values, hover, titles[2], table)


def joined(parts: Sequence[str]) -> str:
    """Parts of a list in the reader's punctuation."""
    return ("、" if language() == "ja" else ", ").join(parts)


def bars(rows: Sequence[tuple[str, float, str, str, bool]], title: str, alt: str) -> Chart:
    """Ranked bars: (name, value, value in words, what else is to be said, ours)."""
    drawn = [
        Bar(name=name, value=value, shown=shown, style="read" if ours else "total", more=more)
        for name, value, shown, more, ours in rows
    ]
    table = Table(
        columns=(
            Column(title=t("engine_page.what"), values=[row[0] for row in rows]),
            Column(title=title, values=[row[1] for row in rows], kind="number"),
            Column(title=t("engine_page.more"), values=[row[3] for row in rows]),
        ),
        alt=alt,
    )
    return charts.ranked_bars(drawn, alt, table, two_lines=any(bar.more for bar in drawn))


def formats(found: Sequence[KvFormat]) -> Chart:
    """Bits of every KV format with scales, and what storing it changes."""
    rows = []
    for row in found:
        error = [] if row.kl_nats is None else [t("engine_page.kl", value=f"{row.kl_nats:.2g}")]
        if row.top1_ratio is not None:
            error.append(t("engine_page.top1", value=percent(row.top1_ratio)))
        bits = row.bits or 0.0
        shown = t("engine_page.bits", value=f"{bits:g}") if row.bits else t("engine_page.unknown")
        rows.append((row.name, bits, shown, joined(error), False))
    return bars(rows, t("engine_page.bits_title"), t("engine_page.formats_alt"))


def replies(found: Sequence[tuple[str, Tone, Sequence[CaseResult]]]) -> Chart:
    """Whole requests by reply length, cold and warm: two lines as far apart at every length."""
    drawn = [
        Line(name=name, tone=tone, points=[
            (float(row.params["reply_tokens"]), row.median or 0.0) for row in rows
        ])
        for name, tone, rows in found if rows
    ]  # fmt: skip
    alt = t("engine_page.reply_alt")
    flat = [(name, row) for name, _, rows in found for row in rows]
    columns = (
        Column(title=t("engine_page.what"), values=[name for name, _ in flat]),
        Column(
            title=t("engine_page.axis_reply"),
            values=[row.params["reply_tokens"] for _, row in flat],
            kind="count",
        ),
        Column(
            title=t("engine_page.whole_s"), values=[row.median for _, row in flat], kind="number"
        ),
    )
    axes = Axes(x=t("engine_page.axis_reply"), steep=False)
    return lines(drawn, axes, alt, Table(columns=columns, alt=alt))
