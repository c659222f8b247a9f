"""What a report says in words: the number, its range, the sentence, the figures beneath.

Nothing is computed here; signs are read off and words chosen. All texts are Markdown unless a
docstring says that they are plain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from econ.example import EXAMPLE_FORMAT
from econ.format_words import format_name
from econ.money import Amount
from econ.report import CostReport, GroupRow, WorkloadInfo
from ui import estimated
from ui.components import mark
from ui.numerals import amount_signed, amount_usd, days, foreign, md, percent
from ui.words import say, t

INSTANT = timedelta(microseconds=1)
WHO = ("team", "project", "workspace", "user", "api_key", "tags", "model")
"""Who may lose, from those who decide to those who are used; on a tie the first is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The first screen in words. `value` is plain text, `lost` colours it."""

    label: str
    value: str
    beneath: str
    sentence: str
    lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A supporting figure: plain label and value, Markdown beneath."""

    label: str
    value: str
    beneath: str


def seen(report: CostReport) -> str:
    """The mark of the cache tokens: observed in a file, simulated in the bundled example."""
    return mark("simulated" if report.workload.format == EXAMPLE_FORMAT else "observed")


def period(workload: WorkloadInfo) -> str:
    """The days that the workload covers; '' where it has no dates."""
    if workload.first_utc is None or workload.last_utc is None:
        return ""
    last = workload.last_utc
    if workload.granularity == "bucket":
        last -= INSTANT  # a bucket ends where the next begins: midnight is not the next day
    return days(workload.first_utc, max(workload.first_utc, last))


def name_of(workload: WorkloadInfo) -> str:
    """What the reader knows the workload by: 'example data' or 'usage.csv'. Plain text."""
    return t("ui.example_data") if workload.format == EXAMPLE_FORMAT else foreign(workload.name)


def about(workload: WorkloadInfo) -> str:
    """'2026-11-02, example data' or '2026-11-02, usage.csv': plain text."""
    name, when = name_of(workload), period(workload)
    return t("ui.period_and_name", period=when, name=name) if when else name


def statement(report: CostReport, about_what: str) -> Statement:
    """The number of the Overview: the signed saving, or what is known without it."""
    said, base = _statement(report, about_what), report.baselines
    more = assumed_model(report) + estimated.sentence(report, base.billed or base.no_cache)
    return replace(said, sentence=said.sentence + more)


def assumed_model(report: CostReport) -> str:
    """One more sentence where rows name no model: how many, and which model prices them."""
    return "".join(" " + md(say(m)) for m in report.assumptions if m.id == "report.assume_model")


def _statement(report: CostReport, about_what: str) -> Statement:
    earned = report.saving.earned
    if earned is None:
        return _without_saving(report, about_what)
    label = t("overview.saving_label", about=about_what)
    if earned.high_e13 < 0:
        return _loss(report, label, earned)
    if earned.low_e13 < 0:
        return _either(report, label, earned)
    return _gain(report, label, earned)


def _gain(report: CostReport, label: str, earned: Amount) -> Statement:
    key = "overview.gain" if earned.low_e13 > 0 else "overview.neither"
    return Statement(
        label=label,
        value=amount_signed(earned),
        beneath=_beneath(report, earned, "overview.less_than_no_caching"),
        sentence=t(key, **_parts(report)) + loser(report),
    )


def loser(report: CostReport) -> str:
    """Who loses most although the whole saves: one more sentence, '' where nobody does."""
    losing = [
        row
        for by in WHO
        for row in report.groups
        if row.by == by and row.key and row.saving is not None and row.saving.high_e13 < 0
    ]
    if not losing:
        return ""
    worst = min(losing, key=_saving_e13)
    hit = percent(worst.token_hit, 0) if worst.token_hit is not None else t("ui.no_data")
    return " " + t(
        "overview.loser",
        by=t(f"ui.by.{worst.by}"),
        name=md(foreign(worst.key)),
        amount=md(amount_usd(worst.saving.negated())) if worst.saving else "",
        hit=hit,
    )


def _saving_e13(row: GroupRow) -> int:
    return row.saving.high_e13 if row.saving is not None else 0


def _loss(report: CostReport, label: str, earned: Amount) -> Statement:
    return Statement(
        label=label,
        value=amount_signed(earned),
        beneath=_beneath(report, earned, "overview.more_than_no_caching"),
        sentence=t("overview.loss", **_parts(report)),
        lost=True,
    )


def _either(report: CostReport, label: str, earned: Amount) -> Statement:
    return Statement(
        label=label,
        value=amount_signed(earned),
        beneath=t("overview.range_crosses_zero"),
        sentence=t("overview.either", **_parts(report)),
    )


def _beneath(report: CostReport, earned: Amount, key: str) -> str:
    """The range where there is one, the ratio where there is not; always the baseline's name."""
    ratio = report.saving.earned_ratio
    if not earned.exact or ratio is None:
        return t("overview.only_range")
    return t(key, ratio=percent(abs(ratio)))


def _parts(report: CostReport) -> dict[str, str]:
    base, hit = report.baselines, report.ratios.token_hit
    return {
        "no_cache": md(amount_usd(base.no_cache)) if base.no_cache else "",
        "billed": md(amount_usd(base.billed)) if base.billed else "",
        "hit": percent(hit, 0) if hit is not None else t("ui.no_data"),
    }


