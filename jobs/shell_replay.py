"""What `replay` and `curve` are asked for on the command line, as typed parameters."""

from __future__ import annotations

import argparse

from econ.replay import ReplayParams
from jobs.replaying import CurveParams
from jobs.shell_input import number, refused

UNLIMITED = "unlimited"
MOST_BLOCKS = 10**12


def replay_params(arguments: argparse.Namespace) -> ReplayParams:
    """How to replay. UsageError naming the flag."""
    return ReplayParams(
        capacities=capacities(arguments.capacity_blocks),
        policy=arguments.policy,
        rules=arguments.rules,
        ttl_s=number(arguments.ttl_s, "--ttl-s", "300"),
        scope=arguments.scope,
    )


def curve_params(arguments: argparse.Namespace) -> CurveParams:
    """Which curve, and at which capacities. UsageError naming the flag."""
    asked = arguments.at_blocks
    return CurveParams(
        policy=arguments.policy,
        rules=arguments.rules,
        scope=arguments.scope,
        at_blocks=() if asked is None else tuple(_size(n, "--at-blocks") for n in asked.split(",")),
    )


def capacities(text: str) -> tuple[int | None, ...]:
    """'1000,10000,unlimited' as numbers of blocks; None = unlimited."""
    return tuple(
        None if part.strip() == UNLIMITED else _size(part, "--capacity-blocks")
        for part in text.split(",")
    )


def _size(text: str, flag: str) -> int:
    digits = text.strip()
    if not digits.isascii() or not digits.isdigit() or not 1 <= int(digits[:20]) <= MOST_BLOCKS:
        raise refused(flag, "1000,10000", text)
    return int(digits)
