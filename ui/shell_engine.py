"""The engine's commands of the shell: `probe`, and `profiles list | show | delete | import`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from data_sources.probe.asked import APIS, AUTO, DEFAULT_PROMPT_TOKENS, DEFAULT_TIMEOUT_S
from messages.catalogue import t
from ui.shell_table import columns, one_line
from ui.terminal import tell

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Words = Callable[[str], str]
Data = Mapping[str, Any]
RUN_COLUMNS = ("first_token", "total", "eval", "prompt", "cached")
PROFILE_COLUMNS = ("origin", "date", "device", "model", "name")


def commands(answer: Answer) -> dict[str, Command]:
    """The functions behind the commands, each by its name."""
    return {
        "probe": lambda arguments, language: _probe(arguments, language, answer),
        "profiles list": lambda arguments, language: _list(arguments, language, answer),
        "profiles show": lambda arguments, language: _show(arguments, language, answer),
        "profiles delete": lambda arguments, language: _delete(arguments, language, answer),
        "profiles import": lambda arguments, language: _import(arguments, language, answer),
    }


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Words,
    count: Callable[[str], int],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the commands to the shell's parser."""
    probe = parsers.add_parser("probe", parents=[common], help=words("probe"))
    probe.add_argument("url", metavar="URL", help=words("probe_url"))
    probe.add_argument("--model", metavar="M", required=True, help=words("probe_model"))
    probe.add_argument("--prompt-tokens", metavar="N", type=count, default=DEFAULT_PROMPT_TOKENS,
                       help=words("probe_tokens"))  # fmt: skip
    probe.add_argument("--api", choices=(*APIS, AUTO), default=AUTO,
                       help=words("probe_api"))  # fmt: skip
    probe.add_argument("--timeout-s", metavar="S", type=count, default=DEFAULT_TIMEOUT_S,
                       help=words("probe_timeout"))  # fmt: skip
    probe.set_defaults(command=commands_of["probe"])

    acts = parsers.add_parser("profiles", help=words("profiles")).add_subparsers(
        required=True, metavar="COMMAND"
    )
    for name in ("list", "show", "delete", "import"):
        act = acts.add_parser(name, parents=[common], help=words(f"profiles_{name}"))
        if name == "import":
            act.add_argument("file", metavar="FILE", type=Path, help=words("profile_file"))
        elif name != "list":
            act.add_argument("profile_id", metavar="ID", help=words("profile_id"))
        act.set_defaults(command=commands_of[f"profiles {name}"])


def _probe(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import probing

    asked = probing.ProbeAsked(
        url=arguments.url,
        model=arguments.model,
        prompt_tokens=arguments.prompt_tokens,
        api=arguments.api,
        timeout_s=arguments.timeout_s,
    )

    def stage(name: str) -> None:
        if sys.stderr.isatty():
            words = t(language, f"cli.probe_stage_{name}")
            tell(t(language, "cli.probe_stage", stage=words), sys.stderr)

    data = probing.probe(asked, stage)
    answer(arguments, data, lambda: probed(data, language))
    return 0


def probed(data: Data, language: str) -> str:
    """Both times of a probe, never their ratio alone, and kvcore's pair beside them."""
    named = {name: data[name] for name in ("model", "url", "api")}
    head = ["", *(t(language, f"cli.probe_{name}") for name in RUN_COLUMNS)]
    rows = [_run(t(language, f"cli.probe_{run}"), data[run]) for run in ("cold", "warm")]
    own, said = data["kvcore"], t(language, "cli.probe_no_kvcore")
    if own is not None:
        rows += _own(own, language)
        values = {"name": own["name"], "date": own["created_utc"][:10], "model": own["model"]}
        said = t(language, "cli.probe_kvcore", **values)
    lines = [
        one_line(t(language, "cli.probe_heading", **named, date=data["created_utc"][:10])),
        one_line(t(language, "cli.probe_server", version=data["server_version"] or "-")),
        "",
        *columns([head, *rows]),
        "",
        one_line(said),
    ]
    if data["prompt"]["cut"]:
        found = {"found": data["cold"]["prompt_tokens"], "asked": data["prompt"]["asked_tokens"]}
        lines.append(t(language, "cli.probe_truncated", **found))
    return "\n".join(lines)


def _run(name: str, run: Data) -> Sequence[str]:
    times = (run["first_token_s"], run["total_s"], run["prompt_eval_s"])
    counts = (run["prompt_tokens"], run["cached_tokens"])
    return [name, *map(_seconds, times), *map(_count, counts)]


def _own(own: Data, language: str) -> list[Sequence[str]]:
    tokens = (own["prompt_tokens"], own["reused_tokens"])
    return [
        [t(language, f"cli.probe_kvcore_{run}"), _seconds(own[f"{run}_s"]), "-", "-",
         _count(tokens[0]), _count(cached)]
        for run, cached in (("cold", 0), ("warm", tokens[1]))
    ]  # fmt: skip


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:,.3f}"


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _list(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import profiling

    rows = profiling.profiles_json()
    answer(arguments, {"profiles": rows}, lambda: listed(rows, language))
    return 0


def listed(rows: Sequence[Data], language: str) -> str:
    """The profiles, kept ones first."""
    if not rows:
        return t(language, "cli.no_profiles")
    head = ["", *(t(language, f"cli.profile_{name}") for name in PROFILE_COLUMNS)]
    table = [
        [
            row["profile_id"][:12],
            t(language, f"profiles.origin_{row['origin']}"),
            row["created_utc"][:10],
            row["device_name"],
            row["model_name"],
            row["name"],
        ]
        for row in rows
    ]
    return "\n".join(columns([head, *table]))


def _show(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import profiling

    data = profiling.profile_to_json(profiling.full_profile_id(arguments.profile_id))
    answer(arguments, data, lambda: shown(data, language))
    return 0


def shown(data: Data, language: str) -> str:
    """A profile: what it was measured on, and every figure."""
    names = ("case", "params", "median", "spread", "unit", "n", "contended")
    head = [t(language, f"cli.profile_{name}") for name in names]
    rows = [
        [
            row["case"],
            ", ".join(f"{key} {value}" for key, value in row["params"].items()),
            *("-" if row[name] is None else f"{row[name]:.6g}" for name in ("median", "spread")),
            row["unit"],
            str(row["n"]),
            head[-1] if row["contended"] else "",
        ]
        for row in data["cases"]
    ]
    device, model = data["device"], data["model"]
    lines = [
        one_line(f"{data['name']}, {data['created_utc'][:10]}"),
        one_line(f"{device['name']}, {device['kind']}, {model['name']}, {model['weight_dtype']}"),
        one_line(", ".join(f"{key} {value}" for key, value in data["versions"].items())),
    ]
    return "\n".join([*lines, "", *columns([head, *rows])])


def _delete(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import profiling

    profile_id = profiling.full_profile_id(arguments.profile_id)
    profiling.delete_profile(profile_id)
    words = t(language, "cli.profile_deleted", id=profile_id)
    answer(arguments, {"deleted": profile_id}, lambda: words)
    return 0


def _import(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import profiling

    profile_id = profiling.import_file(arguments.file)
    words = t(language, "cli.profile_imported", id=profile_id)
    answer(arguments, {"imported": profile_id}, lambda: words)
    return 0
