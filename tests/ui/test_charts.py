"""The builder of every figure."""

from __future__ import annotations

import re

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.sample import GROUPS, TOKENS, group, losing, policy_row, report, usd, without_columns
from ui import charts, pictures
from ui.tables import Table, frame_of

NO_TABLE = Table(columns=())
PLACEHOLDER = re.compile(r"#0000(0[1-9]|10|3[78]|39)$")


def colours_of(figure: object) -> set[str]:
    """Every colour that the figure names."""
    return set(re.findall(r"#[0-9A-Fa-f]{6}", str(figure)))


def every_chart() -> list[charts.Chart]:
    """One of each kind, from the sample report."""
    made = [
        pictures.saving_by_day(report()),
        pictures.group_bars(report(), "team"),
        pictures.bucket_bars(policy_row(usd("1.2375"))),
        charts.columns(["a", "b"], [1.0, 5000.0], ["x", "y"], "counts", NO_TABLE),
        charts.ratio_line(["a", "b"], [0.5, None], ["x", "y"], "ratio", NO_TABLE),
    ]
    return [chart for chart in made if chart is not None]


@given(low=st.floats(-1e6, 0), high=st.floats(0.01, 1e6))
def test_ticks_are_few_round_and_contain_zero(low: float, high: float) -> None:
    ticks = charts.nice_ticks(low, high)
    assert 2 <= len(ticks) <= 6
    assert 0.0 in ticks
    assert ticks == sorted(ticks)


def test_tick_text_has_commas_and_a_true_minus() -> None:
    assert charts.tick_text(-1200.0) == "−1,200"
    assert charts.tick_text(0.5) == "0.5"


def test_every_figure_uses_only_the_themes_own_colours() -> None:
    assert len(every_chart()) == 5
    for chart in every_chart():
        for colour in colours_of(chart.figure):
            assert PLACEHOLDER.match(colour), colour


def test_every_figure_is_still_transparent_and_named() -> None:
    """Reliability 25: a chart that nobody can see says what it shows."""
    for chart in every_chart():
        layout = chart.figure.layout
        assert chart.alt
        assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
        assert layout.xaxis.fixedrange
        assert layout.yaxis.fixedrange
        assert layout.dragmode is False
        assert layout.yaxis.range is not None  # an annotation would widen an automatic one


def test_a_loss_is_a_colour_a_shape_and_a_word() -> None:
    chart = pictures.saving_by_day(report())
    assert chart is not None
    assert list(chart.figure.data[0].marker.color) == [charts.OURS, charts.LOST]
    assert "▼ loses 0.75" in chart.figure.layout.annotations[0].text


def test_bars_start_at_zero() -> None:
    for chart in every_chart()[1:4]:
        axis = chart.figure.layout.xaxis if chart.figure.data[0].orientation else None
        axis = axis or chart.figure.layout.yaxis
        assert axis.range[0] == 0


def test_group_bars_mark_the_loser_and_the_saver() -> None:
    rows = (
        group("team", "search", "4", "5", TOKENS),
        group("team", "billing", "4", "1", TOKENS),
    )
    chart = pictures.group_bars(report(groups=rows), "team")
    assert chart is not None
    said = [note.text for note in chart.figure.layout.annotations]
    assert "search" in said[0]
    assert "▼ loses 1.00" in said[0]
    assert charts.LOST in said[0]
    assert "saves 3.00" in said[1]
    assert charts.OURS in said[1]


def test_names_from_a_file_cannot_write_html_into_a_chart() -> None:
    chart = pictures.group_bars(report(), "team")
    assert chart is not None
    assert "<b>x</b>" not in chart.figure.layout.annotations[0].text
    assert "&lt;b&gt;x&lt;/b&gt;" in chart.figure.layout.annotations[0].text


def test_a_group_without_a_price_is_in_the_table_and_not_a_zero_bar() -> None:
    chart = pictures.group_bars(report(), "team")
    assert chart is not None
    assert len(chart.figure.data) == 1
    frame = frame_of(chart.table)
    assert list(frame["team"]) == ["<b>x</b>", "(not stated)"]
    assert frame["As billed"].isna().tolist() == [False, True]


def test_output_is_hatched_because_caching_cannot_touch_it() -> None:
    chart = pictures.bucket_bars(policy_row(usd("1.2375")))
    by_name = {trace.customdata[0][0]: trace for trace in chart.figure.data}
    assert by_name["output"].marker.pattern.shape == "/"
    assert by_name["cache reads"].marker.color == charts.OURS
    assert chart.figure.data[0].customdata[0][1] == "0.50"  # dearest first


def test_no_chart_where_there_is_nothing_to_show() -> None:
    assert pictures.saving_by_day(report(groups=GROUPS[:1])) is None
    assert pictures.group_bars(report(groups=()), "model") is None


@pytest.mark.parametrize(
    ("amounts", "unit", "words"),
    [
        (["1", "2"], "day", "Saved on every day"),
        (["1", "-2"], "day", "Saved on every day but one"),
        (["1", "-2", "-1", "3"], "hour", "Saved in every hour but two"),
        (["1", "-2", "-1"], "day", "Lost on 2 of 3 days"),
        (["1", "-2", "-1"], "hour", "Lost in 2 of 3 hours"),
        (["-1", "-2"], "day", "Lost money on every day"),
    ],
)
def test_heading_over_the_days_is_an_answer(amounts: list[str], unit: str, words: str) -> None:
    assert pictures.saving_answer([usd(a) for a in amounts], unit) == words


def test_reports_that_say_nothing_about_caching_show_plain_costs() -> None:
    rows = (group("model", "claude-opus-5", "4", None, {"uncached": 10, "output": 1}),)
    chart = pictures.group_bars(report(groups=rows), "model")
    assert chart is not None
    assert not chart.figure.layout.shapes
    assert without_columns().saving.earned is None
    assert losing().saving.earned == usd("-210")


def test_a_frame_that_plotly_does_not_check_is_one_that_it_would_accept() -> None:
    figure = charts.frame(200)
    charts.label(figure, "name", x=1, y=2, xanchor="left")
    figure.update_xaxes(range=[0, 3], title={"text": "size"}, showgrid=True)
    checked = go.Figure(figure.to_plotly_json())
    assert checked.to_plotly_json() == figure.to_plotly_json()