def _without_saving(report: CostReport, about_what: str) -> Statement:
    """The file does not say what was cached: its cost without caching is what is known."""
    base = report.baselines.no_cache
    if base is None:
        return _unpriced(report, about_what)
    return Statement(
        label=t("overview.no_cache_label", about=about_what),
        value=amount_usd(base),
        beneath=t("overview.no_saving_without_columns"),
        sentence=t("overview.not_in_file"),
    )


def _unpriced(report: CostReport, about_what: str) -> Statement:
    """No row has a price: nothing can be said in dollars, and nothing is zero."""
    return Statement(
        label=t("overview.cost_label", about=about_what),
        value=t("ui.unpriced"),
        beneath=t("overview.unpriced_beneath"),
        sentence=t("overview.unpriced", reason=_reason(report, "no_cache_usd")),
    )


def cost(report: CostReport, about_what: str) -> Statement:
    """The number of the Workload page: what it cost, with what was sent."""
    billed, base = report.baselines.billed, report.baselines.no_cache
    shown = billed if billed is not None else base
    key = "billed" if billed is not None else "no_cache"
    how_known = seen(report) if billed is not None else mark("computed")
    load = report.workload
    return Statement(
        label=t(f"workload_page.{key}_label", about=about_what),
        value=amount_usd(shown) if shown else t("ui.unpriced"),
        beneath=t(f"workload_page.{key}_beneath{_whose_day(report, key)}", mark=how_known),
        sentence=_what_was_sent(load) + assumed_model(report) + estimated.sentence(report, shown),
    )


def _whose_day(report: CostReport, key: str) -> str:
    """Which words say of what day the list prices are: the requests' own, one for all, or both."""
    if key != "billed":
        return ""
    said = {message.id for message in report.assumptions}
    if report.workload.first_utc is None or "report.repriced_at" in said:
        return "_one_day"
    return "_some_undated" if "report.assume_at" in said else ""


def _what_was_sent(load: WorkloadInfo) -> str:
    """Requests, or the rows where they are sums that do not say over how many requests."""
    said = load.requests is not None
    return t(
        "workload_page.what_was_sent" if said else "workload_page.what_was_summed",
        load.requests if said else load.rows,
        format=md(format_name(load.format, say)),
        input=load.input_tokens,
        output=load.output_tokens,
    )


def three_figures(report: CostReport) -> tuple[Figure, Figure, Figure]:
    """No caching, as billed, best reachable."""
    return (_no_cache(report), _billed(report), _best(report))


def _reason(report: CostReport, key: str) -> str:
    message = report.baselines.reasons.get(key)
    return md(say(message)) if message else ""


def _no_cache(report: CostReport) -> Figure:
    base = report.baselines.no_cache
    beneath = t("overview.computed_from_same_tokens", mark=mark("computed"))
    return Figure(
        label=t("ui.baseline.no_cache"),
        value=amount_usd(base) if base else t("ui.unpriced"),
        beneath=beneath if base else _reason(report, "no_cache_usd"),
    )


def _billed(report: CostReport) -> Figure:
    billed, untouchable = report.baselines.billed, report.not_cacheable
    if billed is None:
        return Figure(
            label=t("ui.baseline.billed"),
            value=t("ui.unpriced" if report.workload.observed else "ui.not_in_file"),
            beneath=_reason(report, "billed_usd") + _who_has_it(report),
        )
    output = md(amount_usd(untouchable)) if untouchable else t("ui.no_data")
    return Figure(
        label=t("ui.baseline.billed"),
        value=amount_usd(billed),
        beneath=t("overview.observed_with_output", mark=seen(report), output=output),
    )


def _who_has_it(report: CostReport) -> str:
    """Which file would say what was cached."""
    return "" if report.workload.observed else " " + t("overview.who_has_cache_columns")


def _best(report: CostReport) -> Figure:
    best = report.baselines.best_reachable
    label = t("ui.baseline.best_reachable")
    if best is None:
        reason = _reason(report, "best_reachable_usd")
        return Figure(label=label, value=t("ui.not_known_yet"), beneath=reason)
    beneath = t("overview.simulated_policy", mark=mark("simulated"), policy=_best_policy(report))
    return Figure(label=label, value=amount_usd(best), beneath=beneath + _still_reachable(report))


def _best_policy(report: CostReport) -> str:
    """The policy where all models have the same; else that each has its own."""
    opened = report.figures.get("best_reachable")
    chosen = set(dict(opened.inputs).values()) if opened else set()
    return md(chosen.pop()) if len(chosen) == 1 else t("overview.best_of_each")


def _still_reachable(report: CostReport) -> str:
    """How much less than the present that is; '' where no present is known."""
    reachable = report.saving.reachable
    if reachable is None or reachable.high_e13 <= 0:
        return ""
    return t("policies.less_than_billed", usd=md(amount_usd(reachable)))


def unpriced_line(report: CostReport) -> str:
    """How many rows have no price, and on which models; '' where every row has one."""
    rows = sum(row.rows for row in report.unpriced)
    names = ", ".join(dict.fromkeys(md(row.model or "?") for row in report.unpriced))
    return t("ui.unpriced_line", rows, names=names) if rows else ""
