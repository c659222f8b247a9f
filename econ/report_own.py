"""What a saved report holds of one's own hardware: figures, each with what it rests on.

Flat lines, so that the page, the CSV, the JSON and the sheet of paper read the same numbers. The
bills of the APIs are kept as such; their break-even follows from them and the own rate. Words are
messages; names of models, devices and providers are data.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal

from econ.method import METHOD_VERSION
from econ.money import plain
from econ.own_break_even import ApiBill, ApiRow, OwnRate
from econ.report import CostReport
from messages.errors import Message

Number = int | float | Decimal
Section = Literal[
    "memory", "speed", "fleet", "pools", "cost", "load", "curve", "tiers", "rent", "hbm", "energy",
    "less_kv", "hybrid", "switch",
]  # fmt: skip
FLOAT_DIGITS = 9
"""Of a measured or simulated number in the id: the last bits differ between machines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLine:
    """One figure. `key`: of which of several (a maker, a place, '2 round-robin'); `provider`,
    `model`: of an API. `low` and `high` where the figure has a band; `value` None: not known, or
    only a band is. `state`: a word in place of a number ('saturated', 'load', 'recompute').
    `basis`: 'computed', 'simulated', 'estimated', 'published', 'datasheet', 'measured' or 'typed'.
    `n`: how many requests are behind it. `source`, `as_of` of what it rests on, '' = the file."""

    section: Section
    item: str
    unit: str
    basis: str
    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    key: str = ""
    provider: str = ""
    model: str = ""
    state: str = ""
    n: int | None = None
    source: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPart:
    """Own hardware and less KV of one workload, as they were looked at.

    `choice`: every setting by name, as text, in the order of the form. `model`, `device`: names
    for people; `less_model`, `less_device`: those of less KV. `apis`: what every API costs;
    `rate`: an own hour, None where it is not known. `load`: at which load the fleet serves the
    workload, 0..1. `charted`: the API models that a short table names. `missing`: what could not
    be said, and why.
    """

    choice: Mapping[str, str]
    model: str
    device: str
    lines: tuple[OwnLine, ...]
    rate: OwnRate | None = None
    load: float | None = None
    apis: tuple[ApiBill, ...] = ()
    charted: tuple[str, ...] = ()
    less_model: str = ""
    less_device: str = ""
    assumptions: tuple[Message, ...] = ()
    missing: tuple[Message, ...] = ()
    sources: tuple[tuple[str, str], ...] = field(default=())

    @property
    def promised(self) -> bool:
        """Whether a smallest fleet was asked for."""
        return any(self.choice.get(f"fleet.{name}") for name in ("ttft_s", "tpot_s"))

    def section(self, name: Section) -> tuple[OwnLine, ...]:
        """The lines of one section, in their order."""
        return tuple(line for line in self.lines if line.section == name)

    def line(self, item: str, key: str = "") -> OwnLine | None:
        """The one figure of that name; None where the report has none."""
        found = (line for line in self.lines if (line.item, line.key) == (item, key))
        return next(found, None)

    @property
    def api_rows(self) -> tuple[ApiRow, ...]:
        """Every API against the own rate, the dearest API first; none without a rate."""
        rate = self.rate
        rows = [] if rate is None else [bill.against(rate) for bill in self.apis]
        return tuple(sorted(rows, key=lambda row: row.point.utilisation_ratio))

    @property
    def short_rows(self) -> tuple[ApiRow, ...]:
        """Of each charted model the dearest seller, for a short table."""
        first: dict[str | None, ApiRow] = {}
        for row in self.api_rows:
            if row.model in self.charted:
                first.setdefault(row.model, row)
        return tuple(first.values())


def with_own(report: CostReport, own: OwnPart | None) -> CostReport:
    """The report with one's own hardware in it, under an id of its own: the report's, the choice
    and the figures. Without a part it stays as it is, id and all."""
    if own is None:
        return report
    content = {
        "report": report.report_id,
        "method_version": METHOD_VERSION,
        "choice": dict(own.choice),
        "lines": [_identity(line) for line in own.lines],
        "rate": None if own.rate is None else _fixed(asdict(own.rate)),
        "load": _fixed(own.load),
        "apis": sorted(json.dumps(_fixed(_prices(bill)), sort_keys=True) for bill in own.apis),
        "missing": [message.id for message in own.missing],
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return replace(report, own=own, report_id=hashlib.sha256(text.encode()).hexdigest())


def _prices(bill: ApiBill) -> dict[str, Any]:
    """A bill without the day on which its price was checked: that changes no figure."""
    return {n: v for n, v in asdict(bill).items() if n not in ("source", "as_of")}


def _identity(line: OwnLine) -> list[Any]:
    names = [line.section, line.item, line.key, line.provider, line.model, line.unit, line.state]
    return [*names, *(_fixed(value) for value in (line.value, line.low, line.high, line.n))]


def _fixed(value: Any) -> Any:
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, float):
        return f"{value:.{FLOAT_DIGITS}g}"
    if isinstance(value, dict):
        return {name: _fixed(part) for name, part in value.items()}
    return value


def number_text(value: Number | None) -> str | None:
    """A number as digits: exact decimals, floats in as many digits as they have."""
    if value is None:
        return None
    return plain(value if isinstance(value, Decimal) else Decimal(repr(value)))


def sources_of(own: OwnPart) -> Iterator[tuple[str, str]]:
    """Each (source, as of) that a line or an API's bill names, once."""
    pairs: Iterable[tuple[str, str]] = (
        *((line.source, line.as_of) for line in own.lines),
        *((bill.source or "", bill.as_of or "") for bill in own.apis),
    )
    yield from dict.fromkeys(pair for pair in pairs if pair[0])
