"""One request's token counts in disjoint buckets, from the meanings that vendors give them.

The trap: some vendors count cached tokens inside the input, others beside it. `Usage.input_tokens`
is always the whole prompt; a row whose parts exceed its total is rejected, never clamped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data_sources.traces.tally import rejected
from data_sources.traces.values import mapping, tokens
from messages.errors import Message

ASSUME_5M = Message("traces.assume.writes_5m")
ASSUME_30M = Message("traces.assume.writes_30m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one request; None where the record does not say.

    `input_tokens` holds reads and writes too. `assumption` is what had to be assumed.
    """

    input_tokens: int
    output_tokens: int
    cached_read_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    cache_write_30m_tokens: int | None = None
    cache_write_12h_tokens: int | None = None
    assumption: Message | None = None

    @property
    def tokens(self) -> int:
        """Prompt and answer together."""
        return self.input_tokens + self.output_tokens

    def fields(self) -> dict[str, int | None]:
        """The token columns of the request table."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_read_tokens": self.cached_read_tokens,
            "cache_write_5m_tokens": self.cache_write_5m_tokens,
            "cache_write_1h_tokens": self.cache_write_1h_tokens,
            "cache_write_30m_tokens": self.cache_write_30m_tokens,
            "cache_write_12h_tokens": self.cache_write_12h_tokens,
        }


def counted(usage: Usage) -> Usage:
    """`usage` when it can be billed: RowRejectedError for no input or parts above the total."""
    if usage.input_tokens == 0:
        raise rejected("zero_input")
    read = usage.cached_read_tokens or 0
    writes = (
        (usage.cache_write_5m_tokens or 0)
        + (usage.cache_write_1h_tokens or 0)
        + (usage.cache_write_30m_tokens or 0)
        + (usage.cache_write_12h_tokens or 0)
    )
    if read + writes > usage.input_tokens:
        raise rejected("parts_exceed_total", read=read, write=writes, total=usage.input_tokens)
    return usage


def required_input(values: Mapping[str, Any], key: str) -> int:
    """A count that must be there: RowRejectedError when it is not."""
    found = tokens(values, key)
    if found is None:
        raise rejected("no_input")
    return found


def required_output(values: Mapping[str, Any], key: str) -> int:
    """A count of output tokens that must be there: RowRejectedError when it is not."""
    found = tokens(values, key)
    if found is None:
        raise rejected("no_output")
    return found


def anthropic_usage(usage: Mapping[str, Any]) -> Usage:
    """Anthropic Messages: uncached input, reads and writes are three disjoint counts.

    Writes whose lifetime is not said count as 5-minute writes.
    """
    uncached = required_input(usage, "input_tokens")
    read = tokens(usage, "cache_read_input_tokens")
    write_5m, write_1h, assumed = _anthropic_writes(usage)
    return counted(
        Usage(
            input_tokens=uncached + (read or 0) + (write_5m or 0) + (write_1h or 0),
            output_tokens=required_output(usage, "output_tokens"),
            cached_read_tokens=read,
            cache_write_5m_tokens=write_5m,
            cache_write_1h_tokens=write_1h,
            assumption=ASSUME_5M if assumed else None,
        )
    )


def _anthropic_writes(usage: Mapping[str, Any]) -> tuple[int | None, int | None, bool]:
    """(5-minute writes, 1-hour writes, whether part of them was assumed to be 5-minute)."""
    total = tokens(usage, "cache_creation_input_tokens")
    split = mapping(usage, "cache_creation")
    write_5m = tokens(split, "ephemeral_5m_input_tokens")
    write_1h = tokens(split, "ephemeral_1h_input_tokens")
    if total is None and write_5m is None and write_1h is None:
        return None, None, False
    known = (write_5m or 0) + (write_1h or 0)
    if total is None:
        return write_5m or 0, write_1h or 0, False
    if known > total:
        raise rejected("split_exceeds_total", split=known, total=total)
    return (write_5m or 0) + total - known, write_1h or 0, total > known
