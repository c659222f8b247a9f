"""The user's own model names -> the ids they are to be priced as (`--map-model`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from data_sources.traces.columns import map_text
from econ.workload import Text, Workload


def apply_model_names(workload: Workload, names: Mapping[str, str]) -> Workload:
    """`workload` with its models renamed: exact names, each row once (a -> b, b -> c keeps b)."""
    column = workload.columns.get("model")
    if not names or not isinstance(column, Text):
        return workload
    return replace(workload, columns={**workload.columns, "model": map_text(column, names)})
