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
    return settings.start_language()


def _parser(language: str) -> argparse.ArgumentParser:
    from ui import (
        shell_engine,
        shell_fleet,
        shell_kv,
        shell_less_kv,
        shell_misses,
        shell_money,
        shell_parser,
        shell_public,
        shell_roofline,
    )

    return shell_parser.build(
        language,
        {
            "inspect": _inspect,
            "report": _report,
            "replay": _replay,
            "curve": _curve,
            "prices show": _prices_show,
            "prices check": _prices_check,
            "reports list": _reports_list,
            "reports show": _reports_show,
            "reports delete": _reports_delete,
            **shell_engine.commands(_answer),
            **shell_kv.commands(_answer),
            **shell_roofline.commands(_answer),
            **shell_money.commands(_answer, _read),
            **shell_less_kv.commands(_answer, _read),
            **shell_misses.commands(_answer, _read, _tell_rejected),
            **shell_public.commands(_answer),
            **shell_fleet.commands(_answer, _read, _stage),
        },
    )


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
    result = _read(arguments, options, language)
    data = flows.inspect_json(result, language)
    _answer(arguments, data, lambda: shell_text.inspection(data, language))
    return 0


def _report(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows, shell_input
    from ui import shell_files, shell_own, shell_text

    options = shell_input.read_options(arguments)
    params = shell_input.report_params(arguments)
    asked = shell_own.choice(arguments, params, language)
    read = [*arguments.files, *arguments.stated_costs]
    for written in (arguments.out, arguments.html):
        shell_input.refuse_overwriting(written, read)
    result = _read(arguments, options, language)
    own = shell_own.part(result, asked, _stage(language))
    report = shell_own.with_part(flows.report_of(result, params), own)
    if arguments.save:
        saved_id = flows.save_shell_report(result, params, own)
        tell(t(language, "cli.saved", id=saved_id), sys.stderr)
    if arguments.focus:
        return shell_files.focus(arguments, result.workload, params, report, language)
    return _show_report(arguments, report, language, shell_text.statement)


def _show_report(
    arguments: argparse.Namespace, report: Any, language: str, statement: Callable[..., str]
) -> int:
    from jobs import flows, yen
    from ui import shell_files

    if arguments.out is not None:
        flows.write_csv(arguments.out, report, language)
        tell(t(language, "cli.written", file=str(arguments.out)), sys.stderr)
    shell_files.sheet(arguments, report, language)
    if arguments.json:
        _print_json(flows.report_json(report, language))
    else:
        tell(statement(yen.dated(report), language))
    return 0


def _replay(arguments: argparse.Namespace, language: str) -> int:
    from jobs import replaying, shell_input, shell_replay
    from ui import shell_curves

    params = shell_replay.replay_params(arguments)
    result = _read(arguments, shell_input.read_options(arguments), language)
    data = replaying.replay_json(result.workload, params)
    _answer(arguments, data, lambda: shell_curves.replay(data, language))
    _tell_rejected(result.receipt, language)
    return 0


def _curve(arguments: argparse.Namespace, language: str) -> int:
    from jobs import replaying, shell_input, shell_replay
    from ui import shell_curves

    params = shell_replay.curve_params(arguments)
    result = _read(arguments, shell_input.read_options(arguments), language)
    data = replaying.curve_json(result.workload, params)
    _answer(arguments, data, lambda: shell_curves.curve(data, language))
    _tell_rejected(result.receipt, language)
    return 0


def _answer(arguments: argparse.Namespace, data: Any, words: Callable[[], str]) -> None:
    """JSON alone where it is asked for, else words."""
    if arguments.json:
        _print_json(data)
    else:
        tell(words())


def _tell_rejected(receipt: Any, language: str) -> None:
    """Rows that are not in the result are said, on standard error: they are not part of it."""
    from ui.shell_text import RECEIPT

    if receipt.rows_rejected:
        counts = {name: getattr(receipt, name) for name in RECEIPT}
        tell(t(language, "cli.receipt", **counts), sys.stderr)


def _read(arguments: argparse.Namespace, options: Any, language: str) -> Any:
    from jobs import flows, shell_input

    files, name = shell_input.files_to_read(arguments), shell_input.name_to_use(arguments)
    return flows.read_paths(files, options, _stage(language), name)


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
    _answer(arguments, data, lambda: shell_text.prices(data, language))
    return 0


def _prices_check(arguments: argparse.Namespace, language: str) -> int:
    from jobs import price_flows
    from ui import shell_text

    data = price_flows.prices_check(say=_sayer(language))
    _answer(arguments, data, lambda: shell_text.price_check(data, language))
    checked = [*data["tables"], *filter(None, [data["own"]])]
    return 1 if any(table["errors"] for table in checked) else 0


def _reports_list(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows
    from ui import shell_text

    rows = flows.reports_json()
    _answer(arguments, {"reports": rows}, lambda: shell_text.saved_reports(rows, language))
    return 0


def _reports_show(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows
    from ui import shell_files, shell_text

    report = flows.open_report(flows.full_report_id(arguments.report_id)).report
    if arguments.focus:
        return shell_files.kept_focus(arguments, report, language)
    return _show_report(arguments, report, language, shell_text.statement)


def _reports_delete(arguments: argparse.Namespace, language: str) -> int:
    from jobs import flows

    report_id = flows.full_report_id(arguments.report_id)
    flows.delete_report(report_id)
    _answer(arguments, {"deleted": report_id}, lambda: t(language, "cli.deleted", id=report_id))
    return 0


def _sayer(language: str) -> Callable[[Message], str]:
    return lambda message: say(language, message)


if __name__ == "__main__":
    sys.exit(main())
