"""What `report` is asked for of own hardware on the command line."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from econ.engine_line import read_serve_line
from econ.fleet_setup import FleetAsked
from econ.report_params import ReportParams
from jobs.devices import device_of
from jobs.fleet_flows import EXAMPLE_FLEET, checked_setup, known_model
from jobs.own_report import OwnChoice
from jobs.shell_fleet import checked, from_line
from jobs.shell_input import number
from jobs.shell_kv import whole

FLAGS = ("own_model", "own_device", "own_tp", "own_serve", "own_usd_per_gpu_hour")


def own_choice(arguments: argparse.Namespace, params: ReportParams) -> OwnChoice | None:
    """The question; None where no flag asks for it. UsageError naming the flag, NotFoundError or
    InputError for a model, a device or a line that is not known."""
    given = {name: getattr(arguments, name) for name in FLAGS}
    if not arguments.own and all(value is None for value in given.values()):
        return None
    asked = _fleet(given)
    checked_setup(asked)  # what is wrong with it is said before a large file is read
    return OwnChoice(fleet=asked, priced_as=params.default_model, at=params.at)


def _fleet(given: dict[str, Any]) -> FleetAsked:
    """The page's first configuration, with what was said in its place."""
    asked = EXAMPLE_FLEET
    if given["own_serve"] is not None:
        asked = replace(asked, **from_line(read_serve_line(given["own_serve"])))  # type: ignore[arg-type]
    if given["own_model"] is not None:
        asked = replace(asked, model=known_model(given["own_model"]))
    if given["own_device"] is not None:
        asked = replace(asked, device=device_of(given["own_device"]).id)
    devices = whole(given["own_tp"], "--own-tp", "2")
    if devices is not None:
        asked = replace(asked, tensor_parallel=devices)
    usd = number(given["own_usd_per_gpu_hour"], "--own-usd-per-gpu-hour", "4.79")
    return checked(asked if usd is None else replace(asked, usd_per_gpu_hour=usd))
