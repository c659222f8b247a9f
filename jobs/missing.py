"""Reasons for misses: at once for the shell, as a job for the browser."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from data_sources.traces.base import ReadResult
from econ.billing import Pricing
from econ.cards import cards_of
from econ.method import METHOD_VERSION
from econ.miss_blocks import Rule
from econ.miss_json import misses_csv, misses_from_json, misses_to_json
from econ.miss_study import MissStudy, study_of
from econ.misses import missed_of, refusal
from econ.report import ReportParams
from econ.report_build import Billed, bill_period, billing_options
from econ.report_store import params_from_store, params_to_store
from econ.workload import Workload
from jobs import tasks
from jobs.lifespan import current_runner
from jobs.made_before import keep_made, made_before
from jobs.progress import Progress
from jobs.reporting import billed, book, fitted
from jobs.shelf import LastUsed, Opened, example, opened
from messages.errors import Message

KIND = "misses"
KEPT = 32
tasks.register(KIND, "jobs.missing:misses_task")
_studies: LastUsed[MissStudy] = LastUsed(KEPT)


class _NotThere(Exception):
    """Nothing has been kept yet."""


def misses_of(result: ReadResult, params: ReportParams, rule: Rule) -> MissStudy:
    """The misses of files that were just read. InputError where they say too little."""
    asked = fitted(result.workload, params)
    return _study(result.workload, bill_period(result.workload, book(), asked), asked, rule)


def misses_json(study: MissStudy) -> dict[str, Any]:
    """What `misses --json` prints."""
    found = misses_to_json(study)
    return {"price_book_version": book().version, **found}


def misses_table(study: MissStudy) -> bytes:
    """The look as CSV."""
    return misses_csv(study, book().version)


def why_not(workload_id: str, owner: str) -> Message | None:
    """Why a workload's misses have no reasons; None where they have. NotFoundError if `owner` sees
    no such workload."""
    return refusal(opened(workload_id, owner).workload)


def misses(workload_id: str, params: ReportParams, owner: str) -> MissStudy | None:
    """The look if it has been made before, else None: then `start_misses` makes it."""
    found = opened(workload_id, owner)
    name = _name(params)

    def read() -> MissStudy:
        known = made_before(found, name, misses_from_json)
        if known is None:
            raise _NotThere
        return known

    try:
        return _studies.get((found.key, name), read)
    except _NotThere:
        return None


def start_misses(workload_id: str, params: ReportParams, owner: str) -> str:
    """Start looking; returns the job's id. InputError: too many unfinished jobs."""
    asked = {"workload": workload_id, "owner": owner, "params": params_to_store(params)}
    return current_runner().submit(KIND, asked, owner)


def misses_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: look, keep the result beside the workload, and answer with its name."""
    asked = params_from_store(params["params"])
    name = _name(asked)
    progress(0.0, "open")
    found: Opened = opened(params["workload"], params["owner"])
    if made_before(found, name, misses_from_json) is None:
        progress(0.2, "misses")
        wanted = fitted(found.workload, asked)
        made = _study(found.workload, billed(found, wanted), wanted, Rule())
        keep_made(found, name, misses_to_json(made))
    return name


def warm_misses() -> None:
    """Have the example's misses looked at, where nobody has seen them yet."""
    if misses(example().id, ReportParams(), "") is None:
        start_misses(example().id, ReportParams(), "")


def _study(whole: Workload, found: Billed, params: ReportParams, rule: Rule) -> MissStudy:
    pricing = Pricing(
        cards=cards_of(book()),
        options=billing_options(whole, params),
        default_at=book().as_of,
    )
    return study_of(missed_of(found.workload, found.bill, book(), pricing, rule))


def _name(params: ReportParams) -> str:
    asked = json.dumps([book().version, params_to_store(params)], sort_keys=True)
    digest = hashlib.sha256(asked.encode()).hexdigest()
    return f"{KIND}-{METHOD_VERSION}-{digest[:24]}.json"
