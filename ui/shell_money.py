"""The shell's `tiers` and `breakeven`: load or compute again, own or rent."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from messages.catalogue import t
from ui.shell_table import columns, one_line

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Read = Callable[[argparse.Namespace, Any, str], Any]
Words = Callable[[str], str]
Data = Mapping[str, Any]
ROWS_SHOWN = 24
TIERS_FLAGS = (
    ("device", "D"), ("weights-dtype", "D"), ("weights-bytes", "N"), ("prefix-tokens", "N"),
    ("bytes-per-token", "N"), ("parameters", "N"), ("layers", "N"), ("hidden", "N"),
    ("ops-per-s", "X"), ("efficiency", "X"), ("life-years", "X"), ("implied-bytes", "LOW,HIGH"),
)  # fmt: skip
BREAKEVEN_FLAGS = (
    ("tokens-per-s", "X"), ("computed-tokens-per-s", "X"), ("reuse", "X"),
    ("api-input-usd", "USD"), ("api-read-usd", "USD"),
)  # fmt: skip


def commands(answer: Answer, read: Read) -> dict[str, Command]:
    """The functions behind the commands, each by its name."""
    return {
        "tiers": lambda arguments, language: _tiers(arguments, language, answer, read),
        "breakeven": lambda arguments, language: _breakeven(arguments, language, answer, read),
    }


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Words,
    count: Callable[[str], int],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the commands to the shell's parser."""
    tiers = parsers.add_parser("tiers", parents=[common], help=words("tiers"))
    _reading(tiers, words, count)
    tiers.add_argument("--model", metavar="MODEL", help=words("kv_model"))
    tiers.add_argument("--dtype", metavar="D", default="bf16", help=words("kv_dtype"))
    for flag, metavar in TIERS_FLAGS:
        tiers.add_argument(f"--{flag}", metavar=metavar, help=words(_name("tiers", flag)))
    for flag, metavar in (
        ("bandwidth", "[TIER=]X"), ("capacity-gb", "TIER=X"), ("wait-s", "TIER=X"),
        ("provider", "P"), ("premium-model", "M"),
    ):  # fmt: skip
        tiers.add_argument(f"--{flag}", metavar=metavar, action="append", default=[],
                           help=words(_name("tiers", flag)))  # fmt: skip
    tiers.add_argument("--at", metavar="DATE", help=words("at"))
    tiers.set_defaults(command=commands_of["tiers"])

    own = parsers.add_parser("breakeven", parents=[common], help=words("breakeven"))
    _reading(own, words, count)
    own.add_argument("--usd-per-hour", metavar="USD", required=True,
                     help=words("breakeven_usd_per_hour"))  # fmt: skip
    for flag, metavar in BREAKEVEN_FLAGS:
        own.add_argument(f"--{flag}", metavar=metavar, help=words(_name("breakeven", flag)))
    own.add_argument("--provider", metavar="P", action="append", default=[],
                     help=words("candidate_provider"))  # fmt: skip
    own.add_argument("--model", metavar="M", action="append", default=[],
                     help=words("candidate_model"))  # fmt: skip
    own.add_argument("--at", metavar="DATE", help=words("at"))
    own.set_defaults(command=commands_of["breakeven"])


def _name(command: str, flag: str) -> str:
    return f"{command}_{flag.replace('-', '_')}"


def _reading(parser: argparse.ArgumentParser, words: Words, count: Callable[[str], int]) -> None:
    """A workload, where there is one."""
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help=words("files"))
    for flag, metavar in (("map", "COLUMN=FIELD"), ("map-model", "NAME=ID")):
        parser.add_argument(f"--{flag}", metavar=metavar, action="append", default=[],
                            help=words(flag.replace("-", "_")))  # fmt: skip
    parser.add_argument("--block-size", metavar="B", type=count, help=words("block_size"))
    parser.add_argument("--leave-out-misfits", action="store_true",
                        help=words("leave_out_misfits"))  # fmt: skip
    parser.add_argument("--tz", metavar="ZONE", help=words("tz"))
    parser.add_argument("--name", metavar="NAME", help=words("name"))


def _tiers(arguments: argparse.Namespace, language: str, answer: Answer, read: Read) -> int:
    from jobs import shell_input, shell_money, tiering, tiers_json

    asked = shell_money.tiers_asked(arguments)
    workload = None
    if arguments.files:
        workload = read(arguments, shell_input.read_options(arguments), language).workload
    found = tiering.tiers_found(asked, workload)
    data = tiers_json.tiers_to_json(found)
    answer(arguments, data, lambda: tiers_words(data, found, language))
    return 0


