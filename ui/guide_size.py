"""Guide, chapter two: how large it is, and which of three resources it takes."""

from __future__ import annotations

import streamlit as st

from econ.guide_sizes import Shape, dense_model, kept_bytes
from econ.kv_formats import FORMATS
from econ.roofline import decode_step, prefill
from econ.speed_features import datasheet_speeds, weights_of
from price_tables.hardware import ModelSpec
from ui import asked, components, guide_inputs
from ui.byte_words import both, size
from ui.cell_pictures import Part, bar, note_row
from ui.guide_frame import drawn, section
from ui.numerals import count, percent
from ui.plain_table import cell
from ui.time_lines import duration
from ui.words import t

FORMULA = r"M = 2 \times L \times H_{KV} \times D_h \times b \times T"
EXAMPLE_LAYERS, EXAMPLE_HEADS, EXAMPLE_DIM = 32, 32, 128
SHORT = 8_192
KINDS = {"MHA": 32, "GQA": 8, "MQA": 1}
STEPS = (2, 4, 8, 16, 32, 64, 80, 96, 128)


def formula() -> None:
    """The formula with every factor in the reader's hand."""
    with section("formula"):
        st.latex(FORMULA)
        layers = asked.stops("g_layers_n", t("guide.col.layers"), STEPS, 32)
        heads = asked.stops("g_heads", t("guide.col.kv_heads"), (1, 2, 4, 8, 16, 32, 64), 8)
        width = asked.stops("g_dim", t("guide.head_dim"), (64, 80, 96, 128, 192, 256), 128)
        tokens = guide_inputs.tokens("g_formula", SHORT)
        names = [name for name in ("fp32", "bf16", "fp8", "int8", "q4_0") if name in FORMATS]
        dtype = FORMATS[asked.picked("g_dtype", t("guide.format"), names, names[1])]
        model = dense_model(Shape(layers=layers, kv_heads=heads, head_dim=width))
        each = dtype.key.vector_bytes(width) + dtype.value.vector_bytes(width)
        found = kept_bytes(model, tokens, dtype)
        components.sentence(
            t(
                "guide.formula.sum",
                layers=layers,
                tokens=tokens,
                heads=heads,
                pair=f"{float(each):g}",
                result=both(found),
            )
        )


def example() -> None:
    """One shape, three numbers of KV heads."""
    with section("example", layers=EXAMPLE_LAYERS, heads=EXAMPLE_HEADS, dim=EXAMPLE_DIM):
        rows = []
        for name, heads in KINDS.items():
            model = example_of(heads)
            per, at = kept_bytes(model, 1), kept_bytes(model, SHORT)
            rows.append(
                [
                    cell(name, below=t("guide.heads_n", heads=heads)),
                    cell(size(per, "gib"), both(per)),
                    cell(size(at, "gib"), both(at)),
                ]
            )
        whole = kept_bytes(example_of(EXAMPLE_HEADS), SHORT)
        lines = [_heads_bar(name, heads, SHORT, whole) for name, heads in KINDS.items()]
        drawn(
            "example",
            lines,
            as_table=(
                ["", t("guide.col.per_token"), t("guide.at", tokens=SHORT)],
                rows,
            ),
            tokens=SHORT,
            sizes=_sizes(SHORT),
        )


def _heads_bar(name: str, heads: int, tokens: int, whole: int) -> str:
    found = kept_bytes(example_of(heads), tokens)
    return bar(name, [Part(kind="made", share=found / whole)], size(found, "gib"))


def _sizes(tokens: int) -> str:
    return ", ".join(
        f"{name} {size(kept_bytes(example_of(heads), tokens), 'gib')}"
        for name, heads in KINDS.items()
    )


def _times(heads: int, tokens: int) -> str:
    model = example_of(heads)
    return f"{kept_bytes(model, tokens) / kept_bytes(model, SHORT):g} ×"


