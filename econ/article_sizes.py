"""What two articles on the KV cache print about its size, beside what the formula gives.

Nothing here is typed twice: ours comes from `kv_memory`, printed is the article's own wording.
`why` names the reason of a difference: none (the same), gib (GiB printed as GB), kib (KiB as KB),
decimal (a decimal figure among binary ones), times (MB times 131,072, read as GB), times_gib
(KB times 131,072, read as GiB),
hypothetical (never ran at that context), edge (fits on paper, with no room for anything else).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from econ.kv_formats import kv_format
from econ.kv_memory import kv_bytes
from econ.size_study import CONTEXTS
from price_tables.hardware import KvGroup, ModelSpec

Why = Literal["none", "gib", "kib", "decimal", "times", "times_gib", "edge"]
B300_LABEL_BYTES, FP8_WEIGHTS_BYTES = 288_000_000_000, 70_000_000_000
B300_RESERVED_BYTES = B300_LABEL_BYTES * 9 // 10
CASE_SEQUENCES = (1, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Printed:
    """One figure: the article's wording (None: it has none), our bytes, and why they differ."""

    text: str | None
    ours_bytes: int
    why: Why = "none"


@dataclass(frozen=True, slots=True)
class GuideRow:
    """The guide's example with one number of KV heads: bytes a token, then at 8K, 32K, 128K."""

    name: str
    kv_heads: int
    per_token: Printed
    at: tuple[Printed, ...]


@dataclass(frozen=True, slots=True)
class RealRow:
    """A published model: bytes a token and at 131,072 tokens."""

    model: ModelSpec
    per_token: Printed
    at_131072: Printed
    hypothetical: bool


@dataclass(frozen=True, slots=True)
class CaseRow:
    """Sequences of 131,072 tokens beside 70 GB of weights: KV, all bytes, and whether they fit."""

    sequences: int
    kv: Printed
    total_bytes: int
    fits: bool
    fits_with_reserve: bool


def plain_model(name: str, layers: int, kv_heads: int, query_heads: int = 32) -> ModelSpec:
    """A model of uniform full attention with heads of 128, for an article's example."""
    group = KvGroup(kind="full", layers=layers, kv_heads=kv_heads, key_dim=128, value_dim=128)
    return ModelSpec(
        id=name, name=name, repository=None, parameters_total=None, parameters_active=None,
        parameters_verified=False, hidden=128 * query_heads, layers=layers,
        query_heads=query_heads, experts=None, experts_per_token=None, attention=name,
        max_context_tokens=None, checkpoint_dtype="bfloat16", groups=(group,), source="example",
        as_of="",
    )  # fmt: skip


def _bytes(model: ModelSpec, tokens: int, sequences: int = 1) -> int:
    """16-bit KV without block rounding, as the articles count."""
    asked = {"context_tokens": tokens, "sequences": sequences}
    return kv_bytes(model, kv_format("fp16"), block_tokens=1, **asked).bytes_min


_GUIDE = (
    ("MHA", 32, "512 KiB", ("4 GiB", "16 GiB", "64 GiB")),
    ("GQA", 8, "128 KiB", ("1 GiB", "4 GiB", "16 GiB")),
    ("MQA", 1, "16 KiB", ("0.125 GiB", "0.5 GiB", "2 GiB")),
)


def guide_rows() -> tuple[GuideRow, ...]:
    """32 layers, heads of 128, two bytes; only the number of KV heads changes."""
    rows = []
    for name, heads, per_token, printed in _GUIDE:
        model = plain_model(name, 32, heads)
        at = zip(printed, CONTEXTS, strict=True)
        rows.append(
            GuideRow(
                name, heads, Printed(per_token, _bytes(model, 1)),
                tuple(Printed(text, _bytes(model, tokens)) for text, tokens in at),
            )
        )  # fmt: skip
    return tuple(rows)


_REAL: Sequence[tuple[str, str, Why, str | None, Why, bool]] = (
    ("gpt3-175b", "4.5 MB", "kib", "590 GB", "times", True),
    ("llama-2-7b", "512 KB", "kib", None, "none", False),
    ("mistral-7b", "128 KB", "kib", None, "none", False),
    ("mixtral-8x7b", "128 KB", "kib", None, "none", False),
    ("llama-3.1-70b", "320 KB", "kib", "40 GB", "gib", False),
    ("qwen3-235b-a22b", "192 KB", "decimal", None, "none", False),
    ("deepseek-v3", "70 KB", "decimal", "8.8 GB", "times_gib", False),
    ("deepseek-r1", "70 KB", "decimal", "8.8 GB", "times_gib", False),
)


def real_rows(models: Mapping[str, ModelSpec]) -> tuple[RealRow, ...]:
    """Seven shapes under eight names, at 16 bit. Models that the tables lack are left out."""
    return tuple(
        RealRow(
            models[name],
            Printed(per_token, _bytes(models[name], 1), why),
            Printed(at, _bytes(models[name], CONTEXTS[-1]), why_at),
            hypothetical,
        )
        for name, per_token, why, at, why_at, hypothetical in _REAL
        if name in models
    )


def at_128000(model: ModelSpec) -> int:
    """16-bit KV of one sequence at the round number that "128K" sometimes means."""
    return _bytes(model, 128_000)


def conversation() -> Printed:
    """28 layers, 8 KV heads of 128, 32,768 tokens, fp16."""
    return Printed("3.5 GiB", _bytes(plain_model("conversation", 28, 8), 32_768))


_CASE: Mapping[int, tuple[str | None, Why]] = {
    1: ("40 GB", "gib"), 4: ("160 GB", "gib"), 5: (None, "edge"), 6: ("240 GB", "gib"),
}  # fmt: skip


def case_rows(model: ModelSpec) -> tuple[CaseRow, ...]:
    """Llama 3.1 70B with 70 GB of FP8 weights on a B300 of 288 GB, at 131,072 tokens."""
    rows = []
    for sequences in CASE_SEQUENCES:
        text, why = _CASE[sequences]
        kept = _bytes(model, CONTEXTS[-1], sequences)
        total = kept + FP8_WEIGHTS_BYTES
        rows.append(
            CaseRow(
                sequences, Printed(text, kept, why), total, total <= B300_LABEL_BYTES,
                total <= B300_RESERVED_BYTES,
            )
        )  # fmt: skip
    return tuple(rows)
