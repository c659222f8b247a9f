"""Asking the public sources as a job: progress, a way to stop, and what it changed for the page.

Keys that were typed into the browser go to the worker beside the job's parameters, never in them.
Jobs take turns, whoever started them: the sources' limits hold for the whole server.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from data_sources.public.hosts import SOURCES, Source
from data_sources.store import jobs as rows
from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from data_sources.store.jobs import JobRecord
from data_sources.store.messages_json import decode, encode
from data_sources.store.observations import Change
from jobs import held, public_refresh, tasks
from jobs.lifespan import current_runner
from jobs.progress import Progress
from jobs.public_asked import Failure, Keys, Refreshed, Wanted, keys_from_settings
from messages.errors import Message, SourceError

KIND = "public_refresh"
NAME = "refreshed.json"
MOST_ROWS = 500
TURN_POLL_S = 0.5
SILENT = timedelta(seconds=60)
tasks.register(KIND, "jobs.public_job:refresh_task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure that was added or changed; values are exact decimal text, '' for none."""

    series: str
    entity: str
    end: date
    before: str
    now: str
    unit: str
    vintage: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What one source brought: counts, at most `MOST_ROWS` rows (changed ones first), refusals."""

    source: Source
    asked: int
    reused: int
    new: int
    changed: int
    unchanged: int
    failures: tuple[Failure, ...]
    rows: tuple[Row, ...]


def start_refresh(sources: Sequence[Source], wanted: Wanted, keys: Keys, owner: str) -> str:
    """Start asking; the job's id. InputError: the owner has too many unfinished jobs."""
    params: dict[str, Any] = {
        "sources": list(sources),
        "companies": list(wanted.companies),
        "series": list(wanted.series),
        "force": wanted.force,
        "typed": keys != keys_from_settings(),
    }
    if params["typed"]:
        params[held.PARAM] = held.hold(keys)
    return current_runner().submit(KIND, params, owner)


def refresh_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: wait for its turn, ask, and keep what the page shows. SourceError: the keys it was
    started with are gone with the server that held them."""
    keys = params.get(held.PARAM) if params["typed"] else keys_from_settings()
    if not isinstance(keys, Keys):
        raise SourceError(Message("public.keys_gone"))
    sources: list[Source] = [name for name in SOURCES if name in params["sources"]]
    wanted = Wanted(
        companies=tuple(params["companies"]),
        series=tuple(params["series"]),
        force=bool(params["force"]),
    )
    _wait_for_turn(progress)
    expected = max(1, sum(public_refresh.expected(source, wanted) for source in sources))
    done, said = 0, "ask"

    def stage(source: Source, what: str) -> None:
        nonlocal done, said
        said = f"{source}:{what}"[:64]
        progress(min(0.99, done / expected), said)
        done += 1

    with public_refresh.Web() as web:
        web.while_waiting(lambda: progress(min(0.99, done / expected), said))
        found = public_refresh.refresh(sources, wanted, keys, stage, web)
    key = secrets.token_hex(32)
    keep_computed(current_store(), key, NAME, json.dumps(encode([_json(one) for one in found])))
    return key


def _wait_for_turn(progress: Progress) -> None:
    """Until no other job of this kind runs that started before this one."""
    while True:
        progress(0.0, "turn")
        now = datetime.now(UTC)
        running = [job for job in rows.running_jobs(current_store(), KIND)
                   if now - (job.heartbeat_utc or now) < SILENT]  # fmt: skip
        if not running or running[0].worker_pid == os.getpid():
            return
        time.sleep(TURN_POLL_S)


def forget_keys(job: JobRecord) -> None:
    """A job has ended: what was held for it goes."""
    held.let_go(job.params)


def brought(result_id: str) -> tuple[Brought, ...]:
    """What a job that is done changed; nothing once its result is no longer kept."""
    text = computed(current_store(), result_id, NAME)
    if text is None:
        return ()
    return tuple(_read(one) for one in decode(json.loads(text)))


def _json(found: Refreshed) -> dict[str, Any]:
    changes = [*found.changed, *found.new][:MOST_ROWS]
    return {
        "source": found.source,
        "asked": found.asked,
        "reused": found.reused,
        "new": len(found.new),
        "changed": len(found.changed),
        "unchanged": found.unchanged,
        "failures": [[one.what, one.message] for one in found.failures],
        "rows": [_row(change) for change in changes],
    }


def _row(change: Change) -> dict[str, Any]:
    after, before = change.after, change.before
    return asdict(
        Row(
            series=after.series,
            entity=after.entity,
            end=after.end,
            before="" if before is None or before.value is None else str(before.value),
            now=after.marker if after.value is None else str(after.value),
            unit=after.unit,
            vintage=after.vintage,
        )
    ) | {
        "end": after.end.isoformat(),
        "vintage": after.vintage.isoformat() if after.vintage else None,
    }


def _read(kept: dict[str, Any]) -> Brought:
    return Brought(
        **kept
        | {
            "failures": tuple(Failure(what=what, message=said) for what, said in kept["failures"]),
            "rows": tuple(
                Row(**row | {"end": date.fromisoformat(row["end"]),
                             "vintage": date.fromisoformat(row["vintage"])
                             if row["vintage"] else None})
                for row in kept["rows"]
            ),
        }
    )  # fmt: skip
