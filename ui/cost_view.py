"""The API costs page's words, chart and tables, made from its service's rows. No sums of prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from econ.hit_curve import HitCurve, at_ends
from econ.money import Amount, usd_from_e13
from econ.report import BreakEven, PolicyRow
from jobs.costing import ApiCosts, Costing, ModelCost
from ui.charts import GRID, LOST, MUTED, NEUTRAL, OURS, Chart, frame, label, nice_ticks, tick_text
from ui.components import mark
from ui.numerals import amount, amount_of, amount_usd, foreign, md, percent
from ui.stacked_bars import Stack, stacked_bars
from ui.tables import Column, Table
from ui.words import say, t

CHARTED = (
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-4-5",
    "gpt-5.6-sol",
    "gpt-5.6-luna",
    "gemini-3.1-pro-preview",
    "gemini-3.8-flash",
    "mistral-large-4",
    "deepseek-v4-pro",
)
"""Models of the chart, each from its maker; the table has every model."""
EXTRA = ("storage", "pings")
PART_COLUMNS = ("uncached", "write", "read", "output", "extra")
HIT_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def charted(costs: ApiCosts) -> list[ModelCost]:
    """The rows of the chart, dearest first: the named models and the workload's headline."""
    headline = costs.headline.none.model if costs.headline else None
    wanted = {*CHARTED, headline}
    return [one for one in costs.models if one.maker and one.none.model in wanted]


def loses(row: PolicyRow) -> bool:
    """Even the best case costs more than no caching."""
    return row.saving is not None and row.saving.high_e13 < 0


def sentence(costs: ApiCosts, choice: Costing) -> str:
    """Who loses under this choice."""
    if choice.lifetime == "none":
        return t("api_costs_page.nobody_caches")
    rows = [one.row for one in charted(costs) if one.row.policy != "none"]
    lost = [row for row in rows if loses(row)]
    if not rows:
        return t("api_costs_page.not_simulated")
    if not lost:
        return t("api_costs_page.nobody_loses", len(rows))
    return t("api_costs_page.some_lose", len(lost), total=len(rows), names=_names(lost))


def _names(rows: Sequence[PolicyRow]) -> str:
    return ", ".join(md(row.model or "") for row in rows)


def lever_sentence(costs: ApiCosts) -> str:
    """What the long lifetime does to the headline model, in both extremes; '' where unknown."""
    every, bound = costs.every, costs.bound
    if every is None or bound is None or every.saving is None or bound.saving is None:
        return ""
    ends = "saves" if every.saving.low_e13 >= 0 else "loses"
    size = every.saving if ends == "saves" else every.saving.negated()
    return t(
        f"api_costs_page.every_{ends}",
        lifetime=lifetime_words(every.policy),
        model=md(every.model or ""),
        every=md(amount_usd(size)),
        bound=md(amount_usd(bound.saving)),
    )


def lifetime_words(policy: str) -> str:
    """'5 m' of '5m'."""
    return t(f"api_costs_page.policy.{policy.replace('-', '_')}")


def unit_line(costs: ApiCosts, choice: Costing) -> str:
    """What the bars are: USD, how many requests, which placement."""
    requests = costs.report.baselines.requests or costs.report.baselines.rows
    chosen = costs.structured and choice.lifetime in ("short", "long")
    key = "unit_placed" if chosen else "unit"
    return t(
        f"api_costs_page.{key}",
        requests,
        mark=mark("simulated"),
        placement=t(f"api_costs_page.placement.{choice.placement}"),
    )


def bars(costs: ApiCosts) -> Chart:
    """Dearest first, by what the money is for."""
    rows = charted(costs)
    alt = t("api_costs_page.bars_alt")
    return stacked_bars([_stack(one) for one in rows], alt, table(rows))


def _stack(one: ModelCost) -> Stack:
    _, high = at_ends(one.row)
    parts = {name: float(usd_from_e13(e13)) for name, e13 in _parts(high).items()}
    row, none = one.row, one.none
    return Stack(
        name=row.model or "",
        parts=parts,
        total=_high(row.usd),
        reference=_high(none.usd),
        shown=amount_of(row.usd) if row.usd else "",
        note=_note(row),
        lost=loses(row),
    )


