"""What `roofline` is asked for on the command line, as typed parameters."""

from __future__ import annotations

import argparse

from jobs.shell_input import number, refused
from jobs.shell_kv import whole
from jobs.speeds import OUTPUT_TOKENS, RooflineAsked
from messages.errors import Message, UsageError

MOST_POINTS = 400
MOST_TOKENS = 10**9


def roofline_asked(arguments: argparse.Namespace) -> RooflineAsked:
    """The question. UsageError naming the flag."""
    if arguments.device is None and arguments.profile is None:
        raise UsageError(Message("cli.roofline_needs_device"))
    if arguments.profile is not None and (arguments.device or arguments.source != "datasheet"):
        raise UsageError(Message("cli.roofline_profile_alone"))
    contexts = _counts(arguments.context, "--context", "8192,131072")
    batches = _counts(arguments.batch, "--batch", "1,4")
    if len(contexts) * len(batches) > MOST_POINTS:
        raise refused("--context", f"<= {MOST_POINTS}", str(len(contexts) * len(batches)))
    weights = number(arguments.weights_bytes, "--weights-bytes", "70e9")
    if weights is not None and weights <= 0:
        raise refused("--weights-bytes", "70e9", arguments.weights_bytes)
    return RooflineAsked(
        model=arguments.model,
        device=arguments.device,
        contexts=contexts,
        batches=batches,
        weights_bytes=None if weights is None else float(weights),
        tensor_parallel=whole(arguments.tp, "--tp", "8") or 1,
        attention_copies=whole(arguments.attention_copies, "--attention-copies", "8") or 1,
        dtype=arguments.dtype,
        source="measured" if arguments.profile is not None else arguments.source,
        profile_id=arguments.profile,
        output_tokens=whole(arguments.output_tokens, "--output-tokens", "1024") or OUTPUT_TOKENS,
    )


def _counts(text: str, flag: str, expected: str) -> tuple[int, ...]:
    found = tuple(whole(part, flag, expected) or 0 for part in text.split(","))
    if max(found) > MOST_TOKENS:
        raise refused(flag, f"<= {MOST_TOKENS}", text)
    return found
