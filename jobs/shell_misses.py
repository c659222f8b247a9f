"""What `misses` is asked for on the command line, as typed parameters; its CSV."""

from __future__ import annotations

import argparse
from pathlib import Path

from econ.method import DEFAULT_MODEL
from econ.miss_blocks import Rule
from econ.miss_study import MissStudy
from econ.misses import PLACEMENTS, SIMULATED
from econ.report_params import ReportParams
from jobs.shell_input import day, moment, pairs, refused
from messages.errors import Message, SourceError, UsageError


def asked(arguments: argparse.Namespace) -> tuple[ReportParams, Rule]:
    """How to bill and how to simulate. UsageError naming the flag."""
    since, until = day(arguments.since, "--since"), day(arguments.until, "--until")
    if since and until and since > until:
        raise refused("--until", f">= {since}", str(until))
    params = ReportParams(
        at=moment(arguments.at, "--at"),
        models=tuple(arguments.model),
        providers=tuple(arguments.provider),
        surface=arguments.surface,
        mode=arguments.mode,
        default_surface=arguments.surface,
        default_mode=arguments.mode,
        default_model=arguments.model[0] if arguments.model else DEFAULT_MODEL,
        model_names=pairs(arguments.map_model, "--map-model", "NAME=ID"),
        include_failed=arguments.include_failed,
        since=since,
        until=until,
    )
    return params, Rule(lifetime=arguments.lifetime, placement=arguments.placement or PLACEMENTS[0])


def refuse_unused(arguments: argparse.Namespace, study: MissStudy) -> None:
    """UsageError where a lifetime or placement was asked for and the file has its own."""
    if study.source != SIMULATED and (arguments.lifetime or arguments.placement):
        raise UsageError(Message("misses.observed_has_its_own"))


def write(path: Path, content: bytes) -> None:
    """Write the CSV. SourceError when the file cannot be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        why = error.strerror or type(error).__name__
        values = {"file": str(path), "why": why}
        raise SourceError(Message("cli.cannot_write", values)) from error
