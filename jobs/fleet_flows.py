"""Own hardware: service calls of the page and the shell, and the job behind the page."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from data_sources.store.computed import computed, keep_computed
from data_sources.store.engine import current_store
from econ.fleet_json import fleet_to_json, study_from_json, study_to_json
from econ.fleet_names import ROUTINGS
from econ.fleet_setup import FleetAsked, Setup, set_up
from econ.fleet_study import FleetStudy, study
from econ.method import METHOD_VERSION
from econ.workload import Workload
from jobs import tasks
from jobs.lifespan import current_runner
from jobs.model_sizes import hardware, model_of
from jobs.progress import Progress, no_progress
from jobs.shelf import LastUsed, Opened, example, opened
from jobs.tiering import device_of
from price_tables.speed_fit import SpeedFit
from price_tables.speed_fit_load import load_speed_fit

KIND = "fleet_study"
KEPT_STUDIES = 32
DEFAULT_MODEL, DEFAULT_DEVICE = "llama-3.1-70b", "h200-sxm"
EXAMPLE_FLEET = FleetAsked(
    model=DEFAULT_MODEL,
    device=DEFAULT_DEVICE,
    tensor_parallel=2,
    quantization="fp8",
    kv_dtype="fp8",
    replicas=(1, 2, 4),
    routings=ROUTINGS,
    ttft_s=2.0,
    tpot_s=0.05,
)
"""What the page shows before anything is chosen."""
tasks.register(KIND, "jobs.fleet_flows:fleet_task")
_studies: LastUsed[FleetStudy] = LastUsed(KEPT_STUDIES)


class _NotThere(Exception):
    """No study has been kept yet."""


@lru_cache(maxsize=1)
def speed_fit() -> SpeedFit:
    """The fitted speed model that comes with kvledger."""
    return load_speed_fit()


def setup_of(asked: FleetAsked) -> Setup:
    """Everything looked up. NotFoundError or InputError with one sentence."""
    return set_up(asked, model_of(asked.model).spec, device_of(asked.device))


def served(workload: Workload, asked: FleetAsked, tell: Progress = no_progress) -> FleetStudy:
    """The study, made now."""
    second = None if asked.prefill_device is None else device_of(asked.prefill_device)
    return study(workload, setup_of(asked), speed_fit(), tell, second)


def fleet_json(asked: FleetAsked, made: FleetStudy) -> dict[str, Any]:
    """What `fleet --json` prints."""
    return fleet_to_json(setup_of(asked), made)


def fleet_study(workload_id: str, asked: FleetAsked, owner: str) -> FleetStudy | None:
    """The study if it has been made before, else None: then `start_fleet` makes it. NotFoundError
    if `owner` sees no such workload."""
    found = opened(workload_id, owner)

    def read() -> FleetStudy:
        known = _kept(found, asked)
        if known is None:
            raise _NotThere
        return known

    try:
        return _studies.get((found.key, _name(asked)), read)
    except _NotThere:
        return None


def start_fleet(workload_id: str, asked: FleetAsked, owner: str) -> str:
    """Start making a study; returns the job's id. InputError: too many unfinished jobs."""
    params = {"workload": workload_id, "owner": owner, "asked": asked_to_json(asked)}
    return current_runner().submit(KIND, params, owner)


def fleet_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: serve, keep the result beside the workload, and answer with its name."""
    asked = asked_from_json(params["asked"])
    progress(0.0, "open")
    found = opened(params["workload"], params["owner"])
    if _kept(found, asked) is None:
        text = json.dumps(study_to_json(served(found.workload, asked, progress)))
        keep_computed(current_store(), _place(found), _name(asked), text)
    return _name(asked)


def warm_fleet() -> None:
    """Have the example's fleet made, so that its page need not wait and the loop is compiled."""
    if fleet_study(example().id, EXAMPLE_FLEET, "") is None:
        start_fleet(example().id, EXAMPLE_FLEET, "")


def forget_fleets(key: str) -> None:
    """A workload was deleted: nothing made of it stays in this process."""
    _studies.forget(lambda known: isinstance(known, tuple) and known[0] == key)


def asked_to_json(asked: FleetAsked) -> dict[str, Any]:
    """Plain JSON; `asked_from_json` gives the same question back."""
    plain = asdict(asked)
    return {n: str(v) if isinstance(v, Decimal | Fraction) else v for n, v in plain.items()}


def asked_from_json(data: dict[str, Any]) -> FleetAsked:
    """The question again."""
    values = {field.name: data[field.name] for field in fields(FleetAsked)}
    values["fraction"] = Fraction(values["fraction"])
    if values["usd_per_gpu_hour"] is not None:
        values["usd_per_gpu_hour"] = Decimal(values["usd_per_gpu_hour"])
    for name in ("replicas", "routings"):
        values[name] = tuple(values[name])
    return FleetAsked(**values)


def _kept(found: Opened, asked: FleetAsked) -> FleetStudy | None:
    text = computed(current_store(), _place(found), _name(asked))
    try:
        return None if text is None else study_from_json(json.loads(text))
    except (ValueError, KeyError, TypeError):  # half a file is no study: it is made again
        return None


def _place(found: Opened) -> str:
    """Beside the workload's files; the example has none, its digest stands for them."""
    return found.id if found.is_example else found.key


def _name(asked: FleetAsked) -> str:
    parts = [asked_to_json(asked), speed_fit().fitted, hardware().devices[
        device_of(asked.device).id
    ].as_of]  # fmt: skip
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return f"{KIND}-{METHOD_VERSION}-{digest[:24]}.json"
