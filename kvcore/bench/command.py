"""The command `python -m kvcore bench`: reads its flags, runs, writes the profile."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from kvcore.bench.cases import CASES, Case
from kvcore.bench.cases.few_layers import few_layers, layers_that_fit
from kvcore.bench.context import CUDA, FULL_CPU, LONGEST_CONTEXT, QUICK_CPU, Bench, Budget, Sizes
from kvcore.bench.device import choose_device, device_info
from kvcore.bench.run import Progress, StopRun, model_info, profile_of, run_cases, stopping
from kvcore.errors import KvcoreError
from kvcore.model.load import default_model, load_model
from kvcore.model.shape import ModelShape
from kvcore.model.weights import Model
from kvcore.profile import CaseResult
from kvcore.profile_json import dumps

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
QUICK_S, FULL_CPU_S, FULL_CUDA_S = 68.0, 1_500.0, 420.0
EXIT_OK, EXIT_REFUSED, EXIT_SIGNAL = 0, 1, 128
LAYERS = "layers"
WITHOUT_RUNNER = frozenset({"limits", "hash", "collision"})
AUTO = "auto"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `bench`."""
    add = parser.add_argument
    add("--device", choices=(AUTO, "cpu", "cuda", "mps"), default=AUTO, help="what to measure")
    add("--quick", action="store_true", help="short cases, within 90 s on two cores")
    add("--model", default=AUTO, help="smollm2, a GGUF file or a Hugging Face folder")
    add("--model-shape", metavar="CONFIG", help="a large model's config.json: a few of its layers")
    add("--dtype", choices=(AUTO, *DTYPES), default=AUTO, help="of the weights")
    add(
        "--only",
        metavar="CASE",
        action="append",
        choices=[*(c.name for c in CASES), LAYERS],
        help="one case",
    )
    add("--threads", type=positive, help="threads of the processor; all where not given")
    add("--budget-s", type=positive, metavar="S", help="seconds for all cases together")
    add("--name", help="name of the profile; the device's where not given")
    add("--json", metavar="FILE", help="write the profile there; - is standard output")
    add("--progress-json", action="store_true", help="progress as JSON lines on standard error")


def bench(arguments: argparse.Namespace) -> int:
    """Runs; 0, or 1 where something was refused, or 128 + the signal that stopped it."""
    try:
        with stopping():
            return _bench(arguments)
    except KvcoreError as refused:
        return refuse(refused, as_json=arguments.progress_json)
    except StopRun as stop:  # before the first case: there is nothing to write
        return EXIT_SIGNAL + stop.number


def refuse(refused: KvcoreError, *, as_json: bool) -> int:
    """Say why not on standard error: words, or for a program what words can be made of."""
    told = {"error": refused.message_id, "values": refused.values, "text": str(refused)}
    print(json.dumps(told) if as_json else refused, file=sys.stderr)
    return EXIT_REFUSED


def _bench(arguments: argparse.Namespace) -> int:
    file = None if arguments.json in (None, "-") else Path(arguments.json)
    if file is not None:
        _check_writable(file)
    say = partial(print, file=sys.stderr, flush=True)
    progress = Progress(write=say, as_json=arguments.progress_json)
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    device = choose_device(arguments.device)
    progress.at("load", 0, 0)
    model, whole = _model(arguments, device)
    sizes, total_s = _sizes(device, quick=arguments.quick)
    runner = Bench(
        model=model,
        device=device,
        sizes=sizes,
        quick=arguments.quick,
        budget=Budget(total_s=float(arguments.budget_s or total_s)),
    )
    if not arguments.progress_json:
        say(_introduction(runner, whole))
    cases = _cases(arguments.only, whole)
    if whole is None and any(case.name not in WITHOUT_RUNNER for case in cases):
        progress.at("compile", 0, 0)
        runner.warm_up()

    def text_of(rows: Sequence[CaseResult]) -> str:
        name = arguments.name or device_info(device).name
        return dumps(profile_of(runner, rows, name, model_info(runner, whole)))

    if file is None:
        done = run_cases(runner, cases, progress)
    else:
        done = run_cases(runner, cases, progress, lambda rows: _write(file, text_of(rows)))
        _write(file, text_of(done.rows))
        if not arguments.progress_json:
            say(f"Profile written to {file}.")
    if arguments.json == "-":
        print(text_of(done.rows), end="")
    return EXIT_OK if done.stopped_by is None else EXIT_SIGNAL + done.stopped_by


