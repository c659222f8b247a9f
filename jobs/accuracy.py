"""How far estimates are off: the service calls of the Accuracy page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from data_sources.results import silicon
from data_sources.results.readers import read_results
from data_sources.results.silicon import Silicon
from econ.accuracy import Point, errors_of, points
from econ.article_speed import ArticleRow, article_rows
from econ.csv_safe import Cell, csv_bytes
from econ.layout import check_ranks
from econ.measured_points import Compared, MeasuredPoint, Server, compare
from econ.model_names import find_model
from econ.speed_features import Metric
from jobs.devices import device_of
from jobs.model_sizes import hardware
from jobs.speeds import BY_NAME
from messages.errors import KvledgerError, input_error
from price_tables.speed_fit import ALL, METHODS, ErrorStats, FamilyFit, GroupErrors, SpeedFit
from price_tables.speed_fit_load import load_speed_fit

MOST_POINTS = 4_000
_ENDING = re.compile(r"(-(instruct|chat|it|fp8|nvfp4|awq|gptq|bf16))+$", re.IGNORECASE)
CSV_COLUMNS = ("family", "serving", "device", "metric", "method", "n", "mean_error_ratio",
               "median_error_ratio", "low_ratio", "high_ratio")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Measured rows at hand: the installed package's or an uploaded file's; `same` where they are
    those that the shipped fit was made from."""

    silicon: Silicon
    uploaded: bool
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnServer:
    """What the reader says that their results ran on."""

    model: str
    device: str
    weights_dtype: str
    tensor_parallel: int


def fit() -> SpeedFit:
    """The shipped fit."""
    return load_speed_fit()


@lru_cache(maxsize=1)
def installed_rows() -> Rows | None:
    """The rows of the installed package; None where it is not installed."""
    found = silicon.read_installed(hardware())
    return None if found is None else _rows(found, uploaded=False)


def uploaded_rows(content: bytes, name: str) -> Rows:
    """The rows of an uploaded silicon_sample.csv. InputError where it is another file."""
    return _rows(silicon.read(content, name, hardware()), uploaded=True)


def _rows(found: Silicon, *, uploaded: bool) -> Rows:
    return Rows(silicon=found, uploaded=uploaded, same=found.sha256 == fit().sha256)


def families(rows: Rows | None) -> tuple[FamilyFit, ...]:
    """The error tables: of other rows where such are at hand, with the shipped coefficients; else
    those that are shipped, which the same rows give again."""
    if rows is None or rows.same:
        return fit().families
    return errors_of(fit(), rows.silicon.used)


def dense_floor() -> ErrorStats:
    """How far the data sheet is off in TPOT on the shipped fit's dense rows."""
    return _dense_group().errors["roofline"]


def dense_context_tokens() -> int:
    """The longest context of those rows."""
    dense = fit().family("dense")
    return 0 if dense is None else dense.ranges["context_tokens"][1]


def _dense_group() -> GroupErrors:
    dense = fit().family("dense")
    group = None if dense is None else dense.group(ALL, "tpot")
    if group is None:
        raise LookupError("the shipped fit has no dense family")
    return group


def scatter(rows: Rows, family: FamilyFit, metric: Metric) -> list[Point]:
    """Measured beside estimated for one family, thinned evenly where there are very many."""
    chosen = [
        row
        for row in rows.silicon.used
        if (row.family, row.serving) == (family.family, family.serving)
    ]
    found = points(fit(), chosen, metric)
    return found[:: max(1, -(-len(found) // MOST_POINTS))]


def articles() -> tuple[ArticleRow, ...]:
    """The article's figures beside ours."""
    return article_rows(hardware())


def errors_csv(found: Sequence[FamilyFit]) -> bytes:
    """Every error as CSV: UTF-8 with BOM, ratios 0..1."""
    rows: Iterator[dict[str, Cell]] = (
        {
            "family": family.family,
            "serving": family.serving,
            "device": group.device,
            "metric": group.metric,
            "method": method,
            "n": errors.n,
            "mean_error_ratio": errors.mean_ratio,
            "median_error_ratio": errors.median_ratio,
            "low_ratio": errors.low_ratio,
            "high_ratio": errors.high_ratio,
        }
        for family in found
        for group in family.groups
        for method in METHODS
        if (errors := group.errors.get(method)) is not None
    )
    return csv_bytes(CSV_COLUMNS, rows)


def own_points(content: bytes, name: str) -> list[MeasuredPoint]:
    """The measured points of a result file. InputError where it is none."""
    return read_results(content, name)


def model_names() -> dict[str, str]:
    """Models that can be estimated: id -> name."""
    return {
        model.id: model.name
        for model in hardware().models.values()
        if model.parameters_total is not None
    }


def device_names() -> dict[str, str]:
    """Devices with a stated bandwidth and rate: id -> name."""
    return {
        device.id: device.name
        for device in hardware().devices.values()
        if device.bandwidth_bytes_per_s and device.dense_ops_per_s.keys() & {"fp16", "fp32"}
    }


def guessed_model(found: Sequence[MeasuredPoint]) -> str | None:
    """The known model that the file names, if it names one: by its whole name, its last part, or
    that without the ending of a tuned or quantised checkpoint."""
    for point in found:
        last = (point.model or "").rpartition("/")[2]
        for name in (point.model or "", last, _ENDING.sub("", last)):
            try:
                return find_model(hardware().models, name).id
            except KvledgerError:
                continue
    return None


def own_dtype(model: str) -> str:
    """The type of the model's own checkpoint."""
    return BY_NAME.get(hardware().models[model].checkpoint_dtype, "bf16")


def compared(server: OwnServer, found: Sequence[MeasuredPoint]) -> list[Compared]:
    """Measured beside floor and estimate. InputError where too little is stated, or the model
    cannot be split over so many devices."""
    model = find_model(hardware().models, server.model)
    check_ranks(model, server.tensor_parallel)
    known = Server(
        model=model,
        device=device_of(server.device),
        weights_dtype=server.weights_dtype,
        tensor_parallel=server.tensor_parallel,
    )
    try:
        return compare(fit(), known, found)
    except ValueError:
        raise input_error(
            "results.no_limits", device=known.device.id, dtype=known.weights_dtype
        ) from None


def with_concurrency(found: Sequence[MeasuredPoint], given: int | None) -> list[MeasuredPoint]:
    """The reader's number of requests at a time where the tool did not say one."""
    return [
        replace(point, concurrency=float(given)) if point.concurrency is None and given else point
        for point in found
    ]
