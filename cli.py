"""The shell's door: every result of every page, without a browser.

JSON alone on standard output, messages on standard error. Exit 0, 1 for a refused input, 2 for
wrong usage.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from messages.catalogue import LANGUAGES, say, t
from messages.errors import KvledgerError, Message, UsageError
from ui.terminal import tell

Command = Callable[[argparse.Namespace, str], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    _never_fail_to_print()
    language = _language(words)
    try:
        arguments = _parser(language).parse_args(words)
        command: Command = arguments.command
        return command(arguments, arguments.lang or language)
    except KvledgerError as error:
        tell(say(language, error.message), sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def _never_fail_to_print() -> None:
    """A console that cannot show a character shows '?', and no traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _language(words: Sequence[str]) -> str:
    """--lang wherever it stands, because the help and the errors are words too."""
    import settings

    for at, word in enumerate(words):
        chosen = words[at + 1] if word == "--lang" and at + 1 < len(words) else ""
        chosen = word.removeprefix("--lang=") if word.startswith("--lang=") else chosen
        if chosen in LANGUAGES:
            return chosen
    try:
        return settings.current().language
    except KvledgerError:
        return "en"


def _parser(language: str) -> argparse.ArgumentParser:
    def words(key: str) -> str:
        return t(language, f"cli.{key}").replace("%", "%%")

    count = _counter(language)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help=words("json"))
    common.add_argument("--lang", choices=LANGUAGES, help=words("lang"))
    parser = argparse.ArgumentParser(prog="kvledger", description=words("description"))
    parser.add_argument("--lang", choices=LANGUAGES, help=words("lang"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    inspect = commands.add_parser("inspect", parents=[common], help=words("inspect"))
    _reading(inspect, words, count)
    inspect.set_defaults(command=_inspect)

    report = commands.add_parser("report", parents=[common], help=words("report"))
    _reading(report, words, count)
    _choices(report, words)
    report.set_defaults(command=_report)

    prices = commands.add_parser("prices", help=words("prices"))
    kinds = prices.add_subparsers(required=True, metavar="COMMAND")
    show = kinds.add_parser("show", parents=[common], help=words("prices_show"))
    show.add_argument("model", metavar="MODEL", help=words("model_id"))
    show.add_argument("--provider", metavar="P", help=words("provider"))
    show.add_argument("--surface", metavar="S", help=words("surface"))
    show.add_argument("--mode", metavar="M", help=words("mode"))
    show.add_argument("--prompt-tokens", metavar="N", type=count, help=words("prompt_tokens"))
    show.add_argument("--at", metavar="DATE", help=words("at"))
    show.set_defaults(command=_prices_show)
    check = kinds.add_parser("check", parents=[common], help=words("prices_check"))
    check.set_defaults(command=_prices_check)

    saved = commands.add_parser("reports", help=words("reports"))
    acts = saved.add_subparsers(required=True, metavar="COMMAND")
    listed = acts.add_parser("list", parents=[common], help=words("reports_list"))
    listed.set_defaults(command=_reports_list)
    for name, command in (("show", _reports_show), ("delete", _reports_delete)):
        act = acts.add_parser(name, parents=[common], help=words(f"reports_{name}"))
        act.add_argument("report_id", metavar="ID", help=words("report_id"))
        act.set_defaults(command=command)
        if name == "show":
            act.add_argument("--out", metavar="FILE", type=Path, help=words("out"))
    return parser


def _reading(
    parser: argparse.ArgumentParser, words: Callable[[str], str], count: Callable[[str], int]
) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help=words("files"))
    parser.add_argument(
        "--map", metavar="COLUMN=FIELD", action="append", default=[], help=words("map")
    )
    parser.add_argument(
        "--map-model", metavar="NAME=ID", action="append", default=[], help=words("map_model")
    )
    parser.add_argument("--block-size", metavar="B", type=count, help=words("block_size"))
    parser.add_argument("--tz", metavar="ZONE", help=words("tz"))
    parser.add_argument("--name", metavar="NAME", help=words("name"))


def _choices(parser: argparse.ArgumentParser, words: Callable[[str], str]) -> None:
    parser.add_argument("--provider", metavar="P", action="append", default=[],
                        help=words("candidate_provider"))  # fmt: skip
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=words("candidate_model"))  # fmt: skip
    parser.add_argument("--surface", metavar="S", help=words("surface"))
    parser.add_argument("--mode", metavar="M", help=words("mode"))
    parser.add_argument("--at", metavar="DATE", help=words("at"))
    parser.add_argument("--by", metavar="GROUP[,GROUP]", help=words("by"))
    parser.add_argument("--since", metavar="DATE", help=words("since"))
    parser.add_argument("--until", metavar="DATE", help=words("until"))
    parser.add_argument("--change", metavar="FROM..TO", nargs=2, help=words("change"))
    parser.add_argument("--rate", metavar="JPY=150", action="append", default=[],
                        help=words("rate"))  # fmt: skip
    parser.add_argument("--month-factor", metavar="X", help=words("month_factor"))
    parser.add_argument("--invoice-usd", metavar="USD", help=words("invoice_usd"))
    parser.add_argument("--include-failed", action="store_true", help=words("include_failed"))
    parser.add_argument("--out", metavar="FILE", type=Path, help=words("out"))
    parser.add_argument("--save", action="store_true", help=words("save"))