def example_of(heads: int) -> ModelSpec:
    """The example with so many KV heads."""
    return dense_model(Shape(layers=EXAMPLE_LAYERS, kv_heads=heads, head_dim=EXAMPLE_DIM))


def context() -> None:
    """The same three over the context, beside weights that do not grow."""
    with section("context"):
        tokens = guide_inputs.tokens("g_context", 131_072)
        rows = [
            [
                name,
                size(kept_bytes(example_of(heads), SHORT), "gib"),
                size(kept_bytes(example_of(heads), tokens), "gib"),
                _times(heads, tokens),
            ]
            for name, heads in KINDS.items()
        ]
        whole = kept_bytes(example_of(EXAMPLE_HEADS), max(tokens, SHORT))
        lines = [
            line
            for at in dict.fromkeys((SHORT, tokens))
            for line in (
                note_row(t("guide.at", tokens=at)),
                *(_heads_bar(name, heads, at, whole) for name, heads in KINDS.items()),
            )
        ]
        drawn(
            "context",
            lines,
            as_table=(
                [
                    "",
                    t("guide.at", tokens=SHORT),
                    t("guide.at", tokens=tokens),
                    t("guide.col.times"),
                ],
                rows,
            ),
            short=SHORT,
            tokens=tokens,
            before=_sizes(SHORT),
            after=_sizes(tokens),
        )


def resources() -> None:
    """Compute, capacity and bandwidth of one step and one prefill."""
    model, device = guide_inputs.case()
    speeds = datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE)
    weights = weights_of(model, guide_inputs.WEIGHTS_DTYPE)
    with section("resources", model=model.name, device=device.name):
        tokens = guide_inputs.tokens("g_resources")
        batch = asked.stops("g_batch", t("guide.batch"), (1, 2, 4, 8, 16, 32, 64), 1)
        step = decode_step(
            model,
            speeds,
            guide_inputs.format_of("bf16"),
            weights_bytes=weights,
            context_tokens=tokens,
            batch=batch,
        )
        read = prefill(model, speeds, prompt_tokens=tokens)
        held = weights + step.kv_bytes
        rows = [
            [t("guide.bound.compute"), duration(step.compute_s), duration(read.prefill_s)],
            [t("guide.bound.bandwidth"), duration(step.bandwidth_s), "–"],
            [t("guide.bound.capacity"), size(held, "gb"), percent(held / device.memory_bytes, 0)],
        ]
        times = max(step.compute_s, step.bandwidth_s)
        full = max(held, device.memory_bytes)
        lines = [
            bar(
                t("guide.bound.compute"),
                [Part(kind="made", share=step.compute_s / times)],
                duration(step.compute_s),
            ),
            bar(
                t("guide.bound.bandwidth"),
                [Part(kind="read", share=step.bandwidth_s / times)],
                duration(step.bandwidth_s),
            ),
            bar(
                t("guide.bound.capacity"),
                [
                    Part(kind="plain", share=weights / full),
                    Part(kind="kept", share=step.kv_bytes / full),
                    Part(kind="free", share=max(0.0, device.memory_bytes - held) / full),
                ],
                percent(held / device.memory_bytes, 0),
            ),
        ]
        drawn(
            "resources",
            lines,
            keys=(
                ("made", "operations"),
                ("read", "bytes_read"),
                ("plain", "weights"),
                ("kept", "kv"),
                ("free", "free"),
            ),
            as_table=(["", t("guide.col.decode"), t("guide.col.prefill_or_share")], rows),
            compute=duration(step.compute_s),
            bandwidth=duration(step.bandwidth_s),
            share=percent(held / device.memory_bytes, 0),
        )
        key = "fits" if held <= device.memory_bytes else "full"
        bound = t(f"guide.bound.{step.bound}")
        components.note(t(f"guide.resources.{key}", bound=bound, sequences=count(batch)))


PARTS = {"formula": formula, "example": example, "context": context, "resources": resources}
"""The sections of the chapter, by name."""
