"""A plotly figure that takes its labels and lines together.

Each time one is added plotly checks all the earlier ones again: thirty labels take 200 ms one by
one and a few together, and a page draws several such charts at every click.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

KINDS = ("annotations", "shapes")
EMPTY = "exclude_empty_subplots"


class Drawing(go.Figure):  # type: ignore[misc]
    """`add_annotation` and `add_shape` are kept, and added when somebody looks at the layout."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self._kept: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
        super().__init__(*args, **more)

    def add_annotation(
        self, arg: Any = None, row: Any = None, col: Any = None, **place: Any
    ) -> Drawing:
        """Keep a label; one for a subplot is added at once."""
        if arg is not None or row is not None or col is not None or EMPTY in place:
            return self._at_once("add_annotation", arg, row=row, col=col, **place)
        self._kept["annotations"].append(place)
        return self

    def add_shape(self, arg: Any = None, row: Any = None, col: Any = None, **place: Any) -> Drawing:
        """Keep a line or a band; one for a subplot is added at once."""
        if arg is not None or row is not None or col is not None or EMPTY in place:
            return self._at_once("add_shape", arg, row=row, col=col, **place)
        self._kept["shapes"].append(place)
        return self

    def _at_once(self, how: str, *args: Any, **more: Any) -> Drawing:
        self._add_kept()
        getattr(super(), how)(*args, **more)
        return self

    def _add_kept(self) -> None:
        for kind in KINDS:
            kept, self._kept[kind] = self._kept[kind], []
            if kept:
                layout = go.Figure.layout.fget(self)
                layout[kind] = [*layout[kind], *kept]

    @property
    def layout(self) -> Any:
        """The layout with all that was added."""
        self._add_kept()
        return go.Figure.layout.fget(self)

    @layout.setter
    def layout(self, new_layout: Any) -> None:
        go.Figure.layout.fset(self, new_layout)

    def to_dict(self) -> dict[str, Any]:
        """What is sent to the browser."""
        self._add_kept()
        found: dict[str, Any] = super().to_dict()
        return found
