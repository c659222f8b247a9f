"""What `kv` is asked for on the command line, as typed parameters."""

from __future__ import annotations

import argparse
from fractions import Fraction

from jobs.model_sizes import KvAsked, Memory
from jobs.shell_input import number, refused
from messages.errors import Message, UsageError

MOST = 10**18
DEFAULT_FRACTION = "0.9"


def kv_asked(arguments: argparse.Namespace) -> KvAsked:
    """The question. UsageError naming the flag."""
    asked = {
        "context_tokens": whole(arguments.context, "--context", "131072"),
        "sequences": whole(arguments.sequences, "--sequences", "4"),
        "tensor_parallel": whole(arguments.tp, "--tp", "8"),
        "block_tokens": whole(arguments.block_size, "--block-size", "16"),
    }
    given = {name: value for name, value in asked.items() if value is not None}
    memory = _memory(arguments)
    return KvAsked(model=arguments.model, dtype=arguments.dtype, memory=memory, **given)


def _memory(arguments: argparse.Namespace) -> Memory | None:
    free = whole(arguments.free_bytes, "--free-bytes", "5777531535")
    device = whole(arguments.device_bytes, "--device-bytes", "85899345920")
    blocks = whole(arguments.engine_blocks, "--engine-blocks", "2588")
    weights = whole(arguments.weights_bytes, "--weights-bytes", "16060522496")
    fraction = number(arguments.fraction, "--fraction", DEFAULT_FRACTION)
    if fraction is not None and not 0 < fraction <= 1:
        raise refused("--fraction", "0 < x <= 1", str(fraction))
    if free is not None:
        for flag, value in (("--device-bytes", device), ("--weights-bytes", weights),
                            ("--fraction", fraction)):  # fmt: skip
            if value is not None:
                raise UsageError(Message("cli.kv_free_alone", {"flag": flag}))
        return Memory(free_bytes=free, engine_blocks=blocks)
    if device is None:
        for flag, value in (("--engine-blocks", blocks), ("--weights-bytes", weights),
                            ("--fraction", fraction)):  # fmt: skip
            if value is not None:
                raise UsageError(Message("cli.kv_needs_memory", {"flag": flag}))
        return None
    if weights is None:
        raise UsageError(Message("cli.kv_needs_weights"))
    return Memory(
        device_bytes=device,
        fraction=Fraction(fraction or DEFAULT_FRACTION),
        weights_bytes=weights,
        engine_blocks=blocks,
    )


def whole(text: str | None, flag: str, expected: str) -> int | None:
    """A whole number above zero, in digits or as 70e9. UsageError naming the flag."""
    if text is None:
        return None
    value = number(text.replace("_", ""), flag, expected)
    if value is not None and value > MOST:
        raise refused(flag, f"1 .. {MOST:,}", text)
    if value is None or value < 1 or value != value.to_integral_value():
        raise refused(flag, expected, text)
    return int(value)
