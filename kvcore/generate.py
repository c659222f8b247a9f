"""The commands `generate` and `info`: the engine tried by hand."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

import torch

from kvcore.bench.command import EXIT_OK, positive, refuse
from kvcore.bench.device import choose_device, device_info, versions
from kvcore.errors import KvcoreError
from kvcore.model.load import default_model, load_model
from kvcore.model.weights import Model
from kvcore.serve.engine import Engine
from kvcore.serve.request import Request

BLOCK_TOKENS = 16


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `generate`."""
    parser.add_argument("prompt", help="text to continue")
    parser.add_argument("--model", default="auto", help="smollm2, a GGUF file or a folder")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), default="auto")
    parser.add_argument("--tokens", type=positive, default=64, help="at most so many new tokens")


def generate(arguments: argparse.Namespace) -> int:
    """Writes the text to standard output and the request's report to standard error."""
    try:
        device = choose_device(arguments.device)
        source = arguments.model
        model = (
            default_model(device=device) if source == "auto" else load_model(source, device=device)
        )
        print(_continued(model, str(device), arguments.prompt, arguments.tokens))
    except KvcoreError as refused:
        return refuse(refused, as_json=False)
    return EXIT_OK


def info(_arguments: argparse.Namespace) -> int:
    """Device and versions as JSON."""
    device = choose_device("auto")
    found = {"device": asdict(device_info(device)), "versions": versions(device)}
    print(json.dumps(found | {"torch_threads": torch.get_num_threads()}, indent=1))
    return EXIT_OK


def _continued(model: Model, device: str, prompt: str, new: int) -> str:
    if model.tokenizer is None:
        raise KvcoreError(
            "kvcore.no_tokenizer",
            "{model} has no tokenizer here: {problem}.",
            {"model": model.name, "problem": model.tokenizer_problem or "unknown reason"},
        )
    tokens = tuple(model.tokenizer.encode(prompt))
    longest = min(len(tokens) + new, model.shape.max_context)
    blocks = -(-longest // BLOCK_TOKENS) + 1
    with Engine(model, blocks=blocks, block_tokens=BLOCK_TOKENS, device=device) as engine:
        request = Request(id="1", tokens=tokens, max_new_tokens=new)
        done = engine.run_all([request])[0]
    print(json.dumps(asdict(done.report)), file=sys.stderr)
    return model.tokenizer.decode(list(done.tokens))
