"""Text from a command line or a form becomes typed parameters, or one clear sentence."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from zoneinfo import ZoneInfo

from data_sources.traces.base import ReadOptions
from econ.method import DEFAULT_MODEL
from econ.report_params import Period, Rate, ReportParams, StatedTotal
from jobs.stated_costs import stated_cost, stated_totals
from messages.errors import Message, UsageError

GROUPS = ("day", "model", "session", "workspace", "project", "api_key", "user", "team", "tags")
SPAN = "2026-10-01..2026-10-31"
MOST_DIGITS = 20
RANGE_SIGNS = frozenset("<>| ")  # what is said without them is one sample of many
_CURRENCY = re.compile(r"[A-Z]{3}")


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    """How files are to be read."""
    return ReadOptions(
        mapping=pairs(arguments.map, "--map", "COLUMN=FIELD"),
        model_names=pairs(arguments.map_model, "--map-model", "NAME=ID"),
        block_tokens=arguments.block_size,
        tz=zone(arguments.tz),
        leave_out_flagged=arguments.leave_out_misfits,
    )


def files_to_read(arguments: argparse.Namespace) -> list[Path]:
    """The files of a command, with the tokenizer that counts texts where one is named."""
    tokenizer: Path | None = getattr(arguments, "tokenizer", None)
    return [*arguments.files, *([tokenizer] if tokenizer else [])]


def name_to_use(arguments: argparse.Namespace) -> str | None:
    """What the workload is called: as named, and a tokenizer beside one file adds no name."""
    if (
        arguments.name is None
        and getattr(arguments, "tokenizer", None)
        and len(arguments.files) == 1
    ):
        return str(arguments.files[0].name)
    name: str | None = arguments.name
    return name


def report_params(arguments: argparse.Namespace) -> ReportParams:
    """What a report is to show. Raises UsageError naming the flag."""
    since, until = day(arguments.since, "--since"), day(arguments.until, "--until")
    if since and until and since > until:
        raise refused("--until", f">= {since}", str(until))
    return ReportParams(
        at=moment(arguments.at, "--at"),
        models=tuple(arguments.model),
        providers=tuple(arguments.provider),
        policies=tuple(dict.fromkeys(arguments.policy)),
        placements=tuple(dict.fromkeys(arguments.placement)),
        surface=arguments.surface,
        mode=arguments.mode,
        default_surface=arguments.surface,
        default_mode=arguments.mode,
        default_model=arguments.model[0] if arguments.model else DEFAULT_MODEL,
        model_names=pairs(arguments.map_model, "--map-model", "NAME=ID"),
        include_failed=arguments.include_failed,
        by=groups(arguments.by),
        tz=day_zone(arguments.tz),
        since=since,
        until=until,
        change=change(arguments.change),
        rates=rates(arguments.rate),
        month_factor=number(arguments.month_factor, "--month-factor", "30.4375"),
        invoice_usd=number(arguments.invoice_usd, "--invoice-usd", "1234.56"),
        tokenizer_factors=factors(arguments.tokenizer_factor),
        invoices=invoices(arguments.invoice, arguments.stated_costs),
    )


def refuse_overwriting(out: Path | None, files: Sequence[Path]) -> None:
    """Raises UsageError where the report would be written over a file that it is made from."""
    if out is not None and any(_same(out, file) for file in files):
        raise UsageError(Message("cli.out_is_read", {"file": str(out)}))


def _same(out: Path, file: Path) -> bool:
    try:
        return out.is_file() and file.exists() and out.samefile(file)
    except OSError:
        return False


def refused(flag: str, expected: str, found: str) -> UsageError:
    """The sentence about one flag; `expected` is a range or a sample of what can stand there."""
    if not found.strip():
        return UsageError(Message("cli.no_value", {"flag": flag, "expected": expected}))
    key = "cli.bad_value" if RANGE_SIGNS & set(expected) else "cli.bad_sample"
    return UsageError(Message(key, {"flag": flag, "expected": expected, "found": found[:60]}))


def pairs(given: Sequence[str], flag: str, shape: str) -> Mapping[str, str]:
    """'A=B' texts as a mapping. The last '=' parts them: a column's name may hold one."""
    known: dict[str, str] = {}
    for text in given:
        name, sign, value = text.rpartition("=")
        if not sign or not name.strip() or not value.strip():
            raise refused(flag, shape, text)
        known[name.strip()] = value.strip()
    return known


def moment(text: str | None, flag: str) -> datetime | None:
    """A date (00:00 UTC) or an ISO moment (UTC where it names no zone)."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):  # the first and the last hours of the calendar have no UTC
        raise refused(flag, "2026-11-29", text) from None


def day(text: str | None, flag: str) -> date | None:
    """A UTC day."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise refused(flag, "2026-11-29", text) from None


def day_zone(name: str | None) -> str | None:
    """The zone of a report's days: None is UTC, so that saying UTC changes no report's id."""
    return None if name == "UTC" else zone(name)


def zone(name: str | None) -> str | None:
    """The name of a time zone that exists; None = not said."""
    if name is None:
        return None
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise refused("--tz", "Asia/Tokyo", name) from None
    return name


def groups(text: str | None) -> tuple[str, ...] | None:
    """'day,model' as group names; None = all that the workload has."""
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in GROUPS:
            raise refused("--by", " | ".join(GROUPS), name)
    return names


def change(spans: Sequence[str] | None) -> tuple[Period, Period] | None:
    """Two 'FROM..TO' spans of UTC days."""
    return None if spans is None else (_span(spans[0]), _span(spans[1]))


def _span(text: str) -> Period:
    first, _, last = text.partition("..")
    try:
        period = Period(since=date.fromisoformat(first), until=date.fromisoformat(last))
    except ValueError:
        raise refused("--change", SPAN, text) from None
    if period.since > period.until:
        raise refused("--change", SPAN, text)
    return period


def rates(given: Sequence[str]) -> tuple[Rate, ...]:
    """'JPY=150' texts as rates entered by the user, today unknown: the user's own figure."""
    found = []
    for text in given:
        currency, _, value = text.partition("=")
        per_usd = number(value, "--rate", "JPY=150") if value else None
        if not _CURRENCY.fullmatch(currency) or per_usd is None or per_usd <= 0:
            raise refused("--rate", "JPY=150", text)
        found.append(Rate(currency=currency, per_usd=per_usd, date=None, source="user"))
    return tuple(found)


def invoices(given: Sequence[str], files: Sequence[Path]) -> Mapping[str, StatedTotal]:
    """'anthropic=1234.56' texts, and exports of costs; a typed total stands before an export."""
    flag, shape = "--invoice", "anthropic=1234.56"
    found = stated_totals(stated_cost(file, str(file)) for file in files)
    for provider, text in pairs(given, flag, shape).items():
        found[provider] = StatedTotal(usd=number(text, flag, shape) or Decimal(0))
    return found


def factors(given: Sequence[str]) -> Mapping[str, Decimal]:
    """'claude-opus-5=1.3' texts: tokens of that provider or model for one of the file's."""
    flag, shape = "--tokenizer-factor", "claude-opus-5=1.3"
    texts = pairs(given, flag, shape)
    return {name: number(text, flag, shape) or Decimal(0) for name, text in texts.items()}


def number(text: str | None, flag: str, expected: str) -> Decimal | None:
    """A finite decimal that is not negative, and short when written out: not 1e-999999."""
    if text is None:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value < 0 or abs(value.adjusted()) > MOST_DIGITS:
        raise refused(flag, expected, text)
    return value