def _parts(usd: Mapping[str, int]) -> dict[str, int]:
    found = {"output": usd.get("output", 0), "uncached": usd.get("uncached", 0)}
    found["read"] = usd.get("read", 0)
    found["write"] = sum(e13 for bucket, e13 in usd.items() if bucket.startswith("write_"))
    found["extra"] = sum(usd.get(bucket, 0) for bucket in EXTRA)
    return found


def _high(value: Amount | None) -> float:
    return 0.0 if value is None else float(value.high_usd)


def _note(row: PolicyRow) -> str:
    if row.policy == "none" or row.saving is None:
        return t("api_costs_page.no_cache_price")
    how = policy_words(row)
    if loses(row):
        return t("api_costs_page.loses", usd=amount_of(row.saving.negated()), how=how)
    if row.saving.low_e13 < 0:
        return t("api_costs_page.may_lose", usd=amount_of(row.saving), how=how)
    if row.saving.low_e13 == 0 < row.saving.high_e13:
        return t("api_costs_page.up_to", usd=amount(row.saving.high_usd), how=how)
    return t("api_costs_page.saves", usd=amount_of(row.saving), how=how)


def policy_words(row: PolicyRow) -> str:
    """'5 m' or 'implicit'."""
    return lifetime_words(row.policy)


def table(models: Sequence[ModelCost]) -> Table:
    """The models with every part of their cost, dearest first; both ends where there is a range."""
    rows = [one.row for one in models]
    parts = [_parts(at_ends(row)[1]) for row in rows]
    usd = {name: [usd_from_e13(part[name]) for part in parts] for name in parts[0]} if parts else {}
    word = "api_costs_page.column."
    return Table(
        columns=(
            Column(title=t(f"{word}model"), values=[foreign(row.model or "") for row in rows]),
            Column(title=t(f"{word}total"), values=[_end(r.usd, "high") for r in rows], kind="usd"),
            Column(title=t(f"{word}least"), values=[_end(r.usd, "low") for r in rows], kind="usd"),
            Column(
                title=t(f"{word}saving"), values=[_end(r.saving, "low") for r in rows], kind="usd"
            ),
            Column(title=t(f"{word}result"), values=[_result(row) for row in rows]),
            Column(title=t(f"{word}policy"), values=[policy_words(row) for row in rows]),
            *(
                Column(title=t(f"{word}{name}"), values=usd.get(name, []), kind="usd")
                for name in PART_COLUMNS
                if name != "extra" or any(usd.get(name, ()))
            ),
            Column(title=t(f"{word}provider"), values=[row.provider or "" for row in rows]),
            Column(title=t(f"{word}surface"), values=[row.surface or "" for row in rows]),
            Column(title=t(f"{word}source"), values=[_source(row) for row in rows]),
            Column(title=t(f"{word}as_of"), values=[_as_of(row) for row in rows]),
        ),
        alt=t("api_costs_page.table_alt"),
    )


def _end(value: Amount | None, end: str) -> object:
    if value is None:
        return None
    return value.high_usd if end == "high" else value.low_usd


def _result(row: PolicyRow) -> str:
    if row.policy == "none" or row.saving is None:
        return t("api_costs_page.result.none")
    if loses(row):
        return f"▼ {t('api_costs_page.result.loses')}"
    return t(f"api_costs_page.result.{'open' if row.saving.low_e13 <= 0 else 'saves'}")


def _source(row: PolicyRow) -> str:
    return "; ".join(dict.fromkeys(source.source for source in row.sources))


def _as_of(row: PolicyRow) -> str:
    return min((source.as_of for source in row.sources), default="")


