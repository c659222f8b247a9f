"""What to change: the saving and the best policies in words; behind a fold, settings to paste.

Settings are code, not words. Anthropic: platform.claude.com/docs, prompt caching (cache_control,
ttl, one-hour breakpoints before five-minute ones). OpenAI: developers.openai.com, prompt caching
from GPT-5.6 on (prompt_cache_options.mode). Other providers get the words alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from econ.miss_study import MissStudy
from econ.report import Amount, CostReport, Month
from ui import components, misses_view
from ui.numerals import amount_usd, md
from ui.words import t

FIVE_MINUTES = '"cache_control": {"type": "ephemeral"}'
ONE_HOUR = '"cache_control": {"type": "ephemeral", "ttl": "1h"}'
EXPLICIT = '"prompt_cache_options": {"mode": "explicit"}'

SETTINGS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("anthropic", "5m"): (FIVE_MINUTES,),
    ("anthropic", "automatic"): (FIVE_MINUTES,),
    ("anthropic", "1h"): (ONE_HOUR,),
    ("anthropic", "mixed"): (ONE_HOUR, FIVE_MINUTES),
    ("openai", "30m"): (EXPLICIT,),
    ("openai", "none"): (EXPLICIT,),
}
WITHOUT_PLACE = frozenset({"mixed", "none", "implicit", "explicit", "keep-alive"})
UNCHANGED = frozenset({"as-billed", "own"})
SAID = 2
"""Groups of equal changes in the sentence; the popover has all of them."""
NAMED = 2
"""More models than this are counted in the sentence; the popover names all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One model's change: `place` names the words for where the setting goes."""

    model: str
    policy: str
    place: str
    settings: tuple[str, ...]


def saving_of(report: CostReport) -> Amount | None:
    """What the best policy saves against today, against no caching where today is not known."""
    best, baselines = report.baselines.best_reachable, report.baselines
    if report.saving.reachable is not None or baselines.billed is not None:
        return report.saving.reachable
    if best is None or baselines.no_cache is None:
        return None
    none = baselines.no_cache
    return Amount(low_e13=none.low_e13 - best.high_e13, high_e13=none.high_e13 - best.low_e13)


def changes_of(report: CostReport) -> tuple[Change, ...]:
    """The changes that reach the best; none where nothing more is reachable or known."""
    saving, opened = saving_of(report), report.figures.get("best_reachable")
    if saving is None or saving.high_e13 <= 0 or opened is None:
        return ()
    changes = []
    for payee, how in opened.inputs.items():
        provider, _, model = payee.partition(" ")
        policy, _, placement = how.partition(", ")
        if policy in UNCHANGED:
            continue
        settings = SETTINGS.get((provider, policy), ())
        place = policy if policy in WITHOUT_PLACE else placement or "lifetime"
        changes.append(Change(model=model, policy=how, place=place, settings=settings))
    return tuple(changes)


def sentence(report: CostReport) -> None:
    """One plain sentence: what can still be saved, a month where days are known, and by what; the
    settings are in the popover. Nothing where nothing is known to change."""
    changes, saving = changes_of(report), saving_of(report)
    if not changes or saving is None:
        return
    groups = list(alike(changes).values())
    said = [done(group) for group in groups[:SAID]]
    if len(groups) > SAID:
        said.append(t("advice.more", len(groups) - SAID))
    today = "" if report.baselines.billed is not None else "_uncached"
    key = f"saves{today}" if saving.low_e13 >= 0 else "between"
    month = report.month.reachable if report.month and not today else None
    values = {"usd": md(amount_usd(saving)), "changes": t("advice.and").join(said)}
    if month is None:
        components.sentence(t(f"advice.{key}", **values))
    else:
        a_month = md(amount_usd(month))
        components.sentence(t(f"advice.{key}_a_month", a_month=a_month, **values))


def alike(changes: Sequence[Change]) -> dict[tuple[str, tuple[str, ...]], list[Change]]:
    """The changes by what is to be done, in the order in which they come."""
    groups: dict[tuple[str, tuple[str, ...]], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.policy, change.settings), []).append(change)
    return groups


def done(group: Sequence[Change]) -> str:
    """'keep the cache for an hour on claude-opus-5': what is done, without its setting."""
    policy, models = group[0].policy.partition(", ")[0], [md(change.model) for change in group]
    where = (
        t("advice.models", len(models)) if len(models) > NAMED else t("advice.also").join(models)
    )
    return t(f"advice.do_{policy.replace('-', '_')}", models=where)


def popover(report: CostReport, misses: MissStudy | None = None) -> None:
    """'What to change', with the saving and the dearest reasons for misses, where those are known;
    nothing where there is nothing to change."""
    changes, saving = changes_of(report), saving_of(report)
    policies = bool(changes) and saving is not None
    if not policies and (misses is None or not misses.dearest()):
        return
    with st.popover(t("advice.open"), icon=":material/content_paste:", key="advice"):
        if changes and saving is not None:
            _policies(changes, saving, report.month)
        misses_view.advice(misses)


def _policies(changes: Sequence[Change], saving: Amount, month: Month | None) -> None:
    usd = md(amount_usd(saving))
    if month is not None and month.reachable is not None:
        a_month = md(amount_usd(month.reachable))
        components.sentence(t("advice.saving_a_month", usd=usd, a_month=a_month))
    else:
        components.sentence(t("advice.saving", usd=usd))
    for group in alike(changes).values():
        names = ", ".join(md(change.model) for change in group)
        st.markdown(f"**{names}** · {md(group[0].policy)}")
        components.note(t(f"advice.place_{group[0].place.replace('-', '_')}"))
        for setting in group[0].settings:
            st.code(setting, language="json")
    components.note(t("advice.simulated"))
