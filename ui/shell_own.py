"""Own hardware in the shell's `report`: its flags, and its figures as printed lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from econ.own_tables import tables_of
from econ.report import CostReport
from econ.report_own import OwnPart, with_own
from econ.report_params import ReportParams
from econ.sheet_own import machine, three_figures
from messages.catalogue import sayer, t
from ui.shell_table import columns, one_line
from ui.terminal import tell

Stage = Callable[[float, str], None]
METAVARS = {"model": "M", "device": "D", "tp": "N", "serve": "LINE", "usd-per-gpu-hour": "USD"}


def add(parser: argparse.ArgumentParser, words: Callable[[str], str]) -> None:
    """The flags; any of them asks for own hardware."""
    parser.add_argument("--own", action="store_true", help=words("own"))
    for name, metavar in METAVARS.items():
        key = f"own_{name.replace('-', '_')}"
        parser.add_argument(f"--own-{name}", metavar=metavar, help=words(key))


def choice(arguments: argparse.Namespace, params: ReportParams, language: str) -> Any:
    """The question of the flags, None where there is none; what is taken unsaid is said."""
    from jobs import fleet_flows, shell_own

    asked = shell_own.own_choice(arguments, params)
    if asked is not None and not (arguments.own_model or arguments.own_serve):
        names = {
            "model": fleet_flows.name_of(asked.fleet.model),
            "device": fleet_flows.name_of(asked.fleet.device),
        } if asked.fleet else {}  # fmt: skip
        tell(t(language, "cli.own_default", **names), sys.stderr)
    return asked


def part(result: Any, asked: Any, progress: Stage) -> OwnPart | None:
    """The figures of files that were just read; None where nothing asks for them."""
    from jobs import own_gather

    if asked is None:
        return None

    def told(fraction: float, stage: str, rows: int | None = None) -> None:
        progress(fraction, stage)

    return own_gather.of_files(result, asked, told)


def with_part(report: CostReport, own: OwnPart | None) -> CostReport:
    """The report with the figures in it."""
    return with_own(report, own)


def section(report: CostReport, language: str) -> list[str]:
    """Printed: the three numbers and every table; nothing where the report has none."""
    own = report.own
    if own is None:
        return []
    say = sayer(language)
    lines = ["", t(language, "own_report.heading"), one_line(machine(own, say))]
    lines += columns([(label, value, beneath) for label, value, beneath in three_figures(own, say)])
    for one in tables_of(own, say):
        lines += ["", one.caption, *columns([one.head, *one.rows])]
        lines += [one.note] if one.note else []
    lines += ["", *(say(message) for message in (*own.missing, *own.assumptions))]
    return lines
