"""Own hardware: service calls of the page and the shell, and the job behind the page."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, Literal

from econ.engine_line import serve_line, untuned
from econ.fleet_json import fleet_to_json, study_from_json, study_to_json
from econ.fleet_names import ROUTINGS
from econ.fleet_setup import FleetAsked, Setup, case_of, set_up, steps_of
from econ.fleet_steps import Steps, profile_steps
from econ.fleet_study import FleetStudy, study
from econ.kv_formats import kv_format
from econ.method import METHOD_VERSION
from econ.model_names import find_model
from econ.own_runs import OwnRun
from econ.workload import Workload
from jobs import own_models, tasks
from jobs.devices import device_of, measured_devices
from jobs.lifespan import current_runner
from jobs.made_before import keep_made, made_before
from jobs.model_sizes import hardware, model_of
from jobs.profiling import full_profile_id, profile
from jobs.progress import Progress, no_progress
from jobs.shelf import LastUsed, Opened, example, opened
from messages.errors import InputError, KvledgerError, Message, NotFoundError, UsageError
from price_tables.speed_fit import SpeedFit
from price_tables.speed_fit_load import load_speed_fit

KIND = "fleet_study"
SourceMark = Literal["published", "datasheet", "measured"]
KEPT_STUDIES = 32
DEFAULT_MODEL, DEFAULT_DEVICE = "llama-3.1-70b", "h200-sxm"
EXAMPLE_FLEET = FleetAsked(
    model=DEFAULT_MODEL,
    device=DEFAULT_DEVICE,
    tensor_parallel=2,
    quantization="fp8",
    kv_dtype="fp8",
    routings=ROUTINGS,
    ttft_s=5.0,
    tpot_s=0.05,
)
"""What the page shows before anything is chosen."""
BESIDE = (1, 2, 4, 8)
"""Numbers of replicas that stand beside the chosen one."""
QUICK_ROWS = 4_000
"""Requests up to which a page serves a fleet at once rather than by a job."""
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


def checked_setup(asked: FleetAsked) -> Setup:
    """`setup_of`, and the speed that it would be served with: everything that can be wrong with a
    question is said before a job is started for it."""
    found = setup_of(asked)
    steps_of(speed_fit(), case_of(found), asked.speed)
    if asked.budget_tokens < asked.max_sequences:
        values = {
            "flag": "--max-num-batched-tokens",
            "expected": f">= {asked.max_sequences}",
            "found": str(asked.budget_tokens),
        }
        raise UsageError(Message("cli.bad_value", values))
    return found


def model_ids() -> tuple[str, ...]:
    """Every known model."""
    return tuple(hardware().models)


def device_ids() -> tuple[str, ...]:
    """Every device of the tables, and those that were measured."""
    return (*hardware().devices, *measured_devices())


def name_of(identity: str) -> str:
    """The name of a model or a device."""
    if own_models.is_own(identity):
        return own_models.own_model(identity).name
    known = hardware()
    if identity in known.models:
        return known.models[identity].name
    try:
        return device_of(identity).name
    except KvledgerError:
        return identity


def known_model(text: str) -> str:
    """The id of a model by id, name or repository, a tuned or re-packed one by its base.
    NotFoundError naming those that are near."""
    try:
        return find_model(hardware().models, text).id
    except NotFoundError:
        return find_model(hardware().models, untuned(text).rpartition("/")[2]).id


def known_kv(text: str) -> str:
    """The KV format that an engine's name stands for. UsageError for an unknown one."""
    return "auto" if text == "auto" else kv_format(text).name


def device_figure(device: str, field: str) -> int | None:
    """A device's own memory, bandwidth or dense rate (the highest that is not FP4), as they are
    typed over. None where it is not stated."""
    found = device_of(device)
    if field == "ops_per_s":
        rates = [rate for kind, rate in found.dense_ops_per_s.items() if kind != "fp4"]
        return max(rates, default=None)
    return found.memory_bytes if field == "device_bytes" else found.bandwidth_bytes_per_s


def measured_steps(profile_id: str) -> Steps:
    """The times of a kept or reference profile. NotFoundError where there is none, InputError
    where it has no cold prompt or no decode step."""
    found = profile_steps(profile(full_profile_id(profile_id)))
    if found is None:
        raise InputError(Message("fleet.no_times_in_profile", {"id": profile_id[:16]}))
    return found


