"""The fitted speed model as steps of a queue.

A decode step is the fit's TPOT without the prompts that run between its steps: the queue runs them
itself. A prompt is the part of the fit's TTFT that grows with it, at one request at a time. Neither
is ever below the data sheet's floor (long prompts and contexts lie beyond the rows, and some
pieces were too small there to be told); the constant part delays a first token and keeps no device
busy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from econ.fleet_steps import Steps, roofline_steps
from econ.speed_features import SpeedCase, features, floors, prompt_of
from econ.speed_fit import Band, family_of, nearest, outside_of
from price_tables.hardware import MeasuredLimits, Ratios
from price_tables.speed_fit import SpeedFit

BETWEEN_STEPS = ("prefill_linear", "prefill_attention")
OF_THE_PROMPT = (
    "prompt_linear", "prompt_attention", "queue_linear", "queue_attention", "queue_all_reduce",
    "all_reduce",
)  # fmt: skip


def published_steps(fit: SpeedFit, case: SpeedCase) -> Steps | None:
    """Steps of `case`'s model and device; its batch and lengths say only what is asked of the
    bands. None where the family was never fitted."""
    family = fit.family(family_of(case.model))
    if family is None or set(family.coefficients) < {"tpot", "ttft"}:
        return None
    tpot = _without(family.coefficients["tpot"], BETWEEN_STEPS)
    ttft = family.coefficients["ttft"]
    prompt_part = {name: ttft.get(name, 0.0) for name in OF_THE_PROMPT}
    rest = _without(ttft, OF_THE_PROMPT)

    def prompt(prompt_tokens: int, cached_tokens: int) -> float:
        return whole(prompt_tokens) - (whole(cached_tokens) if cached_tokens else 0.0)

    def whole(tokens: int) -> float:
        if not tokens:
            return 0.0
        asked = replace(case, batch=1, input_tokens=tokens, output_tokens=1)
        floor = prompt_of(asked)
        return max(_weighed(prompt_part, features(asked, "ttft")), floor.prefill_s)

    def token(batch: int, context_tokens: int) -> float:
        asked = replace(case, batch=batch, input_tokens=context_tokens, output_tokens=1)
        floor = floors(asked, "tpot")["roofline"]
        return max(_weighed(tpot, features(asked, "tpot")), floor)

    one = features(replace(case, batch=1), "ttft")
    return Steps(
        source_kind="published",
        prefill=prompt,
        decode=token,
        request_s=_weighed(rest, one),
        ttft_band=nearest(family, case.device.id, "ttft"),
        tpot_band=nearest(family, case.device.id, "tpot"),
        outside=outside_of(fit, family, case),
    )


def datasheet_steps(fit: SpeedFit, case: SpeedCase) -> Steps:
    """The data sheet's floors, with what real decode steps took beside such a floor. ValueError
    where the sheet states no bandwidth or rate."""
    family = fit.family(family_of(case.model))
    return roofline_steps(
        case.model, case.speeds, case.format, weights_bytes=case.weight_bytes,
        tensor_parallel=case.tensor_parallel, attention_copies=case.attention_copies,
        tpot_band=None if family is None else nearest(family, case.device.id, "tpot", floor=True),
        outside=("family",) if family is None else outside_of(fit, family, case),
    )  # fmt: skip


def limits_steps(case: SpeedCase, measured: MeasuredLimits) -> Steps:
    """The floors of limits that were measured on the device; the bands are what the model that was
    timed there took beside such floors. ValueError where no rate was measured."""
    return roofline_steps(
        case.model, case.speeds, case.format, weights_bytes=case.weight_bytes,
        tensor_parallel=case.tensor_parallel, attention_copies=case.attention_copies,
        ttft_band=_limits_band(measured.ttft, measured),
        tpot_band=_limits_band(measured.tpot, measured), source_kind="measured",
    )  # fmt: skip


def _limits_band(ratios: Ratios | None, measured: MeasuredLimits) -> Band | None:
    if ratios is None:
        return None
    return Band(
        low_ratio=ratios.low, high_ratio=ratios.high, family=measured.model,
        device=measured.name, method="limits", n=ratios.n,
    )  # fmt: skip


def _without(weights: Mapping[str, float], names: tuple[str, ...]) -> dict[str, float]:
    return {name: value for name, value in weights.items() if name not in names}


def _weighed(weights: Mapping[str, float], pieces: Mapping[str, float]) -> float:
    return sum(weight * pieces[name] for name, weight in weights.items())
