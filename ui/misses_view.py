"""Reasons for misses on a page: what they cost, what to change, and the requests behind them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from econ.miss_runs import CHANGEABLE
from econ.miss_study import MissExample, MissStudy
from econ.misses import SIMULATED
from econ.money import usd_from_e13
from jobs import missing
from messages.errors import KvledgerError
from ui import components, controls, doors, downloads, misses_charts, state, studies, tables
from ui.components import mark
from ui.misses_charts import BY, reason_words
from ui.numerals import count, foreign, md, seconds, usd
from ui.words import language, say, t

SLOT = "_misses_job"
PAGE = "misses"


def known(workload_id: str) -> MissStudy | None:
    """The study where it has been made: nothing is computed here."""
    try:
        return missing.misses(workload_id, state.params(), state.owner())
    except KvledgerError:
        return None


def to_change(study: MissStudy) -> list[str]:
    """One sentence each for the dearest reasons that can be changed, with their dollars."""
    late = "" if study.late_s is None else seconds(study.late_s[0])
    return [
        t(f"misses.do.{one.reason}", usd=md(usd(usd_from_e13(one.e13))), late=late)
        for one in study.dearest()
    ]


def advice(study: MissStudy | None) -> None:
    """The dearest reasons inside 'What to change', and the way to all of them."""
    said = [] if study is None else to_change(study)
    if not said:
        return
    st.markdown(f"**{t('misses.change_heading')}**")
    st.markdown("\n".join(f"- {line}" for line in said))
    components.note(t("misses.change_note"))
    st.page_link(
        doors.path_of("workload"),
        label=t("misses.to_workload"),
        icon=":material/arrow_forward:",
        query_params=state.for_links(),
        width="content",
    )


def section(workload_id: str, seen: str) -> None:
    """The whole section; while it is being made, how far it is. `seen`: the mark of what the file
    says, with its word."""
    asked, owner = (workload_id, state.params()), state.owner()
    refused = missing.why_not(workload_id, owner)
    with components.rule(PAGE):
        if refused is not None:
            components.note(md(say(refused)))
            return
        study = studies.made(
            asked,
            lambda: missing.misses(*asked, owner),
            lambda: missing.start_misses(*asked, owner),
            slot=SLOT,
        )
        if study is None:
            return
        if not study.reasons:
            components.sentence(t("misses.none"))
            return
        _reasons(study, seen)
        _groups(study)


def _reasons(study: MissStudy, seen: str) -> None:
    made = misses_charts.reason_bars(study)

    def csv() -> None:
        downloads.csv_button(
            t("misses.csv"), lambda: missing.misses_table(study), "kvledger-misses.csv",
            "download_misses", "tertiary",
        )  # fmt: skip

    components.chart_block(_heading(study), _unit(study, seen), made, PAGE, beside=csv)
    said = to_change(study)
    if said:
        st.markdown("\n".join(f"- {line}" for line in said))
    values = {
        "tokens": count(study.tokens),
        "prompt": count(study.prompt_tokens),
        "requests": count(study.requests),
    }
    words = [t("misses.total", **values), t("misses.how")]
    if study.left_out:
        words.append(t("misses.left_out", count=count(study.left_out)))
    words += [t(f"misses.note.{name}") for name in study.notes]
    components.note(" ".join(words))
    for fact, tokens in study.lacking:
        components.note(t(f"misses.lacking.{fact}", tokens=count(tokens)))


def _heading(study: MissStudy) -> str:
    changeable = sum(one.e13 for one in study.reasons if one.reason in CHANGEABLE)
    whole = md(usd(usd_from_e13(study.e13)))
    if not changeable:
        return t("misses.heading", usd=whole)
    return t("misses.heading_some", usd=whole, changeable=md(usd(usd_from_e13(changeable))))


def _unit(study: MissStudy, seen: str) -> str:
    if study.source != SIMULATED:
        return t("misses.unit", mark=seen)
    words = {"mark": mark("simulated")}
    if study.lifetime is None:
        return t("misses.unit_implicit", **words)
    if study.placement is None:
        return t("misses.unit_own", **words)
    lifetime = study.lifetime
    shown = t(f"misses.lifetime.{lifetime}") if lifetime == "unlimited" else lifetime
    placement = t(f"misses.placement.{study.placement.replace('-', '_')}")
    return t("misses.unit_simulated", placement=placement, lifetime=shown, **words)


@st.fragment
def _groups(study: MissStudy) -> None:
    """By reason, model or session; the chosen row opens its dearest requests."""
    with st.container(gap="small"):
        components.answer(t("misses.groups"), t("misses.groups_unit"))
        has_sessions = any(group.by == "session" for group in study.groups)
        options = BY if has_sessions else BY[:2]
        by = controls.choice(t("misses.by"), list(options), "misses_by", _by_words)
        if by == "reason":
            rows = misses_charts.by_cost(study.reasons)
            names = [reason_words(one.reason) for one in rows]
            table = misses_charts.reasons_table(study, meanings=False)
            opened = [[e for e in study.examples if e.reason == one.reason] for one in rows]
        else:
            groups = [group for group in study.groups if group.by == by]
            names = [foreign(group.key) for group in groups]
            table = misses_charts.groups_table(groups, by)
            opened = [list(group.examples) for group in groups]
        chosen = tables.choose(table, f"misses-{by}")
        count_left, e13_left = study.groups_left
        if by == "session" and count_left:
            left = md(usd(usd_from_e13(e13_left)))
            components.note(t("misses.more_sessions", count=count(count_left), usd=left))
        at = chosen if chosen is not None and chosen < len(names) else 0
        _examples(names[at], opened[at], f"misses-{by}-{at}")


def _by_words(by: str) -> str:
    return t(f"misses.by_{by}")


def _examples(name: str, examples: Sequence[MissExample], key: str) -> None:
    st.markdown(f"**{t('misses.examples', name=md(name))}**")
    reasons = {one.reason for one in examples}
    if len(reasons) == 1:
        components.note(t(f"misses.means.{reasons.pop()}"))
    tables.show(misses_charts.examples_table(examples), f"{key}-examples-{language()}")
