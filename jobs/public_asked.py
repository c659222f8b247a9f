"""What a refresh is asked for, and what it brought."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pydantic import SecretStr

import settings as settings_module
from data_sources.public.hosts import Source
from data_sources.public.snapshot import snapshot
from data_sources.store.observations import Change
from jobs.public_figures import of_observation, to_json
from messages.catalogue import Say
from messages.errors import Message, Value

EDINET_CODE = re.compile(r"[Ee]\d{5}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """What the sources want to see. Held in memory; never stored, logged or printed."""

    sec_contact: str = ""
    fred: SecretStr | None = None
    edinet: SecretStr | None = None
    estat: SecretStr | None = None

    def secrets(self) -> tuple[str, ...]:
        """The texts that must be in nothing that is shown or kept."""
        given = (self.fred, self.edinet, self.estat)
        return tuple(text for one in given if one and (text := one.get_secret_value()))

    def hide(self, message: Message) -> Message:
        """`message` without any key: a server may repeat one in its own words."""
        return Message(
            message.id, {name: self._hide(v) for name, v in message.values.items()}, message.n
        )

    def _hide(self, value: Value) -> Value:
        if isinstance(value, Message):
            return self.hide(value)
        if isinstance(value, str):
            for secret in self.secrets():
                value = value.replace(secret, "***")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to ask for beyond the known companies and series. `first` and `last` bound the days of
    EDINET's lists; `all_vintages` asks FRED for every vintage; `force` ignores younger answers."""

    companies: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    first: date | None = None
    last: date | None = None
    all_vintages: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that could not be had, and why."""

    what: str
    message: Message


@dataclass(slots=True, kw_only=True)
class Refreshed:
    """What one source brought."""

    source: Source
    asked: int = 0
    reused: int = 0
    new: list[Change] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    unchanged: int = 0
    failures: list[Failure] = field(default_factory=list)


def keys_from_settings() -> Keys:
    """The keys of this server's settings."""
    given = settings_module.current()
    return Keys(
        sec_contact=given.sec_contact or "",
        fred=given.fred_key,
        edinet=given.edinet_key,
        estat=given.estat_key,
    )


def known_as(company: str) -> tuple[Source, str]:
    """Who reads a company and under which id: by ticker or id where it is known, else an EDINET
    code or a CIK by its shape."""
    text = company.strip().upper()
    for one in snapshot().companies:
        if one.source in ("sec", "edinet") and text in (one.id.upper(), one.ticker.upper()):
            return ("sec" if one.source == "sec" else "edinet"), one.id
    return ("edinet", text) if EDINET_CODE.fullmatch(text) else ("sec", text)


def companies_of(source: Source, wanted: Wanted) -> list[str]:
    """The ids that `source` is to be asked for: those that were named, else all it knows."""
    if wanted.companies:
        return [id_ for reader, id_ in map(known_as, wanted.companies) if reader == source]
    return [company.id for company in snapshot().companies if company.source == source]


def refreshed_json(found: Sequence[Refreshed], say: Say) -> dict[str, Any]:
    """What `refresh --json` prints."""
    return {
        "sources": [
            {
                "source": one.source,
                "asked": one.asked,
                "reused": one.reused,
                "new": [_change(change) for change in one.new],
                "changed": [_change(change) for change in one.changed],
                "unchanged": one.unchanged,
                "failures": [
                    {"what": failure.what, "why": say(failure.message)} for failure in one.failures
                ],
            }
            for one in found
        ]
    }


def _change(change: Change) -> dict[str, Any]:
    after = to_json(of_observation(change.after, None, first=None))
    before = change.before
    return {
        "before": None if before is None or before.value is None else str(before.value),
        "before_vintage": None if before is None or before.vintage is None
        else before.vintage.isoformat(),
        **{name: after[name] for name in ("source", "entity", "series", "start", "end", "value",
                                          "unit", "vintage", "document", "link")},
    }  # fmt: skip
