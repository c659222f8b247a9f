"""What to change: the best policy of each model in words and, where known, a setting to paste.

Settings are code, not words. Anthropic: platform.claude.com/docs, prompt caching (cache_control,
ttl, one-hour breakpoints before five-minute ones). OpenAI: developers.openai.com, prompt caching
from GPT-5.6 on (prompt_cache_options.mode). Other providers get the words alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from econ.report import CostReport
from ui import components
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One model's change: `place` names the words for where the setting goes."""

    model: str
    policy: str
    place: str
    settings: tuple[str, ...]


def changes_of(report: CostReport) -> tuple[Change, ...]:
    """The changes that reach the best; none where nothing more is reachable or known."""
    reachable, opened = report.saving.reachable, report.figures.get("best_reachable")
    if reachable is None or reachable.high_e13 <= 0 or opened is None:
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


def popover(report: CostReport) -> None:
    """'What to change', with the saving; nothing where there is nothing to change."""
    changes = changes_of(report)
    reachable, month = report.saving.reachable, report.month
    if not changes or reachable is None:
        return
    with st.popover(t("advice.open"), icon=":material/content_paste:", key="advice"):
        usd = md(amount_usd(reachable))
        if month is not None and month.reachable is not None:
            a_month = md(amount_usd(month.reachable))
            components.sentence(t("advice.saving_a_month", usd=usd, a_month=a_month))
        else:
            components.sentence(t("advice.saving", usd=usd))
        for change in changes:
            st.markdown(f"**{md(change.model)}** · {md(change.policy)}")
            components.note(t(f"advice.place_{change.place.replace('-', '_')}"))
            for setting in change.settings:
                st.code(setting, language="json")
        components.note(t("advice.simulated"))
