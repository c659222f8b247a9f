"""The command line: every command with its flags, in the reader's language."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from econ.policy_plans import PLACEMENTS
from econ.policy_plans import POLICIES as CACHE_POLICIES
from econ.replay_names import DEFAULT_POLICY, POLICIES, RULES, SCOPES
from messages.catalogue import LANGUAGES, t
from ui import (
    shell_engine,
    shell_files,
    shell_fleet,
    shell_kv,
    shell_less_kv,
    shell_misses,
    shell_money,
    shell_own,
    shell_public,
    shell_roofline,
)

Command = Callable[[argparse.Namespace, str], int]


def build(language: str, commands_of: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser of all commands; each parsed call has the function of its name as `command`."""

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
    inspect.set_defaults(command=commands_of["inspect"])

    report = commands.add_parser("report", parents=[common], help=words("report"))
    _reading(report, words, count)
    _choices(report, words)
    report.set_defaults(command=commands_of["report"])

    for name, flags in (("replay", _replay), ("curve", _curve)):
        replayed = commands.add_parser(name, parents=[common], help=words(name))
        _reading(replayed, words, count)
        flags(replayed, words)
        replayed.set_defaults(command=commands_of[name])

    prices = commands.add_parser("prices", help=words("prices"))
    kinds = prices.add_subparsers(required=True, metavar="COMMAND")
    show = kinds.add_parser("show", parents=[common], help=words("prices_show"))
    show.add_argument("model", metavar="MODEL", help=words("model_id"))
    show.add_argument("--provider", metavar="P", help=words("provider"))
    show.add_argument("--surface", metavar="S", help=words("surface"))
    show.add_argument("--mode", metavar="M", help=words("mode"))
    show.add_argument("--prompt-tokens", metavar="N", type=count, help=words("prompt_tokens"))
    show.add_argument("--at", metavar="DATE", help=words("at"))
    show.set_defaults(command=commands_of["prices show"])
    check = kinds.add_parser("check", parents=[common], help=words("prices_check"))
    check.set_defaults(command=commands_of["prices check"])

    saved = commands.add_parser("reports", help=words("reports"))
    acts = saved.add_subparsers(required=True, metavar="COMMAND")
    listed = acts.add_parser("list", parents=[common], help=words("reports_list"))
    listed.set_defaults(command=commands_of["reports list"])
    for name in ("show", "delete"):
        act = acts.add_parser(name, parents=[common], help=words(f"reports_{name}"))
        act.add_argument("report_id", metavar="ID", help=words("report_id"))
        act.set_defaults(command=commands_of[f"reports {name}"])
        if name == "show":
            act.add_argument("--out", metavar="FILE", type=_path, help=words("out"))
            shell_files.add(act, words)

    shell_engine.add(commands, common, words, count, commands_of)
    shell_kv.add(commands, common, words, commands_of)
    shell_roofline.add(commands, common, words, commands_of)
    shell_money.add(commands, common, words, count, commands_of)
    shell_fleet.add(commands, common, words, lambda p: _reading(p, words, count), commands_of)
    shell_public.add(commands, common, words, count, commands_of)
    shell_less_kv.add(commands, common, words, lambda p: _reading(p, words, count), commands_of)
    shell_misses.add(commands, common, words, lambda p: _reading(p, words, count), commands_of)
    return parser


def _reading(
    parser: argparse.ArgumentParser, words: Callable[[str], str], count: Callable[[str], int]
) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=_path, help=words("files"))
    parser.add_argument(
        "--map", metavar="COLUMN=FIELD", action="append", default=[], help=words("map")
    )
    parser.add_argument(
        "--map-model", metavar="NAME=ID", action="append", default=[], help=words("map_model")
    )
    parser.add_argument("--block-size", metavar="B", type=count, help=words("block_size"))
    parser.add_argument("--leave-out-misfits", action="store_true",
                        help=words("leave_out_misfits"))  # fmt: skip
    parser.add_argument("--tz", metavar="ZONE", help=words("tz"))
    parser.add_argument("--tokenizer", metavar="FILE", type=_path, help=words("tokenizer"))
    parser.add_argument("--name", metavar="NAME", help=words("name"))


def _choices(parser: argparse.ArgumentParser, words: Callable[[str], str]) -> None:
    parser.add_argument("--provider", metavar="P", action="append", default=[],
                        help=words("candidate_provider"))  # fmt: skip
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=words("candidate_model"))  # fmt: skip
    parser.add_argument("--policy", action="append", default=[], choices=CACHE_POLICIES,
                        help=words("candidate_policy"))  # fmt: skip
    parser.add_argument("--placement", action="append", default=[], choices=PLACEMENTS,
                        help=words("candidate_placement"))  # fmt: skip
    parser.add_argument("--tokenizer-factor", metavar="NAME=1.3", action="append", default=[],
                        help=words("tokenizer_factor"))  # fmt: skip
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
    parser.add_argument("--invoice", metavar="PROVIDER=USD", action="append", default=[],
                        help=words("invoice"))  # fmt: skip
    parser.add_argument("--stated-costs", metavar="FILE", action="append", default=[], type=_path,
                        help=words("stated_costs"))  # fmt: skip
    parser.add_argument("--include-failed", action="store_true", help=words("include_failed"))
    parser.add_argument("--out", metavar="FILE", type=_path, help=words("out"))
    shell_own.add(parser, words)
    shell_files.add(parser, words)
    parser.add_argument("--save", action="store_true", help=words("save"))


def _replay(parser: argparse.ArgumentParser, words: Callable[[str], str]) -> None:
    parser.add_argument("--capacity-blocks", metavar="N[,N...]", required=True,
                        help=words("capacity_blocks"))  # fmt: skip
    parser.add_argument("--ttl-s", metavar="S", help=words("ttl_s"))
    _cache(parser, words)


def _curve(parser: argparse.ArgumentParser, words: Callable[[str], str]) -> None:
    parser.add_argument("--at-blocks", metavar="N[,N...]", help=words("at_blocks"))
    _cache(parser, words)


def _cache(parser: argparse.ArgumentParser, words: Callable[[str], str]) -> None:
    parser.add_argument("--policy", choices=POLICIES, default=DEFAULT_POLICY,
                        help=words("cache_policy"))  # fmt: skip
    parser.add_argument("--rules", choices=RULES, default=RULES[0], help=words("rules"))
    parser.add_argument("--scope", choices=SCOPES, default=SCOPES[0], help=words("scope"))


def _path(text: str) -> Path:
    """A path that was given: an unset "$FILE" is '', and must not mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("''")
    return Path(text)


def _counter(language: str) -> Callable[[str], int]:
    """Reads a whole number from 1; argparse names the flag before our words."""

    def count(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < 1:
            words = t(language, "cli.not_a_count", found=text)
            raise argparse.ArgumentTypeError(words)
        return int(text)

    return count
