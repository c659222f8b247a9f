"""Figures that three articles print, beside what kvledger's own functions say.

Every figure whose row names how it is computed (`by`) has a function here, and no other has one.
Answers are in the base of the row's unit: bytes, seconds, ratios, USD, operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from econ import articles_bill, articles_devices, articles_sizes
from econ.articles_inputs import Inputs
from econ.guide_waste import paged_waste
from econ.hybrid_gain import FULL_MS, HYBRID_MS, kv_saving
from price_tables.articles import UNITS, ArticleFacts, Figure

Verdict = Literal["reproduced", "confirmed", "differs", "published"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "confirmed", "differs", "published")
BINARY = {"KB": "KiB", "MB": "MiB", "GB": "GiB"}
PAGE_TOKENS = 16
WRITTEN_TOKENS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One figure. `ours` in the base of its unit, None where nothing is computed."""

    figure: Figure
    ours: float | None
    verdict: Verdict

    @property
    def holds(self) -> bool:
        """Reproduced here or confirmed at the source."""
        return self.verdict in ("reproduced", "confirmed")

    @property
    def in_unit(self) -> float | None:
        """`ours` in the unit in which the article prints."""
        unit = self.figure.unit
        return None if self.ours is None or unit is None else self.ours / UNITS[unit]

    @property
    def holds_in_binary(self) -> str | None:
        """'KiB' for 'KB', where `ours` is what is printed once the unit is taken as binary; None
        where the figure holds as printed or does not hold that way either."""
        unit = self.figure.unit
        if self.holds or self.ours is None or unit not in BINARY:
            return None
        as_decimal = self.ours * UNITS[unit] / UNITS[BINARY[unit]]
        return BINARY[unit] if self.figure.rounds_to_printed(as_decimal) else None


def check(facts: ArticleFacts, inputs: Inputs) -> tuple[Checked, ...]:
    """Every figure with its verdict, in the order of the file."""
    return tuple(_checked(figure, inputs) for figure in facts.figures)


def _checked(figure: Figure, inputs: Inputs) -> Checked:
    if figure.status is not None:
        return Checked(figure=figure, ours=None, verdict=figure.status)
    ours = float(COMPUTED[figure.id](inputs))
    same: Verdict = "confirmed" if figure.by == "table" else "reproduced"
    holds = figure.rounds_to_printed(ours)
    return Checked(figure=figure, ours=ours, verdict=same if holds else "differs")


def _waste(lengths: NDArray[np.int64]) -> float:
    return paged_waste(lengths, PAGE_TOKENS)


def _saving(inputs: Inputs) -> float:
    found = kv_saving(inputs.hardware.models["kimi-linear-48b-a3b"])
    if found is None:
        raise ValueError("kimi-linear-48b-a3b is no hybrid")
    return found


def _gap(inputs: Inputs) -> float:
    """What is left of the printed growth once the printed supply is taken off, in W."""
    path = next(s for s in inputs.power.scenarios if s.id == "shipments")
    growth = path.points[-1].gw - path.points[0].gw
    return float(growth - inputs.power.supply.firm_gw) * UNITS["GW"]


def _printed(first: float, second: float) -> Callable[[Inputs], float]:
    return lambda _: first / second


OWN: Mapping[str, Callable[[Inputs], float]] = {
    "paged_waste": lambda inputs: _waste(inputs.example_lengths),
    "hynix_margin": _printed(60.5, 79.3),
    "micron_margin": _printed(35_056, 41_456),
    "nvidia_margin": _printed(72_142, 96_221),
    "sakura_growth": lambda _: 35.3 / 31.412 - 1,
    "sakura_next_growth": lambda _: 45.0 / 35.3 - 1,
    "kimi_saving": _saving,
    "kimi_gain": lambda _: FULL_MS / HYBRID_MS,
    "write_hybrid": lambda _: WRITTEN_TOKENS * HYBRID_MS / 1000,
    "write_full": lambda _: WRITTEN_TOKENS * FULL_MS / 1000,
    "power_gap": _gap,
    "twice_ratio": _printed(31.983, 0.042),
    "calibration": lambda i: float(
        i.switch.calibration.sequences * i.switch.calibration.tokens_each
    ),
    "switch_gain": lambda i: i.switch.timing.prefill_ms / i.switch.timing.map_ms,
    "mlp_gain": lambda _: 0.955 - 0.587,
}
COMPUTED: Mapping[str, Callable[[Inputs], float]] = {
    **articles_sizes.COMPUTED,
    **articles_devices.COMPUTED,
    **articles_bill.COMPUTED,
    **OWN,
}
"""Ours by the id of its figure."""
