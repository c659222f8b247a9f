"""Labels and lines that are added together are the same as those added one by one."""

from __future__ import annotations

import copy

import plotly.graph_objects as go

from ui.drawing import Drawing

LABEL = {"text": "a", "x": 1, "y": 2, "showarrow": False}
LINE = {"type": "line", "x0": 0, "x1": 1, "y0": 0, "y1": 1, "line": {"width": 2}}


def filled(figure: go.Figure) -> go.Figure:
    figure.add_bar(x=[1], y=[2])
    figure.add_annotation(**LABEL)
    figure.add_shape(**LINE)
    figure.add_hline(y=3, line={"width": 1})
    figure.add_annotation(**{**LABEL, "text": "b"})
    figure.layout.annotations[-1].update(bgcolor="rgba(0,0,0,0)")
    figure.add_vrect(x0=0, x1=1)
    figure.add_shape(**LINE)
    figure.update_layout(height=200)
    return figure


def test_what_is_sent_is_what_plotly_itself_would_send() -> None:
    assert filled(Drawing()).to_dict() == filled(go.Figure()).to_dict()


def test_a_label_is_there_as_soon_as_somebody_looks() -> None:
    figure = Drawing()
    figure.add_annotation(**LABEL)
    assert [note.text for note in figure.layout.annotations] == ["a"]
    figure.add_annotation(**{**LABEL, "text": "b"})
    assert [note.text for note in figure.layout.annotations] == ["a", "b"]


def test_copies_hold_what_was_added() -> None:
    figure = filled(Drawing())
    for other in (go.Figure(figure), copy.deepcopy(figure), Drawing(figure)):
        assert other.to_dict() == figure.to_dict()
