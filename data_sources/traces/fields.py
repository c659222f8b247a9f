"""The fields of the request table by the names that files and `--map` may use for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from econ.workload import FLOAT_COLUMNS, TEXT_COLUMNS, TOKEN_COLUMNS

Kind = Literal["count", "flag", "seconds", "time", "cost", "text", "start", "ids"]

COST_FIELD = "observed_cost_usd"
UNCACHED = "uncached_input_tokens"
"""Input that excludes what was read from and written to the cache; the whole prompt is the sum."""

BLOCK_FIELDS = ("block_ids", "block_tokens", "hash_scope")

KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(TOKEN_COLUMNS, "count"),
    UNCACHED: "count",
    "n_requests": "count",
    "long_context": "flag",
    "failed": "flag",
    **dict.fromkeys(FLOAT_COLUMNS, "seconds"),
    "arrival_s": "start",
    "arrival_utc": "time",
    "bucket_end_utc": "time",
    COST_FIELD: "cost",
    **dict.fromkeys(TEXT_COLUMNS, "text"),
    "block_ids": "ids",
    "block_tokens": "count",
    "hash_scope": "text",
}
"""Field -> how its cells are read. 'start' takes seconds or any spelling of a time."""

ALIASES: Mapping[str, str] = {"start_s": "arrival_s", "start_utc": "arrival_utc"}

NAMES = (*KINDS, *ALIASES)
"""Every name that a mapping may use."""

LIFETIMES = ("none", "5m", "1h", "30m", "12h")
CLOSED_SETS = ("ttl", "mode", "provider", "surface", "granularity")
"""Text fields whose values are compared, never shown alone: kept in lower case."""

REQUIRED_INPUT = (
    frozenset({"input_tokens"}),
    frozenset({UNCACHED}),
    frozenset({"shared_prefix_tokens", "fresh_tokens"}),
)
"""One of these sets says how long the prompt was."""


def field_of(name: str) -> str | None:
    """The canonical field that `name` means, None when it means none."""
    lowered = name.strip().casefold()
    lowered = ALIASES.get(lowered, lowered)
    return lowered if lowered in KINDS else None


def missing_field(fields: Iterable[str]) -> str | None:
    """What is still needed to make requests of `fields`, or None."""
    present = frozenset(fields)
    if not any(wanted <= present for wanted in REQUIRED_INPUT):
        return "input_tokens"
    return None if "output_tokens" in present else "output_tokens"


def spelt_in(names: Sequence[str], name: str) -> str | None:
    """The file's own spelling of a column: exact, else ignoring case and outer spaces."""
    if name in names:
        return name
    folded = name.strip().casefold()
    return next((known for known in names if known.casefold() == folded), None)
