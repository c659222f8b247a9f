"""The charts of a bill, made from a report's rows: labels, hover words, tables. No sums."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from econ.money import Amount
from econ.own_marks import is_own, models_at_own_price
from econ.report import CostReport, GroupRow, PolicyRow, Reconciliation
from econ.saving_series import HourSaving
from ui import charts
from ui.charts import Bar, Chart
from ui.explain import bucket
from ui.numerals import amount_of, amount_signed, axis_day, foreign, percent, small_count
from ui.tables import Column, Table
from ui.words import say, t

MOST_BARS = 12
BUCKET_LOOK = {"output": "output", "uncached": "uncached", "read": "read"}  # all others are writes


def groups(report: CostReport, by: str) -> list[GroupRow]:
    """The rows of one grouping, in the report's own order."""
    return [row for row in report.groups if row.by == by]


def groupings(report: CostReport) -> list[str]:
    """The groupings that the report has, in their first order."""
    return list(dict.fromkeys(row.by for row in report.groups))


def key_shown(row: GroupRow, own: frozenset[str] = frozenset()) -> str:
    """The group's name; words where the file names nobody, and what its rows are priced as. `own`:
    the models at a price of the reader's own, which say so."""
    return t("ui.own_price", model=_key_shown(row)) if is_own(row, own) else _key_shown(row)


def _key_shown(row: GroupRow) -> str:
    if not row.key and row.priced_as:
        return t("ui.no_model", model=foreign(row.priced_as))
    return foreign(row.key) if row.key else t("ui.unassigned")


def _number(value: Amount | None) -> float | None:
    return None if value is None else float(value.high_usd)


def saving_by_day(report: CostReport) -> Chart | None:
    """Net saving a day; None where there are no days or nothing observed."""
    rows = [row for row in groups(report, "day") if row.key and row.saving is not None]
    return _saving_columns([(axis_day(date.fromisoformat(r.key)), r.key, r.saving) for r in rows])


def saving_by_hour(hours: Sequence[HourSaving]) -> Chart | None:
    """Net saving an hour (UTC), for workloads too short for days."""
    return _saving_columns(
        [(f"{h.start_utc:%H:%M}", f"{h.start_utc:%Y-%m-%d %H:%M}", h.saving) for h in hours]
    )


def _saving_columns(rows: Sequence[tuple[str, str, Amount | None]]) -> Chart | None:
    filled = [(label, full, amount) for label, full, amount in rows if amount is not None]
    if len(filled) < 2:
        return None
    return charts.signed_columns(
        labels=[label for label, _, _ in filled],
        values=[float(amount.high_usd) for _, _, amount in filled],
        hover=[f"{full}: {amount_signed(amount)}" for _, full, amount in filled],
        alt=t("overview.saving_chart_alt"),
        table=Table(
            columns=(
                Column(title=t("ui.column.time"), values=[full for _, full, _ in filled]),
                Column(
                    title=t("ui.column.saving"),
                    values=[amount.high_usd for _, _, amount in filled],
                    kind="usd",
                ),
            ),
            alt=t("overview.saving_chart_alt"),
        ),
    )


def saving_answer(amounts: Sequence[Amount], unit: str) -> str:
    """'Saved on every day but two': the heading of the chart above; `unit` 'day' or 'hour'."""
    lost = sum(1 for amount in amounts if amount.high_e13 < 0)
    saved = sum(1 for amount in amounts if amount.low_e13 > 0)
    if saved == len(amounts):
        return t(f"overview.every_{unit}_saved")
    if lost == len(amounts):
        return t(f"overview.every_{unit}_lost")
    if saved + lost < len(amounts) and not lost:
        return t(f"overview.some_{unit}s_saved", saved=saved, total=len(amounts))
    if saved + lost < len(amounts):
        return t(f"overview.some_{unit}s_neither", saved=saved, lost=lost, total=len(amounts))
    if 2 * lost > len(amounts):
        return t(f"overview.mostly_{unit}s_lost", lost=lost, total=len(amounts))
    return t(f"overview.{unit}s_lost", lost, many=small_count(lost))


def bill_row(report: CostReport) -> PolicyRow | None:
    """The row of the headline: as billed, else no caching on the model that was assumed.

    A workload that names no model has a row for every model; only one of them is the headline.
    """
    base, assumed = report.baselines, report.params.default_model
    wanted = [("as-billed", base.billed), ("none", base.no_cache)]
    for policy, usd in wanted:
        same = [row for row in report.rows if row.policy == policy and usd and row.usd == usd]
        same.sort(key=lambda row: row.model not in (None, assumed))
        if same:
            return same[0]
    return None


def bucket_bars(row: PolicyRow) -> Chart:
    """What the money was for: one bar a bucket, output hatched."""
    parts = sorted(row.usd_by_bucket.items(), key=lambda part: -part[1].high_e13)
    shown = [(name, usd, row.tokens_high.get(name)) for name, usd in parts if usd.high_e13]
    alt = t("overview.bucket_chart_alt")
    return charts.ranked_bars(
        [
            Bar(
                name=bucket(name),
                value=float(usd.high_usd),
                shown=amount_of(usd),
                style=BUCKET_LOOK.get(name, "write"),
                note=t(
                    "overview.bucket_note_output" if name == "output" else "overview.bucket_note",
                    tokens=tokens,
                ),
            )
            for name, usd, tokens in shown
        ],
        alt,
        Table(
            columns=(
                Column(title=t("ui.column.bucket"), values=[bucket(name) for name, _, _ in shown]),
                Column(title="USD", values=[usd.high_usd for _, usd, _ in shown], kind="usd"),
                Column(title=t("ui.column.tokens"), values=[n for _, _, n in shown], kind="count"),
            ),
            alt=alt,
        ),
    )


