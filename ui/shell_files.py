"""The files that the shell's `report` writes beside its CSV: the page to send, FOCUS-style rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from econ.report import CostReport, ReportParams
from econ.workload import Workload
from messages.catalogue import t
from ui.terminal import tell


def add(parser: argparse.ArgumentParser, words: Callable[[str], str]) -> None:
    """The flags."""
    parser.add_argument("--html", metavar="FILE", type=Path, help=words("html"))
    parser.add_argument("--focus", action="store_true", help=words("focus"))


def sheet(arguments: argparse.Namespace, report: CostReport, language: str) -> None:
    """Write the page to send where --html asks for it."""
    from jobs import sheets

    if arguments.html is None:
        return
    sheets.write_file(arguments.html, sheets.report_html(report, language))
    tell(t(language, "cli.written", file=str(arguments.html)), sys.stderr)


def focus(
    arguments: argparse.Namespace,
    workload: Workload,
    params: ReportParams,
    report: CostReport,
    language: str,
) -> int:
    """FOCUS-style rows of files that were read, into the file of --out, else on standard output."""
    from jobs import sheets

    sheet(arguments, report, language)
    return _written(arguments, sheets.focus_of(workload, params, report), language)


def kept_focus(arguments: argparse.Namespace, report: CostReport, language: str) -> int:
    """Likewise the rows that a report was saved with."""
    from jobs import sheets

    sheet(arguments, report, language)
    return _written(arguments, sheets.kept_focus_csv(report), language)


def _written(arguments: argparse.Namespace, content: bytes, language: str) -> int:
    from jobs import sheets

    if arguments.out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)  # bytes: line ends and mark as they are
        sys.stdout.buffer.flush()
        return 0
    sheets.write_file(arguments.out, content)
    tell(t(language, "cli.written", file=str(arguments.out)), sys.stderr)
    return 0
