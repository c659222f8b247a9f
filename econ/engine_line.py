"""What a `vllm serve …` line and an engine's log say: flags in, flags out, and the room it found.

Flags: https://docs.vllm.ai/en/latest/configuration/engine_args.html. Only those that change
memory, speed or batches are read; the others are named as not read. A value that a flag cannot
have is refused with the flag's name.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from messages.errors import InputError, Message

VALUED = {
    "--model": "model",
    "--tensor-parallel-size": "tensor_parallel",
    "-tp": "tensor_parallel",
    "--data-parallel-size": "replicas",
    "-dp": "replicas",
    "--gpu-memory-utilization": "fraction",
    "--max-model-len": "max_model_len",
    "--block-size": "block_tokens",
    "--kv-cache-dtype": "kv_dtype",
    "--quantization": "quantization",
    "-q": "quantization",
    "--max-num-seqs": "max_sequences",
    "--max-num-batched-tokens": "budget_tokens",
}
SWITCHES = {"--enable-prefix-caching": True, "--no-enable-prefix-caching": False}
EXPERTS_SPREAD = ("--enable-expert-parallel", "-ep")
COUNTS = frozenset(
    {"tensor_parallel", "replicas", "max_model_len", "block_tokens", "max_sequences",
     "budget_tokens"}
)  # fmt: skip
EXAMPLES = {
    "fraction": "0.9", "model": "meta-llama/Llama-3.1-70B-Instruct", "kv_dtype": "fp8",
    "quantization": "fp8", "tensor_parallel": "2", "replicas": "2",
}  # fmt: skip
LONGEST_LINE = 20_000
MOST = 10**12
_SUFFIX = {"k": 1_000, "m": 1_000_000, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}
_COUNT = re.compile(r"(\d{1,13}(?:\.\d{1,6})?)([kKmMgG]?)")
_TUNED = re.compile(
    r"(?:-(?:Instruct|Chat|it|hf|Thinking|FP8|AWQ|GPTQ|Int[48]|w8a8|w4a16|dynamic|NVFP4|\d{4}))+$",
    re.IGNORECASE,
)
_BLOCKS = re.compile(r"# ?(?:GPU|CUDA) blocks: ?([\d,]+)")
_NUM_BLOCKS = re.compile(r"num_gpu_blocks(?:_override)?[\"']?\s*[:=]\s*([\d,]+)")
_TOKENS = re.compile(r"GPU KV cache size: ?([\d,]+) tokens")
_MAX_TOKENS = re.compile(r"max_total_num_tokens\s*=\s*([\d,]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeLine:
    """What was said; None = not said. `ignored`: flags that change nothing here.

    With experts spread over data-parallel ranks those are no replicas but one: `tensor_parallel`
    counts all of its devices, `attention_copies` the groups that keep their own sequences
    (https://docs.vllm.ai/en/latest/serving/expert_parallel_deployment.html)."""

    model: str | None = None
    tensor_parallel: int | None = None
    replicas: int | None = None
    attention_copies: int | None = None
    fraction: str | None = None
    max_model_len: int | None = None
    block_tokens: int | None = None
    kv_dtype: str | None = None
    quantization: str | None = None
    max_sequences: int | None = None
    budget_tokens: int | None = None
    prefix_caching: bool | None = None
    ignored: tuple[str, ...] = field(default=())


def read_serve_line(text: str) -> ServeLine:
    """`vllm serve MODEL --flag value …`, over several lines or not; also
    `python -m vllm.entrypoints…`. InputError naming what cannot be read."""
    if len(text) > LONGEST_LINE:
        raise _refused("line_length", str(LONGEST_LINE), str(len(text)))
    try:
        words = shlex.split(text.replace("\\\r\n", " ").replace("\\\n", " "))
    except ValueError:
        raise _refused("quotes", '"…"', text.strip()[:60]) from None
    start = _after_command(words)
    found: dict[str, object] = {}
    ignored: list[str] = []
    at, spread = start, False
    while at < len(words):
        word = words[at]
        name, joined, value = word.partition("=")
        name = _dashed(name)
        at += 1
        if name in SWITCHES:
            found["prefix_caching"] = SWITCHES[name]
        elif name in EXPERTS_SPREAD:
            spread = True
        elif name in VALUED:
            if not joined:
                if at >= len(words):
                    raise _refused(name, _example(VALUED[name]), "")
                value = words[at]
                at += 1
            found[VALUED[name]] = _value(name, VALUED[name], value)
        elif name.startswith("-"):
            ignored.append(name)
            if not joined and at < len(words) and not words[at].startswith("-"):
                at += 1
        elif at == start + 1:
            found["model"] = word
    if not found:
        raise _refused("vllm serve", "vllm serve MODEL --tensor-parallel-size 2", text.strip()[:60])
    copies = found.get("replicas")
    if spread and isinstance(copies, int) and copies > 1:
        del found["replicas"]
        each = found.get("tensor_parallel")
        found |= {
            "attention_copies": copies,
            "tensor_parallel": copies * (each if isinstance(each, int) else 1),
        }
    return ServeLine(ignored=tuple(ignored), **found)  # type: ignore[arg-type]


def untuned(model: str) -> str:
    """A repository's name without what tells a tuned or re-packed model from its base: these keep
    the base's shape."""
    return _TUNED.sub("", model)


def _after_command(words: Sequence[str]) -> int:
    """Where the model and the flags start: behind `vllm serve` or the module's name."""
    for at, word in enumerate(words):
        if word == "serve" or word.startswith("vllm.entrypoints"):
            return at + 1
        if word.startswith("-") and word != "-m":
            return at
    return len(words)


def _dashed(name: str) -> str:
    """Flags may be written with underscores."""
    return name.replace("_", "-") if name.startswith("--") else name


def _value(flag: str, name: str, text: str) -> object:
    if name in COUNTS:
        match = _COUNT.fullmatch(text)
        size = float(match[1]) * _SUFFIX.get(match[2], 1) if match else 0.0
        if not match or not 1 <= size <= MOST or size != int(size):
            raise _refused(flag, _example(name), text)
        return int(size)
    if name == "fraction":
        if not re.fullmatch(r"0?\.\d{1,6}|1(?:\.0*)?", text) or float(text) <= 0:
            raise _refused(flag, _example(name), text)
        return text
    return text


def _example(name: str) -> str:
    return EXAMPLES.get(name, "8192")


def _refused(flag: str, expected: str, found: str) -> InputError:
    values = {"flag": flag, "expected": expected, "found": found[:60]}
    return InputError(Message("fleet.bad_serve_line", values))


def serve_line(model: str, settings: Mapping[str, object]) -> str:
    """The flags to copy: names of `ServeLine`, None left out."""
    order = ("tensor_parallel", "replicas", "fraction", "max_model_len", "block_tokens",
             "kv_dtype", "quantization", "max_sequences", "budget_tokens")  # fmt: skip
    flags = {name: flag for flag, name in VALUED.items() if flag.startswith("--")}
    parts = [f"vllm serve {shlex.quote(model)}"]
    parts += [f"{flags[name]} {settings[name]}" for name in order if settings.get(name) is not None]
    if settings.get("attention_copies") is not None:
        parts.append(EXPERTS_SPREAD[0])
    caching = settings.get("prefix_caching")
    if caching is not None:
        parts.append("--enable-prefix-caching" if caching else "--no-enable-prefix-caching")
    return " \\\n  ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRoom:
    """What an engine said that it had found room for: blocks, or tokens."""

    blocks: int | None = None
    tokens: int | None = None

    def blocks_of(self, block_tokens: int) -> int:
        """Whole blocks of that size."""
        return self.blocks if self.blocks is not None else (self.tokens or 0) // block_tokens


def read_log_line(text: str) -> LoggedRoom:
    """One line of a log (or a whole one: its last word on the matter counts). InputError where no
    such line is in it."""
    for pattern, name in ((_BLOCKS, "blocks"), (_NUM_BLOCKS, "blocks"), (_TOKENS, "tokens"),
                          (_MAX_TOKENS, "tokens")):  # fmt: skip
        found = pattern.findall(text[-LONGEST_LINE:])
        if found:
            value = int(found[-1].replace(",", "")[:13] or 0)
            if value > 0:
                return LoggedRoom(**{name: value})
    raise InputError(Message("fleet.bad_log_line", {"found": text.strip()[:60]}))
