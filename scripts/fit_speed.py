"""Refit the speed model to the installed aiconfigurator-core and write price_tables/speed_fit.yaml.

    python -m scripts.fit_speed [DATE]

DATE is the day to write into the file, by default today's (UTC). Needs the package
aiconfigurator-core (requirements-dev-core.txt); its rows are read, never copied.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from data_sources.results import silicon
from data_sources.results.silicon import Silicon
from econ.accuracy import fit_families
from price_tables.hardware_load import load_hardware
from price_tables.load import FOLDER
from price_tables.speed_fit import METHODS, ErrorStats, FamilyFit, GroupErrors
from price_tables.speed_fit_load import FILE

HEAD = (
    "# Times of decode and first token, fitted to public measurements; written by "
    "scripts/fit_speed.py.\n# docs/accuracy.md says what the numbers mean. The rows themselves "
    "are not here: they are in the package named below.\n"
)


def main() -> int:
    """Write the file; exit status 1 where the package is missing."""
    given = sys.argv[1] if len(sys.argv) > 1 else datetime.now(UTC).date().isoformat()
    found = silicon.read_installed(load_hardware())
    if found is None:
        print(f"{silicon.PACKAGE} is not installed", file=sys.stderr)
        return 1
    families = fit_families(found.used)
    (FOLDER / FILE).write_text(_document(found, families, given), encoding="utf-8")
    for family in families:
        _tell(family)
    return 0


def _document(found: Silicon, families: tuple[FamilyFit, ...], day: str) -> str:
    lines = [
        HEAD + "format: 1",
        f"fitted: {day}",
        "data:",
        f"  package: {silicon.PACKAGE}",
        f"  version: {found.version}",
        f"  file: {silicon.FILE}",
        f"  sha256: {found.sha256}",
        f"  rows: {found.rows}",
        f'  source: "{silicon.SOURCE}"',
        f"  left_aside: {_flow(found.left_aside)}",
        "families:",
    ]
    for family in families:
        lines += _family(family)
    return "\n".join(lines) + "\n"


def _family(family: FamilyFit) -> list[str]:
    ranges = ", ".join(
        f"{name}: {{low: {low}, high: {high}}}" for name, (low, high) in family.ranges.items()
    )
    lines = [
        f"- family: {family.family}",
        f"  serving: {family.serving}",
        f"  rows: {family.rows}",
        f"  models: [{', '.join(family.models)}]",
        f"  devices: [{', '.join(family.devices)}]",
        f"  ranges: {{{ranges}}}",
        "  coefficients:",
    ]
    for metric, weights in family.coefficients.items():
        lines.append(f"    {metric}: {_flow(weights)}")
    return [*lines, "  errors:", *(line for group in family.groups for line in _group(group))]


def _group(group: GroupErrors) -> list[str]:
    n = group.errors["fitted"].n
    head = f"  - {{device: {group.device}, metric: {group.metric}, n: {n},"
    parts = [
        f"    {method}: {_errors(group.errors[method])}"
        for method in METHODS
        if method in group.errors
    ]
    return [head, *(f"{part}," for part in parts[:-1]), parts[-1] + "}"]


def _errors(errors: ErrorStats) -> str:
    values = {
        "mean": errors.mean_ratio,
        "median": errors.median_ratio,
        "low": errors.low_ratio,
        "high": errors.high_ratio,
    }
    return _flow(values)


def _flow(values: Mapping[str, float]) -> str:
    return "{" + ", ".join(f"{name}: {_plain(value)}" for name, value in values.items()) + "}"


def _plain(value: float) -> str:
    """No exponents: the file's numbers are plain decimals."""
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return text or "0"


def _tell(family: FamilyFit) -> None:
    print(f"{family.family} {family.serving}: {family.rows} rows")
    for group in family.groups:
        shares = ", ".join(
            f"{method} {errors.mean_ratio:.1%} / {errors.median_ratio:.1%}"
            for method, errors in group.errors.items()
        )
        print(f"  {group.metric} {group.device} n={group.errors['fitted'].n}: {shares}")


if __name__ == "__main__":
    sys.exit(main())
