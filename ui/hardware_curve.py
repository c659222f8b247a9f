"""The hit-ratio curve of a workload with this fleet's cache on it."""

from __future__ import annotations

from econ.fleet_study import FleetStudy
from econ.replay_memory import Scale
from jobs import flows
from ui import components, curve_charts, state, studies
from ui.cache_size import Here
from ui.components import mark
from ui.numerals import compact, percent
from ui.words import t

ASKED = flows.StudyParams(rules="engine")


def has_curve(workload_id: str, found: FleetStudy) -> bool:
    """Whether there is a cache, and a file that says who shares a prefix."""
    return found.memory.fits and bool(flows.cache_scopes(workload_id, state.owner()))


def hit_curve(workload_id: str, found: FleetStudy, bytes_per_token: int) -> None:
    """The curve under the rules of an engine, 'you are here' at one replica's blocks. Nothing
    where the file does not say who shares a prefix: that was said already."""
    if not has_curve(workload_id, found):
        return
    study = studies.study(workload_id, ASKED)
    if study is None:
        return
    blocks = max(1, int(found.memory.tokens // study.block_tokens))
    point = flows.cache_at(workload_id, ASKED, blocks, state.owner())
    scale = Scale(block_tokens=study.block_tokens, unit="gb", bytes_per_token=bytes_per_token)
    ratio = percent(float(point.ratios("token")[-1]), 0)
    ceiling = percent(float(study.main.ratios("token")[-1]), 0)
    with components.rule("hit_curve"):
        components.chart_block(
            t("own_hardware_page.curve_heading", ratio=ratio, ceiling=ceiling),
            t("own_hardware_page.curve_unit", mark=mark("simulated"), n=study.main.requests,
              tokens=compact(found.memory.tokens)),
            curve_charts.hit_curve(study, "token", scale, Here(blocks=blocks, curve=point)),
            "hw-curve",
        )  # fmt: skip
