"""The bars and tables of reasons for misses, made from a study's sums. No arithmetic of money."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from econ.miss_runs import CHANGEABLE
from econ.miss_study import MissExample, MissGroup, MissStudy, ReasonSum
from econ.money import usd_from_e13
from ui.charts import Bar, Chart, ranked_bars
from ui.numerals import amount, foreign, seconds
from ui.tables import Column, Table
from ui.words import t

BY = ("reason", "model", "session")


def reason_words(reason: str) -> str:
    """The reason's name."""
    return t(f"misses.reason.{reason}")


def by_cost(reasons: Sequence[ReasonSum]) -> list[ReasonSum]:
    """The dearest first; of equals in their own order."""
    return sorted(reasons, key=lambda one: -one.e13)


def reason_bars(study: MissStudy) -> Chart:
    """One bar a reason, the dearest first; those that can be changed in the colour of a loss."""
    bars = [
        Bar(
            name=reason_words(one.reason),
            value=max(float(usd_from_e13(one.e13)), 0.0),
            shown=amount(usd_from_e13(one.e13)),
            style="lost" if one.reason in CHANGEABLE else "total",
            more=t("misses.bar_note", one.requests),
        )
        for one in by_cost(study.reasons)
    ]
    return ranked_bars(bars, t("misses.alt"), reasons_table(study))


def reasons_table(study: MissStudy, *, meanings: bool = True) -> Table:
    """The same numbers, and what each reason means."""
    rows = by_cost(study.reasons)
    means = [t(f"misses.means.{one.reason}") for one in rows]
    return Table(
        columns=(
            Column(title=_title("reason"), values=[reason_words(one.reason) for one in rows]),
            *_sums(rows),
            *([Column(title=_title("means"), values=means)] if meanings else ()),
        ),
        alt=t("misses.alt"),
    )


def groups_table(groups: Sequence[MissGroup], by: str) -> Table:
    """One row a model or session, with its dearest reason."""
    return Table(
        columns=(
            Column(title=_title(by), values=[foreign(group.key) for group in groups]),
            Column(
                title=_title("requests"),
                values=[group.requests for group in groups],
                kind="count",
            ),
            Column(title=_title("tokens"), values=[group.tokens for group in groups], kind="count"),
            Column(
                title=_title("usd"),
                values=[usd_from_e13(group.e13) for group in groups],
                kind="usd",
            ),
            Column(title=_title("main"), values=[_main(group) for group in groups]),
        ),
        alt=t("misses.groups"),
    )


def examples_table(examples: Sequence[MissExample]) -> Table:
    """Requests one by one: when, how many tokens, why, how late, and what it cost."""
    columns = [
        Column(title=_title("row"), values=[one.row for one in examples], kind="count"),
        Column(title=_title("request"), values=[foreign(one.request_id or "") for one in examples]),
        Column(title=_title("session"), values=[foreign(one.session or "") for one in examples]),
        Column(title=_title("at"), values=[_moment(one) for one in examples]),
        Column(title=_title("reason"), values=[reason_words(one.reason) for one in examples]),
        Column(title=_title("start"), values=[one.start for one in examples], kind="count"),
        Column(title=_title("tokens"), values=[one.tokens for one in examples], kind="count"),
        Column(title=_title("late"), values=[_late(one) for one in examples]),
        Column(title=_title("fork"), values=[one.fork for one in examples], kind="count"),
        Column(title=_title("usd"), values=[usd_from_e13(one.e13) for one in examples], kind="usd"),
    ]
    filled = [one for one in columns if any(value not in (None, "") for value in one.values)]
    return Table(
        columns=tuple(filled),
        alt=t("misses.examples_alt"),
    )


def _sums(rows: Sequence[ReasonSum]) -> tuple[Column, ...]:
    return (
        Column(title=_title("usd"), values=[usd_from_e13(one.e13) for one in rows], kind="usd"),
        Column(title=_title("tokens"), values=[one.tokens for one in rows], kind="count"),
        Column(title=_title("requests"), values=[one.requests for one in rows], kind="count"),
    )


def _title(name: str) -> str:
    return t(f"misses.column.{name}")


def _main(group: MissGroup) -> str:
    found = by_cost(group.reasons)
    return reason_words(found[0].reason) if found else ""


def _moment(one: MissExample) -> str:
    if one.at_utc is None:
        return seconds(one.arrival_s)
    return f"{datetime.fromisoformat(one.at_utc):%Y-%m-%d %H:%M:%S} UTC"


def _late(one: MissExample) -> str:
    return "" if one.late_s is None else seconds(one.late_s)
