"""The API costs page's words, chart and tables, made from its service's rows. No sums of prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from econ.charted_models import CHARTED
from econ.hit_curve import at_ends
from econ.money import Amount, usd_from_e13
from econ.report import PolicyRow
from jobs.costing import ApiCosts, Costing, ModelCost
from ui import own_mark
from ui.charts import Chart
from ui.components import mark
from ui.numerals import amount, amount_of
from ui.stacked_bars import Stack, stacked_bars
from ui.tables import Column, Table
from ui.words import say, t

EXTRA = ("storage", "pings")
PART_COLUMNS = ("uncached", "write", "read", "output", "extra")


def charted(costs: ApiCosts, names: Sequence[str] = CHARTED) -> list[ModelCost]:
    """The rows of the chart, cheapest first: the named models and the workload's headline."""
    headline = costs.headline.none.model if costs.headline else None
    wanted = {*names, headline}
    return [one for one in costs.models if one.maker and one.none.model in wanted]


def loses(row: PolicyRow) -> bool:
    """Even the best case costs more than no caching."""
    return row.saving is not None and row.saving.high_e13 < 0


def lifetime_words(policy: str) -> str:
    """'5 m' of '5m'."""
    return t(f"api_costs_page.policy.{policy.replace('-', '_')}")


def unit_line(costs: ApiCosts, choice: Costing) -> str:
    """What the bars are: USD, how many requests, which placement."""
    chosen = costs.structured and choice.lifetime in ("short", "long")
    key = "unit_placed" if chosen else "unit"
    return t(
        f"api_costs_page.{key}",
        costs.requests,
        mark=mark("simulated"),
        placement=t(f"api_costs_page.placement.{choice.placement}"),
    )


def bars(costs: ApiCosts, names: Sequence[str]) -> Chart:
    """Cheapest first, by what the money is for."""
    rows = charted(costs, names)
    alt = t("api_costs_page.bars_alt")
    stacks = [stack(o.row, o.none, own_mark.name_of(o.row.model, o.row.sources), _note(o.row),
                    loses(o.row)) for o in rows]  # fmt: skip
    return stacked_bars(stacks, alt, table(rows))


def stack(row: PolicyRow, none: PolicyRow, name: str, note: str, lost: bool) -> Stack:
    """One bar: `row` by what the money is for, with the cost without caching as its tick."""
    _, high = at_ends(row)
    parts = {part: float(usd_from_e13(e13)) for part, e13 in _parts(high).items()}
    return Stack(
        name=name,
        parts=parts,
        total=high_usd(row.usd),
        reference=high_usd(none.usd),
        shown=amount_of(row.usd) if row.usd else "",
        note=note,
        lost=lost,
    )


def _parts(usd: Mapping[str, int]) -> dict[str, int]:
    found = {"output": usd.get("output", 0), "uncached": usd.get("uncached", 0)}
    found["read"] = usd.get("read", 0)
    found["write"] = sum(e13 for bucket, e13 in usd.items() if bucket.startswith("write_"))
    found["extra"] = sum(usd.get(bucket, 0) for bucket in EXTRA)
    return found


def high_usd(value: Amount | None) -> float:
    """The dearer end in USD; 0 where nothing is known."""
    return 0.0 if value is None else float(value.high_usd)


def _note(row: PolicyRow) -> str:
    if row.policy == "none" or row.saving is None:
        return t("api_costs_page.no_cache_price")
    how = policy_words(row)
    if not (row.saving.low_e13 or row.saving.high_e13):
        return t("api_costs_page.no_difference", how=how)
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
    """The models with every part of their cost, cheapest first; of a range both ends."""
    rows = [one.row for one in models]
    parts = [_parts(at_ends(row)[1]) for row in rows]
    usd = {name: [usd_from_e13(part[name]) for part in parts] for name in parts[0]} if parts else {}
    word = "api_costs_page.column."
    return Table(
        columns=(
            Column(
                title=t(f"{word}model"), values=[own_mark.name_of(r.model, r.sources) for r in rows]
            ),
            Column(title=t(f"{word}total"), values=[_end(r.usd, "high") for r in rows], kind="usd"),
            Column(title=t(f"{word}least"), values=[_end(r.usd, "low") for r in rows], kind="usd"),
            Column(
                title=t(f"{word}saving"), values=[_end(r.saving, "low") for r in rows], kind="usd"
            ),
            Column(
                title=t(f"{word}result"),
                values=[_result(row) for row in rows],
                help=t("api_costs_page.result_means"),
            ),
            Column(
                title=t(f"{word}policy"),
                values=[policy_words(row) for row in rows],
                help=t("api_costs_page.policy_means"),
            ),
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
    low, high = row.saving.low_e13, row.saving.high_e13
    if low < 0:
        return t("api_costs_page.result.either")
    return t(f"api_costs_page.result.{'saves' if low else 'at_best' if high else 'equal'}")


def _source(row: PolicyRow) -> str:
    """Where its price stands; of several prices over time the last one's page."""
    return row.sources[-1].source if row.sources else ""


def _as_of(row: PolicyRow) -> str:
    return min((source.as_of for source in row.sources), default="")


def assumptions(row: PolicyRow) -> list[str]:
    """What the headline's row rests on, in words."""
    return [say(message) for message in dict.fromkeys(row.assumptions)]
