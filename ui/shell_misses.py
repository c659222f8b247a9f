"""The shell's `misses`: why prompt tokens were not read from a cache, and what that cost."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from econ.misses import LIFETIMES, PLACEMENTS
from messages.catalogue import t
from ui.shell_table import columns, one_line

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Read = Callable[[argparse.Namespace, Any, str], Any]
Words = Callable[[str], str]
EXAMPLES_SHOWN = 8


def commands(answer: Answer, read: Read, receipt: Callable[[Any, str], None]) -> dict[str, Command]:
    """The function behind the command, by its name."""
    return {
        "misses": lambda arguments, language: _misses(arguments, language, answer, read, receipt)
    }


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Words,
    reading: Callable[[argparse.ArgumentParser], None],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the command to the shell's parser."""
    misses = parsers.add_parser("misses", parents=[common], help=words("misses"))
    reading(misses)
    for flag in ("provider", "model"):
        misses.add_argument(f"--{flag}", metavar=flag[0].upper(), action="append", default=[],
                            help=words(f"candidate_{flag}"))  # fmt: skip
    misses.add_argument("--lifetime", choices=LIFETIMES, help=words("misses_lifetime"))
    misses.add_argument("--placement", choices=PLACEMENTS, help=words("misses_placement"))
    for flag in ("surface", "mode"):
        misses.add_argument(f"--{flag}", metavar=flag[0].upper(), help=words(flag))
    for flag in ("at", "since", "until"):
        misses.add_argument(f"--{flag}", metavar="DATE", help=words(flag))
    misses.add_argument("--include-failed", action="store_true", help=words("include_failed"))
    misses.add_argument("--out", metavar="FILE", type=Path, help=words("misses_out"))
    misses.set_defaults(command=commands_of["misses"])


def _misses(
    arguments: argparse.Namespace,
    language: str,
    answer: Answer,
    read: Read,
    receipt: Callable[[Any, str], None],
) -> int:
    from jobs import missing, shell_input, shell_misses

    params, rule = shell_misses.asked(arguments)
    shell_input.refuse_overwriting(arguments.out, arguments.files)
    result = read(arguments, shell_input.read_options(arguments), language)
    study = missing.misses_of(result, params, rule)
    shell_misses.refuse_unused(arguments, study)
    if arguments.out is not None:
        shell_misses.write(arguments.out, missing.misses_table(study))
    data = missing.misses_json(study)
    answer(arguments, data, lambda: misses_words(data, language))
    receipt(result.receipt, language)
    return 0


def misses_words(data: Mapping[str, Any], language: str) -> str:
    """The sums by reason, what is lacking, the dearest examples."""

    def word(name: str, **values: Any) -> str:
        return one_line(t(language, name, **values))

    head = [word(f"misses.column.{n}") for n in ("reason", "requests", "tokens", "usd")]
    rows = [
        [word(f"misses.reason.{one['reason']}"), f"{one['requests']:,}", f"{one['tokens']:,}",
         usd]
        for one, usd in zip(
            data["reasons"], same_places([o["penalty_usd"] for o in data["reasons"]]), strict=True
        )
    ]  # fmt: skip
    lines = [
        word(
            "cli.misses_heading", tokens=f"{data['missed_tokens']:,}",
            prompt=f"{data['prompt_tokens']:,}", usd=data["penalty_usd"],
            requests=f"{data['requests']:,}",
        ),
        word(
            f"cli.misses_source_{data['source']}", lifetime=data["lifetime"] or "-",
            placement=data["placement"] or "-",
        ),
        "",
        *columns([head, *rows]),
    ]  # fmt: skip
    if data["requests_left_out"]:
        lines.append(word("misses.left_out", count=f"{data['requests_left_out']:,}"))
    lines += [
        word(f"misses.lacking.{one['fact']}", tokens=f"{one['tokens']:,}")
        for one in data["lacking"]
    ]
    lines += [word(f"misses.note.{name}") for name in data["notes"]]
    return "\n".join([*lines, *_examples(data, word)])


def same_places(amounts: Sequence[str]) -> list[str]:
    """Amounts with as many decimals as the longest of them has, so that points stand in line."""
    places = max((len(text.partition(".")[2]) for text in amounts), default=0)
    return [f"{Decimal(text):.{places}f}" for text in amounts]


def _examples(data: Mapping[str, Any], word: Callable[..., str]) -> list[str]:
    dearest = sorted(
        (one for one in data["examples"] if one["reason"] in data["dearest"]),
        key=lambda one: -float(one["penalty_usd"]),
    )[:EXAMPLES_SHOWN]
    if not dearest:
        return []
    names = ("row", "request", "session", "reason", "at", "tokens", "late", "fork", "usd")
    head = [word(f"misses.column.{name}") for name in names]
    rows = [
        [str(one["row"]), one["request_id"] or "-", one["session"] or "-",
         word(f"misses.reason.{one['reason']}"), one["at_utc"] or f"{one['arrival_s']:,} s",
         f"{one['tokens']:,}", "-" if one["late_s"] is None else f"{one['late_s']:,.0f} s",
         "-" if one["fork_tokens"] is None else f"{one['fork_tokens']:,}", usd]
        for one, usd in zip(
            dearest, same_places([o["penalty_usd"] for o in dearest]), strict=True
        )
    ]  # fmt: skip
    return ["", *columns([head, *rows])]
