"""The pieces that pages are made of. They show; they do not compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import streamlit as st

from ui import chart_image, tables, terms
from ui.chart_image import Picture
from ui.charts import Chart
from ui.numerals import md
from ui.words import language, t

MARKS = {
    "observed": "●",
    "measured": "●",
    "elsewhere": "◆",
    "computed": "○",
    "simulated": "○",
    "typed": "○",
    "published": "◆",
    "datasheet": "◇",
}
"""Round is ours, angular is other people's; filled is measured, hollow is not."""

THREE_ACROSS_MIN_PX = 280
TWO_ACROSS_MIN_PX = 420


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How one number came about. All texts are Markdown already.

    `sources`: one line each, (mark, what it is: row or file, value, date).
    """

    formula: str
    sums: tuple[str, ...] = ()
    why_range: str = ""
    sources: tuple[tuple[str, str], ...] = ()


def muted(text: str) -> str:
    """Small grey Markdown: units, ranges, sources."""
    return f":gray[:small[{text}]]"


def mark(name: str) -> str:
    """A mark with its word: '● observed'."""
    return f"{MARKS[name]} {t(f'ui.mark.{name}')}"


def question(text: str) -> None:
    """The page's one question."""
    st.title(text, anchor=False)


def answer(text: str, unit_line: str) -> None:
    """A heading that is an answer, with its quantity and unit under it; hovering explains terms."""
    said = text if "](" in unit_line else f"{text} {unit_line}"
    st.markdown(f"### {text}\n{muted(unit_line)}", anchors=False, help=terms.help_of(said))


def sentence(text: str) -> None:
    """The sentence that says what it means; Markdown."""
    st.markdown(text, anchors=False)


def note(text: str) -> None:
    """A muted line."""
    st.markdown(muted(text), anchors=False)


def beneath(unit_line: str, finding: str) -> None:
    """The unit line of a section whose title already says the finding."""
    st.markdown(muted(unit_line), anchors=False, help=terms.help_of(f"{finding} {unit_line}"))


def hero(label: str, value: str, beneath: str) -> None:
    """The page's one number with its range."""
    _big("hero", label, value, beneath)


def hero_loss(label: str, value: str, beneath: str) -> None:
    """The page's one number where it is a loss: coloured, and the words beneath say so."""
    _big("hero_loss", label, value, beneath)


def _big(key: str, label: str, value: str, beneath: str) -> None:
    with st.container(key=key, gap=None):
        _metric(label, value, beneath)


def figure(label: str, value: str, beneath: str) -> None:
    """A supporting figure: label, number, where it comes from."""
    with st.container(gap=None):
        _metric(label, value, beneath)


def _metric(label: str, value: str, beneath: str) -> None:
    """Label and value are plain: the label may hold a file's name, a range holds two dollar signs,
    and Streamlit takes both for Markdown."""
    st.metric(md(label), md(value), help=terms.help_of(label))
    note(beneath)


def rule(name: str) -> AbstractContextManager[object]:
    """A block under a hairline. Statements have rules, not boxes."""
    return st.container(key=f"rule_{name}", gap="medium")


def two_across() -> AbstractContextManager[object]:
    """A grid of two columns that folds to one on a narrow screen."""
    return st.grid("auto", min_column_width=TWO_ACROSS_MIN_PX, gap=("large", "large"))


def three_across() -> AbstractContextManager[object]:
    """A grid that folds to one column on a narrow screen."""
    return st.grid("auto", min_column_width=THREE_ACROSS_MIN_PX, gap=("medium", "large"))


def chart_block(
    heading: str,
    unit_line: str,
    made: Chart,
    key: str,
    *,
    source: str = "",
    beside: Callable[[], None] | None = None,
    titled: bool = True,
) -> None:
    """An answer, its chart, and the same numbers as a table. With a `source` the chart can be
    saved as PNG, which holds heading, unit and source; `beside` draws further tools, a CSV say.
    Not `titled`: what it stands in says the heading already."""
    name = f"kvledger-{key.replace('_', '-')}"
    picture = Picture(heading=heading, unit_line=unit_line, source=source, file_name=name)
    with st.container(gap="xxsmall"):
        if titled:
            answer(heading, unit_line)
        else:
            beneath(unit_line, heading)
        chart(made, key, picture if source else None, beside)


def chart(
    made: Chart,
    key: str,
    picture: Picture | None = None,
    beside: Callable[[], None] | None = None,
) -> None:
    """A figure, named for those who cannot see it, and the same numbers as a table."""
    mode = st.context.theme.type or "light"
    drawn = f"{key}-{mode}-{language()}"  # a drawn chart keeps the colours of the old mode
    if picture is None:
        st.plotly_chart(
            made.figure,
            theme="streamlit",
            key=drawn,
            config={"displayModeBar": False, "scrollZoom": False},
            alt=made.alt,
        )
    else:
        # On a narrow screen a legend needs the room in which the heading is hidden.
        legend = "legend_" if made.figure.layout.showlegend else ""
        with st.container(key=f"picture_{legend}{key}"):
            st.plotly_chart(
                chart_image.framed(made.figure, picture),
                theme="streamlit",
                key=drawn,
                config=chart_image.config(picture),
                alt=made.alt,
            )
    with st.container(horizontal=True, gap="medium", key=f"tools_{key}"):
        with st.popover(
            t("ui.as_table"), type="tertiary", icon=":material/table_rows:", key=f"{key}-table"
        ):
            tables.show(made.table, f"{key}-rows")
        if beside is not None:
            beside()


def how(explanation: Explanation, key: str) -> None:
    """'How it is computed': formula, the sum with its numbers, why a range, the sources."""
    with st.popover(t("ui.how"), type="tertiary", icon=":material/function:", key=key):
        st.markdown(f"**{explanation.formula}**")
        for line in explanation.sums:
            st.markdown(line)
        if explanation.why_range:
            note(explanation.why_range)
        for name, text in explanation.sources:
            note(f"{MARKS[name]} {text}")


def sources(lines: Sequence[str], key: str) -> None:
    """'Sources': where the figures of a block stand; one line each, Markdown."""
    if not lines:
        return
    with st.popover(t("ui.sources"), type="tertiary", icon=":material/link:", key=f"{key}-sources"):
        for line in lines:
            note(line)


def tools(key: str) -> AbstractContextManager[object]:
    """The row of small tools under a table: its CSV, its sources."""
    return st.container(horizontal=True, gap="medium", key=f"tools_{key}")


def strip(pairs: Sequence[tuple[str, str]], last: Callable[[], None] | None = None) -> None:
    """The trust strip: label above value, no boxes, and what opens at its end."""
    with st.container(key="rule_trust", horizontal=True, gap="large", vertical_alignment="center"):
        for label, value in pairs:
            st.markdown(f":gray[{label}]  \n{value}", width="content")
        if last is not None:
            last()


def empty(text: str) -> AbstractContextManager[object]:
    """Nothing yet: one sentence, and the caller's one button inside."""
    box = st.container(border=True)
    box.markdown(text)
    return box
