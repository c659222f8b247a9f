"""The API costs page's sentences: where it is cheapest, what it costs now, what caching does."""

from __future__ import annotations

from collections.abc import Sequence

from econ.money import Amount
from econ.report import PolicyRow
from jobs.costing import ApiCosts, Costing, ModelCost
from ui import cost_view
from ui.numerals import amount_usd, md
from ui.words import t


def answer(costs: ApiCosts, names: Sequence[str], named: bool) -> str:
    """The cheapest of the charted models, what the workload's own one costs, and what caching
    saves there. `named`: the file says which models it ran on. '' where nothing has a price."""
    rows = [one.row for one in cost_view.charted(costs, names)]
    if not rows:
        return ""
    cheapest, own = rows[0], costs.headline
    model, usd = _named(cheapest)
    said = [t("api_costs_page.cheapest", len(rows), model=model, usd=usd)]
    if own is not None:
        kind = "used" if named else "assumed"
        where = "same" if own.row is cheapest else "own"
        model, usd = _named(own.row)
        said.append(t(f"api_costs_page.{where}_{kind}", model=model, usd=usd))
        said.append(_caching(own))
    return " ".join(part for part in said if part)


def _named(row: PolicyRow) -> tuple[str, str]:
    return md(row.model or ""), md(amount_usd(row.usd)) if row.usd else ""


def _caching(own: ModelCost) -> str:
    row, none = own.row, own.none.usd
    if none is None or row.policy == "none" or row.saving is None:
        return ""
    usd, without = row.saving, md(amount_usd(none))
    if not (usd.low_e13 or usd.high_e13):
        return t("api_costs_page.there_equal", without=without)
    if cost_view.loses(row):
        size = md(amount_usd(usd.negated()))
        return t("api_costs_page.there_loses", usd=size, without=without)
    if usd.low_e13 < 0:
        return t("api_costs_page.there_either", usd=md(amount_usd(usd)), without=without)
    if usd.low_e13 == 0 < usd.high_e13:
        most = md(amount_usd(Amount.exactly(usd.high_e13)))
        return t("api_costs_page.there_up_to", usd=most, without=without)
    return t("api_costs_page.there_saves", usd=md(amount_usd(usd)), without=without)


def more(costs: ApiCosts, choice: Costing, names: Sequence[str]) -> str:
    """What stands under the answer: who loses, the long lifetime, what the file does not say."""
    unknown = "" if costs.structured else t("api_costs_page.no_structure")
    said = (who_loses(costs, choice, names), lever_sentence(costs), unknown)
    return " ".join(part for part in said if part)


def who_loses(costs: ApiCosts, choice: Costing, names: Sequence[str]) -> str:
    """Who loses under this choice."""
    if choice.lifetime == "none":
        return t("api_costs_page.nobody_caches")
    rows = [one.row for one in cost_view.charted(costs, names) if one.row.policy != "none"]
    lost = [row for row in rows if cost_view.loses(row)]
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
    if not (every.saving.low_e13 or every.saving.high_e13):
        return ""
    ends = "saves" if every.saving.low_e13 >= 0 else "loses"
    size = every.saving if ends == "saves" else every.saving.negated()
    return t(
        f"api_costs_page.every_{ends}",
        lifetime=cost_view.lifetime_words(every.policy),
        model=md(every.model or ""),
        every=md(amount_usd(size)),
        bound=md(amount_usd(bound.saving)),
    )
