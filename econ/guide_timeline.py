"""Prefill and decode on one machine or on two: what a running answer notices of a new prompt.

    together   steps . [ prefill of the new prompt ] . steps of both          the answer waits
    apart      prefill machine: [ prefill ][ hand-over ]     decode machine: steps, steps, steps

Floors of `econ.roofline` and `econ.offload`; waiting inside a queue is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Doing = Literal["step", "prefill", "move", "idle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What a machine does from `start_s` for `length_s` seconds."""

    doing: Doing
    start_s: float
    length_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timelines:
    """One machine for both; then one for prefill, and one for decode. `stall_s`: the longest gap
    between two tokens of the answer that was running, `apart_stall_s` likewise; `first_s` and
    `apart_first_s`: when the new request's first step begins."""

    together: tuple[Span, ...]
    prefill: tuple[Span, ...]
    decode: tuple[Span, ...]
    stall_s: float
    apart_stall_s: float
    first_s: float
    apart_first_s: float
    end_s: float


def timelines(
    *, prefill_s: float, step_s: float, move_s: float, before_s: float, after_s: float
) -> Timelines:
    """An answer is written in steps of `step_s`; `before_s` later a prompt arrives that takes
    `prefill_s`; both go on for `after_s` more. All seconds, above 0."""
    apart_first = before_s + prefill_s + move_s
    end = apart_first + after_s
    together = (
        Span(doing="step", start_s=0.0, length_s=before_s),
        Span(doing="prefill", start_s=before_s, length_s=prefill_s),
        Span(doing="step", start_s=before_s + prefill_s, length_s=end - before_s - prefill_s),
    )
    first = (
        Span(doing="idle", start_s=0.0, length_s=before_s),
        Span(doing="prefill", start_s=before_s, length_s=prefill_s),
        Span(doing="move", start_s=before_s + prefill_s, length_s=move_s),
    )
    return Timelines(
        together=together,
        prefill=first,
        decode=(Span(doing="step", start_s=0.0, length_s=end),),
        stall_s=prefill_s + step_s,
        apart_stall_s=step_s,
        first_s=before_s + prefill_s,
        apart_first_s=apart_first,
        end_s=end,
    )
