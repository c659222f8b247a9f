"""Rows and results that the reader brings: the public file, and their own benchmark runs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from econ.measured_points import Compared, MeasuredPoint
from econ.speed_features import Metric
from jobs import accuracy
from jobs.accuracy import OwnServer, Rows
from messages.errors import KvledgerError
from price_tables.speed_fit import FamilyFit
from ui import accuracy_charts, components, failures, tables
from ui.numerals import count, foreign, percent
from ui.tables import Column, Table
from ui.time_lines import duration
from ui.words import t

_ROWS, _POINTS = "_silicon_rows", "_own_points"
DTYPES = ("bf16", "fp8", "fp4")
RANKS = (1, 2, 4, 8, 16)
MOST_REQUESTS = 100_000


def rows() -> Rows | None:
    """The rows at hand: this browser session's upload, else the installed package's."""
    uploaded: Rows | None = st.session_state.get(_ROWS)
    return uploaded or accuracy.installed_rows()


def scatter(found: Rows | None, family: FamilyFit, metric: Metric, names: dict[str, str]) -> None:
    """Every row as a point where rows are at hand; else what would bring them."""
    with components.rule("scatter"):
        points = [] if found is None else accuracy.scatter(found, family, metric)
        if points:
            made = accuracy_charts.scatter(points, family, names)
            heading = t("accuracy_page.scatter", n=count(len(points)))
            unit = t("accuracy_page.scatter_unit", mark=components.mark("published"))
            components.chart_block(heading, unit, made, "scatter")
        else:
            components.answer(t("accuracy_page.no_rows"), t("accuracy_page.no_rows_unit"))
        _bring_rows(found)


def _bring_rows(found: Rows | None) -> None:
    label = "rows_other" if found is not None else "rows_bring"
    with st.popover(t(f"accuracy_page.{label}"), icon=":material/upload_file:", key="bring_rows"):
        components.note(t("accuracy_page.rows_note"))
        given = st.file_uploader(
            t("accuracy_page.rows_file"), type=["csv"], key="silicon_file", max_upload_size=32
        )
        if given is None or st.session_state.get("_silicon_id") == given.file_id:
            return
        st.session_state["_silicon_id"] = given.file_id
        try:
            st.session_state[_ROWS] = accuracy.uploaded_rows(given.getvalue(), given.name)
        except KvledgerError as error:
            failures.show(error)
            return
    st.rerun()


def own_points() -> list[MeasuredPoint]:
    """The points of the file that this browser session has brought, on whatever page."""
    found: list[MeasuredPoint] = st.session_state.get(_POINTS, [])
    return found


def own_results(names: dict[str, str]) -> None:
    """The reader's own runs beside the estimate."""
    with components.rule("own"):
        components.answer(t("accuracy_page.own"), t("accuracy_page.own_unit"))
        bring_results()
        points = own_points()
        if points:
            _compare(points, names)


def bring_results() -> None:
    """Takes a result file; its points stay with this browser session."""
    given = st.file_uploader(
        t("accuracy_page.own_file"),
        type=["json", "jsonl", "csv"],
        key="own_results",
        max_upload_size=64,
    )
    if given is None or st.session_state.get("_own_id") == given.file_id:
        return
    st.session_state["_own_id"] = given.file_id
    st.session_state.pop(_POINTS, None)
    try:
        st.session_state[_POINTS] = accuracy.own_points(given.getvalue(), given.name)
    except KvledgerError as error:
        failures.show(error)


def _compare(points: Sequence[MeasuredPoint], names: dict[str, str]) -> None:
    server, requests = _server(points, names)
    try:
        found = accuracy.compared(server, accuracy.with_concurrency(points, requests))
    except KvledgerError as error:
        failures.show(error)
        return
    if not found:
        components.note(t("accuracy_page.own_none"))
        return
    banded = [row for row in found if row.inside is not None]
    inside = sum(row.inside is True for row in banded)
    key = "own_inside" if banded else "own_no_band"
    components.sentence(t(f"accuracy_page.{key}", inside=count(inside), n=count(len(banded))))
    tables.show(_table(found), "own-results")
    if any(row.estimate.outside for row in found):
        beyond = dict.fromkeys(name for row in found for name in row.estimate.outside)
        named = ", ".join(t(f"results.outside.{name}") for name in beyond)
        components.note(t("accuracy_page.own_outside", named=named))


def _server(points: Sequence[MeasuredPoint], names: dict[str, str]) -> tuple[OwnServer, int | None]:
    """What the files do not say; the model is taken from them where they name a known one."""
    models = accuracy.model_names()
    guessed = accuracy.guessed_model(points)
    options = list(models)
    with st.container(horizontal=True, gap="medium", key="controls_own"):
        model = st.selectbox(
            t("accuracy_page.model"), options, format_func=models.__getitem__, key="own_model",
            index=options.index(guessed) if guessed in models else 0, width=280,
        )  # fmt: skip
        device = st.selectbox(
            t("accuracy_page.device"), list(names), format_func=names.__getitem__,
            key="own_device", index=list(names).index("h100-sxm"), width=280,
        )  # fmt: skip
        dtype = st.selectbox(
            t("accuracy_page.dtype"), DTYPES, key="own_dtype", width=160,
            index=DTYPES.index(own) if (own := accuracy.own_dtype(model)) in DTYPES else 0,
        )  # fmt: skip
        ranks = st.selectbox(t("accuracy_page.ranks"), RANKS, key="own_ranks", width=160)
        requests = None
        if any(point.concurrency is None for point in points):
            requests = st.number_input(
                t("accuracy_page.requests"), min_value=1, max_value=MOST_REQUESTS, value=1,
                key="own_requests", width=160,
            )  # fmt: skip
    server = OwnServer(model=model, device=device, weights_dtype=dtype, tensor_parallel=ranks)
    return server, requests


def _table(found: Sequence[Compared]) -> Table:
    def column(key: str, values: Sequence[str]) -> Column:
        return Column(title=t(f"accuracy_page.{key}"), values=values)

    columns = (
        column("tool", [foreign(row.point.tool) for row in found]),
        column("metric", [t(f"accuracy_page.{row.metric}") for row in found]),
        column("requests", [_number(row.point.concurrency) for row in found]),
        column("range_input_tokens", [_number(row.point.input_tokens) for row in found]),
        column("range_output_tokens", [_number(row.point.output_tokens) for row in found]),
        column("measured", [f"{duration(row.measured_s)} ({row.statistic})" for row in found]),
        column("estimate", [duration(row.estimate.seconds) for row in found]),
        column("off_by", [_signed(row.error_ratio) for row in found]),
        column("band", [_band(row) for row in found]),
        column("floor", [duration(row.floor_s) for row in found]),
    )
    return Table(columns=columns, alt=t("accuracy_page.own"))


def _number(value: float | None) -> str:
    return t("accuracy_page.not_said") if value is None else count(round(value))


def _signed(ratio: float) -> str:
    return f"{'+' if ratio > 0 else ''}{percent(ratio, 0)}"


def _band(row: Compared) -> str:
    low, high = row.estimate.low_s, row.estimate.high_s
    if low is None or high is None:
        return t("accuracy_page.no_band")
    word = t("accuracy_page.inside" if row.inside else "accuracy_page.not_inside")
    return f"{duration(low)} – {duration(high)}, {word}"