def break_even_table(rows: Sequence[BreakEven]) -> Table:
    """From how many uses within the lifetime, or above which hit ratio, each lifetime pays."""
    word = "api_costs_page.column."
    return Table(
        columns=(
            Column(title=t(f"{word}model"), values=[row.model for row in rows]),
            Column(title=t(f"{word}policy"), values=[lifetime_words(row.policy) for row in rows]),
            Column(title=t(f"{word}uses"), values=[row.uses for row in rows], kind="count"),
            Column(
                title=t(f"{word}hit"), values=[row.token_hit_ratio for row in rows], kind="percent"
            ),
            Column(
                title=t(f"{word}write_factor"), values=[f"{row.write_factor:f}" for row in rows]
            ),
            Column(title=t(f"{word}read_factor"), values=[f"{row.read_factor:f}" for row in rows]),
        ),
        alt=t("api_costs_page.break_even_alt"),
    )


def assumptions(row: PolicyRow) -> list[str]:
    """What the headline's row rests on, in words."""
    return [say(message) for message in dict.fromkeys(row.assumptions)]


def hit_chart(costs: ApiCosts) -> Chart | None:
    """The bill against the hit ratio, no caching as a line, and where the workload is now."""
    headline = costs.headline
    if headline is None or not costs.curves:
        return None
    figure = frame(280)
    none = _high(headline.none.usd)
    for number, curve in enumerate(costs.curves):
        _curve(figure, curve, (OURS, NEUTRAL, MUTED)[number % 3])
    figure.add_hline(y=none, line={"width": 1, "color": MUTED, "dash": "dot"})
    label(figure, t("api_costs_page.part.none"), x=0, y=none, xanchor="left", yanchor="top")
    _own_point(figure, headline)
    high = max(none, *(float(usd) for curve in costs.curves for usd in curve.usd))
    ticks = nice_ticks(0, high)
    figure.update_yaxes(
        tickvals=ticks, ticktext=[tick_text(x) for x in ticks], showgrid=True, gridcolor=GRID,
        range=[0, high * 1.06],
    )  # fmt: skip
    figure.update_xaxes(
        tickvals=HIT_TICKS, ticktext=[percent(x, 0) for x in HIT_TICKS], range=[-0.02, 1.06]
    )
    return Chart(figure=figure, alt=t("api_costs_page.hit_alt"), table=_hit_table(costs.curves))


def _curve(figure: go.Figure, curve: HitCurve, color: str) -> None:
    usd = [float(value) for value in curve.usd]
    figure.add_scatter(
        x=list(curve.ratios),
        y=usd,
        mode="lines",
        line={"width": 3, "color": color},
        hovertemplate="%{x:.0%}: %{y:,.2f}<extra></extra>",
    )
    words = f'<span style="color:{color}">{lifetime_words(curve.policy)}</span>'
    label(figure, words, x=curve.ratios[2], y=usd[2], xanchor="left", yanchor="bottom")


def _own_point(figure: go.Figure, headline: ModelCost) -> None:
    """The row of the choice at its own hit ratio; a range is not a point."""
    row = headline.row
    if row.usd is None or not row.usd.exact or row.hit_ratio_low is None:
        return
    x, y = row.hit_ratio_low, _high(row.usd)
    color = LOST if loses(row) else OURS
    figure.add_scatter(
        x=[x], y=[y], mode="markers", marker={"size": 11, "color": color},
        hovertemplate="%{x:.1%}: %{y:,.2f}<extra></extra>",
    )  # fmt: skip
    words = t("api_costs_page.you_are_here", ratio=percent(x), usd=amount_of(row.usd))
    side = "right" if x > 0.5 else "left"
    label(figure, words, x=x, y=y, xanchor=side, yanchor="top", yshift=-8)


def _hit_table(curves: Sequence[HitCurve]) -> Table:
    return Table(
        columns=(
            Column(title=t("api_costs_page.column.hit"), values=curves[0].ratios, kind="percent"),
            *(
                Column(title=lifetime_words(curve.policy), values=curve.usd, kind="usd")
                for curve in curves
            ),
        ),
        alt=t("api_costs_page.hit_alt"),
    )
