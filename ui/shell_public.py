"""The shell's public data: `refresh` asks the sources, `observations list` shows what is known."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any

from data_sources.public.hosts import SOURCES
from messages.catalogue import say, t
from ui.shell_table import columns, one_line
from ui.terminal import tell

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Words = Callable[[str], str]
Data = Mapping[str, Any]
CHANGE_COLUMNS = ("entity", "series", "start", "end", "before", "value", "unit", "vintage")
LIST_COLUMNS = ("source", "entity", "series", "start", "end", "vintage", "value", "unit",
                "status")  # fmt: skip
MOST_CHANGES = 40
DEFAULT_LIMIT = 1_000


def commands(answer: Answer) -> dict[str, Command]:
    """The functions behind the commands, each by its name."""
    return {
        "refresh": lambda arguments, language: _refresh(arguments, language, answer),
        "observations list": lambda arguments, language: _list(arguments, language, answer),
    }


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Words,
    count: Callable[[str], int],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the commands to the shell's parser."""
    made = parsers.add_parser("refresh", parents=[common], help=words("refresh"))
    made.add_argument("sources", metavar="SOURCE", nargs="+", choices=SOURCES,
                      help=f"{words('refresh_sources')} ({', '.join(SOURCES)})")  # fmt: skip
    for flag, metavar in (("company", "ID"), ("series", "ID"), ("table", "ID")):
        made.add_argument(f"--{flag}", metavar=metavar, action="append", default=[],
                          help=words(f"refresh_{flag}"))  # fmt: skip
    made.add_argument("--from", dest="first", metavar="DATE", help=words("refresh_from"))
    made.add_argument("--to", dest="last", metavar="DATE", help=words("refresh_to"))
    made.add_argument("--all-vintages", action="store_true", help=words("refresh_vintages"))
    made.add_argument("--force", action="store_true", help=words("refresh_force"))
    made.set_defaults(command=commands_of["refresh"])

    acts = parsers.add_parser("observations", help=words("observations")).add_subparsers(
        required=True, metavar="COMMAND"
    )
    listed = acts.add_parser("list", parents=[common], help=words("observations_list"))
    listed.add_argument("--source", choices=(*SOURCES, "makers"), help=words("observations_source"))
    listed.add_argument("--entity", metavar="ID", help=words("observations_entity"))
    listed.add_argument("--limit", metavar="N", type=count, default=DEFAULT_LIMIT,
                        help=words("observations_limit"))  # fmt: skip
    listed.set_defaults(command=commands_of["observations list"])


def _refresh(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import public_asked, public_refresh
    from jobs.shell_input import day

    wanted = public_asked.Wanted(
        companies=tuple(arguments.company),
        series=tuple(arguments.series),
        tables=tuple(arguments.table),
        first=day(arguments.first, "--from"),
        last=day(arguments.last, "--to"),
        all_vintages=arguments.all_vintages,
        force=arguments.force,
    )

    def stage(source: str, what: str) -> None:
        if sys.stderr.isatty():
            tell(t(language, "cli.refresh_asking", source=source, what=what), sys.stderr)

    keys = public_asked.keys_from_settings()
    sources = tuple(dict.fromkeys(arguments.sources))
    found = public_refresh.refresh(sources, wanted, keys, stage)
    data = public_asked.refreshed_json(found, lambda message: say(language, message))
    answer(arguments, data, lambda: refreshed_words(data, language))
    failed = [(one["source"], failure) for one in data["sources"] for failure in one["failures"]]
    for source, failure in failed:
        tell(t(language, "cli.refresh_failed", source=source, **failure), sys.stderr)
    return 1 if failed else 0


def refreshed_words(data: Data, language: str) -> str:
    """One line a source, then what is new or changed."""
    lines = []
    for one in data["sources"]:
        counts = {name: len(one[name]) for name in ("new", "changed")}
        rest = {name: one[name] for name in ("source", "asked", "reused", "unchanged")}
        lines.append(t(language, "cli.refresh_source", **rest, **counts))
        changes = [*one["changed"], *one["new"]]
        if changes:
            head = tuple(t(language, f"cli.observations_column_{name}") for name in CHANGE_COLUMNS)
            rows = [_cells(row, CHANGE_COLUMNS) for row in changes[:MOST_CHANGES]]
            lines += ["", *columns([head, *rows]), ""]
        if len(changes) > MOST_CHANGES:
            lines.append(t(language, "cli.refresh_more", n=len(changes) - MOST_CHANGES))
    return "\n".join(lines)


def _list(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import public_data

    data = public_data.observations_json(arguments.source, arguments.entity, arguments.limit)
    answer(arguments, data, lambda: list_words(data, language))
    return 0


def list_words(data: Data, language: str) -> str:
    """How old the figures are, then one row a figure."""
    lines = [t(language, "cli.observations_standing", day=data["snapshot_day"])]
    for source, moment in data["fetched"].items():
        lines.append(t(language, "public.fetched_day", source=source, day=moment[:10]))
    head = tuple(t(language, f"cli.observations_column_{name}") for name in LIST_COLUMNS)
    rows = [_cells(row, LIST_COLUMNS) for row in data["observations"]]
    lines += ["", *columns([head, *rows])]
    if data["left_out"]:
        lines += ["", t(language, "cli.observations_left_out", n=data["left_out"])]
    return "\n".join(lines)


def _cells(row: Data, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("-" if row[name] in (None, "") else one_line(str(row[name])) for name in names)
