"""Energy of a token, and what more efficiency does to power.

    joules a token  power x time of a step / sequences in the step
    USD a million   joules x PUE / 3.6e6 x tariff x 1e6
    rebound         E1 / E0 = demand / gain        (an identity)
                    demand = gain ^ elasticity     (an assumption)

A device at work draws close to its limit whatever its tokens a second, so its limit stands for its
power. Two powers are told apart: the device alone (its limit), and all-in with host, network and
cooling. With an elasticity below 1 energy falls, at 1 it stays, above 1 it rises (Jevons).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

JOULES_A_KWH = 3_600_000
ELASTICITIES = (0.5, 1.0, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEnergy:
    """Joules a token at one batch; `all_in_j` None where no all-in power is published."""

    batch: int
    step_s: float
    device_w: float
    all_in_w: float | None
    device_j: float
    all_in_j: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebound:
    """One elasticity: how demand answers a gain, and what energy becomes (1 = as before)."""

    elasticity: float
    demand: float
    energy_ratio: float


def joules_per_token(power_w: float, step_s: float, batch: int) -> float:
    """Energy of one token: the step's, shared by the sequences in it."""
    if power_w <= 0 or step_s <= 0 or batch < 1:
        raise ValueError("power, time and batch must be above zero")
    return power_w * step_s / batch


def token_energy(
    *, device_w: float, all_in_w: float | None, devices: int, step_s: float, batch: int
) -> TokenEnergy:
    """Joules a token of a group of `devices` equal devices."""
    all_in = None if all_in_w is None else all_in_w * devices
    return TokenEnergy(
        batch=batch,
        step_s=step_s,
        device_w=device_w * devices,
        all_in_w=all_in,
        device_j=joules_per_token(device_w * devices, step_s, batch),
        all_in_j=None if all_in is None else joules_per_token(all_in, step_s, batch),
    )


def usd_per_mtok(joules: float, usd_per_kwh: Decimal, pue: Decimal = Decimal(1)) -> Decimal:
    """What the electricity of a million tokens costs."""
    if pue < 1:
        raise ValueError("a PUE is at least 1")
    return Decimal(repr(joules)) * 1_000_000 / JOULES_A_KWH * pue * usd_per_kwh


def energy_ratio(demand: float, gain: float) -> float:
    """E1 / E0: energy after demand has grown `demand` times at `gain` times the efficiency."""
    if demand <= 0 or gain <= 0:
        raise ValueError("demand and gain must be above zero")
    return demand / gain


def rebounds(gain: float, elasticities: Sequence[float] = ELASTICITIES) -> tuple[Rebound, ...]:
    """What a gain becomes where demand answers it with each elasticity."""
    found = []
    for elasticity in elasticities:
        demand = gain**elasticity
        found.append(
            Rebound(elasticity=elasticity, demand=demand, energy_ratio=energy_ratio(demand, gain))
        )
    return tuple(found)
