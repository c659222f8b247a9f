"""A person's own measurements, and how they stand beside floor and estimate. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from econ.speed_features import Metric, SpeedCase, floors
from econ.speed_fit import Estimate, estimate
from price_tables.hardware import DeviceSpec, ModelSpec
from price_tables.speed_fit import SpeedFit


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPoint:
    """One load of one run, as the tool reports it; None where it does not say.

    `concurrency`: requests at a time, the tool's limit or else its mean. `input_tokens` and
    `output_tokens`: means of a request. `ttft_s` and `tpot_s`: seconds by statistic ("mean",
    "p50", "p99"); TPOT is between tokens, without the first.
    """

    tool: str
    model: str | None
    concurrency: float | None
    input_tokens: float | None
    output_tokens: float | None
    requests: int | None
    ttft_s: Mapping[str, float]
    tpot_s: Mapping[str, float]

    def times(self, metric: Metric) -> Mapping[str, float]:
        """The statistics of one metric."""
        return self.tpot_s if metric == "tpot" else self.ttft_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What the points ran on: the tools do not say it, so the reader does."""

    model: ModelSpec
    device: DeviceSpec
    weights_dtype: str
    tensor_parallel: int
    kv_dtype: str = "bf16"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One measured time, in seconds, beside the data sheet's floor and the estimate; `inside`: it
    lies in the estimate's band, None where there is no band."""

    point: MeasuredPoint
    metric: Metric
    statistic: str
    measured_s: float
    floor_s: float
    estimate: Estimate

    @property
    def error_ratio(self) -> float:
        """Estimate / measured - 1, signed."""
        return self.estimate.seconds / self.measured_s - 1

    @property
    def inside(self) -> bool | None:
        """Measured lies within the band."""
        low, high = self.estimate.low_s, self.estimate.high_s
        return None if low is None or high is None else low <= self.measured_s <= high


def compare(fit: SpeedFit, server: Server, points: Sequence[MeasuredPoint]) -> list[Compared]:
    """Every point whose load is known, both metrics. ValueError where the model or the device
    states too little for an estimate."""
    found = []
    for point in points:
        case = case_of(server, point)
        if case is None:
            continue
        metrics: tuple[Metric, ...] = ("tpot", "ttft")
        for metric in metrics:
            chosen = typical(point.times(metric))
            if chosen is not None:
                found.append(
                    Compared(
                        point=point,
                        metric=metric,
                        statistic=chosen[0],
                        measured_s=chosen[1],
                        floor_s=floors(case, metric)["roofline"],
                        estimate=estimate(fit, case, metric),
                    )
                )
    return found


def case_of(server: Server, point: MeasuredPoint) -> SpeedCase | None:
    """The point as a case; None where it does not say how long its prompts are."""
    if not point.input_tokens:
        return None
    return SpeedCase(
        model=server.model,
        device=server.device,
        weights_dtype=server.weights_dtype,
        batch=max(1, round(point.concurrency or 1)),
        input_tokens=max(1, round(point.input_tokens)),
        output_tokens=max(1, round(point.output_tokens or 1)),
        tensor_parallel=server.tensor_parallel,
        kv_dtype=server.kv_dtype,
    )


def typical(times: Mapping[str, float]) -> tuple[str, float] | None:
    """The mean, which the public rows report too; else the median."""
    return next(((name, times[name]) for name in ("mean", "p50") if name in times), None)
