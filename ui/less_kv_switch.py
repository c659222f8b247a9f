"""The Less KV page's part on switching models: six published pairs, and any other asked for."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from econ.model_switch import Switch, switch
from jobs.less_kv import LessKv
from jobs.less_kv_parts import Switching
from jobs.model_sizes import hardware
from price_tables.model_switch import Pair, SwitchFacts
from ui import components, folds, less_kv_controls, plain_table, table_csv
from ui.components import mark
from ui.less_kv_charts import plain
from ui.numerals import count, md, percent, usd
from ui.plain_table import cell
from ui.spoken import spoken
from ui.time_lines import duration
from ui.words import t


def section(found: LessKv) -> None:
    """What was published, what it means here, and what nobody measured."""
    part = found.switching
    if part is None:
        return
    at = part.at_timed
    heading = t(
        "less_kv.switch_heading",
        sender=md(at.sender),
        receiver=md(at.receiver),
        tokens=at.tokens,
        map=round((at.map_s or 0.0) * 1000),
        prefill=round((at.prefill_s or 0.0) * 1000),
        gain=f"{at.gain or 0:.1f}",
        kept=percent(at.retention_low or 0.0),
    )
    timing = part.facts.timing

    def show() -> None:
        unit = t("less_kv.switch_unit", mark=mark("published"), as_of=timing.as_of)
        components.beneath(unit, heading)
        _pairs(part.facts)
        components.note(
            t("less_kv.switch_scope", low=plain(timing.speedup_low),
              high=plain(timing.speedup_high),
              cosine=plain(part.facts.signs.output_cosine), r2=plain(part.facts.signs.key_r2),
              source=md(spoken(timing.source)))
        )  # fmt: skip
        _asked(part.facts)
        _here(found, part)

    folds.section("switch", heading, show)


def _pairs(facts: SwitchFacts) -> None:
    names = ("sender", "receiver", "retention", "state", "advice", "as_of")
    lines = [
        [
            cell(_name(row.sender)),
            cell(_name(row.receiver), tone="words"),
            cell(_retention(row), spoken(row.note)),
            cell(t(f"less_kv.state.{row.state}"), tone="words"),
            cell(t(f"less_kv.advice.{row.state}"), tone="words"),
            cell(row.as_of, spoken(row.source)),
        ]
        for row in facts.pairs
    ]
    head = [t(f"less_kv.column.{name}") for name in names]
    plain_table.show(head, lines, t("less_kv.switch_alt"), "switch", wide=True)
    said = {f"{md(spoken(row.source))}, {row.as_of}": None for row in facts.pairs}
    said[f"{md(spoken(facts.timing.source))}, {facts.timing.as_of}"] = None
    with components.tools("switch"):
        table_csv.cells_button(head, lines, "less_kv_switch")
        components.sources(list(said), "switch")


def _name(name: str | None) -> str:
    return t("less_kv.unnamed") if name is None else name


def _retention(row: Pair) -> str:
    if row.retention is not None:
        return percent(row.retention)
    ends = (row.retention_low or 0, row.retention_high or 0)
    return t("less_kv.retention_range", low=percent(ends[0], 0), high=percent(ends[1], 0))


def _asked(facts: SwitchFacts) -> None:
    """Any two models: published, failed, or not measured."""
    names = _names(facts)
    first, second = facts.pairs[0].sender or "", facts.pairs[0].receiver or ""
    with st.container(horizontal=True, gap="large", key="controls_switch"):
        sender = less_kv_controls.one("less_kv_from", names, first)
        receiver = less_kv_controls.one("less_kv_to", names, second)
    components.sentence(verdict(switch(facts, sender, receiver, facts.timing.tokens)))


def _names(facts: SwitchFacts) -> Mapping[str, str]:
    paired = [name for pair in facts.pairs for name in (pair.sender, pair.receiver) if name]
    known = [model.name for model in hardware().models.values()]
    return {name: name for name in dict.fromkeys([*paired, *known])}


def verdict(found: Switch) -> str:
    """One sentence on a switch."""
    values = {"sender": md(found.sender), "receiver": md(found.receiver)}
    if found.retention_low is None:
        return t("less_kv.verdict.not_measured", **values)
    kept = percent(found.retention_low)
    if found.advice == "map" and found.map_s is not None and found.prefill_s is not None:
        times = {"map": round(found.map_s * 1000), "prefill": round(found.prefill_s * 1000)}
        return t("less_kv.verdict.timed", kept=kept, tokens=found.tokens, **values, **times)
    return t(f"less_kv.verdict.{found.advice}", kept=kept, **values)


def _here(found: LessKv, part: Switching) -> None:
    """Other lengths, fitting, and the cascade: scenarios, each said to be one."""
    counted = part.counted
    key = "less_kv.switches_unknown" if counted is None else "less_kv.switches"
    components.note(t(key, counted=count(counted or 0), needed_low=part.earned.switches_low,
                      needed_high=part.earned.switches_high))  # fmt: skip
    at = part.at_workload
    if at.map_s is not None and at.prefill_s is not None and at.scenario:
        components.note(
            t("less_kv.switch_here", tokens=at.tokens, map=duration(at.map_s),
              prefill=duration(at.prefill_s), gain=f"{at.gain or 0:.1f}",
              device=md(found.device.name))
        )  # fmt: skip
    fit, earned = part.facts.calibration, part.earned
    band = hardware().devices[fit.device].hourly_band()
    if earned.usd_low is not None and earned.usd_high is not None and band is not None:
        components.note(
            t("less_kv.fitting", newest=band.newest, low=fit.minutes_low,
              high=fit.minutes_high, devices=fit.devices,
              device=md(hardware().devices[fit.device].name), usd_low=usd(earned.usd_low),
              usd_high=usd(earned.usd_high), switches_low=earned.switches_low,
              switches_high=earned.switches_high)
        )  # fmt: skip
    if counted and earned.usd_low is not None and earned.usd_high is not None:
        components.note(
            t("less_kv.fitting_each", counted=counted, low=usd(earned.usd_low / counted),
              high=usd(earned.usd_high / counted))
        )  # fmt: skip
    cascade = part.cascade
    if cascade is not None:
        components.note(
            t("less_kv.cascade", tokens=cascade.tokens, small=duration(cascade.small_s),
              map=duration(cascade.map_s), large=duration(cascade.large_s),
              saved=percent(cascade.saved_share, 0), kept=percent(part.at_timed.retention_low or 0))
        )  # fmt: skip
