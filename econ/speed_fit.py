"""TPOT and TTFT as they are measured, not as a data sheet allows: fitted pieces, with their band.

    time = sum of (coefficient x piece of `econ.speed_features`), at least the data sheet's floor

The coefficients come from public measurements (`price_tables/speed_fit.yaml`); the band is the
span of measured / estimate over nine rows of ten in the nearest group of them. TPOT is the mean
time between the tokens of one answer after its first, with other requests' prompts run in between;
TTFT is from sending to the first token, at a steady number of requests, waiting included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from econ.roofline import active_parameters
from econ.speed_features import Metric, Serving, SpeedCase, features, floors
from price_tables.hardware import ModelSpec
from price_tables.speed_fit import ALL, ErrorStats, FamilyFit, SpeedFit

ENOUGH_ROWS = 30
"""A device with fewer rows of its own borrows the whole family's band."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Nine measured times of ten lay between low_ratio and high_ratio times such an estimate.

    `basis`: which rows: family, device ("all" of the family) and method, of which `n` there are.
    """

    low_ratio: float
    high_ratio: float
    family: str
    device: str
    method: str
    n: int

    @property
    def basis(self) -> str:
        """'dense, h100-sxm, fitted'."""
        return f"{self.family}, {self.device}, {self.method}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One time in seconds. `outside` names what lies beyond the rows (batch, input_tokens,
    output_tokens, context_tokens, tensor_parallel, device); then there is no band."""

    metric: Metric
    seconds: float
    band: Band | None
    outside: tuple[str, ...]

    @property
    def low_s(self) -> float | None:
        """The band's lower end; None without one."""
        return None if self.band is None else self.seconds * self.band.low_ratio

    @property
    def high_s(self) -> float | None:
        """The band's upper end; None without one."""
        return None if self.band is None else self.seconds * self.band.high_ratio


def family_of(model: ModelSpec) -> str:
    """'mla' with latent attention, 'moe' with experts, else 'dense'."""
    if any(group.kind == "mla" for group in model.groups):
        return "mla"
    return "moe" if model.experts else "dense"


def estimate(
    fit: SpeedFit, case: SpeedCase, metric: Metric, serving: Serving = "aggregated"
) -> Estimate:
    """The fitted time. ValueError where the model's parameters or the device's limits are not
    stated, this was never fitted for the family, or prompts are read nowhere."""
    family = _family(fit, case, serving)
    if metric not in family.coefficients:
        raise ValueError(f"no fit of {metric} in {serving} serving")
    if (metric, serving) == ("ttft", "disaggregated") and case.prefill_pool is None:
        raise ValueError("the machines that read prompts are not stated")
    if active_parameters(case.model) is None:
        raise ValueError("the parameters that a token passes are not stated")
    seconds = weigh(family, case, metric)
    outside = outside_of(fit, family, case)
    band = None if outside else nearest(family, case.device.id, metric)
    return Estimate(metric=metric, seconds=seconds, band=band, outside=outside)


def weigh(family: FamilyFit, case: SpeedCase, metric: Metric) -> float:
    """The sum of coefficients x pieces, in seconds, never below the data sheet's floor: far from
    the rows a piece that they could not tell apart from others may be missing."""
    weights = family.coefficients[metric]
    found = sum(weights.get(name, 0.0) * value for name, value in features(case, metric).items())
    return max(found, floors(case, metric)["roofline"])


def floor_band(
    fit: SpeedFit,
    case: SpeedCase,
    metric: Metric = "tpot",
    beyond: Sequence[str] = ("batch", "context_tokens", "tensor_parallel", "device"),
) -> tuple[Band | None, tuple[str, ...]]:
    """By what ratio real times exceed the data sheet's floor, and what lies outside the rows.

    Only the ranges named in `beyond` are asked. No band outside of them, or for a family that was
    never tried.
    """
    family = fit.family(family_of(case.model))
    if family is None:
        return None, ("family",)
    outside = tuple(name for name in outside_of(fit, family, case) if name in beyond)
    return (None if outside else nearest(family, case.device.id, metric, floor=True)), outside


def outside_of(fit: SpeedFit, family: FamilyFit, case: SpeedCase) -> tuple[str, ...]:
    """What of a case lies beyond the rows that the family was tried on; a device counts as known
    where any family was tried on it, since leaving it out is what the other rows measure."""
    asked = {name: getattr(case, name) for name in family.ranges}
    beyond = [name for name, (low, high) in family.ranges.items() if not low <= asked[name] <= high]
    if case.device.id not in fit.devices:
        beyond.append("device")
    return tuple(beyond)


def nearest(family: FamilyFit, device: str, metric: Metric, *, floor: bool = False) -> Band | None:
    """The errors of this device's own rows where there are enough of them, else of the whole
    family with the device's rows left out of the fit."""
    own, every = family.group(device, metric), family.group(ALL, metric)
    if own is not None and own.errors["fitted"].n >= ENOUGH_ROWS:
        method = "roofline" if floor else "fitted"
        return _band(family, device, method, own.errors[method])
    method = "roofline" if floor else "left_out"
    if every is None or method not in every.errors:
        return None
    return _band(family, ALL, method, every.errors[method])


def _family(fit: SpeedFit, case: SpeedCase, serving: Serving) -> FamilyFit:
    found = fit.family(family_of(case.model), serving)
    if found is None:
        raise ValueError("no fit for this family of models")
    return found


def _band(family: FamilyFit, device: str, method: str, errors: ErrorStats) -> Band:
    return Band(
        low_ratio=errors.low_ratio,
        high_ratio=errors.high_ratio,
        family=family.family,
        device=device,
        method=method,
        n=errors.n,
    )
