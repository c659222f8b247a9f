"""What else moves the cost of the workload's model: other levers, and the assumptions."""

from __future__ import annotations

import html
from collections.abc import Sequence

from econ.levers import SMALLER, Lever
from econ.money import usd_from_e13
from econ.sensitivity import Swing
from jobs.costing import ApiCosts, ModelCost
from ui.charts import (
    BAR_PX,
    GRID,
    INK,
    LOST,
    MUTED,
    OURS,
    PITCH_PX,
    Chart,
    frame,
    label,
    nice_ticks,
    tick_text,
)
from ui.cost_view import high_usd, lifetime_words, stack
from ui.numerals import SPACE, amount, amount_of, amount_usd, foreign, md, signed_usd
from ui.stacked_bars import stacked_bars
from ui.tables import Column, Table
from ui.words import t


def name_of(lever: Lever) -> str:
    """'batch'; the smaller model by its name."""
    return t(f"api_costs_page.lever.{lever.kind}", model=foreign(lever.none.model or ""))


def heading(costs: ApiCosts) -> str:
    """The lever that saves most in its worse case, with the saving; that none saves."""
    best = max(costs.levers, key=lambda lever: lever.saving_best.low_e13)
    if best.saving_best.low_e13 <= 0:
        return t("api_costs_page.levers_none", model=md(costs.levers[0].none.model or ""))
    usd = md(amount_usd(best.saving_best))
    return t(f"api_costs_page.levers_best_{best.kind}", usd=usd, model=md(best.none.model or ""))


def levers_unit(headline: ModelCost) -> str:
    """What bars, ticks and savings are of."""
    return t("api_costs_page.levers_unit", model=md(headline.none.model or ""))


def levers_chart(levers: Sequence[Lever]) -> Chart:
    """Each lever with its best policy, and without caching as a tick."""
    stacks = [
        stack(lever.best, lever.none, name_of(lever), _saving(lever), _loses(lever))
        for lever in levers
    ]
    table = levers_table(levers)
    return stacked_bars(stacks, t("api_costs_page.levers_alt"), table, legend=False)


def _loses(lever: Lever) -> bool:
    return lever.saving_best.high_e13 < 0


def _saving(lever: Lever) -> str:
    how = _how(lever)
    if _loses(lever):
        return t("api_costs_page.loses", usd=amount_of(lever.saving_best.negated()), how=how)
    if lever.saving_best.low_e13 == lever.saving_best.high_e13 == 0:
        return how
    key = "may_lose" if lever.saving_best.low_e13 < 0 else "saves"
    return t(f"api_costs_page.{key}", usd=amount_of(lever.saving_best), how=how)


def _how(lever: Lever) -> str:
    best = lever.best
    words = lifetime_words(best.policy) if best.policy != "none" else t("api_costs_page.none_best")
    return words + _placed(best.placement)


def _placed(placement: str | None) -> str:
    """', shared'; '' for none."""
    return f", {t(f'api_costs_page.placement.{placement}')}" if placement else ""


def levers_table(levers: Sequence[Lever]) -> Table:
    """Both prices of every lever with their signed savings, sources and dates."""
    word = "api_costs_page.column."
    none = [lever.none.usd for lever in levers]
    best = [lever.best.usd for lever in levers]
    return Table(
        columns=(
            Column(title=t(f"{word}lever"), values=[name_of(lever) for lever in levers]),
            Column(title=t(f"{word}without"), values=[u and u.high_usd for u in none], kind="usd"),
            Column(
                title=t(f"{word}saving_without"),
                values=[lever.saving_none.low_usd for lever in levers],
                kind="usd",
            ),
            Column(title=t(f"{word}best"), values=[u and u.high_usd for u in best], kind="usd"),
            Column(title=t(f"{word}least"), values=[u and u.low_usd for u in best], kind="usd"),
            Column(
                title=t(f"{word}saving"),
                values=[lever.saving_best.low_usd for lever in levers],
                kind="usd",
            ),
            Column(title=t(f"{word}policy"), values=[_how(lever) for lever in levers]),
        ),
        alt=t("api_costs_page.levers_alt"),
    )


def lever_notes(costs: ApiCosts) -> list[str]:
    """What a lever costs beside money, and which ones the price book lacks."""
    kinds = {lever.kind for lever in costs.levers}
    words = [t(f"api_costs_page.lever_note.{k}") for k in ("batch", "flex", SMALLER) if k in kinds]
    model = md(costs.headline.none.model or "") if costs.headline else ""
    missing = [k for k in ("batch", "flex", SMALLER) if k not in kinds]
    words += [t(f"api_costs_page.lever_missing.{k}", model=model) for k in missing]
    return words


def swings_heading(costs: ApiCosts, headline: ModelCost) -> str:
    """The assumption that moves the cost most, and how far."""
    known = [s for s in costs.swings if _spread(s)]
    if not known:
        return t("api_costs_page.swings_none", model=md(headline.none.model or ""))
    most = max(known, key=_spread)
    return t(
        "api_costs_page.swings_most",
        what=t(f"api_costs_page.swing.{most.name}"),
        usd=md(f"${amount(usd_from_e13(_spread(most)))}"),
    )


