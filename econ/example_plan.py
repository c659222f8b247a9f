"""The cast of the bundled example: three teams, how they prompt, and dice that fall the same
everywhere."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from econ.prompt_cache_oracle import FIVE_MINUTES_S, ONE_HOUR_S, Block, Breakpoint

T = TypeVar("T")

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS

OPUS_5 = "claude-opus-5"
OPUS_5_5 = "claude-opus-5-5"
SONNET_5 = "claude-sonnet-5"
HAIKU_4_5 = "claude-haiku-4-5"

MIN_CACHEABLE_TOKENS = {OPUS_5: 512, OPUS_5_5: 512, SONNET_5: 1024, HAIKU_4_5: 4096}
"""https://platform.claude.com/docs/en/build-with-claude/prompt-caching, as of 2026-09."""


class Dice:
    """Draws from `random.Random.random` alone: the one generator whose sequence for a seed is
    promised to stay the same in every Python version."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - an example, not a secret

    def between(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def chance(self, percent: int) -> bool:
        """True in `percent` of 100 throws."""
        return self.between(1, 100) <= percent

    def pick(self, choices: Sequence[T]) -> T:
        """One of `choices`, each as likely."""
        return choices[self.between(0, len(choices) - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Who works, when (UTC hours of session starts), with what, and where they cache.

    `system_ttl_s` and `turn_ttl_s`: lifetimes of the breakpoints after the system prompt and at
    the prompt's end. `stamped`: the system prompt carries the time of day, so no two requests
    start alike.
    """

    name: str
    workspace: str
    projects: tuple[str, ...]
    users: tuple[str, ...]
    first_hour: int
    last_hour: int
    sessions: int
    models: tuple[str, ...]
    sub_model: str
    tools_tokens: int
    system_tokens: int
    system_ttl_s: int
    turn_ttl_s: int
    stamped: bool = False
    switches_to: str | None = None


TEAMS = (
    Team(
        name="team-search",
        workspace="search",
        projects=("search-api", "ranking"),
        users=("user-01", "user-02", "user-03", "user-04", "user-05", "user-06"),
        first_hour=0,
        last_hour=8,
        sessions=15,
        models=(OPUS_5, OPUS_5, OPUS_5_5),
        sub_model=HAIKU_4_5,
        tools_tokens=14_200,
        system_tokens=3_350,
        system_ttl_s=ONE_HOUR_S,
        turn_ttl_s=ONE_HOUR_S,
        switches_to=SONNET_5,
    ),
    Team(
        name="team-platform",
        workspace="platform",
        projects=("build-tools", "deploy"),
        users=("user-07", "user-08", "user-09", "user-10", "user-11"),
        first_hour=1,
        last_hour=15,
        sessions=13,
        models=(OPUS_5_5, SONNET_5),
        sub_model=SONNET_5,
        tools_tokens=11_700,
        system_tokens=2_900,
        system_ttl_s=ONE_HOUR_S,
        turn_ttl_s=FIVE_MINUTES_S,
        switches_to=OPUS_5,
    ),
    Team(
        name="team-billing",
        workspace="billing",
        projects=("invoicing", "ledger"),
        users=("user-12", "user-13", "user-14"),
        first_hour=7,
        last_hour=15,
        sessions=5,
        models=(OPUS_5,),
        sub_model=HAIKU_4_5,
        tools_tokens=9_600,
        system_tokens=2_250,
        system_ttl_s=FIVE_MINUTES_S,
        turn_ttl_s=FIVE_MINUTES_S,
        stamped=True,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request as its sender made it; times in milliseconds of the day."""

    arrival_ms: int
    response_ms: int
    finished_ms: int
    team: Team
    session: str
    agent: str
    project: str
    api_key: str
    user: str | None
    model: str
    blocks: tuple[Block, ...]
    breakpoints: tuple[Breakpoint, ...]
    output_tokens: int
