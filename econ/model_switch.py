"""What it costs to go on with another model: map its cache, or compute it again.

    saved        time to prefill again - time to map
    earned after fitting, in device-seconds / saved device-seconds a switch
    a switch     its share of the fitting: fitting / switches
    cascade      small prefill + map, against the large prefill

Only the pair and length that were timed are figures; other lengths are a scenario: the map's time
grows with the tokens, the prefill's as `econ.roofline` says. Accuracy kept belongs to its pair;
for any other the answer is "not measured", and where a pair failed the advice is a new prefill.
How well keys are rebuilt (R²) does not tell beforehand, so it decides nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from econ.roofline import Speeds, prefill
from econ.turns import previous_rows
from econ.workload import Workload
from price_tables.hardware import HourlyBand, ModelSpec
from price_tables.model_switch import Calibration, Pair, SwitchFacts, Timing

Advice = Literal["map", "prefill", "not_measured"]
CHAIN = ("session_id", "agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """Going from one model to another with `tokens` of context.

    `timed`: both times were published for this pair and length. Otherwise `scenario` is True and
    they are scaled, or both are None. Retention as published: one value has low = high.
    """

    sender: str
    receiver: str
    tokens: int
    advice: Advice
    retention_low: float | None
    retention_high: float | None
    prefill_s: float | None
    map_s: float | None
    scenario: bool

    @property
    def gain(self) -> float | None:
        """Prefill over map."""
        if self.prefill_s is None or not self.map_s:
            return None
        return self.prefill_s / self.map_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Earned:
    """When fitting a map has paid for itself, between the quick and the slow fit.

    device_s: seconds of one device; usd: at the device's price of an hour, low and high; switches:
    how many save as many seconds of as many devices as `devices_saved`.
    """

    device_s_low: float
    device_s_high: float
    usd_low: Decimal | None
    usd_high: Decimal | None
    switches_low: int
    switches_high: int
    devices_saved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """A small model reads, a large one thinks: seconds scaled from the timed pair, a scenario."""

    tokens: int
    small_s: float
    map_s: float
    large_s: float

    @property
    def saved_share(self) -> float:
        """Of the large prefill; negative where the detour takes longer."""
        return 1 - (self.small_s + self.map_s) / self.large_s


def find_pair(facts: SwitchFacts, sender: str, receiver: str) -> Pair | None:
    """The published pair of these two, by name or id of models.yaml; None = not measured."""
    asked = _plain(sender), _plain(receiver)
    for pair in facts.pairs:
        names = (pair.sender, pair.receiver), (pair.from_model, pair.to_model)
        if any(a and b and (_plain(a), _plain(b)) == asked for a, b in names):
            return pair
    return None


def names(facts: SwitchFacts) -> frozenset[str]:
    """Every name and id of a published pair, plain: what `find_pair` compares."""
    both = [(p.sender, p.receiver, p.from_model, p.to_model) for p in facts.pairs]
    return frozenset(_plain(name) for pair in both for name in pair if name)


def is_named(facts: SwitchFacts, name: str) -> bool:
    """`name` is in a published pair."""
    return _plain(name) in names(facts)


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def switch(
    facts: SwitchFacts, sender: str, receiver: str, tokens: int, *, growth: float | None = None
) -> Switch:
    """A switch between two models. `growth`: how many times the receiver's prefill of `tokens` is
    as long as that of the timed length, by the speed model; without it only the timed length has
    times. Fails and unmeasured pairs have none that could be recommended."""
    if tokens < 1:
        raise ValueError("a context has at least one token")
    pair = find_pair(facts, sender, receiver)
    advice: Advice = "not_measured" if pair is None else "map"
    if pair is not None and pair.state == "fails":
        advice = "prefill"
    low, high = _retention(pair)
    timing = facts.timing
    times: tuple[float, float] | None = None
    exact = tokens == timing.tokens
    if pair is not None and pair.id == timing.pair and (exact or growth is not None):
        grown = 1.0 if exact else (growth or 1.0)
        times = timing.prefill_ms / 1000 * grown, map_s(timing, tokens)
    return Switch(
        sender=sender,
        receiver=receiver,
        tokens=tokens,
        advice=advice,
        retention_low=low,
        retention_high=high,
        prefill_s=None if times is None else times[0],
        map_s=None if times is None else times[1],
        scenario=times is not None and not exact,
    )


def _retention(pair: Pair | None) -> tuple[float | None, float | None]:
    if pair is None:
        return None, None
    if pair.retention is not None:
        return float(pair.retention), float(pair.retention)
    assert pair.retention_low is not None  # noqa: S101
    assert pair.retention_high is not None  # noqa: S101
    return float(pair.retention_low), float(pair.retention_high)


def map_s(timing: Timing, tokens: int) -> float:
    """Mapping `tokens` tokens: a linear map takes as long for every token."""
    return timing.map_ms / 1000 * tokens / timing.tokens


def prefill_growth(model: ModelSpec, speeds: Speeds, tokens: int, timed: int) -> float:
    """A prefill of `tokens` over one of `timed` tokens, attention included."""
    return (
        prefill(model, speeds, prompt_tokens=tokens).prefill_s
        / prefill(model, speeds, prompt_tokens=timed).prefill_s
    )


def earned(
    calibration: Calibration, saved_s: float, band: HourlyBand | None, devices_saved: int = 1
) -> Earned:
    """After how many switches the map is paid. `saved_s` above zero, on `devices_saved` devices."""
    if saved_s <= 0 or devices_saved < 1:
        raise ValueError("a switch must save time on at least one device")
    low = float(calibration.minutes_low * 60 * calibration.devices)
    high = float(calibration.minutes_high * 60 * calibration.devices)
    each = saved_s * devices_saved
    hour = Decimal(3600)
    return Earned(
        device_s_low=low,
        device_s_high=high,
        usd_low=None if band is None else Decimal(repr(low)) / hour * band.low,
        usd_high=None if band is None else Decimal(repr(high)) / hour * band.high,
        switches_low=-int(-low // each),
        switches_high=-int(-high // each),
        devices_saved=devices_saved,
    )


def cascade(
    small: ModelSpec, large: ModelSpec, speeds: Speeds, timing: Timing, tokens: int
) -> Cascade:
    """Reading `tokens` on the small model and mapping, or reading on the large one. Only the
    large prefill of one length was timed; lengths and models are scaled by the speed model."""
    grown = timing.prefill_ms / 1000 * prefill_growth(large, speeds, tokens, timing.tokens)
    lighter = (
        prefill(small, speeds, prompt_tokens=tokens).prefill_s
        / prefill(large, speeds, prompt_tokens=tokens).prefill_s
    )
    return Cascade(
        tokens=tokens, small_s=grown * lighter, map_s=map_s(timing, tokens), large_s=grown
    )


def switches_in(workload: Workload) -> int | None:
    """How often a chain goes on with another model; None where the file has no sessions or no
    models."""
    if not workload.has("session_id") or not workload.has("model"):
        return None
    previous = previous_rows(workload, CHAIN)
    previous[workload.text("session_id").codes < 0] = -1
    model = workload.text("model").codes
    named = (model >= 0) & (model[previous] >= 0)
    return int(((previous >= 0) & named & (model != model[previous])).sum())