def swings_unit(headline: ModelCost) -> str:
    """Which row the assumptions stand behind."""
    row = headline.row
    usd = md(amount_usd(row.usd)) if row.usd else ""
    how = lifetime_words(row.policy) + _placed(row.placement)
    return t("api_costs_page.swings_unit", model=md(row.model or ""), usd=usd, how=how)


def _spread(swing: Swing) -> int:
    return (swing.high_e13 or 0) - (swing.low_e13 or 0)


def _end(swing: Swing, end: str) -> str:
    name = swing.low_end if end == "low" else swing.high_end
    if swing.name == "placement":
        return t(f"api_costs_page.placement.{name}") if name else ""
    if swing.name == "tokenizer":
        return f"× {name}" if name else ""
    return t(f"api_costs_page.swing_end.{name}") if name else ""


def swings_chart(costs: ApiCosts, headline: ModelCost) -> Chart | None:
    """A tornado: each assumption between its ends, the largest first, the row itself as a line."""
    known = sorted((s for s in costs.swings if _spread(s)), key=_spread, reverse=True)
    if not known:
        return None
    base = high_usd(headline.row.usd)
    above, below = 34, 20
    figure = frame((len(known) - 1) * PITCH_PX + above + below + 40, bottom=28)
    ends = [(usd_from_e13(s.low_e13 or 0), usd_from_e13(s.high_e13 or 0)) for s in known]
    low = min(base, *(float(first) for first, _ in ends))
    high = max(base, *(float(last) for _, last in ends))
    for row, (swing, (first, last)) in enumerate(zip(known, ends, strict=True)):
        for start, end, color in ((float(first), base, OURS), (base, float(last), LOST)):
            if start < end:
                figure.add_bar(
                    x=[end - start], base=[start], y=[-row], orientation="h",
                    width=BAR_PX / PITCH_PX, marker={"color": color}, hoverinfo="skip",
                )  # fmt: skip
        half = BAR_PX / PITCH_PX / 2  # the row itself: at the bars only, clear of their labels
        figure.add_shape(
            type="line", x0=base, x1=base, y0=-row - half - 0.06, y1=-row + half,
            line={"width": 2, "color": INK},
        )  # fmt: skip
        name = html.escape(t(f"api_costs_page.swing.{swing.name}"))
        said = f"{_end(swing, 'low')}: {amount(first)} – {_end(swing, 'high')}: {amount(last)}"
        muted = f'<span style="color:{MUTED}">{html.escape(said)}</span>'
        label(
            figure, f"<b>{name}</b>{SPACE} {muted}", x=0, xref="paper", y=-row,
            xanchor="left", yanchor="bottom", yshift=BAR_PX / 2 + 1,
        )  # fmt: skip
    margin = (high - low) * 0.03
    ticks = nice_ticks(low, high)
    figure.update_xaxes(
        range=[low - margin, high + margin], tickvals=ticks,
        ticktext=[tick_text(tick) for tick in ticks], showgrid=True, gridcolor=GRID,
    )  # fmt: skip
    figure.update_yaxes(
        range=[-(len(known) - 1) - below / PITCH_PX, above / PITCH_PX], showticklabels=False
    )
    figure.update_layout(barmode="overlay")
    alt = t("api_costs_page.swings_alt")
    return Chart(figure=figure, alt=alt, table=swings_table(costs, headline))


def swings_table(costs: ApiCosts, headline: ModelCost) -> Table:
    """Every assumption: its ends, what they cost, the effect, and the model's place among all."""
    word, swings = "api_costs_page.column.", costs.swings
    base = headline.row.usd.high_e13 if headline.row.usd else 0

    def effect(e13: int | None) -> str:
        return "" if e13 is None else signed_usd(usd_from_e13(e13 - base))

    def place(e13: int | None) -> str:
        return "" if e13 is None else _place(costs, headline, e13)

    return Table(
        columns=(
            Column(
                title=t(f"{word}assumption"),
                values=[t(f"api_costs_page.swing.{s.name}") for s in swings],
            ),
            Column(title=t(f"{word}low_end"), values=[_end(s, "low") for s in swings]),
            Column(title=t(f"{word}effect_low"), values=[effect(s.low_e13) for s in swings]),
            Column(title=t(f"{word}place_low"), values=[place(s.low_e13) for s in swings]),
            Column(title=t(f"{word}high_end"), values=[_end(s, "high") for s in swings]),
            Column(title=t(f"{word}effect_high"), values=[effect(s.high_e13) for s in swings]),
            Column(title=t(f"{word}place_high"), values=[place(s.high_e13) for s in swings]),
            Column(
                title=t(f"{word}why_none"),
                values=[
                    t(f"api_costs_page.swing_why.{s.reason}") if s.reason else "" for s in swings
                ],
            ),
        ),
        alt=t("api_costs_page.swings_alt"),
    )


def _place(costs: ApiCosts, headline: ModelCost, e13: int) -> str:
    """Where the model stands among all, cheapest first, if its cost alone were `e13`."""
    others = [m.row.usd.high_e13 for m in costs.models if m is not headline and m.row.usd]
    place = 1 + sum(1 for other in others if other < e13)
    return t("api_costs_page.place", place=place, of=len(others) + 1)