def baseline_bars(report: CostReport) -> Chart | None:
    """No caching, as billed and the output in both, one below the other."""
    base = report.baselines
    known = [
        (t("ui.baseline.no_cache"), base.no_cache, "total"),
        (t("ui.baseline.billed"), base.billed, "lost" if _is_loss(report) else "read"),
        (t("overview.output_in_them"), report.not_cacheable, "output"),
    ]
    rows = [(name, usd, style) for name, usd, style in known if usd is not None]
    if not rows:
        return None
    alt = t("overview.baselines_alt")
    return charts.ranked_bars(
        [
            Bar(name=name, value=float(usd.high_usd), shown=amount_of(usd), style=style)
            for name, usd, style in rows
        ],
        alt,
        Table(
            columns=(
                Column(title=t("ui.column.cost"), values=[name for name, _, _ in rows]),
                Column(title="USD", values=[usd.high_usd for _, usd, _ in rows], kind="usd"),
            ),
            alt=alt,
        ),
    )


def _is_loss(report: CostReport) -> bool:
    earned = report.saving.earned
    return earned is not None and earned.high_e13 < 0


def group_bars(report: CostReport, by: str) -> Chart | None:
    """Who or what cost most: as billed with the no-caching tick, or no caching alone."""
    rows = sorted(groups(report, by), key=lambda row: -(_number(_cost(row)) or 0.0))
    priced = [row for row in rows if _cost(row) is not None]
    if not priced:
        return None
    return charts.ranked_bars(
        [_group_bar(row, models_at_own_price(report)) for row in priced[:MOST_BARS]],
        t("ui.group_chart_alt", by=t(f"ui.by.{by}")),
        group_table(report, by),
    )


def _cost(row: GroupRow) -> Amount | None:
    return row.billed if row.billed is not None else row.no_cache


def _group_bar(row: GroupRow, own: frozenset[str]) -> Bar:
    cost = _cost(row)
    assert cost is not None  # noqa: S101
    reference = row.no_cache if row.billed is not None else None
    return Bar(
        name=key_shown(row, own),
        value=float(cost.high_usd),
        shown=amount_of(cost),
        reference=_number(reference),
        note=_saves(row.saving) if row.saving is not None else "",
        more=t("ui.hit", ratio=percent(row.token_hit, 0)) if row.token_hit is not None else "",
    )


def _saves(saving: Amount) -> str:
    if saving.high_e13 < 0:
        return t("ui.loses", amount=amount_of(saving.negated()))
    return t("ui.saves", amount=amount_of(saving))


def group_table(report: CostReport, by: str) -> Table:
    """One grouping as a table, dearest first; USD columns empty where a group has no price."""
    rows = sorted(groups(report, by), key=lambda row: -(_number(_cost(row)) or 0.0))
    own = models_at_own_price(report)
    columns = [
        Column(title=t(f"ui.by.{by}"), values=[key_shown(row, own) for row in rows]),
        Column(
            title=t("ui.baseline.billed"), values=[_number(row.billed) for row in rows], kind="usd"
        ),
        Column(
            title=t("ui.baseline.no_cache"),
            values=[_number(row.no_cache) for row in rows],
            kind="usd",
        ),
        Column(
            title=t("ui.column.saving"), values=[_number(row.saving) for row in rows], kind="usd"
        ),
        Column(title=t("ui.column.hit"), values=[row.token_hit for row in rows], kind="percent"),
        Column(title=t("ui.column.requests"), values=[row.requests for row in rows], kind="count"),
        Column(
            title=t("ui.column.unpriced_rows"),
            values=[row.unpriced_rows for row in rows],
            kind="count",
        ),
    ]
    kept = [column for column in columns if any(v is not None for v in column.values)]
    return Table(columns=tuple(kept), alt=t("ui.group_chart_alt", by=t(f"ui.by.{by}")))


def reconciliation_table(found: Reconciliation, stated: str = "") -> Table:
    """The difference between stated and computed, cause by cause. `stated`: who states it, where
    that is not the file."""
    rows = [(stated or t("ui.reconciliation.stated"), found.stated)]
    rows += [(t(f"ui.reconciliation.{name}"), usd) for name, usd in found.parts.items()]
    rows += [(t("ui.reconciliation.computed"), found.computed)]
    return Table(
        columns=(
            Column(title=t("ui.column.cause"), values=[name for name, _ in rows]),
            Column(title="USD", values=[usd.high_usd for _, usd in rows], kind="usd"),
        ),
        alt=t("workload_page.reconciliation_unit"),
    )


def unpriced_table(report: CostReport) -> Table:
    """Rows without a price: model, how many, why, and the tokens in them."""
    rows = report.unpriced
    return Table(
        columns=(
            Column(title=t("ui.by.model"), values=[foreign(row.model) for row in rows]),
            Column(title=t("ui.receipt.rows"), values=[row.rows for row in rows], kind="count"),
            Column(
                title=t("ui.column.input_tokens"),
                values=[row.input_tokens for row in rows],
                kind="count",
            ),
            Column(
                title=t("ui.column.output_tokens"),
                values=[row.output_tokens for row in rows],
                kind="count",
            ),
            Column(title=t("ui.receipt.reason"), values=[say(row.reason) for row in rows]),
        ),
        alt=t("workload_page.unpriced_unit"),
    )
