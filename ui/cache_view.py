"""What the Cache page says in words, and the pieces that it is made of."""

from __future__ import annotations

from econ.cache_study import CacheStudy, Shared
from econ.curve import KNEE_SHARE, MEASURES, Measure
from econ.replay_memory import Scale
from econ.replay_names import RULES, Rules, Scope
from econ.reuse import LIFETIMES_S
from ui import cache_size, components, controls, curve_charts, reuse_charts
from ui.cache_size import Here
from ui.components import Explanation, mark
from ui.numerals import compact, count, md, percent, range_words, seconds
from ui.words import t


def measure() -> Measure:
    """Ratio by token, block or request; in the URL as `measure`."""
    return MEASURES[MEASURES.index(_choice("measure", MEASURES))]


def scope(scopes: tuple[Scope, ...]) -> Scope:
    """Who shares a cache; only what the file has columns for."""
    if len(scopes) == 1:
        return scopes[0]
    return scopes[scopes.index(_choice("scope", scopes))]


def rules() -> Rules:
    """Blocks as the file has them, or what an engine keeps; in the URL as `replay_rules`."""
    return RULES[RULES.index(_choice("replay_rules", RULES))]


def _choice(name: str, options: tuple[str, ...]) -> str:
    return controls.choice(
        t(f"cache_page.{name}"), options, name, lambda option: t(f"cache_page.{name}_{option}")
    )


def knee(found: CacheStudy, by: Measure) -> None:
    """The number: how large the cache would be, and its range."""
    bend = found.main.knee(by)
    if bend is None:
        components.hero(t("cache_page.hero"), t("cache_page.nothing"), t("cache_page.nothing_why"))
        return
    ends = range_words(count(bend.low_blocks), count(bend.high_blocks))
    components.hero(
        t("cache_page.hero"),
        t("cache_page.blocks", bend.capacity_blocks),
        t("cache_page.hero_beneath", range=ends, rules=found.rules),
    )


def sentence(found: CacheStudy, by: Measure) -> None:
    """What a cache of that size would hit, and what none can."""
    main, bend = found.main, found.main.knee(by)
    if bend is None:
        return
    values = {
        "blocks": t("cache_page.blocks", bend.capacity_blocks),
        "size": _size(found, bend.capacity_blocks),
        "ratio": percent(curve_charts.ratio_at(main, bend.capacity_blocks, by), 0),
        "of": t(f"cache_page.of_{by}"),
        "ceiling": percent(float(main.ratios(by)[-1]), 0),
        "all": t("cache_page.blocks", main.footprint_blocks),
    }
    components.sentence(t("cache_page.sentence", **values))


def _size(found: CacheStudy, blocks: int) -> str:
    tokens = round(blocks * found.block_tokens)
    key = "size_equal" if found.equal_blocks else "size_mean"
    each = count(round(found.block_tokens))
    return t(f"cache_page.{key}", tokens=compact(tokens), each=each)


def how(found: CacheStudy) -> None:
    """Formula, rules and sources behind the curve."""
    main, bend = found.main, found.main.knee("token")
    sums = [
        t("cache_page.how_unlimited", hits=int(main.hit_blocks[-1]), blocks=main.total_blocks),
        t("cache_page.how_tokens", hits=int(main.hit_tokens[-1]), tokens=main.total_tokens),
        t(f"cache_page.how_rules_{found.rules}"),
        t("cache_page.how_policies"),
        t("cache_page.how_exact", blocks=main.exact_from_blocks),
    ]
    why = "" if bend is None else t("cache_page.how_range", share=percent(KNEE_SHARE, 0))
    sources = (("simulated", t("cache_page.how_source", n=main.requests)),)
    explanation = Explanation(
        formula=t("cache_page.how_formula"), sums=tuple(sums), why_range=why, sources=sources
    )
    components.how(explanation, "how_cache")


def curve(found: CacheStudy, by: Measure, scale: Scale, here: Here | None) -> None:
    """The curve under its answer."""
    bend = found.main.knee(by)
    blocks = found.main.footprint_blocks if bend is None else bend.capacity_blocks
    key = "cache_page.curve_flat" if bend is None else "cache_page.curve_heading"
    unit = t(
        "cache_page.curve_unit",
        by=t(f"cache_page.ratio_{by}"),
        mark=mark("simulated"),
        n=found.main.requests,
        tokens=compact(found.main.total_tokens),
    )
    components.chart_block(
        t(key, blocks=cache_size.heading(scale, blocks)),
        unit,
        curve_charts.hit_curve(found, by, scale, here),
        "curve",
    )


def gaps(found: CacheStudy) -> None:
    """How long blocks wait, beside what providers' lifetimes would catch."""
    waits = found.reuse
    with components.rule("gaps"):
        made = reuse_charts.gaps(waits)
        if made is None:
            components.note(t("cache_page.no_gaps"))
            return
        median = seconds(waits.median_first_reuse_s or 0.0)
        heading = t("cache_page.gaps_heading", share=percent(waits.within(LIFETIMES_S[0]) or 0, 0))
        unit = t(
            "cache_page.gaps_unit",
            mark=mark("computed"),
            share=percent(waits.reused_share or 0.0),
            blocks=waits.unique_blocks,
            median=median,
        )
        components.chart_block(heading, unit, made, "gaps")
        components.note(t("cache_page.gaps_note"))


def salt(found: CacheStudy, by: Measure) -> None:
    """What it costs to keep tenants apart."""
    with components.rule("salt"):
        rows = {row.scope: row for row in found.shared}
        widest = rows.get("model", rows["file"])
        narrow = [rows[name] for name in ("user", "team") if name in rows]
        if not narrow:
            components.answer(t("cache_page.salt_none"), t("cache_page.salt_none_why"))
            return
        components.chart_block(
            _salt_heading(widest, narrow[0], by),
            t("cache_page.salt_unit", by=t(f"cache_page.ratio_{by}"), mark=mark("simulated")),
            reuse_charts.shared(found, by),
            "salt",
        )
        components.note(t("cache_page.salt_note"))


def _salt_heading(widest: Shared, narrow: Shared, by: Measure) -> str:
    lost = widest.unlimited[by] - narrow.unlimited[by]
    key = "salt_free" if lost <= 0 else "salt_heading"
    return t(
        f"cache_page.{key}",
        scope=t(f"cache_page.salt_{narrow.scope}"),
        points=f"{lost * 100:.1f}",
        high=percent(widest.unlimited[by]),
        low=percent(narrow.unlimited[by]),
    )


def no_blocks(name: str) -> None:
    """The file has no block ids: which one has them."""
    components.answer(t("cache_page.no_blocks", name=md(name)), t("cache_page.no_blocks_which"))
