"""Charts of the Accuracy page: bars with a tick at the data sheet, points on equal axes."""

from __future__ import annotations

from dataclasses import replace

from econ.accuracy import Point
from price_tables.speed_fit import ALL
from price_tables.speed_fit_load import load_speed_fit
from ui import accuracy_charts
from ui.numerals import percent

FIT = load_speed_fit()
DENSE = FIT.families[0]


def test_a_bar_is_the_error_with_the_device_left_out_and_names_its_rows() -> None:
    group = DENSE.group("h200-sxm", "tpot")
    assert group is not None
    made = accuracy_charts.error_bars([("H200 SXM", group)], "errors")
    assert made.figure.data[0].x[0] == group.errors["left_out"].mean_ratio
    said = made.figure.layout.annotations[0].text
    assert percent(group.errors["left_out"].mean_ratio) in said
    assert "178 rows" in said
    assert made.alt == "errors"


def test_the_table_has_mean_and_median_of_every_method() -> None:
    group = DENSE.group(ALL, "tpot")
    assert group is not None
    table = accuracy_charts.error_table([("dense", group)], "errors")
    values = {column.title: column.values[0] for column in table.columns}
    assert values["Device left out, mean"] == group.errors["left_out"].mean_ratio
    assert values["Bandwidth only, median"] == group.errors["bandwidth"].median_ratio
    assert len(values) == 10


def test_a_method_that_cannot_be_had_is_a_dash() -> None:
    group = DENSE.group("h200-sxm", "tpot")
    assert group is not None
    alone = replace(group, errors={k: v for k, v in group.errors.items() if k != "left_out"})
    table = accuracy_charts.error_cells([("H200", group), ("alone", alone)], "errors")
    cells = {column.title: list(column.values) for column in table.columns}
    assert cells["Device left out"][1] == "–"
    assert cells["Data sheet"][0].startswith(percent(group.errors["roofline"].mean_ratio))


def test_measured_and_estimated_share_one_scale() -> None:
    points = [
        Point(device="h200-sxm", family="dense", serving="aggregated", measured_s=s,
              fitted_s=s * 1.1, roofline_s=s / 3)
        for s in (0.01, 0.02, 0.05)
    ]  # fmt: skip
    figure = accuracy_charts.scatter(points, DENSE, {"h200-sxm": "H200 <SXM>"}).figure
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    floor, ours, line = figure.data
    assert list(ours.y) == [p.fitted_s for p in points]
    assert list(floor.y) == [p.roofline_s for p in points]
    assert list(line.x) == list(line.y)
    assert "&lt;SXM&gt;" in ours.customdata[0]