def _model(arguments: argparse.Namespace, device: torch.device) -> tuple[Model, int | None]:
    """The model, and the layers of the whole one where only some of them run."""
    large = arguments.model_shape is not None
    dtype = _dtype(arguments.dtype, device, large=large)
    if large:
        shape = _shape(Path(arguments.model_shape))
        some = layers_that_fit(shape, dtype, device)
        shape_run = replace(shape, layers=some, max_context=_long(shape))
        model = load_model(shape_run, dtype=dtype, device=device)
        source = f"random weights, {some} of {shape.layers} layers ran"
        return replace(model, source=source), shape.layers
    if arguments.model == AUTO:
        model = default_model(dtype=dtype, device=device)
    else:
        model = load_model(arguments.model, dtype=dtype, device=device)
    # Times do not depend on whether the model was trained for a position, so the longest prompt
    # is measured by shape also where the trained context is shorter.
    return replace(model, shape=replace(model.shape, max_context=_long(model.shape))), None


def _long(shape: ModelShape) -> int:
    return max(shape.max_context, LONGEST_CONTEXT)


def _shape(path: Path) -> ModelShape:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = None
    if not isinstance(config, dict):
        raise KvcoreError(
            "kvcore.config_unreadable",
            "{path} is not a readable JSON config of a model.",
            {"path": str(path)},
        )
    return ModelShape.from_config(config, name=str(config.get("_name_or_path") or path.stem))


def _dtype(asked: str, device: torch.device, *, large: bool) -> torch.dtype:
    """What was asked for; else bfloat16 on CUDA and for large models, which are kept in it."""
    if asked != AUTO:
        return DTYPES[asked]
    return torch.bfloat16 if large or device.type == "cuda" else torch.float32


def _sizes(device: torch.device, *, quick: bool) -> tuple[Sizes, float]:
    if quick:
        return QUICK_CPU, QUICK_S
    return (CUDA, FULL_CUDA_S) if device.type == "cuda" else (FULL_CPU, FULL_CPU_S)


def _cases(only: list[str] | None, whole: int | None) -> list[Case]:
    chosen = CASES
    if whole is not None:
        layers = Case(LAYERS, "layers_decode", partial(few_layers, whole_layers=whole), 20)
        chosen = (CASES[0], layers)
    return [case for case in chosen if not only or case.name in only]


def _introduction(runner: Bench, whole: int | None) -> str:
    model = runner.model
    what = f"{model.name}, {str(model.weight_dtype).removeprefix('torch.')}: {model.source}."
    if model.is_random and whole is None:
        what += " No trained weights are here: times are those of the shape, answers mean nothing."
    return f"{device_info(runner.device).name}, {torch.get_num_threads()} threads. {what}"


def _check_writable(path: Path) -> None:
    """Before minutes are spent on measuring. KvcoreError naming the file."""
    folder = path.parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        why = "it is a folder" if path.is_dir() else f"{folder} is no folder that takes files"
        raise _unwritable(path, why)


def _unwritable(path: Path, why: str) -> KvcoreError:
    return KvcoreError(
        "kvcore.cannot_write",
        "{path} cannot be written: {why}.",
        {"path": str(path), "why": why},
    )


def _write(path: Path, text: str) -> None:
    aside = path.with_name(path.name + ".part")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        raise _unwritable(path, error.strerror or type(error).__name__) from error


def positive(text: str) -> int:
    """A flag's count, from 1."""
    if text.isdecimal() and 0 < int(text[:20]) < 10**12:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
