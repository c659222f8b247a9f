"""How far estimates are off, from measured rows: speed of light, our fit, and our fit on a device
that it has not seen.

Pure: rows in, tables out. The error of a row is |estimate / measured - 1|.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from econ.nnls import Array, least_relative_error
from econ.speed_features import METRICS, Metric, Serving, SpeedCase, features, floors, names
from econ.speed_fit import weigh
from price_tables.speed_fit import ALL, RANGES, ErrorStats, FamilyFit, GroupErrors, SpeedFit

DIGITS = 4
"""Coefficients are rounded to this many significant digits before any error is computed, so that
the shipped numbers give the shipped errors."""
LOW, HIGH = 0.05, 0.95
SPEED_OF_LIGHT = ("bandwidth", "roofline")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRow:
    """One public measurement: what ran, and its times in seconds."""

    case: SpeedCase
    family: str
    serving: Serving
    tpot_s: float
    ttft_s: float

    def measured(self, metric: Metric) -> float:
        """The time of this metric."""
        return self.tpot_s if metric == "tpot" else self.ttft_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One row of the scatter: measured and both estimates, in seconds."""

    device: str
    family: str
    serving: str
    measured_s: float
    fitted_s: float
    roofline_s: float


def fit_families(rows: Sequence[MeasuredRow]) -> tuple[FamilyFit, ...]:
    """Fit every family in every way of serving, with all errors."""
    return tuple(_fit_family(found) for found in by_family(rows).values())


def by_family(rows: Iterable[MeasuredRow]) -> Mapping[tuple[str, Serving], list[MeasuredRow]]:
    """The rows by (family, serving), in the order in which families are listed."""
    found: dict[tuple[str, Serving], list[MeasuredRow]] = defaultdict(list)
    for row in rows:
        found[row.family, row.serving].append(row)
    order = {"dense": 0, "moe": 1, "mla": 2}
    return {key: found[key] for key in sorted(found, key=lambda k: (k[1], order[k[0]]))}


def errors_of(fit: SpeedFit, rows: Sequence[MeasuredRow]) -> tuple[FamilyFit, ...]:
    """The same tables with the coefficients that are shipped; only the left-out errors need new
    fits. Families that the fit does not know are left out."""
    found = []
    for (family, serving), group in by_family(rows).items():
        known = fit.family(family, serving)
        if known is not None:
            found.append(_described(group, known.coefficients))
    return tuple(found)


def points(fit: SpeedFit, rows: Sequence[MeasuredRow], metric: Metric) -> list[Point]:
    """Measured beside estimated, row by row."""
    found = []
    for row in rows:
        family = fit.family(row.family, row.serving)
        if family is not None and metric in family.coefficients:
            found.append(
                Point(
                    device=row.case.device.id,
                    family=row.family,
                    serving=row.serving,
                    measured_s=row.measured(metric),
                    fitted_s=weigh(family, row.case, metric),
                    roofline_s=floors(row.case, metric)["roofline"],
                )
            )
    return found


def stats(estimated: Array, measured: Array) -> ErrorStats:
    """Errors of estimates against what was measured; both in the same unit, at least one row."""
    errors, ratios = np.abs(estimated / measured - 1), measured / estimated
    low, high = np.quantile(ratios, (LOW, HIGH))
    return ErrorStats(
        n=len(measured),
        mean_ratio=_rounded(float(errors.mean())),
        median_ratio=_rounded(float(np.median(errors))),
        low_ratio=_rounded(float(low)),
        high_ratio=_rounded(float(high)),
    )


def coefficients_of(matrix: Array, measured: Array, pieces: Sequence[str]) -> dict[str, float]:
    """The fitted coefficients by piece, rounded to DIGITS significant digits."""
    found = least_relative_error(matrix, measured)
    return {
        name: float(f"{value:.{DIGITS}g}")
        for name, value in zip(pieces, found.tolist(), strict=True)
    }


def _fit_family(rows: Sequence[MeasuredRow]) -> FamilyFit:
    serving = rows[0].serving
    coefficients: dict[str, Mapping[str, float]] = {
        metric: coefficients_of(
            _matrix(rows, metric), _measured(rows, metric), names(metric, serving)
        )
        for metric in METRICS
    }
    return _described(rows, coefficients)


def _described(
    rows: Sequence[MeasuredRow], coefficients: Mapping[str, Mapping[str, float]]
) -> FamilyFit:
    cases = [row.case for row in rows]
    return FamilyFit(
        family=rows[0].family,
        serving=rows[0].serving,
        rows=len(rows),
        models=_unique(case.model.id for case in cases),
        devices=_unique(case.device.id for case in cases),
        ranges={name: _range(cases, name) for name in RANGES},
        coefficients=coefficients,
        groups=tuple(
            group for metric in METRICS for group in _groups(rows, metric, coefficients[metric])
        ),
    )


def _groups(
    rows: Sequence[MeasuredRow], metric: Metric, weights: Mapping[str, float]
) -> list[GroupErrors]:
    matrix, measured = _matrix(rows, metric), _measured(rows, metric)
    devices = np.array([row.case.device.id for row in rows])
    limits = [floors(row.case, metric) for row in rows]
    estimates: dict[str, Array] = {
        method: np.array([limit[method] for limit in limits])
        for method in ("bandwidth", "roofline")
    }
    estimates["fitted"] = matrix @ np.array(
        [weights[name] for name in names(metric, rows[0].serving)]
    )
    if len(set(devices)) > 1:
        estimates["left_out"] = _left_out(matrix, measured, devices)
    for method in estimates.keys() - set(SPEED_OF_LIGHT):
        estimates[method] = np.maximum(estimates[method], estimates["roofline"])
    kept = [(ALL, np.ones(len(rows), dtype=bool))]
    kept += [(device, devices == device) for device in sorted(set(devices.tolist()))]
    return [
        GroupErrors(
            device=device,
            metric=metric,
            errors={m: stats(values[here], measured[here]) for m, values in estimates.items()},
        )
        for device, here in kept
    ]


def _left_out(matrix: Array, measured: Array, devices: Array) -> Array:
    """Each device's rows estimated by a fit that has not seen them."""
    found = np.zeros(len(measured))
    for device in np.unique(devices):
        here = devices == device
        found[here] = matrix[here] @ least_relative_error(matrix[~here], measured[~here])
    return found


def _matrix(rows: Sequence[MeasuredRow], metric: Metric) -> Array:
    pieces = names(metric, rows[0].serving)
    found = [features(row.case, metric) for row in rows]
    return np.array([[row[name] for name in pieces] for row in found], dtype=np.float64)


def _measured(rows: Sequence[MeasuredRow], metric: Metric) -> Array:
    return np.array([row.measured(metric) for row in rows], dtype=np.float64)


def _range(cases: Sequence[SpeedCase], name: str) -> tuple[int, int]:
    values = [getattr(case, name) for case in cases]
    return min(values), max(values)


def _unique(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(found)))


def _rounded(value: float) -> float:
    return round(value, DIGITS)
