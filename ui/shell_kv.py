"""The shell's `kv`: what a model's cache weighs, and how much of it fits."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from messages.catalogue import say, t
from ui.shell_table import columns, one_line

Command = Callable[[argparse.Namespace, str], int]
Answer = Callable[[argparse.Namespace, Any, Callable[[], str]], None]
Data = Mapping[str, Any]
TOTALS = ("bytes_per_token", "bytes_per_token_long_context", "bytes_min", "bytes_reserved",
          "bytes_per_rank", "bytes_mha_style")  # fmt: skip
CAPACITY = {
    "free_bytes": "cli.kv_free_bytes_left",
    "overhead_bytes": "cli.kv_overhead_bytes",
    "residual_bytes": "cli.kv_residual_bytes",
}
FITS = ("blocks", "tokens", "sequences")
GB, GIB = 10**9, 2**30


def commands(answer: Answer) -> dict[str, Command]:
    """The function behind the command, by its name."""
    return {"kv": lambda arguments, language: _kv(arguments, language, answer)}


def add(
    parsers: Any,
    common: argparse.ArgumentParser,
    words: Callable[[str], str],
    commands_of: Mapping[str, Command],
) -> None:
    """Add the command to the shell's parser."""
    kv = parsers.add_parser("kv", parents=[common], help=words("kv"))
    kv.add_argument("model", metavar="MODEL", help=words("kv_model"))
    kv.add_argument("--context", metavar="N", required=True, help=words("kv_context"))
    kv.add_argument("--dtype", metavar="D", default="bf16", help=words("kv_dtype"))
    for flag, metavar in (
        ("sequences", "N"), ("tp", "N"), ("block-size", "B"), ("free-bytes", "N"),
        ("device-bytes", "N"), ("fraction", "X"), ("weights-bytes", "N"), ("engine-blocks", "N"),
    ):  # fmt: skip
        name = f"kv_{flag.replace('-', '_')}"
        kv.add_argument(f"--{flag}", metavar=metavar, help=words(name))
    kv.set_defaults(command=commands_of["kv"])


def _kv(arguments: argparse.Namespace, language: str, answer: Answer) -> int:
    from jobs import model_sizes, shell_kv

    read, data = model_sizes.kv_answer(shell_kv.kv_asked(arguments))
    assumed = [say(language, message) for message in read.assumptions]
    answer(arguments, data, lambda: kv_words(data, language, assumed))
    return 0


def kv_words(data: Data, language: str, assumed: Sequence[str] = ()) -> str:
    """Bytes in both units, layer by layer, and what fits."""
    named = {
        name: data[name]
        for name in ("model", "dtype", "context_tokens", "sequences", "tensor_parallel")
    }
    lines = [one_line(t(language, "cli.kv_heading", **named)), ""]
    lines += columns(
        [("", t(language, "cli.kv_bytes"), "GB", "GiB"),
         *(_sizes(t(language, f"cli.kv_{name}"), data[name]) for name in TOTALS)]
    )  # fmt: skip
    lines += ["", *columns(_groups(data["groups"], language))]
    if data["capacity"] is not None:
        lines += ["", *_capacity(data["capacity"], language)]
    source = {"source": data["source"], "as_of": data["as_of"] or "-"}
    lines += ["", one_line(t(language, "cli.kv_source", **source))]
    return "\n".join([*lines, *map(one_line, assumed)])


def _sizes(name: str, value: float | None) -> tuple[str, ...]:
    if value is None:
        return name, "-", "-", "-"
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    return name, shown, _short(value / GB), _short(value / GIB)


def _short(value: float) -> str:
    return f"{value:,.2f}" if abs(value) >= 0.005 else ""


def _groups(groups: Sequence[Data], language: str) -> list[tuple[str, ...]]:
    names = ("layers", "window", "group_bytes", "state")
    head = ("", *(t(language, f"cli.kv_{name}") for name in names))
    return [
        head,
        *(
            (
                t(language, f"hardware.kind.{group['kind']}"),
                str(group["layers"]),
                f"{group['window_tokens']:,}" if group["window_tokens"] else "-",
                f"{group['bytes_per_token']:,}",
                f"{group['state_bytes']:,}",
            )
            for group in groups
        ),
    ]


def _capacity(found: Data, language: str) -> list[str]:
    sizes = columns(
        [("", t(language, "cli.kv_bytes"), "GB", "GiB"),
         *(_sizes(t(language, CAPACITY[name]), found[name]) for name in CAPACITY)]
    )  # fmt: skip
    key = "cli.kv_fits" if found["sequences"] else "cli.kv_fits_none"
    counts = {name: found[name] for name in FITS}
    measured = "cli.kv_overhead_log" if found["overhead_source"] != "none" else "cli.kv_overhead"
    return [*sizes, t(language, key, **counts), t(language, measured)]
