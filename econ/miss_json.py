"""A look at misses as plain JSON and back, and as CSV: reasons, models, sessions and examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from econ.csv_safe import Cell, csv_bytes
from econ.miss_runs import CHANGEABLE
from econ.miss_study import MissExample, MissGroup, MissStudy, ReasonSum
from econ.money import e13_from_usd, usd_from_e13, usd_text

LAYOUT = 1
COLUMNS = (
    "row_type", "price_book_version", "model", "session", "reason", "requests", "tokens",
    "penalty_usd", "row", "request_id", "at_utc", "arrival_s", "start_tokens", "late_s",
    "fork_tokens",
)  # fmt: skip


def misses_to_json(study: MissStudy) -> dict[str, Any]:
    """Plain JSON; money as decimal strings in USD, exact."""
    late = study.late_s
    return {
        "layout": LAYOUT,
        "source": study.source,
        "lifetime": study.lifetime,
        "placement": study.placement,
        "notes": list(study.notes),
        "requests": study.requests,
        "requests_left_out": study.left_out,
        "prompt_tokens": study.prompt_tokens,
        "read_tokens": study.read_tokens,
        "missed_tokens": study.tokens,
        "penalty_usd": usd_text(study.e13),
        "reasons": [_reason(one) for one in study.reasons],
        "dearest": [one.reason for one in study.dearest()],
        "lacking": [{"fact": fact, "tokens": tokens} for fact, tokens in study.lacking],
        "late_s": None if late is None else {"median": round(late[0], 6), "max": round(late[1], 6)},
        "groups": [_group(one) for one in study.groups],
        "groups_left": {
            "sessions": study.groups_left[0],
            "penalty_usd": usd_text(study.groups_left[1]),
        },
        "examples": [_example(one) for one in study.examples],
    }


def misses_from_json(data: Any) -> MissStudy | None:
    """The look; None where it was written by another version."""
    if not isinstance(data, Mapping) or data.get("layout") != LAYOUT:
        return None
    late = data["late_s"]
    return MissStudy(
        source=data["source"],
        lifetime=data["lifetime"],
        placement=data["placement"],
        notes=tuple(data["notes"]),
        requests=data["requests"],
        left_out=data["requests_left_out"],
        prompt_tokens=data["prompt_tokens"],
        read_tokens=data["read_tokens"],
        tokens=data["missed_tokens"],
        e13=_e13(data),
        reasons=tuple(map(_reason_back, data["reasons"])),
        lacking=tuple((one["fact"], one["tokens"]) for one in data["lacking"]),
        late_s=None if late is None else (late["median"], late["max"]),
        groups=tuple(map(_group_back, data["groups"])),
        groups_left=(data["groups_left"]["sessions"], _e13(data["groups_left"])),
        examples=tuple(map(_example_back, data["examples"])),
    )


def misses_csv(study: MissStudy, price_book_version: str) -> bytes:
    """Sums by reason, by model and reason, by session and reason, and the examples of each
    reason; raw numbers. `row_type` says which; only rows of one type may be added up."""
    lines = ({"price_book_version": price_book_version, **line} for line in _lines(study))
    return csv_bytes(COLUMNS, lines)


def _lines(study: MissStudy) -> Iterator[dict[str, Cell]]:
    for one in study.reasons:
        yield {"row_type": "reason", **_cells(one)}
    for group in study.groups:
        for one in group.reasons:
            yield {"row_type": group.by, group.by: group.key, **_cells(one)}
    for example in study.examples:
        line: dict[str, Cell] = dict(_example(example))
        line["penalty_usd"] = usd_from_e13(example.e13)
        yield {"row_type": "example", **line}


def _cells(one: ReasonSum) -> dict[str, Cell]:
    return {
        "reason": one.reason,
        "requests": one.requests,
        "tokens": one.tokens,
        "penalty_usd": usd_from_e13(one.e13),
    }


def _e13(data: Mapping[str, Any]) -> int:
    return e13_from_usd(Decimal(data["penalty_usd"]))


def _reason(one: ReasonSum) -> dict[str, Any]:
    return {
        "reason": one.reason,
        "requests": one.requests,
        "tokens": one.tokens,
        "penalty_usd": usd_text(one.e13),
        "changeable": one.reason in CHANGEABLE,
    }


def _reason_back(data: Mapping[str, Any]) -> ReasonSum:
    return ReasonSum(
        reason=data["reason"], requests=data["requests"], tokens=data["tokens"], e13=_e13(data)
    )


def _group(one: MissGroup) -> dict[str, Any]:
    return {
        "by": one.by,
        "key": one.key,
        "requests": one.requests,
        "prompt_tokens": one.prompt_tokens,
        "missed_tokens": one.tokens,
        "penalty_usd": usd_text(one.e13),
        "reasons": [_reason(each) for each in one.reasons],
        "examples": [_example(each) for each in one.examples],
    }


def _group_back(data: Mapping[str, Any]) -> MissGroup:
    return MissGroup(
        by=data["by"],
        key=data["key"],
        requests=data["requests"],
        prompt_tokens=data["prompt_tokens"],
        tokens=data["missed_tokens"],
        e13=_e13(data),
        reasons=tuple(map(_reason_back, data["reasons"])),
        examples=tuple(map(_example_back, data["examples"])),
    )


def _example(one: MissExample) -> dict[str, Any]:
    return {
        "row": one.row,
        "request_id": one.request_id,
        "session": one.session,
        "model": one.model,
        "at_utc": one.at_utc,
        "arrival_s": round(one.arrival_s, 6),
        "reason": one.reason,
        "start_tokens": one.start,
        "tokens": one.tokens,
        "late_s": None if one.late_s is None else round(one.late_s, 6),
        "fork_tokens": one.fork,
        "penalty_usd": usd_text(one.e13),
    }


def _example_back(data: Mapping[str, Any]) -> MissExample:
    return MissExample(
        row=data["row"],
        request_id=data["request_id"],
        session=data["session"],
        model=data["model"],
        at_utc=data["at_utc"],
        arrival_s=data["arrival_s"],
        reason=data["reason"],
        start=data["start_tokens"],
        tokens=data["tokens"],
        late_s=data["late_s"],
        fork=data["fork_tokens"],
        e13=_e13(data),
    )
