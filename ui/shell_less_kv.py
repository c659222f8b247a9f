"""The shell's `lesskv` and `switch`: what less KV does to a workload, and published hand-overs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from messages.catalogue import t
from ui.shell_table import columns, one_line

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Read = Callable[[argparse.Namespace, Any, str], Any]
Data = Mapping[str, Any]
RESIDENCES = ("lifetime", "session", "answer")
GB = 1_000_000_000
CENT = Decimal("0.000001")


def commands(answer: Answer, read: Read) -> dict[str, Command]:
    """The functions behind the commands, by their names."""
    return {
        "lesskv": lambda arguments, language: _less_kv(arguments, language, answer, read),
        "switch": lambda arguments, language: _switch(arguments, language, answer),
    }


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Callable[[str], str],
    reading: Callable[[argparse.ArgumentParser], None],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the commands to the shell's parser; `reading` adds the flags of every file reader."""
    less = parsers.add_parser("lesskv", parents=[common], help=words("lesskv"))
    reading(less)
    less.add_argument("--model", metavar="M", help=words("lesskv_model"))
    less.add_argument("--device", metavar="D", help=words("lesskv_device"))
    less.add_argument("--keys", metavar="F", help=words("lesskv_keys"))
    less.add_argument("--values", metavar="F", help=words("lesskv_values"))
    less.add_argument("--weights", choices=("bf16", "fp8", "int4"), help=words("lesskv_weights"))
    less.add_argument("--residence", choices=RESIDENCES, default=RESIDENCES[0],
                      help=words("lesskv_residence"))  # fmt: skip
    less.add_argument("--lifetime-s", metavar="S", help=words("lesskv_lifetime"))
    less.add_argument("--out", metavar="FILE", type=Path, help=words("lesskv_csv"))
    less.set_defaults(command=commands_of["lesskv"])
    hand = parsers.add_parser("switch", parents=[common], help=words("switch"))
    hand.add_argument("sender", metavar="FROM", help=words("switch_from"))
    hand.add_argument("receiver", metavar="TO", help=words("switch_to"))
    hand.add_argument("--context", metavar="N", default="32768", help=words("switch_context"))
    hand.set_defaults(command=commands_of["switch"])


def _less_kv(arguments: argparse.Namespace, language: str, answer: Answer, read: Read) -> int:
    from jobs import less_kv, less_kv_out, shell_input, shell_less_kv

    asked = shell_less_kv.less_kv_asked(arguments)
    shell_input.refuse_overwriting(arguments.out, arguments.files)
    result = read(arguments, shell_input.read_options(arguments), language)
    found = shell_less_kv.needed(less_kv.less_kv_of(result.workload, asked), result.workload.name)
    shell_less_kv.write(arguments.out, found)
    data = less_kv_out.to_json(found)
    answer(arguments, data, lambda: less_kv_words(data, language))
    return 0


def less_kv_words(data: Data, language: str) -> str:
    """The scenarios, one row each."""
    lengths, held = data["lengths"], data["residence"]
    named = {"model": data["model"], "device": data["device"], **lengths}
    stays = t(language, f"less_kv.stays.{held['model']}", lifetime=f"{held['lifetime_s']:,} s")
    word = "less_kv.column."
    names = ("scenario", "bytes_per_token", "p95", "peak", "sequences", "devices", "usd")
    rows = [tuple(t(language, f"{word}{name}") for name in names)]
    rows += [_row(row, language) for row in data["scenarios"]]
    lines = [
        one_line(t(language, "cli.lesskv_heading", **named)),
        one_line(t(language, "cli.lesskv_stays", residence=stays)),
        "",
    ]
    return "\n".join([*lines, *columns(rows)])


def _row(row: Data, language: str) -> tuple[str, ...]:
    usd = row["hbm_usd"]
    return (
        f"{t(language, 'less_kv.lever.' + row['lever'])}, {row['kv_format']}"
        if row["lever"] != "format"
        else row["kv_format"],
        f"{row['bytes_per_token']:,}",
        f"{row['bytes_p95'] / GB:,.2f} GB",
        f"{row['peak_bytes'] / GB:,.2f} GB",
        _count(row["sequences_p95"]),
        _count(row["devices"]),
        "-" if usd is None else f"{Decimal(usd['mid']).quantize(CENT)}",
    )


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _switch(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import less_kv_out, shell_less_kv

    tokens = shell_less_kv.context_tokens(arguments.context)
    data = less_kv_out.switch_of(arguments.sender, arguments.receiver, tokens)
    answer(arguments, data, lambda: switch_words(data, language))
    return 0


def switch_words(data: Data, language: str) -> str:
    """One sentence: what was published, what failed, or that nobody measured it."""
    values = {"sender": data["sender"], "receiver": data["receiver"]}
    if data["retention_low"] is None:
        return one_line(t(language, "cli.switch_not_measured", **values))
    kept = f"{data['retention_low'] * 100:.1f} %"
    if data["map_s"] is not None:
        times = {"map": round(data["map_s"] * 1000), "prefill": round(data["prefill_s"] * 1000)}
        gain = f"{data['gain']:.1f}"
        return one_line(
            t(language, "cli.switch_timed", kept=kept, tokens=data["tokens"], gain=gain, **values,
              **times)
        )  # fmt: skip
    return one_line(t(language, f"cli.switch_{data['advice']}", kept=kept, **values))
