"""A reader's own benchmark runs as steps of a queue: an estimate, set right by what was measured.

Each run stands beside the estimate at its own load:

    tokens   measured TPOT / estimated step at (requests at a time, prompt + half of the answer)
    prompts  measured TTFT / (constant part + prefill of its prompt), of the runs with the fewest
             requests at a time, since with more of them a TTFT holds their queue too

The estimate is multiplied by the median of these ratios; the band is their span around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from econ.fleet_steps import Steps
from econ.measured_points import MeasuredPoint, typical
from econ.speed_features import SpeedCase
from econ.speed_fit import Band

FAR = 0.5
"""A length or a number of requests this share beyond the runs' own is said to lie beyond them."""


class OwnRun(NamedTuple):
    """One load of one run: requests at a time, mean tokens of a request, seconds (None: not in the
    file)."""

    concurrency: float
    input_tokens: float
    output_tokens: float
    ttft_s: float | None
    tpot_s: float | None

    @property
    def batch(self) -> int:
        """Whole requests at a time."""
        return max(1, round(self.concurrency))

    @property
    def context_tokens(self) -> int:
        """Tokens of a sequence halfway through its answer."""
        return max(1, round(self.input_tokens + self.output_tokens / 2))


def runs_of(points: Sequence[MeasuredPoint]) -> tuple[OwnRun, ...]:
    """The points that say how many requests of which length ran, and how long they took."""
    found = []
    for point in points:
        ttft, tpot = typical(point.ttft_s), typical(point.tpot_s)
        if not point.input_tokens or not point.concurrency or (ttft is None and tpot is None):
            continue
        found.append(
            OwnRun(
                concurrency=point.concurrency,
                input_tokens=point.input_tokens,
                output_tokens=point.output_tokens or 1.0,
                ttft_s=None if ttft is None else ttft[1],
                tpot_s=None if tpot is None else tpot[1],
            )
        )
    return tuple(found)


def run_steps(base: Steps, runs: Sequence[OwnRun], case: SpeedCase) -> Steps:
    """`base` set right by `runs`; `case` says which lengths and how many requests are asked for, so
    that what lies beyond the runs can be named. A metric that no run measured stays as `base`."""
    tokens = [
        run.tpot_s / base.decode_s(run.batch, run.context_tokens) for run in runs if run.tpot_s
    ]
    timed = [run for run in runs if run.ttft_s]
    fewest = min((run.batch for run in timed), default=1)
    prompts = [
        (run.ttft_s or 0.0) / (base.request_s + base.prefill_s(max(1, round(run.input_tokens)), 0))
        for run in timed
        if run.batch == fewest
    ]
    slower_prompt = median(prompts) if prompts else 1.0
    slower_token = median(tokens) if tokens else 1.0
    return Steps(
        source_kind="measured",
        prefill=lambda prompt, cached: slower_prompt * base.prefill_s(prompt, cached),
        decode=lambda batch, context: slower_token * base.decode_s(batch, context),
        request_s=slower_prompt * base.request_s,
        ttft_band=_span(prompts, slower_prompt),
        tpot_band=_span(tokens, slower_token),
        outside=_beyond(runs, case),
    )


def _span(ratios: Sequence[float], middle: float) -> Band | None:
    if len(ratios) < 2:
        return None
    return Band(
        low_ratio=min(ratios) / middle, high_ratio=max(ratios) / middle, family="own",
        device="own", method="runs", n=len(ratios),
    )  # fmt: skip


def _beyond(runs: Sequence[OwnRun], case: SpeedCase) -> tuple[str, ...]:
    measured = {
        "batch": (case.batch, [float(run.batch) for run in runs]),
        "input_tokens": (case.input_tokens, [run.input_tokens for run in runs]),
    }
    return tuple(
        name
        for name, (asked, there) in measured.items()
        if not min(there) * (1 - FAR) <= asked <= max(there) * (1 + FAR)
    )
