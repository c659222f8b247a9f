"""The shell's `roofline`: how fast decode and prefill can be, or were measured to be."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from messages.catalogue import t
from ui.shell_table import columns, one_line
from ui.terminal import tell

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Data = Mapping[str, Any]
COLUMNS = ("context", "batch", "kv", "total", "fits", "step", "rate", "prefill", "linear",
           "attention", "bound", "band")  # fmt: skip


def commands(answer: Answer) -> dict[str, Command]:
    """The function behind the command, by its name."""
    return {"roofline": lambda arguments, language: _roofline(arguments, language, answer)}


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Callable[[str], str],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the command to the shell's parser."""
    made = parsers.add_parser("roofline", parents=[common], help=words("roofline"))
    made.add_argument("model", metavar="MODEL", help=words("kv_model"))
    made.add_argument("--device", metavar="D", help=words("roofline_device"))
    made.add_argument("--context", metavar="N[,N]", required=True, help=words("roofline_context"))
    made.add_argument("--batch", metavar="B[,B]", required=True, help=words("roofline_batch"))
    made.add_argument("--weights-bytes", metavar="W", help=words("roofline_weights"))
    made.add_argument("--tp", metavar="N", help=words("roofline_tp"))
    made.add_argument("--attention-copies", metavar="N", help=words("roofline_copies"))
    made.add_argument("--dtype", metavar="D", default="bf16", help=words("kv_dtype"))
    made.add_argument("--profile", metavar="ID", help=words("roofline_profile"))
    made.add_argument("--source", choices=("datasheet", "published"), default="datasheet",
                      help=words("roofline_source"))  # fmt: skip
    made.add_argument("--output-tokens", metavar="N", help=words("roofline_output"))
    made.set_defaults(command=commands_of["roofline"])


def _roofline(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import shell_roofline, speeds

    data, outside = speeds.roofline(shell_roofline.roofline_asked(arguments))
    answer(arguments, data, lambda: roofline_words(data, language))
    if outside:
        named = ", ".join(t(language, f"results.outside.{name}") for name in outside)
        tell(t(language, "cli.roofline_outside", named=named), sys.stderr)
    return 0


def roofline_words(data: Data, language: str) -> str:
    """What stands behind the times, then one row a point."""
    kind = t(language, f"cli.roofline_kind_{data['source_kind']}")
    named = {name: data[name] for name in ("model", "device")}
    weights = f"{data['weights_bytes'] / 1e9:,.2f}"
    head = t(language, "cli.roofline_heading", data["tensor_parallel"], **named, weights=weights)
    titles = tuple(t(language, f"cli.roofline_column_{name}") for name in COLUMNS)
    rows = [_row(point, language) for point in data["points"]]
    lines = [one_line(head), kind, "", *columns([titles, *rows])]
    if any(point["band"] for point in data["points"]):
        lines += ["", t(language, f"cli.roofline_band_{data['source_kind']}")]
    if data["tensor_parallel"] > 1 and data["source_kind"] != "published":
        lines += ["", t(language, "cli.roofline_ranks")]
    return "\n".join(lines)


def _row(point: Data, language: str) -> Sequence[str]:
    fits = "unknown" if point["fits"] is None else "yes" if point["fits"] else "no"
    band = point["band"]
    return (
        f"{point['context_tokens']:,}",
        f"{point['batch']:,}",
        f"{point['kv_bytes'] / 1e9:,.2f}",
        f"{point['total_bytes'] / 1e9:,.1f}",
        t(language, f"cli.roofline_fits_{fits}"),
        f"{point['decode_step_s'] * 1e3:,.2f}",
        f"{point['tokens_per_s']:,.1f}",
        *(_seconds(point[name]) for name in ("prefill_s", "prefill_linear_s",
                                             "prefill_attention_s")),
        t(language, f"results.bound.{point['bound']}"),
        "-" if band is None else f"{band['low_ratio']:.2f}-{band['high_ratio']:.2f} "
        f"({band['basis']}, n={band['n']:,})",
    )  # fmt: skip


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:,.3f}"
