"""Guide, chapter two: how large it is, and which of three resources it takes."""

from __future__ import annotations

from econ.guide_sizes import Shape, dense_model, kept_bytes
from econ.kv_formats import FORMATS
from econ.roofline import decode_step, prefill
from econ.speed_features import datasheet_speeds, weights_of
from price_tables.hardware import ModelSpec
from ui import asked, components, guide_inputs
from ui.byte_words import both, size
from ui.guide_frame import section, table
from ui.numerals import count, percent
from ui.plain_table import cell
from ui.time_lines import duration
from ui.words import t

EXAMPLE_LAYERS, EXAMPLE_HEADS, EXAMPLE_DIM = 32, 32, 128
SHORT = 8_192
KINDS = {"MHA": 32, "GQA": 8, "MQA": 1}
STEPS = (2, 4, 8, 16, 32, 64, 80, 96, 128)


def show() -> None:
    """All sections of the chapter."""
    formula()
    example()
    context()
    resources()


def formula() -> None:
    """The formula with every factor in the reader's hand."""
    with section("formula"):
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
            t("guide.formula.sum", layers=layers, tokens=tokens, heads=heads,
              pair=f"{float(each):g}", result=both(found))
        )  # fmt: skip


def example() -> None:
    """One shape, three numbers of KV heads."""
    with section("example", layers=EXAMPLE_LAYERS, heads=EXAMPLE_HEADS, dim=EXAMPLE_DIM):
        rows = []
        for name, heads in KINDS.items():
            model = _example(heads)
            per, at = kept_bytes(model, 1), kept_bytes(model, SHORT)
            rows.append(
                [
                    cell(name, below=t("guide.heads_n", heads=heads)),
                    cell(size(per, "gib"), both(per)),
                    cell(size(at, "gib"), both(at)),
                ]
            )
        table("example", ["", t("guide.col.per_token"), t("guide.at", tokens=SHORT)], rows)


def _example(heads: int) -> ModelSpec:
    return dense_model(Shape(layers=EXAMPLE_LAYERS, kv_heads=heads, head_dim=EXAMPLE_DIM))


def context() -> None:
    """The same three over the context, beside weights that do not grow."""
    with section("context"):
        tokens = guide_inputs.tokens("g_context", 131_072)
        rows = [
            [name, size(kept_bytes(_example(heads), SHORT), "gib"),
             size(kept_bytes(_example(heads), tokens), "gib"),
             f"{kept_bytes(_example(heads), tokens) / kept_bytes(_example(heads), SHORT):g} ×"]
            for name, heads in KINDS.items()
        ]  # fmt: skip
        table("context", ["", t("guide.at", tokens=SHORT), t("guide.at", tokens=tokens),
                          t("guide.col.times")], rows)  # fmt: skip


def resources() -> None:
    """Compute, capacity and bandwidth of one step and one prefill."""
    model, device = guide_inputs.case()
    speeds = datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE)
    weights = weights_of(model, guide_inputs.WEIGHTS_DTYPE)
    with section("resources", model=model.name, device=device.name):
        tokens = guide_inputs.tokens("g_resources")
        batch = asked.stops("g_batch", t("guide.batch"), (1, 2, 4, 8, 16, 32, 64), 1)
        step = decode_step(
            model, speeds, guide_inputs.format_of("bf16"), weights_bytes=weights,
            context_tokens=tokens, batch=batch,
        )  # fmt: skip
        read = prefill(model, speeds, prompt_tokens=tokens)
        held = weights + step.kv_bytes
        rows = [
            [t("guide.bound.compute"), duration(step.compute_s), duration(read.prefill_s)],
            [t("guide.bound.bandwidth"), duration(step.bandwidth_s), "–"],
            [t("guide.bound.capacity"), size(held, "gb"), percent(held / device.memory_bytes, 0)],
        ]
        table("resources", ["", t("guide.col.decode"), t("guide.col.prefill_or_share")], rows)
        key = "fits" if held <= device.memory_bytes else "full"
        bound = t(f"guide.bound.{step.bound}")
        components.note(t(f"guide.resources.{key}", bound=bound, sequences=count(batch)))
