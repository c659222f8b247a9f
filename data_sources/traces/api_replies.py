"""Logs of raw API replies, one a record, in JSON Lines or a JSON list.

A record is a reply with its `usage` object, or an envelope around one: {"timestamp", "response"},
{"request", "response": {"body"}}. Each reply is read by the rules of its own API.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from data_sources.traces.api_flavours import Flavour, flavour_of, usage_of
from data_sources.traces.api_record import ApiRecord
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult
from data_sources.traces.builder import Builder, cost_e13
from data_sources.traces.detect_json import reply_in
from data_sources.traces.follow import Follow
from data_sources.traces.json_text import Line, records
from data_sources.traces.tally import RowRejectedError, Tally
from data_sources.traces.usage import Usage
from data_sources.traces.values import text, zone
from messages.errors import Message

FORMAT = "api_replies"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply fit to be billed, and where it stood."""

    file: str
    line: int
    flavour: Flavour
    usage: Usage
    fields: Mapping[str, Any]


def read(files: Sequence[Decoded], options: ReadOptions, progress: Progress) -> ReadResult:
    """All replies of `files` as one workload; a `base.Reader`."""
    log = ReplyLog(zone(options.tz))
    follow = Follow(files, progress)
    for file in files:
        for line in follow.lines(file, records(file)):
            log.take(file.source.name, line)
    builder = log.built()
    receipt = log.tally.receipt(files, FORMAT, builder.rows)
    workload = builder.workload(
        name=files[0].source.name,
        format_id=FORMAT,
        format_stats={"rows": receipt.rows_read},
        options=options,
    )
    return ReadResult(workload=workload, receipt=receipt)


class ReplyLog:
    """Replies by the id that their API gave them: the same id again is the same answer, logged
    twice or still streaming, and the larger is kept."""

    def __init__(self, assumed_zone: ZoneInfo | None, mode: str | None = None) -> None:
        self.tally = Tally()
        self.replies: dict[tuple[str, ...], Reply] = {}
        self._zone = assumed_zone
        self._mode = mode

    def take(self, file: str, line: Line, without_usage: str = "no_usage") -> None:
        """One record; one without a usage object is ignored for the reason `without_usage`."""
        if line.problem is not None:
            self.tally.reject(file, line.number, line.problem)
            return
        if not isinstance(line.value, Mapping):
            self.tally.ignore("not_an_object")
            return
        reply = reply_in(line.value)
        if reply is None:
            self.tally.ignore(without_usage)
            return
        try:
            self._keep(file, line.number, ApiRecord.of(line.value, reply))
        except RowRejectedError as error:
            self.tally.reject(file, line.number, error.reason)

    def _keep(self, file: str, line: int, record: ApiRecord) -> None:
        usage_object = usage_of(record.reply)
        provider = record.provider
        flavour = flavour_of(record.reply, record.api, provider)
        provider = provider or flavour.providers[0]
        usage = flavour.usage(usage_object, provider)
        moment = record.moment_us(self._zone)
        if moment is None:
            missing = "zoneless_time" if record.has_time_text() else "no_time"
            self.tally.assume(Message(f"traces.assume.{missing}"))
        geo = text(usage_object, "inference_geo")
        names = record.names()
        if provider == "anthropic" and names["surface"] is None:
            names["surface"] = "us" if geo == "us" else "global"
        identity = record.reply_id
        fields = {
            **usage.fields(),
            **names,
            "request_id": identity or f"{file}#{line}",
            "model": record.model,
            "provider": provider,
            "mode": self._mode or record.mode(usage_object),
            "geo": None if geo == "not_available" else geo,
            "arrival_utc": moment,
            "observed_cost_e13": cost_e13(record.stated_cost()),
        }
        key = (flavour.name, record.model or "", identity) if identity else (file, str(line))
        self._add(key, Reply(file=file, line=line, flavour=flavour, usage=usage, fields=fields))

    def _add(self, key: tuple[str, ...], reply: Reply) -> None:
        known = self.replies.get(key)
        if known is None:
            self.replies[key] = reply
            return
        kept, dropped = (
            (reply, known) if reply.usage.tokens >= known.usage.tokens else (known, reply)
        )
        self.tally.collapse("same_response", cost_e13=dropped.fields["observed_cost_e13"])
        self.replies[key] = kept

    def built(self) -> Builder:
        """The rows of all replies kept."""
        builder = Builder()
        rules: dict[str, set[str]] = {}
        for reply in self.replies.values():
            try:
                builder.add(**reply.fields)
            except RowRejectedError as error:
                self.tally.reject(reply.file, reply.line, error.reason)
                continue
            rules.setdefault(reply.flavour.rule, set()).add(reply.flavour.name)
            if reply.usage.assumption is not None:
                self.tally.assume(reply.usage.assumption)
        for rule, apis in rules.items():
            self.tally.assume(
                Message(f"traces.assume.cached_{rule}", {"apis": ", ".join(sorted(apis))})
            )
        return builder
