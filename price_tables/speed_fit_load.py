"""Reads `speed_fit.yaml` as strictly as the price tables are read."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from price_tables.fields import Address, Count, Day, Name, wrong
from price_tables.load import FOLDER, validated
from price_tables.speed_fit import ErrorStats, FamilyFit, GroupErrors, SpeedFit
from price_tables.yaml_loader import read_yaml

FILE = "speed_fit.yaml"
_NUMBER = re.compile(r"(0|[1-9]\d{0,8})(\.\d{1,9})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def _number(value: object) -> float:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise wrong("decimal", value)
    return float(value)


def _sha256(value: object) -> str:
    if not isinstance(value, str) or not _SHA256.fullmatch(value):
        raise wrong("sha256", value)
    return value


Number = Annotated[float, BeforeValidator(_number)]
Metric = Literal["tpot", "ttft"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Errors(_Strict):
    mean: Number
    median: Number
    low: Number
    high: Number


class _Group(_Strict):
    device: Name
    metric: Metric
    n: Count
    bandwidth: _Errors
    roofline: _Errors
    fitted: _Errors
    left_out: _Errors | None = None


class _Range(_Strict):
    low: Count
    high: Count

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.low > self.high:
            raise wrong("ascending", f"{self.low}, {self.high}")
        return self


class _Ranges(_Strict):
    batch: _Range
    input_tokens: _Range
    output_tokens: _Range
    context_tokens: _Range
    tensor_parallel: _Range


class _Family(_Strict):
    family: Literal["dense", "moe", "mla"]
    serving: Literal["aggregated", "disaggregated"]
    rows: Count
    models: Annotated[list[Name], Field(min_length=1)]
    devices: Annotated[list[Name], Field(min_length=1)]
    ranges: _Ranges
    coefficients: dict[Metric, dict[Name, Number]]
    errors: Annotated[list[_Group], Field(min_length=1)]


class _Data(_Strict):
    package: Name
    version: Name
    file: Name
    sha256: Annotated[str, BeforeValidator(_sha256)]
    rows: Count
    source: Address
    left_aside: dict[Name, Count]


class SpeedFitFile(_Strict):
    """`speed_fit.yaml`."""

    format: Literal["1"]
    fitted: Day
    data: _Data
    families: Annotated[list[_Family], Field(min_length=1)]


def load_speed_fit(folder: Path | None = None) -> SpeedFit:
    """The fit of `folder`, by default the one that comes with kvledger; read once.

    Raises DataError that names file, place, what was expected and what was found.
    """
    return _load((folder or FOLDER).resolve())


@lru_cache(maxsize=4)
def _load(folder: Path) -> SpeedFit:
    found = validated(SpeedFitFile, read_yaml(folder / FILE), FILE)
    data = found.data
    return SpeedFit(
        fitted=found.fitted.isoformat(),
        package=data.package,
        version=data.version,
        file=data.file,
        sha256=data.sha256,
        rows=data.rows,
        source=data.source,
        left_aside=dict(data.left_aside),
        families=tuple(_family(row) for row in found.families),
    )


def _family(row: _Family) -> FamilyFit:
    ranges = {name: (r["low"], r["high"]) for name, r in row.ranges.model_dump().items()}
    return FamilyFit(
        family=row.family,
        serving=row.serving,
        rows=row.rows,
        models=tuple(row.models),
        devices=tuple(row.devices),
        ranges=ranges,
        coefficients={metric: dict(parts) for metric, parts in row.coefficients.items()},
        groups=tuple(_group(group) for group in row.errors),
    )


def _group(row: _Group) -> GroupErrors:
    given = {
        "bandwidth": row.bandwidth,
        "roofline": row.roofline,
        "fitted": row.fitted,
        "left_out": row.left_out,
    }
    return GroupErrors(
        device=row.device,
        metric=row.metric,
        errors={
            method: ErrorStats(
                n=row.n,
                mean_ratio=errors.mean,
                median_ratio=errors.median,
                low_ratio=errors.low,
                high_ratio=errors.high,
            )
            for method, errors in given.items()
            if errors is not None
        },
    )
