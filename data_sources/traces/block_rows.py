"""What block traces with one `hash_ids` list a row have in common: rows that are no request, ids
that do not fit, and what the trace amounts to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from data_sources.traces.base import Decoded
from data_sources.traces.block_sizes import unfit_notes
from data_sources.traces.columns import MAX_COUNT
from data_sources.traces.faults import Faults
from data_sources.traces.limits import MAX_CLOCK_S
from data_sources.traces.mooncake_rows import COUNTS, Rows
from econ.workload import EMPTY, IntArray
from messages.errors import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The unit of a trace's timestamps; `expected` is the message that names it."""

    units_a_second: float
    expected: str


MILLISECONDS = Clock(units_a_second=1000.0, expected="columnar.expected_ms")
SECONDS = Clock(units_a_second=1.0, expected="columnar.expected_seconds")


def faults_of(rows: Rows, clock: Clock) -> Faults:
    """Rows that are no request: numbers out of range, no prompt, no answer length."""
    faults = Faults(len(rows))
    for name in COUNTS:
        counts = rows.counts[name]
        odd = (counts < EMPTY) | (counts > MAX_COUNT)
        faults.add(odd, _odd_number(name, counts, "columnar.expected_count"))
    with np.errstate(invalid="ignore"):
        absurd = np.abs(rows.times) > MAX_CLOCK_S * clock.units_a_second
    faults.add(absurd, _odd_number("timestamp", rows.times, clock.expected))
    prompt, output = rows.counts["input_length"], rows.counts["output_length"]
    faults.add(prompt == EMPTY, lambda _: Message("columnar.no_input"))
    faults.add(prompt == 0, lambda _: Message("columnar.zero_input"))
    faults.add(output == EMPTY, lambda _: Message("columnar.no_output"))
    return faults


def _odd_number(name: str, numbers: npt.NDArray[Any], expected: str) -> Any:
    def reason(row: int) -> Message:
        return Message(
            "columnar.wrong_cell",
            {"column": name, "expected": Message(expected), "found": str(numbers[row])},
        )

    return reason


def flags(file: Decoded, rows: Rows, keep: IntArray, size: int) -> list[Message]:
    """The kept rows whose ids do not fit their length, the first of them by line."""
    return unfit_notes(
        file.source.name,
        rows.counts["input_length"][keep],
        rows.blocks.lengths[keep],
        size,
        lambda positions: rows.lines(keep[positions]),
    )


def misfit(rows: Rows, size: int) -> Any:
    """Words the rejection of a row whose ids do not fit its length."""

    def reason(row: int) -> Message:
        tokens = int(rows.counts["input_length"][row])
        return Message(
            "columnar.ids_left_out",
            {
                "tokens": tokens,
                "found": int(rows.blocks.lengths[row]),
                "expected": -(-tokens // size),
                "size": size,
            },
        )

    return reason


def time_stats(rows: Rows, keep: IntArray, clock: Clock) -> dict[str, Any]:
    """First and last moment of the kept rows in seconds, how many there are, and how often time
    goes back."""
    known = rows.times[keep]
    known = known[~np.isnan(known)]
    if not len(known):
        return {}
    return {
        "first_ts_s": round(float(known.min()) / clock.units_a_second, 6),
        "last_ts_s": round(float(known.max()) / clock.units_a_second, 6),
        "distinct_timestamps": len(np.unique(known)),
        "out_of_order_pairs": int((np.diff(known) < 0).sum()),
    }


def mean_stats(rows: Rows, keep: IntArray) -> dict[str, Any]:
    """Mean lengths of the kept rows, two digits."""
    if not len(keep):
        return {}
    return {
        "mean_input": round(float(rows.counts["input_length"][keep].mean()), 2),
        "mean_output": round(float(rows.counts["output_length"][keep].mean()), 2),
    }
