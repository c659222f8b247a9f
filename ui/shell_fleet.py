"""The shell's `fleet`: a workload on one's own hardware."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any

from econ.fleet_names import PERCENTILES
from messages.catalogue import say, t
from ui.shell_table import columns, one_line
from ui.terminal import tell

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Read = Callable[[argparse.Namespace, Any, str], Any]
Stage = Callable[[str], Callable[[float, str], None]]
Data = Mapping[str, Any]
FLAGS = (
    ("model", "M"), ("device", "D"), ("tp", "N"), ("attention-copies", "N"),
    ("quantization", "Q"), ("kv-cache-dtype", "D"),
    ("gpu-memory-utilization", "X"), ("engine-block-size", "B"), ("max-num-seqs", "N"),
    ("max-num-batched-tokens", "N"), ("max-model-len", "N"), ("overhead-bytes", "N"),
    ("weights-bytes", "N"), ("device-bytes", "N"), ("bandwidth-bytes-per-s", "X"),
    ("ops-per-s", "X"), ("usd-per-gpu-hour", "USD"), ("replicas", "N[,N...]"),
    ("routing", "R[,R...]"), ("prefill-device", "D"), ("prefill-replicas", "N"),
    ("prefill-tp", "N"), ("link-bytes-per-s", "X"), ("serve", "LINE"), ("log-line", "LINE"),
    ("profile", "ID"),
)  # fmt: skip
GB = 10**9


def commands(answer: Answer, read: Read, stage: Stage) -> dict[str, Command]:
    """The function behind the command, by its name."""
    return {"fleet": lambda arguments, language: _fleet(arguments, language, answer, read, stage)}


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Callable[[str], str],
    reading: Callable[[argparse.ArgumentParser], None],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the command to the shell's parser; `reading` adds what every file needs."""
    fleet = parsers.add_parser("fleet", parents=[common], help=words("fleet"))
    reading(fleet)
    for flag, metavar in FLAGS:
        name = f"fleet_{flag.replace('-', '_')}"
        fleet.add_argument(f"--{flag}", metavar=metavar, help=words(name))
    for target in ("ttft", "tpot"):
        fleet.add_argument(
            f"--target-{target}-s", dest=f"{target}_s", metavar="S", help=words(f"fleet_{target}")
        )
    fleet.add_argument("--percentile", type=int, choices=PERCENTILES,
                       help=words("fleet_percentile"))  # fmt: skip
    fleet.add_argument("--speed", choices=("published", "datasheet"), help=words("fleet_speed"))
    fleet.add_argument("--no-prefix-caching", action="store_true", help=words("fleet_no_prefix"))
    fleet.set_defaults(command=commands_of["fleet"])


def _fleet(
    arguments: argparse.Namespace, language: str, answer: Answer, read: Read, stage: Stage
) -> int:
    from jobs import fleet_flows, shell_fleet, shell_input

    asked = shell_fleet.fleet_asked(arguments)
    fleet_flows.setup_of(asked)  # what is wrong with it is said before a large file is read
    result = read(arguments, shell_input.read_options(arguments), language)
    progress = stage(language)
    made = fleet_flows.served(
        result.workload,
        asked,
        lambda fraction, name, rows=None: progress(fraction, name),
        compare=False,
    )
    data = fleet_flows.fleet_json(asked, made)
    answer(arguments, data, lambda: fleet_words(data, language))
    for message in made.said:
        tell(say(language, message), sys.stderr)
    return 0


def fleet_words(data: Data, language: str) -> str:
    """Memory, then a line for each fleet, then the promise and the money."""

    def words(name: str, **values: Any) -> str:
        return one_line(t(language, f"cli.fleet_{name}", **values))

    memory = data["memory"]
    sizes = {name: f"{memory[f'{name}_bytes'] / GB:,.1f}" for name in
             ("device", "weights", "overhead", "kv")}  # fmt: skip
    lines = [
        one_line(f"{data['model']}, {data['device']}"),
        words("memory", **sizes),
        words("blocks", blocks=memory["blocks"], tokens=memory["block_tokens"]),
    ]
    if memory["sequences_p50"] is not None:
        lines.append(words("sequences", p50=memory["sequences_p50"], p95=memory["sequences_p95"]))
    if data["results"]:
        head = [words(f"head_{n}") for n in
                ("replicas", "routing", "hits", "lost", "load", "ttft50", "ttft95", "tpot50",
                 "tpot95")]  # fmt: skip
        lines += ["", *columns([head, *(_row(row, words("full")) for row in data["results"])])]
        if any(row["saturated"] for row in data["results"]):
            lines.append(words("saturated"))
        lines += ["", words("n", n=data["results"][0]["ttft_s"]["n"])]
    if data["smallest"] is not None:
        best = {name: data["smallest"][name] for name in ("replicas", "routing", "percentile")}
        lines.append(words("smallest", **best))
    if data["handoff"] is not None:
        moved = data["handoff"]
        lines.append(words("handoff", gb=f"{moved['bytes'] / GB:,.3f}",
                           ms=f"{moved['transfer_s'] * 1000:,.2f}",
                           share=_share(moved["share_of_ttft"]),
                           room=f"{moved['max_in_decode']:,}"))  # fmt: skip
    return "\n".join([*lines, *_money(data["cost"], words)])


def _row(row: Data, saturated: str) -> list[str]:
    load = row["utilisation"]
    shown = [
        str(row["replicas"]), row["routing"], _share(row["token_hit_ratio"]),
        f"{row['lost_hit_tokens']:,}", "-" if load is None else f"{load:.2f}",
    ]  # fmt: skip
    if row["saturated"]:
        return [*shown, saturated]
    times = (row["ttft_s"]["p50"], row["ttft_s"]["p95"], row["tpot_s"]["p50"],
             row["tpot_s"]["p95"])  # fmt: skip
    return [*shown, *("-" if s is None else f"{s:,.4f}" for s in times)]


def _share(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio * 100:.1f}%"


def _money(cost: Data | None, words: Callable[..., str]) -> list[str]:
    if cost is None:
        return []
    each = {name: value or "-" for name, value in cost["usd_per_mtok"].items()}
    return [
        words("cost", usd=cost["usd"], hours=f"{cost['reserved_gpu_hours']:,.2f}",
              price=cost["usd_per_gpu_hour"]),
        words("per_mtok", **each),
        words("source", source=cost["source"], as_of=cost["as_of"] or "-"),
    ]  # fmt: skip
