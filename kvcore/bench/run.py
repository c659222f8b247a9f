"""Runs the cases one after another and puts their rows into a DeviceProfile."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

import torch

from kvcore.bench.cases import Case
from kvcore.bench.context import NO_MEMORY, Bench, missing
from kvcore.bench.device import device_info, versions
from kvcore.bench.limits import limits_of
from kvcore.errors import KvcoreError
from kvcore.profile import STOPPED, CaseResult, DeviceProfile, ModelInfo


class StopRun(BaseException):
    """Somebody asked the run to stop: no handler of errors may take it for one."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass(slots=True)
class Progress:
    """Says where the run is: a line for people, or one JSON object a line for a program."""

    write: Callable[[str], object]
    as_json: bool = False
    started_s: float = field(default_factory=time.perf_counter)

    def at(self, case: str, i: int, n: int) -> None:
        """The ``i``-th of ``n`` cases, from 1, begins; ``i == n + 1`` says that all ended."""
        elapsed_s = round(time.perf_counter() - self.started_s, 3)
        if self.as_json:
            self.write(json.dumps({"case": case, "i": i, "n": n, "elapsed_s": elapsed_s}))
        else:
            self.write(f"[{min(i, n)}/{n}] {elapsed_s:7.1f} s  {case}")

    def row(self, row: CaseResult) -> None:
        """A figure, for people only."""
        if self.as_json:
            return
        named = ", ".join(f"{key} {value}" for key, value in row.params.items())
        if row.median is None:
            self.write(f"        {row.case}: not measured ({named})")
        else:
            mark = "  CONTENDED" if row.contended else ""
            self.write(f"        {row.case} {row.median:.4g} {row.unit}  ({named}){mark}")


@contextmanager
def stopping() -> Iterator[None]:
    """Turns the first SIGINT or SIGTERM into StopRun; a second one ends the process at once."""

    def stop(number: int, _frame: FrameType | None) -> None:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_DFL)
        raise StopRun(number)

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The rows of a run, and the signal that stopped it (None: it ended by itself)."""

    rows: tuple[CaseResult, ...]
    stopped_by: int | None


def run_cases(
    bench: Bench,
    cases: Sequence[Case],
    progress: Progress,
    keep: Callable[[Sequence[CaseResult]], object] = len,
) -> Run:
    """Every case within its share of the time; what was stopped or never began is marked.

    `keep` is given all rows before each case, those to come as stopped: whoever writes them has
    what was measured also where the process is killed in the middle of a case.
    """
    rows: list[CaseResult] = []
    stopped_by: int | None = None
    for i, case in enumerate(cases):
        if stopped_by is not None:
            rows.append(missing(case.row, STOPPED))
            continue
        if rows:
            keep([*rows, *(missing(later.row, STOPPED) for later in cases[i:])])
        bench.budget.begin(case.weight / sum(later.weight for later in cases[i:]))
        try:
            progress.at(case.name, i + 1, len(cases))
            for row in case.run(bench):
                rows.append(row)
                progress.row(row)
        except StopRun as stop:
            stopped_by = stop.number
            rows.append(missing(case.row, STOPPED))
        except torch.OutOfMemoryError:
            rows.append(missing(case.row, NO_MEMORY))
        except KvcoreError as refused:
            rows.append(missing(case.row, str(refused)))
    progress.at("done" if stopped_by is None else STOPPED, len(cases) + 1, len(cases))
    return Run(rows=tuple(rows), stopped_by=stopped_by)


def profile_of(
    bench: Bench, rows: Sequence[CaseResult], name: str, model: ModelInfo
) -> DeviceProfile:
    """The profile that these rows make."""
    return DeviceProfile(
        name=name,
        created_utc=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        device=device_info(bench.device),
        versions=versions(bench.device),
        model=model,
        limits=limits_of(list(rows)),
        cases=tuple(rows),
    )


def model_info(bench: Bench, whole_layers: int | None = None) -> ModelInfo:
    """What ran; for a few layers of a large model, the whole model's sizes."""
    model, shape = bench.model, bench.model.shape
    size = model.weights.bytes
    if whole_layers is not None:
        shape = shape.with_layers(whole_layers)
        size = shape.parameters * model.weight_dtype.itemsize
    dtype = str(model.weight_dtype).removeprefix("torch.")
    return ModelInfo(
        name=model.name,
        source=model.source,
        layers=shape.layers,
        kv_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        weight_dtype=dtype,
        kv_dtype=dtype,
        weights_bytes=size,
        kv_bytes_per_token=shape.kv_elements_per_token * model.weight_dtype.itemsize,
        keys=shape.keys_stored,
    )
