"""Small workloads and models for the tests of less KV."""

from __future__ import annotations

import numpy as np

from econ.workload import Column, Text, Workload
from price_tables.hardware import DeviceSpec, ModelSpec
from price_tables.hardware_load import load_hardware


def model(name: str) -> ModelSpec:
    """A model of models.yaml."""
    return load_hardware().models[name]


def device(name: str) -> DeviceSpec:
    """A device of devices.yaml."""
    return load_hardware().devices[name]


def workload(
    inputs: list[int],
    outputs: list[int],
    starts_s: list[float],
    sessions: list[str] | None = None,
    models: list[str] | None = None,
    finished_s: list[float] | None = None,
) -> Workload:
    """Requests with lengths and starts, and what else is given."""
    columns: dict[str, Column] = {
        "input_tokens": np.asarray(inputs, dtype=np.int64),
        "output_tokens": np.asarray(outputs, dtype=np.int64),
        "arrival_s": np.asarray(starts_s, dtype=np.float64),
    }
    if sessions is not None:
        columns["session_id"] = Text.of(sessions)
    if models is not None:
        columns["model"] = Text.of(models)
    if finished_s is not None:
        columns["finished_s"] = np.asarray(finished_s, dtype=np.float64)
    return Workload(name="made up", format="test", rows=len(inputs), columns=columns)
