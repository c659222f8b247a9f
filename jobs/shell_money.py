"""What `tiers` and `breakeven` are asked for on the command line, as typed parameters."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from decimal import Decimal

from econ.implied_rent_rows import DEFAULT_LIFE_YEARS
from jobs.own_hours import OwnAsked
from jobs.shell_input import moment, number, pairs, refused
from jobs.shell_kv import whole
from jobs.tiering import (
    DEFAULT_DEVICE,
    DEFAULT_MODEL,
    DEFAULT_OPS_RATIO,
    DEFAULT_PREFIX_TOKENS,
    TiersAsked,
    TypedModel,
)
from messages.errors import Message, UsageError


def tiers_asked(arguments: argparse.Namespace) -> TiersAsked:
    """The question of `tiers`. UsageError naming the flag."""
    named, typed = _bandwidths(arguments.bandwidth)
    efficiency = number(arguments.efficiency, "--efficiency", str(DEFAULT_OPS_RATIO))
    if efficiency is not None and not 0 < efficiency <= 1:
        raise refused("--efficiency", "0 < x <= 1", arguments.efficiency)
    return TiersAsked(
        model=arguments.model or DEFAULT_MODEL,
        typed_model=_typed_model(arguments),
        device=arguments.device or DEFAULT_DEVICE,
        dtype=arguments.dtype,
        weights_dtype=arguments.weights_dtype,
        weights_bytes=whole(arguments.weights_bytes, "--weights-bytes", "70600000000"),
        prefix_tokens=whole(arguments.prefix_tokens, "--prefix-tokens", "32768")
        or DEFAULT_PREFIX_TOKENS,
        bytes_per_token=positive(arguments.bytes_per_token, "--bytes-per-token", "327680"),
        parameters=positive(arguments.parameters, "--parameters", "70e9"),
        ops_per_s=positive(arguments.ops_per_s, "--ops-per-s", "4.5e15"),
        ops_ratio=efficiency or DEFAULT_OPS_RATIO,
        typed_bandwidths=typed,
        bandwidths=named,
        capacities_gb=_by_tier(arguments.capacity_gb, "--capacity-gb", "dram=512"),
        waits_s=_by_tier(arguments.wait_s, "--wait-s", "ssd=0.05"),
        life_years=positive(arguments.life_years, "--life-years", "4") or DEFAULT_LIFE_YEARS,
        implied_bytes=_band(arguments.implied_bytes),
        providers=tuple(arguments.provider),
        premium_models=tuple(arguments.premium_model),
        at=moment(arguments.at, "--at"),
    )


def own_asked(arguments: argparse.Namespace) -> OwnAsked:
    """The question of `breakeven`. UsageError naming the flag."""
    served = positive(arguments.tokens_per_s, "--tokens-per-s", "2500")
    computed = positive(arguments.computed_tokens_per_s, "--computed-tokens-per-s", "2500")
    if (served is None) is (computed is None):
        raise UsageError(Message("cli.breakeven_one_rate"))
    reuse = number(arguments.reuse, "--reuse", "0.8")
    if reuse is not None and (reuse > 1 or (computed is not None and reuse == 1)):
        raise refused("--reuse", "0 <= x < 1", arguments.reuse)
    usd = positive(arguments.usd_per_hour, "--usd-per-hour", "2.00")
    if usd is None:
        raise refused("--usd-per-hour", "2.00", "")
    api_input = positive(arguments.api_input_usd, "--api-input-usd", "0.50")
    api_read = positive(arguments.api_read_usd, "--api-read-usd", "0.05")
    if api_read is not None and api_input is None:
        raise refused("--api-input-usd", "0.50", "")
    if api_input is not None and arguments.files:
        raise UsageError(Message("cli.breakeven_typed_alone"))
    return OwnAsked(
        usd_per_hour=usd,
        tokens_per_s=served,
        computed_per_s=computed,
        reuse_ratio=reuse,
        api_input_usd=api_input,
        api_read_usd=api_read,
        providers=tuple(arguments.provider),
        models=tuple(arguments.model),
        at=moment(arguments.at, "--at"),
    )


def positive(text: str | None, flag: str, expected: str) -> Decimal | None:
    """A number above zero; '70e9' is one."""
    value = number(text, flag, expected)
    if value == 0:
        raise refused(flag, expected, text or "")
    return value


def _bandwidths(given: Sequence[str]) -> tuple[dict[str, Decimal], tuple[Decimal, ...]]:
    """'dram=55e9' overrides a place, '55e9' is a link of its own; commas part several."""
    flag, shape = "--bandwidth", "55e9"
    parts = [part for text in given for part in text.split(",")]
    named = _by_tier([part for part in parts if "=" in part], flag, "dram=55e9")
    typed = [positive(part, flag, shape) for part in parts if "=" not in part]
    if any(rate == 0 for rate in named.values()):
        raise refused(flag, "dram=55e9", "0")
    return named, tuple(rate for rate in typed if rate is not None)


def _by_tier(given: Sequence[str], flag: str, shape: str) -> dict[str, Decimal]:
    texts = pairs([part for text in given for part in text.split(",")], flag, shape)
    return {name: number(text, flag, shape) or Decimal(0) for name, text in texts.items()}


def _typed_model(arguments: argparse.Namespace) -> TypedModel | None:
    layers = whole(arguments.layers, "--layers", "80")
    hidden = whole(arguments.hidden, "--hidden", "8192")
    if layers is None and hidden is None:
        return None
    if arguments.model is not None:
        raise UsageError(Message("cli.tiers_model_or_sizes"))
    if layers is None or hidden is None:
        flag = "--layers" if layers is None else "--hidden"
        raise refused(flag, "80" if layers is None else "8192", "")
    return TypedModel(layers=layers, hidden=hidden)


def _band(text: str | None) -> tuple[Decimal, Decimal] | None:
    if text is None:
        return None
    flag, shape = "--implied-bytes", "70000,330000"
    low_text, _, high_text = text.partition(",")
    low = positive(low_text, flag, shape)
    high = positive(high_text or low_text, flag, shape)
    if low is None or high is None or low > high:
        raise refused(flag, shape, text)
    return low, high