def line_of(asked: FleetAsked) -> str:
    """The fleet as a `vllm serve` line."""
    model = model_of(asked.model).spec
    copies = asked.attention_copies
    settings = {
        "tensor_parallel": asked.tensor_parallel // copies,
        # Of one replica: a server of its own for each.
        "replicas": copies if copies > 1 else asked.replicas[0] if asked.replicas[0] > 1 else None,
        "attention_copies": copies if copies > 1 else None,
        "fraction": f"{float(asked.fraction):g}",
        "max_model_len": asked.max_model_len,
        "block_tokens": asked.block_tokens,
        "kv_dtype": asked.kv_dtype,
        "quantization": asked.quantization,
        "max_sequences": asked.max_sequences,
        "budget_tokens": asked.budget_tokens,
        "prefix_caching": asked.prefix_caching,
    }
    return serve_line(model.repository or model.id, settings)


def sources_of(asked: FleetAsked) -> tuple[tuple[SourceMark, str], ...]:
    """Where the model, the device and the fitted speed come from: a mark and a line each."""
    found, fit = setup_of(asked), speed_fit()
    device, model = found.device, found.model
    first: tuple[SourceMark, str] = (
        "published", f"{model.name}: {model.source}, {model.as_of}",
    )  # fmt: skip
    if device.measured is not None:
        return (first, ("measured", f"{device.name}: {device.source}, {device.as_of}"))
    fitted = f"{fit.package} {fit.version}, {fit.file}: {fit.source}, {fit.fitted}"
    if not device.source:
        return (first, ("published", fitted))
    return (
        first,
        ("datasheet", f"{device.name}: {device.source}, {device.as_of}"),
        ("published", fitted),
    )


def kv_bytes_per_token(asked: FleetAsked) -> int:
    """Bytes of one token on all devices that keep it."""
    memory = setup_of(asked).memory
    return ceil(memory.bytes_per_token * memory.group_devices)


def served(
    workload: Workload, asked: FleetAsked, tell: Progress = no_progress, *, compare: bool = True
) -> FleetStudy:
    """The study, made now; `compare`: by the data sheet as well."""
    second = None if asked.prefill_device is None else device_of(asked.prefill_device)
    measured = None if asked.profile is None else measured_steps(asked.profile)
    return study(
        workload, setup_of(asked), speed_fit(), tell, second, compare=compare, measured=measured
    )


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


def beside(asked: FleetAsked) -> FleetAsked:
    """The same fleet with other numbers of replicas beside the one asked for."""
    first = asked.replicas[0]
    return replace(asked, replicas=(first, *(n for n in BESIDE if n != first)))


def fleet_now(workload_id: str, asked: FleetAsked, owner: str) -> FleetStudy | None:
    """The study, made at once where the workload is small and the loop is compiled already; None
    where `start_fleet` has to make it."""
    known = fleet_study(workload_id, asked, owner)
    found = opened(workload_id, owner)
    if known is not None or found.workload.rows > QUICK_ROWS or not is_compiled():
        return known
    return _studies.get((found.key, _name(asked)), lambda: served(found.workload, asked))


def is_compiled() -> bool:
    """Whether a worker has served the example: then the compiled loop lies on disk."""
    return fleet_study(example().id, EXAMPLE_FLEET, "") is not None


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
        made = served(found.workload, asked, progress)
        keep_made(found, _name(asked), study_to_json(made))
    return _name(asked)


def warm_fleet() -> None:
    """Have the example's fleet made, so that its page need not wait and the loop is compiled."""
    if fleet_study(example().id, EXAMPLE_FLEET, "") is None:
        start_fleet(example().id, EXAMPLE_FLEET, "")


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
    values["runs"] = tuple(OwnRun(*row) for row in values["runs"])
    return FleetAsked(**values)


def _kept(found: Opened, asked: FleetAsked) -> FleetStudy | None:
    return made_before(found, _name(asked), study_from_json)


def _name(asked: FleetAsked) -> str:
    device = device_of(asked.device)
    # A profile's name is the beginning of its id; its figures follow from the whole of it.
    behind = device.as_of if device.measured is None else device.measured.profile
    parts = [asked_to_json(asked), speed_fit().fitted, behind]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return f"{KIND}-{METHOD_VERSION}-{digest[:24]}.json"
