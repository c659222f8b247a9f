"""What the Engine page says first: both times to the first token, and a decode step."""

from __future__ import annotations

from collections.abc import Sequence

from econ.device_cases import (
    DecodeStep,
    Pair,
    decode_steps,
    pair_near,
    pairs,
)
from kvcore.profile import CaseResult, find
from ui import components, engine_charts, engine_parts
from ui.components import Explanation
from ui.engine_profiles import Shown, known_by, origin, rate
from ui.numerals import md
from ui.time_lines import duration
from ui.words import t

TIME_BUDGET = "time budget"
"""How a profile says that the time of a run was over before a case."""
ARTICLE_COLD_S, ARTICLE_WARM_S, ARTICLE_TOKENS = 31.983, 0.042, 13_220


def first_screen(shown: Shown) -> None:
    """Both times to the first token of the longest prompt."""
    pair = pair_near(shown.profile, None)
    if pair is None:
        components.hero(t("engine_page.hero_none"), t("engine_page.unknown"), origin(shown.entry))
        return
    beneath = t(
        "engine_page.hero_beneath",
        tokens=pair.prompt_tokens,
        reused=pair.reused_tokens,
        known=known_by(shown, (pair.cold, pair.warm)),
    )
    both = t("engine_page.both", cold=duration(pair.cold_s), warm=duration(pair.warm_s))
    components.hero(t("engine_page.hero"), both, beneath)


def sentence(shown: Shown) -> None:
    """What both times mean, and what re-use does not do; first of all whether the run was cut."""
    if shown.profile.partial:
        components.note(t("engine_page.partial", missing=len(shown.profile.unmeasured)))
    pair = pair_near(shown.profile, None)
    if pair is None:
        out_of_time = any(row.not_measured == TIME_BUDGET for row in shown.profile.cases
                          if row.case == "ttft_cold")  # fmt: skip
        components.sentence(t(f"engine_page.no_pair{'_time' if out_of_time else ''}"))
        return
    components.sentence(
        t(
            "engine_page.sentence",
            tokens=pair.prompt_tokens,
            cold=duration(pair.cold_s),
            warm=duration(pair.warm_s),
            model=md(shown.profile.model.name),
        )
    )


def how(shown: Shown) -> None:
    """What was timed, the floor's formula, and the article's own experiment."""
    pair, model = pair_near(shown.profile, None), shown.profile.model
    sums = [
        t("engine_page.how_warm"),
        t("engine_page.how_spread"),
        t("engine_page.how_contended"),
        t(
            "engine_page.how_floor",
            weights=f"{model.weights_bytes / 1e6:,.0f}",
            kv=model.kv_bytes_per_token,
            rate=rate(shown.profile.limits.triad_bytes_per_s),
        ),
    ]
    if pair is not None and pair.cold.spread is not None and pair.warm.spread is not None:
        spreads = {"cold": duration(pair.cold.spread), "warm": duration(pair.warm.spread)}
        sums.insert(2, t("engine_page.how_spread_here", **spreads))
    article = t(
        "engine_page.how_article",
        cold=f"{ARTICLE_COLD_S}",
        warm=f"{ARTICLE_WARM_S}",
        tokens=ARTICLE_TOKENS,
    )
    what = t("engine_page.how_source", name=md(shown.entry.name), model=md(model.source))
    mark = "measured" if shown.entry.origin == "measured" else "published"
    explanation = Explanation(
        formula=t("engine_page.how_formula"),
        sums=tuple(sums),
        sources=((mark, what), ("published", article)),
    )
    components.how(explanation, "how_engine")


def first_token(found: Sequence[Shown]) -> None:
    """Cold against warm by prompt length, of every chosen profile."""
    made = engine_charts.first_token([(shown.name, pairs(shown.profile)) for shown in found])
    if made is None:
        return
    first = pairs(found[0].profile)
    rows = [row for pair in first for row in (pair.cold, pair.warm)]
    unit = t("engine_page.first_token_unit", known=known_by(found[0], rows))
    with components.rule("first_token"):
        engine_parts.drawn(found, _first_token_heading(first), unit, made, "first_token")


def _first_token_heading(found: Sequence[Pair]) -> str:
    if len(found) < 2:
        return t("engine_page.first_token_one")
    short, long = found[0], found[-1]
    return t(
        "engine_page.first_token_heading",
        short=short.prompt_tokens,
        long=long.prompt_tokens,
        cold_short=duration(short.cold_s),
        cold_long=duration(long.cold_s),
        warm_short=duration(short.warm_s),
        warm_long=duration(long.warm_s),
    )


def decode(shown: Shown) -> None:
    """A step's time over the context beside what bandwidth allows."""
    steps = decode_steps(shown.profile)
    if not steps:
        return
    unit = t(
        "engine_page.decode_unit",
        rate=rate(shown.profile.limits.triad_bytes_per_s),
        known=known_by(shown, [*(step.row for step in steps), *_triad(shown)]),
    )
    with components.rule("decode"):
        made = engine_charts.decode(steps)
        engine_parts.drawn([shown], _decode_heading(steps), unit, made, "decode")
        components.note(t("engine_page.decode_note"))


def _triad(shown: Shown) -> tuple[CaseResult, ...]:
    """The row behind the floor: a disturbed one sets the floor too high."""
    return find(shown.profile, "limit_bytes", limit="triad")


def _decode_heading(steps: Sequence[DecodeStep]) -> str:
    first, last = steps[0], steps[-1]
    if last.floor_s is None:
        return t("engine_page.decode_plain", tokens=last.context_tokens, step=duration(last.step_s))
    return t(
        "engine_page.decode_heading",
        first=first.context_tokens,
        last=last.context_tokens,
        step_first=duration(first.step_s),
        step_last=duration(last.step_s),
        floor=duration(last.floor_s),
    )
