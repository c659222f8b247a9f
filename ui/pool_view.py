"""A small live map of the block pool, step by step, with each event in words."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from econ.pool_steps import PoolStory, Step
from jobs import flows, pool_story
from messages.errors import KvledgerError, NotFoundError
from ui import charts, components, failures, folds, panel, state, table_csv
from ui.chart_image import Picture
from ui.charts import INK, MUTED, OURS, PAPER, Chart
from ui.components import mark
from ui.tables import Column, Table
from ui.words import t

ACROSS = 8
CELL_PX = 48
SQUARE_PX = 34
_JOB = "_pool_story_job"
STATES = ("blank", "kept", "held", "shared")


def section() -> None:
    """What the pool gave and gave up, folded; inside, every event of it step by step."""
    story = pool_story.pool_story()
    folds.section("pool", _finding(story), lambda: _steps(story))


def step_through() -> None:
    """The same under a rule, on a page that says the finding in no title."""
    with components.rule("pool"):
        story = pool_story.pool_story()
        if story is None or not story.steps:
            st.markdown(f"### {_finding(story)}", anchors=False)
            _steps(story)
            return
        components.answer(_finding(story), _unit(story))
        _walk(story, told=True)


def _finding(story: PoolStory | None) -> str:
    came = [] if story is None else [step for step in story.steps if step.kind == "arrive"]
    if story is None or not came:
        return t("engine_page.pool_heading")
    return t(
        "engine_page.pool_finding",
        blocks=story.blocks,
        hits=sum(step.hits for step in came),
        needs=sum(step.needs for step in came),
        evicted=sum(step.evicted for step in came),
    )


def _steps(story: PoolStory | None) -> None:
    """The slider, the event and the map; the job where the story is not there yet."""
    if story is None:
        components.note(t("engine_page.pool_making"))
        story = _make()
    if story is not None and story.steps:
        _walk(story)


def _make() -> PoolStory | None:
    known = st.session_state.get(_JOB)
    try:
        job_id = known or pool_story.start_story(state.owner())
        st.session_state[_JOB] = job_id
        job = flows.job(job_id, state.owner())
    except NotFoundError:  # the page was left open longer than jobs are remembered
        del st.session_state[_JOB]
        st.rerun()
    except KvledgerError as error:
        failures.show(error)
        return None
    if not job.finished:
        panel.running(job_id)
        return None
    del st.session_state[_JOB]
    if job.state != "done":
        failures.show_message(job.error)
    return pool_story.pool_story()


def _unit(story: PoolStory) -> str:
    return t(
        "engine_page.pool_unit",
        mark=mark("simulated"),
        blocks=story.blocks,
        tokens=story.block_tokens,
    )


@st.fragment
def _walk(story: PoolStory, told: bool = False) -> None:
    """`told`: the unit has been said above."""
    finding, unit, steps = _finding(story), _unit(story), len(story.steps)
    if not told:
        components.beneath(unit, finding)
    left, right = st.columns([5, 6], gap="large")
    with left:
        at = st.slider(t("engine_page.pool_step", n=steps), 1, steps, 1, key="pool_step")
        step = story.steps[int(at) - 1]
        components.sentence(event(step))
        components.note(t("engine_page.pool_note"))
    with right, st.container(gap="xxsmall"):
        made = pool_map(story, step)
        picture = Picture(
            heading=finding, unit_line=unit, source=event(step), file_name="kvledger-pool"
        )
        components.chart(made, "pool", picture, lambda: table_csv.button(made.table, "engine_pool"))


def event(step: Step) -> str:
    """What happened, in one sentence of Markdown."""
    values = {"request": step.request, "tokens": step.prompt_tokens, "needs": step.needs}
    if step.kind == "arrive":
        fresh = step.needs - step.hits
        said = t("engine_page.event_arrive", **values, hits=step.hits, fresh=fresh)
        if step.evicted:
            said += t("engine_page.event_evicted", step.evicted)
        return said
    return t(f"engine_page.event_{step.kind}", **values, free=step.free)


def kind_of(value: int) -> str:
    """The name of a block's state: nobody holds it, one request does, or several."""
    return STATES[min(value, 2) + 1]


def pool_map(story: PoolStory, step: Step) -> Chart:
    """Every block as a square: its state by fill and number, those of this event ringed."""
    rows = -(-story.blocks // ACROSS)
    figure = charts.frame(rows * CELL_PX + 34, bottom=4)
    touched = set(step.blocks)
    for name, style in _styles().items():
        at = [i for i, value in enumerate(step.state) if kind_of(value) == name]
        figure.add_scatter(
            x=[i % ACROSS for i in at],
            y=[-(i // ACROSS) for i in at],
            mode="markers+text",
            name=t(f"engine_page.pool_{name}"),
            text=[str(step.state[i]) if step.state[i] > 0 else "" for i in at],
            textfont={"color": PAPER, "size": 13},
            marker={
                **style,
                "symbol": "square",
                "size": SQUARE_PX,
                "line": {
                    "color": [INK if i in touched else MUTED for i in at] or MUTED,
                    "width": [3 if i in touched else 1 for i in at] or 1,
                },
            },
            customdata=[_hover(i, step.state[i]) for i in at],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_xaxes(range=[-0.6, ACROSS - 0.4], showticklabels=False)
    figure.update_yaxes(range=[-rows + 0.4, 0.6], showticklabels=False)
    _legend(figure)
    tally = {name: sum(kind_of(value) == name for value in step.state) for name in STATES}
    alt = t("engine_page.pool_alt", **tally)
    return Chart(figure=figure, alt=alt, table=_table(story, alt))


def _styles() -> dict[str, dict[str, object]]:
    return {
        "blank": {"color": PAPER},
        "kept": {"color": OURS, "opacity": 0.25},
        "held": {"color": OURS},
        "shared": {"color": INK},
    }


def _hover(block: int, value: int) -> str:
    return t("engine_page.pool_block", block=block, state=t(f"engine_page.pool_{kind_of(value)}"))


def _legend(figure: go.Figure) -> None:
    figure.update_layout(
        showlegend=True,
        margin={"t": 40},
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
            "itemsizing": "constant",
            "font": {"size": charts.LABEL_PX},
        },
    )


def _table(story: PoolStory, alt: str) -> Table:
    steps = story.steps
    columns = (
        Column(title=t("engine_page.pool_event"), values=[t(f"engine_page.kind_{s.kind}")
                                                          for s in steps]),
        Column(title=t("engine_page.pool_request"), values=[s.request for s in steps],
               kind="count"),
        Column(title=t("engine_page.pool_needs"), values=[s.needs for s in steps], kind="count"),
        Column(title=t("engine_page.pool_hits"), values=[s.hits for s in steps], kind="count"),
        Column(title=t("engine_page.pool_evicted"), values=[s.evicted for s in steps],
               kind="count"),
        Column(title=t("engine_page.pool_free"), values=[s.free for s in steps], kind="count"),
    )  # fmt: skip
    return Table(columns=columns, alt=alt)
