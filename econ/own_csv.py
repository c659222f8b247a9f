"""One's own hardware as lines of the report's CSV: one figure a line, English ids, raw numbers.

Sections begin with 'own_': 'own_choice' (what was asked), 'own_memory', 'own_speed', 'own_fleet',
'own_cost', 'own_load', 'own_api' (every API: its price, the break-even load, the tokens a day),
'own_curve', 'own_tiers', 'own_rent', 'own_hbm', 'own_energy', 'own_less_kv', 'own_assumption',
'own_missing' and 'own_source'. Figures stand in `value`, `low`, `high` with `unit` and `basis`;
amounts in USD in `usd` too, so that every currency has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from econ.csv_safe import Cell
from econ.own_break_even import ApiRow
from econ.report_own import Number, OwnLine, OwnPart, number_text
from messages.errors import Message

Say = Callable[[Message], str]
Line = dict[str, Cell]

OWN_COLUMNS = ("value", "low", "high", "unit", "basis")


def own_lines(own: OwnPart | None, say: Say) -> Iterator[Line]:
    """All lines; one that says so where the report has none of it."""
    if own is None:
        yield {"section": "own_missing", "text": say(Message("own_report.not_seen"))}
        return
    for name, text in own.choice.items():
        yield {"section": "own_choice", "item": name, "text": text}
    for line in own.lines:
        yield _line(line)
    for row in own.api_rows:
        yield from _api(row)
    for section, messages in (("assumption", own.assumptions), ("missing", own.missing)):
        for message in messages:
            yield {"section": f"own_{section}", "text": say(message)}
    for mark, text in own.sources:
        yield {"section": "own_source", "basis": mark, "text": text}


def _line(line: OwnLine) -> Line:
    found: Line = {
        "section": f"own_{line.section}",
        "item": line.item,
        "key": line.key or None,
        "provider": line.provider or None,
        "model": line.model or None,
        "status": line.state or None,
        "requests": line.n,
        "value": _cell(line.value),
        "low": _cell(line.low),
        "high": _cell(line.high),
        "unit": line.unit or None,
        "basis": line.basis,
        "source": line.source or None,
        "as_of": line.as_of or None,
    }
    if line.unit == "USD" and isinstance(line.value, Decimal):
        low, high = line.low or line.value, line.high or line.value
        found |= {"usd": line.value, "usd_low": _cell(low), "usd_high": _cell(high)}
    return found


def _cell(value: Number | None) -> Cell:
    text = number_text(value)
    return None if text is None else Decimal(text)


def _api(row: ApiRow) -> Iterator[Line]:
    point = row.point
    named: Line = {
        "section": "own_api",
        "provider": row.provider,
        "surface": row.surface,
        "model": row.model,
        "policy": row.policy,
        "basis": "simulated",
        "source": row.source,
        "as_of": row.as_of,
    }
    price, low = point.api_usd_per_mtok, row.low_usd_per_mtok
    yield {**named, "item": "api_usd_per_mtok", "unit": "USD/Mtok", "value": price, "low": low,
           "high": price}  # fmt: skip
    state = None if point.reachable else "never"
    yield {**named, "item": "break_even_load", "unit": "ratio", "status": state,
           "value": point.utilisation_ratio}  # fmt: skip
    if point.reachable:
        yield {**named, "item": "break_even_tokens_per_day", "unit": "tokens/day",
               "value": point.tokens_per_day}  # fmt: skip
