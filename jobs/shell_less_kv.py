"""What `lesskv` and `switch` are asked for on the command line, as typed parameters."""

from __future__ import annotations

import argparse
from pathlib import Path

from econ.kv_formats import kv_format
from jobs.less_kv import CHECKPOINT, DEFAULT_DEVICE, DEFAULT_FORMAT, DEFAULT_MODEL, LessKv
from jobs.less_kv import LessKvAsked as Asked
from jobs.less_kv_out import to_csv
from jobs.shell_input import refused
from jobs.shell_kv import whole
from messages.errors import Message, SourceError, input_error

MOST_LIFETIME_S = 366 * 86_400
MOST_TOKENS = 100_000_000


def less_kv_asked(arguments: argparse.Namespace) -> Asked:
    """The question. UsageError naming the flag or the format."""
    keys = arguments.keys or DEFAULT_FORMAT
    values = arguments.values or keys
    lifetime = whole(arguments.lifetime_s, "--lifetime-s", "300") or 300
    if lifetime > MOST_LIFETIME_S:
        raise refused("--lifetime-s", f"<= {MOST_LIFETIME_S}", arguments.lifetime_s)
    asked = Asked(
        model=arguments.model or DEFAULT_MODEL,
        device=arguments.device or DEFAULT_DEVICE,
        keys=keys,
        values=values,
        weights_dtype=arguments.weights or CHECKPOINT,
        residence=arguments.residence,
        lifetime_s=lifetime,
    )
    kv_format(asked.chosen)
    return asked


def context_tokens(text: str) -> int:
    """Tokens of a cache. UsageError naming the flag."""
    tokens = whole(text, "--context", "32768") or 1
    if tokens > MOST_TOKENS:
        raise refused("--context", f"<= {MOST_TOKENS}", text)
    return tokens


def needed(found: LessKv | None, name: str) -> LessKv:
    """The study, or the InputError that says what the file lacks."""
    if found is None:
        raise input_error("cli.lesskv_nothing", name=name)
    return found


def write(path: Path | None, found: LessKv) -> None:
    """The CSV, where a path is given. SourceError where it cannot be written."""
    if path is None:
        return
    try:
        path.write_bytes(to_csv(found))
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SourceError(Message("cli.cannot_write", {"file": str(path), "why": why})) from error
