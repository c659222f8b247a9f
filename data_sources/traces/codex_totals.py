"""Codex token counts: the running total of a thread, and the step from one total to the next.

`input_tokens` holds the cached ones; `output_tokens` holds the reasoning ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from data_sources.traces.usage import ASSUME_30M, Usage, counted, required_input, required_output
from data_sources.traces.values import tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """A running total, or a step between two. Writes are None where they are not counted."""

    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_output_tokens: int
    cache_write_input_tokens: int | None = None

    @staticmethod
    def of(usage: Mapping[str, Any]) -> Totals:
        """From the JSON object. RowRejectedError when a count is missing or no count."""
        return Totals(
            input_tokens=required_input(usage, "input_tokens"),
            cached_input_tokens=tokens(usage, "cached_input_tokens") or 0,
            output_tokens=required_output(usage, "output_tokens"),
            reasoning_output_tokens=tokens(usage, "reasoning_output_tokens") or 0,
            cache_write_input_tokens=tokens(usage, "cache_write_input_tokens"),
        )

    def minus(self, other: Totals) -> Totals:
        """The step from `other` to this one; it may be negative where the counter restarted."""
        writes = self.cache_write_input_tokens
        if writes is not None:
            writes -= other.cache_write_input_tokens or 0
        return Totals(
            input_tokens=self.input_tokens - other.input_tokens,
            cached_input_tokens=self.cached_input_tokens - other.cached_input_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            reasoning_output_tokens=self.reasoning_output_tokens - other.reasoning_output_tokens,
            cache_write_input_tokens=writes,
        )

    @property
    def falls(self) -> bool:
        """A step down in any count: the counter was reset."""
        return min(value or 0 for value in asdict(self).values()) < 0

    def usage(self) -> Usage:
        """This step as one request. RowRejectedError when it cannot be one."""
        return counted(
            Usage(
                input_tokens=self.input_tokens,
                output_tokens=self.output_tokens,
                cached_read_tokens=self.cached_input_tokens,
                cache_write_30m_tokens=self.cache_write_input_tokens,
                assumption=ASSUME_30M if self.cache_write_input_tokens else None,
            )
        )

    def as_json(self) -> dict[str, int]:
        """The counts under their own names, without those that are not known."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def add_up(before: Totals | None, total: Totals, last: Mapping[str, Any]) -> tuple[Totals, bool]:
    """(the request between two running totals, whether the first total held more than it).

    A total that fell is a restart: the new total itself is the request. A file that begins with
    a total above its own last request was resumed: only that request is its own.
    """
    if before is None:
        own = Totals.of(last) if last else total
        resumed = own.input_tokens < total.input_tokens
        return (own, True) if resumed else (total, False)
    step = total.minus(before)
    return (total if step.falls else step), False


def record_usage(usage: Mapping[str, Any]) -> Usage:
    """The usage of one response record. RowRejectedError when it cannot be billed."""
    return Totals.of(usage).usage()
