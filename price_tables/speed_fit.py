"""The fitted speed model as plain data: coefficients, where they were tried, how far they are off.

`speed_fit_load` reads it from `speed_fit.yaml`, which `scripts/fit_speed.py` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

METHODS = ("bandwidth", "roofline", "fitted", "left_out")
"""Speed of light in two readings; our fit on the rows it was made from; and on a device whose rows
were left out of it."""
RANGES = ("batch", "input_tokens", "output_tokens", "context_tokens", "tensor_parallel")
ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorStats:
    """How far a method is off over `n` rows: mean and median of |estimate / measured - 1|, and
    between which ratios measured / estimate nine rows of ten lie (5th and 95th percentile)."""

    n: int
    mean_ratio: float
    median_ratio: float
    low_ratio: float
    high_ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupErrors:
    """One device (or ALL of a family) and one metric: errors by method; a method that cannot be
    had (one device alone cannot be left out) is missing."""

    device: str
    metric: str
    errors: Mapping[str, ErrorStats]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyFit:
    """One family of models in one way of serving: dimensionless coefficients (microseconds for
    counts) by metric and piece, the ranges of the rows, and the errors."""

    family: str
    serving: str
    rows: int
    models: tuple[str, ...]
    devices: tuple[str, ...]
    ranges: Mapping[str, tuple[int, int]]
    coefficients: Mapping[str, Mapping[str, float]]
    groups: tuple[GroupErrors, ...]

    def group(self, device: str, metric: str) -> GroupErrors | None:
        """The errors of a device and metric; None where it has no rows."""
        return next((g for g in self.groups if (g.device, g.metric) == (device, metric)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedFit:
    """All families, the data they were fitted to, and what of it was left aside, by reason."""

    fitted: str
    package: str
    version: str
    file: str
    sha256: str
    rows: int
    source: str
    left_aside: Mapping[str, int]
    families: tuple[FamilyFit, ...]

    def family(self, family: str, serving: str = "aggregated") -> FamilyFit | None:
        """The fit of a family; None where there is none."""
        named = (family, serving)
        return next((f for f in self.families if (f.family, f.serving) == named), None)

    @property
    def devices(self) -> frozenset[str]:
        """Devices that any family was tried on."""
        return frozenset(device for family in self.families for device in family.devices)
