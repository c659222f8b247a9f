"""The bundled example: one working day of three teams of coding agents, made from a seed.

Nothing of it was measured. The prompts are lengths and names of texts; what was read from and
written to the cache is what `econ.prompt_cache_oracle` says the provider's rules give.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from econ.example_plan import HOUR_MS, MIN_CACHEABLE_TOKENS, TEAMS, Call, Dice
from econ.example_sessions import Day, starts_ms
from econ.prompt_cache_oracle import (
    FIVE_MINUTES_S,
    ONE_HOUR_S,
    OracleRequest,
    OracleResult,
    simulate,
)
from econ.receipt import Receipt
from econ.workload import Column, Prefix, Text, Workload
from messages.errors import Message

EXAMPLE_SEED = 20261118
EXAMPLE_DAY = np.datetime64("2026-11-18T00:00:00", "ms")
EXAMPLE_NAME = "example-2026-11-18"
"""A plain name for files and tables; people are shown words in its place."""
EXAMPLE_FORMAT = "kvledger_example"
TTL_NAMES = {FIVE_MINUTES_S: "5m", ONE_HOUR_S: "1h"}


def example_workload(seed: int = EXAMPLE_SEED) -> Workload:
    """Some 2,000 requests of 2026-11-18 (UTC) with observed cache tokens, who spent, and prefix
    structure by message block. The same seed gives the same workload on every machine."""
    calls = _calls(seed)
    return Workload(
        name=EXAMPLE_NAME,
        format=EXAMPLE_FORMAT,
        rows=len(calls),
        columns=_columns(calls, simulate(_requests(calls))),
        prefix=_prefix(calls),
    )


def example_requests(seed: int = EXAMPLE_SEED) -> list[OracleRequest]:
    """The rows of the example as the oracle takes them, each with its own breakpoints."""
    return _requests(_calls(seed))


def example_receipt(workload: Workload, seed: int = EXAMPLE_SEED) -> Receipt:
    """The receipt of a workload that was made, not read: every row kept, and how it was made."""
    return Receipt(
        files=(),
        rows_read=workload.rows,
        rows_kept=workload.rows,
        assumptions=(
            Message("example.generated", {"seed": str(seed)}),
            Message("example.tokens_from_rules"),
        ),
    )


def _calls(seed: int) -> list[Call]:
    """The day's requests by arrival."""
    dice = Dice(seed)
    day = Day(dice)
    for team in TEAMS:
        for number, start_ms in enumerate(starts_ms(dice, team), start=1):
            day.session(team, number, start_ms, switches=number % 4 == 3)
    platform = TEAMS[1]
    day.job(platform, platform.projects[1], HOUR_MS, runs=42)
    return sorted(day.calls, key=lambda call: call.arrival_ms)


def _requests(calls: list[Call]) -> list[OracleRequest]:
    return [
        OracleRequest(
            arrival_s=(call.arrival_ms - calls[0].arrival_ms) / 1000,
            response_s=call.response_ms / 1000,
            scope=(call.team.workspace, call.model),
            blocks=call.blocks,
            breakpoints=call.breakpoints,
            min_cacheable_tokens=MIN_CACHEABLE_TOKENS[call.model],
        )
        for call in calls
    ]


def _columns(calls: list[Call], results: list[OracleResult]) -> dict[str, Column]:
    rows = len(calls)
    arrival_ms = np.array([call.arrival_ms for call in calls], dtype=np.int64)
    return {
        "request_id": Text.of(f"req-{row:05d}" for row in range(1, rows + 1)),
        "session_id": Text.of(call.session for call in calls),
        "agent": Text.of(call.agent for call in calls),
        "model": Text.of(call.model for call in calls),
        "provider": Text.constant("anthropic", rows),
        "surface": Text.constant("global", rows),
        "mode": Text.constant("standard", rows),
        "arrival_utc": (EXAMPLE_DAY + arrival_ms).astype("datetime64[us]"),
        "arrival_s": (arrival_ms - arrival_ms[0]) / 1000,
        "response_s": np.array([call.response_ms for call in calls]) / 1000,
        "finished_s": np.array([call.finished_ms for call in calls]) / 1000,
        "input_tokens": np.array([r.prompt for r in results], dtype=np.int64),
        "output_tokens": np.array([call.output_tokens for call in calls], dtype=np.int64),
        "cached_read_tokens": np.array([r.read for r in results], dtype=np.int64),
        "cache_write_5m_tokens": np.array([r.write_5m for r in results], dtype=np.int64),
        "cache_write_1h_tokens": np.array([r.write_1h for r in results], dtype=np.int64),
        "ttl": Text.of(_ttl(call) for call in calls),
        "workspace": Text.of(call.team.workspace for call in calls),
        "project": Text.of(call.project for call in calls),
        "api_key": Text.of(call.api_key for call in calls),
        "user": Text.of(call.user for call in calls),
        "team": Text.of(call.team.name for call in calls),
    }


def _ttl(call: Call) -> str:
    """The lifetime of the last breakpoint: the one that what is new in a prompt gets."""
    return TTL_NAMES[call.breakpoints[-1][1]] if call.breakpoints else "none"


def _prefix(calls: list[Call]) -> Prefix:
    blocks = [block for call in calls for block in call.blocks]
    points = [point for call in calls for point in call.breakpoints]
    return Prefix(
        offsets=_offsets([len(call.blocks) for call in calls]),
        block_ids=np.array([block_id for block_id, _ in blocks], dtype=np.int64),
        block_tokens=np.array([tokens for _, tokens in blocks], dtype=np.int64),
        message_blocks=True,
        bp_offsets=_offsets([len(call.breakpoints) for call in calls]),
        bp_blocks=np.array([after for after, _ in points], dtype=np.int64),
        bp_ttl_s=np.array([ttl_s for _, ttl_s in points], dtype=np.int64),
    )


def _offsets(lengths: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(list(accumulate(lengths, initial=0)), dtype=np.int64)