def tiers_words(data: Data, found: Any, language: str) -> str:
    """Load or compute for each place; what a workload would find there; the premiums."""

    def word(name: str, **values: Any) -> str:
        return one_line(t(language, f"cli.tiers_{name}", **values))

    head = [word(n) for n in ("place", "bandwidth_gb", "transfer", "choice", "usd_per_gb_hour")]
    with_hits = found.study.requests is not None
    if with_hits:
        head += [word(n) for n in ("blocks", "hits", "not_worth", "saved")]
    rows = []
    for row, shown in zip(found.study.rows, data["tiers"], strict=True):
        line = [
            shown["tier"],
            f"{shown['bytes_per_s'] / 1e9:,.4g}",
            f"{shown['transfer_s']:,.3f}",
            word(shown["choice"]),
            _money(shown["usd_per_gb_hour"]),
        ]
        if with_hits:
            line += [
                _count(shown["capacity_blocks"]),
                _count(shown["hit_tokens"]),
                _count(shown["not_worth_loading_tokens"]),
                "-" if row.hits is None else f"{row.hits.saved_s:,.0f}",
            ]
        rows.append(line)
    lines = [
        word(
            "heading", model=data["model"], tokens=data["prefix_tokens"],
            gb=f"{data['kv_bytes'] / 1e9:,.2f}",
        ),
        word(
            "recomputing", seconds=f"{data['recompute_s']:,.2f}",
            linear=f"{data['linear_flop']:.2e}", attention=f"{data['attention_flop']:.2e}",
            share=f"{found.speeds.ops_ratio:.0%}",
        ),
        word("break_even", gb=f"{data['break_even_bytes_per_s'] / 1e9:,.2f}"),
        "",
        *columns([head, *rows]),
        "",
        *_premiums(data["implied"], language),
    ]  # fmt: skip
    return "\n".join(lines)


def _premiums(implied: Sequence[Data], language: str) -> list[str]:
    if not implied:
        return [t(language, "cli.tiers_no_premiums")]
    names = ("provider_column", "model_column", "premium", "lifetime", "usd_per_gb_hour")
    head = [t(language, f"cli.tiers_{name}") for name in names]
    rows = [
        [row["provider"], row["model"], row["premium"], f"{row['lifetime_s']:,}",
         _money(row["usd_per_gb_hour"])]
        for row in implied[:ROWS_SHOWN]
    ]  # fmt: skip
    each = implied[0]["bytes_per_token"]
    shown = f"{each:,}" if isinstance(each, int) else f"{each['low']:,} .. {each['high']:,}"
    lines = [t(language, "cli.tiers_implied", bytes=shown), *columns([head, *rows])]
    return [*lines, *_more(len(implied), language)]


def _more(rows: int, language: str) -> list[str]:
    left = rows - ROWS_SHOWN
    return [t(language, "cli.money_more", left)] if left > 0 else []


def _breakeven(arguments: argparse.Namespace, language: str, answer: Answer, read: Read) -> int:
    from jobs import own_hours, shell_input, shell_money

    asked = shell_money.own_asked(arguments)
    if arguments.files:
        result = read(arguments, shell_input.read_options(arguments), language)
        own, rows = own_hours.with_workload(asked, result)
    else:
        own, rows = own_hours.without_workload(asked)
    data = own_hours.breakeven_to_json(own, rows)
    answer(arguments, data, lambda: breakeven_words(data, language, bool(arguments.files)))
    return 0


def breakeven_words(data: Data, language: str, of_workload: bool) -> str:
    """What an own token costs by utilisation, and the utilisation at which each API costs as
    much."""

    def word(name: str, **values: Any) -> str:
        return one_line(t(language, f"cli.breakeven_{name}", **values))

    own = data["own"]
    reuse = "-" if own["reuse_ratio"] is None else f"{own['reuse_ratio']:.1%}"
    lines = [
        word(
            "own", usd=own["usd_per_hour"], rate=f"{own['tokens_per_s']:,.6g}", reuse=reuse,
            busy=_short(own["usd_per_mtok_busy"]),
        ),
        word("of_policies" if of_workload else "of_input"),
    ]  # fmt: skip
    if not data["rows"]:
        return "\n".join([*lines, "", word("no_rows")])
    at = data["rows"][0]["own_usd_per_mtok_at"]
    lines.append(word("at", pairs=", ".join(f"{ratio:.0%} {_short(usd)}" for ratio, usd in at)))
    head = [word(n) for n in ("provider", "model", "policy", "api", "utilisation", "per_day")]
    rows = [
        [
            row["provider"] or "-",
            row["model"] or "-",
            row["policy"],
            _short(row["api_usd_per_mtok"]),
            f"{row['utilisation_ratio']:.1%}" if row["utilisation_ratio"] <= 1 else word("never"),
            _count(row["tokens_per_day"]),
        ]
        for row in data["rows"][:ROWS_SHOWN]
    ]
    return "\n".join([*lines, "", *columns([head, *rows]), *_more(len(data["rows"]), language)])


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _money(usd: Any) -> str:
    if usd is None:
        return "-"
    if isinstance(usd, str):
        return _short(usd)
    return f"{_short(usd['low'])} .. {_short(usd['high'])}"


def _short(usd: str) -> str:
    """Three significant digits, no exponent."""
    value = Decimal(usd)
    if not value:
        return "0"
    rounded = round(value, 2 - value.adjusted())
    return f"{rounded:,f}"