def _counter(language: str) -> Callable[[str], int]:
    """Reads a whole number from 1; argparse names the flag before our words."""

    def count(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < 1:
            words = t(language, "cli.not_a_count", found=text)
            raise argparse.ArgumentTypeError(words)
        return int(text)

    return count


def _print_json(data: Any) -> None:
    unicode = (sys.stdout.encoding or "ascii").lower().startswith("utf")
    json.dump(data, sys.stdout, ensure_ascii=not unicode, indent=2)
    sys.stdout.write("\n")


def _stage(language: str) -> Callable[[float, str], None]:
    """Progress for a person at a terminal; silent in pipes."""
    last = [-1]

    def progress(fraction: float, stage: str) -> None:
        percent = int(fraction * 100)
        if sys.stderr.isatty() and percent > last[0]:
            last[0] = percent
            words = t(
                language, "cli.progress", percent=percent, stage=t(language, f"ui.stage.{stage}")
            )
            print(f"\r{words}", end="" if percent < 100 else "\n", file=sys.stderr)

    return progress


def _inspect(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows, shell_input
    from ui import shell_text

    options = shell_input.read_options(arguments)
    result = flows.read_paths(arguments.files, options, _stage(language), arguments.name)
    data = flows.inspect_json(result, language)
    if arguments.json:
        _print_json(data)
    else:
        tell(shell_text.inspection(data, language))
    return 0


def _report(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows, shell_input
    from ui import shell_text

    options = shell_input.read_options(arguments)
    params = shell_input.report_params(arguments)
    shell_input.refuse_overwriting(arguments.out, arguments.files)
    result = flows.read_paths(arguments.files, options, _stage(language), arguments.name)
    report = flows.report_of(result, params)
    if arguments.save:
        saved_id = flows.save_shell_report(result, params)
        tell(t(language, "cli.saved", id=saved_id), sys.stderr)
    return _show_report(arguments, report, language, shell_text.statement)


def _show_report(
    arguments: argparse.Namespace, report: Any, language: str, statement: Callable[..., str]
) -> int:
    from jobs import flows

    if arguments.out is not None:
        flows.write_csv(arguments.out, report, language)
        tell(t(language, "cli.written", file=str(arguments.out)), sys.stderr)
    if arguments.json:
        _print_json(flows.report_json(report, language))
    else:
        tell(statement(report, language))
    return 0


def _prices_show(arguments: argparse.Namespace, language: str) -> int:
    from jobs import price_flows, shell_input
    from ui import shell_text

    data = price_flows.prices_show(
        arguments.model,
        provider=arguments.provider,
        surface=arguments.surface,
        mode=arguments.mode,
        prompt_tokens=arguments.prompt_tokens,
        at=shell_input.moment(arguments.at, "--at"),
        say=_sayer(language),
    )
    if arguments.json:
        _print_json(data)
    else:
        tell(shell_text.prices(data, language))
    return 0


def _prices_check(arguments: argparse.Namespace, language: str) -> int:
    from jobs import price_flows
    from ui import shell_text

    data = price_flows.prices_check(say=_sayer(language))
    if arguments.json:
        _print_json(data)
    else:
        tell(shell_text.price_check(data, language))
    return 1 if any(table["errors"] for table in data["tables"]) else 0


def _reports_list(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows
    from ui import shell_text

    rows = flows.reports_json()
    if arguments.json:
        _print_json({"reports": rows})
    else:
        tell(shell_text.saved_reports(rows, language))
    return 0


def _reports_show(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows
    from ui import shell_text

    report = flows.open_report(flows.full_report_id(arguments.report_id)).report
    return _show_report(arguments, report, language, shell_text.statement)


def _reports_delete(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows

    report_id = flows.full_report_id(arguments.report_id)
    flows.delete_report(report_id)
    if arguments.json:
        _print_json({"deleted": report_id})
    else:
        tell(t(language, "cli.deleted", id=report_id))
    return 0


def _sayer(language: str) -> Callable[[Message], str]:
    return lambda message: say(language, message)


if __name__ == "__main__":
    sys.exit(main())
