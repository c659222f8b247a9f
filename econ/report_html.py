"""A report as one page to send: one HTML file, two sides of A4, readable without the server.

No script, no reference to anything outside, charts as SVG, tables whole. The front says what it
cost and what caching saved; the back holds every row, the assumptions, the prices with their
sources, and the ids by which the same report can be made again. Long tables flow on to more sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC

from econ import sheet_tables as tables
from econ.example import EXAMPLE_FORMAT
from econ.format_words import format_name
from econ.money import Amount
from econ.own_marks import models_at_own_price
from econ.price_sources import merged
from econ.report import CostReport, GroupRow, PolicyRow, PriceSource, Rate
from econ.sheet_finance import finance_tables
from econ.sheet_own import own_section
from econ.sheet_style import STYLE
from econ.sheet_text import Say, converted, dollars, escaped, name_shown, percent, usd
from econ.svg import SheetBar, SheetColumn, bars, columns, hatch
from messages.errors import Message

MOST_BARS = 8
MOST_REJECTED = 10
PAYERS = ("team", "project", "workspace", "user", "api_key", "tags", "model")


def report_html(
    report: CostReport, workload_name: str, language: str, say: Say, rates: Sequence[Rate] = (),
    spoken: Callable[[str], str] = str,
) -> str:  # fmt: skip
    """The file's text. `workload_name`: what the user calls it; `language` the tag of the words
    that `say` makes; `rates` replace the report's own of the same currency; `spoken` puts the
    sources of dated facts into that language."""
    known = {rate.currency: rate for rate in (*report.rates, *rates)}
    name = name_shown(workload_name, 120)
    front = [_head(report, name, say), _figures(report, say), _when(report, say),
             _buckets(report, say), _models(report, say),
             _rest(report, tuple(known.values()), say, language)]  # fmt: skip
    back = [_tables(report, say), _assumptions(report, say), _sources(report, say, spoken),
            _ids(report, say), own_section(report.own, say, spoken)]  # fmt: skip
    title = escaped(say(Message("sheet.title", {"name": name})))
    return (
        f'<!doctype html>\n<html lang="{escaped(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body>{hatch()}"
        f'<main>{"".join(front)}<section class="back">{"".join(back)}</section></main>'
        "</body></html>\n"
    )


def _say(say: Say, key: str, n: int | None = None, /, **values: str | int) -> str:
    return escaped(say(Message(f"sheet.{key}", values, n)))


def _head(report: CostReport, name: str, say: Say) -> str:
    earned, base = report.saving.earned, report.baselines
    about = f"<h1>{escaped(name)}</h1><p class='quiet'>{escaped(_about(report, say))}</p>"
    if earned is None:
        shown, key = base.no_cache, "cost" if base.no_cache else "unpriced"
    else:
        shown, key = earned, "saving"
    lost = " lost" if earned is not None and earned.high_e13 < 0 else ""
    number = usd(shown, say, plus=earned is not None)
    return (
        f"<header>{about}<p class='quiet'>{_say(say, f'{key}_label')}</p>"
        f"<p class='number{lost}'>{escaped(number)}</p><p>{_sentence(report, say)}</p></header>"
    )


def _about(report: CostReport, say: Say) -> str:
    load = report.workload
    requests = load.rows if load.requests is None else load.requests
    key = "sheet.about" if load.requests is not None else "sheet.about_rows"
    said = say(Message(key, {"format": format_name(load.format, say), "input": load.input_tokens,
                             "output": load.output_tokens}, requests))  # fmt: skip
    if load.first_utc is None or load.last_utc is None:
        return said
    if load.first_utc.date() == load.last_utc.date():
        return say(Message("sheet.one_day", {"day": f"{load.first_utc:%Y-%m-%d}"})) + " · " + said
    span = {"first": f"{load.first_utc:%Y-%m-%d}", "last": f"{load.last_utc:%Y-%m-%d}"}
    return say(Message("sheet.period", span)) + " · " + said


def _sentence(report: CostReport, say: Say) -> str:
    base, earned, hit = report.baselines, report.saving.earned, report.ratios.token_hit
    if base.no_cache is None:
        return escaped(say(base.reasons["no_cache_usd"])) if base.reasons else ""
    if earned is None or base.billed is None:
        return _say(say, "not_in_file")
    key = "loss" if earned.high_e13 < 0 else "gain" if earned.low_e13 > 0 else "even"
    if earned.low_e13 < 0 < earned.high_e13:
        key = "either"
    share = say(Message("sheet.unknown")) if hit is None else percent(hit, 0)
    return _say(say, key, billed=usd(base.billed, say), no_cache=usd(base.no_cache, say), hit=share)


def _figures(report: CostReport, say: Say) -> str:
    base = report.baselines
    made = []
    for key, amount in (
        ("no_cache", base.no_cache),
        ("billed", base.billed),
        ("best_reachable", base.best_reachable),
    ):
        reason = base.reasons.get(f"{key}_usd")
        beneath = say(reason) if amount is None and reason else _beneath(report, key, say)
        label = escaped(say(Message(f"ui.baseline.{key}")))
        made.append(f"<div>{label}<b>{escaped(usd(amount, say))}</b>"
                    f"<span class='quiet'>{escaped(beneath)}</span></div>")  # fmt: skip
    return f"<section class='three'>{''.join(made)}</section>"


def _beneath(report: CostReport, key: str, say: Say) -> str:
    opened = report.figures.get("not_cacheable")
    if key == "billed" and report.not_cacheable is not None and opened is not None:
        made = report.workload.format == EXAMPLE_FORMAT
        mark = say(Message("ui.mark.simulated" if made else "ui.mark.observed"))
        return say(Message("sheet.output", {"mark": mark, "usd": usd(report.not_cacheable, say)}))
    if key == "best_reachable" and "best_reachable" in report.figures:
        choices = report.figures["best_reachable"].inputs
        policies = "; ".join(f"{name}: {how}" for name, how in choices.items())
        return say(Message("sheet.policies", {"policies": policies}))
    return say(Message("sheet.same_tokens"))


def _when(report: CostReport, say: Say) -> str:
    """Net saving a day where there are days, else who spent most."""
    rows = [r for r in report.groups if r.by == "day" and r.key and r.saving is not None]
    if len(rows) < 2:
        return _who(report, say)
    values = [float(r.saving.high_usd) for r in rows if r.saving is not None]
    ticks = [(v, dollars_tick(v)) for v in sorted({min(0.0, *values), 0.0, max(0.0, *values)})]
    alt = say(Message("overview.saving_chart_alt"))
    made = columns(
        [SheetColumn(label=r.key[5:], value=v) for r, v in zip(rows, values, strict=True)],
        ticks, alt,
    )  # fmt: skip
    zone = report.params.tz or "UTC"
    return _chart(say(Message("sheet.saving_a_day", {"zone": zone})), "", made)


def dollars_tick(value: float) -> str:
    """An amount on an axis."""
    return dollars(Amount.exactly(round(value * 10**13)).low_usd)


def _who(report: CostReport, say: Say) -> str:
    return _bars_by(report, _payer(report), say)


def _models(report: CostReport, say: Say) -> str:
    """What each model cost, unless the chart above says it."""
    days = sum(1 for row in report.groups if row.by == "day" and row.saving is not None)
    return _bars_by(report, "model", say) if days > 1 or _payer(report) != "model" else ""


def _payer(report: CostReport) -> str:
    return next((by for by in PAYERS if len(_priced(report, by)) > 1), "model")


def _bars_by(report: CostReport, by: str, say: Say) -> str:
    rows = _priced(report, by)[:MOST_BARS]
    if not rows:
        return ""
    own = models_at_own_price(report)
    made = bars([_group_bar(row, say, own) for row in rows], say(Message(f"ui.by.{by}")))
    heading = say(Message("sheet.who", {"by": say(Message(f"ui.by.{by}"))}))
    tick = say(Message("sheet.tick")) if report.baselines.billed is not None else ""
    return _chart(heading, tick, made)


def _priced(report: CostReport, by: str) -> list[GroupRow]:
    return [r for r in tables.sorted_groups(report, by) if tables.cost_e13(r) >= 0]


def _group_bar(row: GroupRow, say: Say, own: frozenset[str]) -> SheetBar:
    cost = row.billed if row.billed is not None else row.no_cache
    both = row.billed is not None and row.no_cache is not None
    return SheetBar(
        name=tables.key_shown(row, say, own),
        value=_high(cost),
        shown=usd(cost, say),
        note="" if row.saving is None else say(
            Message("sheet.bar_note", {"saving": usd(row.saving, say, plus=True)})
        ),
        reference=_high(row.no_cache) if both else None,
    )  # fmt: skip


def _high(amount: Amount | None) -> float:
    return 0.0 if amount is None else float(amount.high_usd)


def _buckets(report: CostReport, say: Say) -> str:
    row = bill_row(report)
    if row is None:
        return ""
    parts = sorted(row.usd_by_bucket.items(), key=lambda part: -part[1].high_e13)
    made = [
        SheetBar(
            name=say(Message(f"ui.bucket.{name}")),
            value=_high(amount),
            shown=usd(amount, say),
            note=say(Message("overview.bucket_note_output" if name == "output"
                             else "overview.bucket_note", {"tokens": row.tokens_high.get(name)})),
            hatched=name == "output",
        )
        for name, amount in parts
        if amount.high_e13
    ]  # fmt: skip
    heading = say(Message("overview.bucket_heading_plain"))
    what = "ui.baseline.billed" if row.policy == "as-billed" else "ui.baseline.no_cache"
    return _chart(heading, say(Message(what)), bars(made, heading)) if made else ""


def bill_row(report: CostReport) -> PolicyRow | None:
    """The row of the headline: as billed, else no caching at the models as used or assumed."""
    base, assumed = report.baselines, report.params.default_model
    for policy, amount in (("as-billed", base.billed), ("none", base.no_cache)):
        same = [r for r in report.rows if r.policy == policy and amount and r.usd == amount]
        if same:
            return min(same, key=lambda row: row.model not in (None, assumed))
    return None


def _chart(heading: str, unit: str, made: str) -> str:
    quiet = f"<p class='quiet'>{escaped(unit)}</p>" if unit else ""
    return f"<section><figure><h2>{escaped(heading)}</h2>{quiet}{made}</figure></section>"


def _rest(report: CostReport, rates: Sequence[Rate], say: Say, language: str) -> str:
    """Hit ratio, a month at this rate, other currencies."""
    lines, ratios = [], report.ratios
    if ratios.token_hit is not None:
        lines.append(_say(say, "hit_line", ratio=percent(ratios.token_hit), n=ratios.n))
    month = report.month
    if month is not None:
        cost = month.billed if month.billed is not None else month.no_cache
        lines.append(_say(say, "month_line", usd=usd(cost, say), how=say(month.source)))
    cost = report.baselines.billed or report.baselines.no_cache
    for rate in rates:
        if cost is not None:
            lines.append(_currency(cost, rate, say, language))
    return f"<section>{''.join(f'<p>{line}</p>' for line in lines)}</section>" if lines else ""


def _currency(cost: Amount, rate: Rate, say: Say, language: str) -> str:
    values = {"amount": converted(cost, rate, say, language), "rate": f"{rate.per_usd:f}",
              "currency": rate.currency}  # fmt: skip
    if rate.date is None:
        return _say(say, "rate_entered", **values)
    return _say(say, "rate_dated", **values, date=f"{rate.date}", source=rate.source)


def _tables(report: CostReport, say: Say) -> str:
    made = [finance_tables(report, say), tables.change_table(report, say),
            tables.group_tables(report, say), tables.unpriced_table(report, say)]  # fmt: skip
    sessions = tables.groups_left_out(report)
    note = f"<p class='quiet'>{_say(say, 'sessions', sessions)}</p>" if sessions else ""
    return f"<h2>{_say(say, 'tables')}</h2><div class='tables'>{''.join(made)}{note}</div>"


def _assumptions(report: CostReport, say: Say) -> str:
    receipt = report.receipt
    counts = {name: int(getattr(receipt, f"rows_{name}"))
              for name in ("read", "kept", "collapsed", "rejected", "ignored")}  # fmt: skip
    lines = [_say(say, "receipt", **counts)]
    lines += [
        f"{escaped(name_shown(r.file))}:{r.line} {escaped(say(r.reason))}"
        for r in receipt.rejected[:MOST_REJECTED]
    ]
    lines += [escaped(say(message)) for message in report.assumptions]
    ids = ("no_cache", "billed", "earned", "token_hit", "reconciliation", "change")
    lines += [escaped(say(report.figures[i].formula)) for i in ids if i in report.figures]
    items = "".join(f"<li>{line}</li>" for line in lines)
    return f"<section><h2>{_say(say, 'assumptions')}</h2><ul class='quiet'>{items}</ul></section>"


def _sources(report: CostReport, say: Say, spoken: Callable[[str], str]) -> str:
    used: list[PriceSource] = [s for f in report.figures.values() for s in f.sources]
    found = merged(s for s in used if s.prices)
    return f"<section>{tables.source_tables(found, say, spoken)}</section>" if found else ""


def _ids(report: CostReport, say: Say) -> str:
    made = _say(
        say,
        "ids",
        report=report.report_id,
        workload=report.workload_sha256,
        book=report.price_book_version,
        as_of=f"{report.price_book_as_of.astimezone(UTC):%Y-%m-%d}",
        method=str(report.method_version),
    )
    return f"<section class='ids quiet'>{made}</section>"
