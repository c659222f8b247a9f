"""The bandwidth arithmetic that an article prints for Llama 3.1 70B on one B300, beside ours.

Nothing is typed twice: ours comes from `econ.roofline`; `printed` is the article's own figure.
`why` names the reason of the difference: none (rounding), kv (2.6, 40 and 160 GB stand where 2.68,
42.95 and 171.8 GB apply), attention (it leaves causal attention out of prefill), edge (five
sequences are not discussed; they fit on paper with no room for anything else).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from econ.kv_formats import kv_format
from econ.roofline import decode_step, prefill
from econ.speed_features import datasheet_speeds
from price_tables.hardware import Hardware

Why = Literal["none", "kv", "attention", "edge"]
Quantity = Literal["step", "each", "total", "prefill", "prefill_linear"]
MODEL, DEVICE, WEIGHTS_DTYPE = "llama-3.1-70b", "b300-sxm", "fp8"
WEIGHTS_BYTES, PARAMETERS = 70e9, 70e9
SHORT, LONG = 8_192, 131_072
PRINTED_STEP_S = {(SHORT, 1): 0.0091, (LONG, 1): 0.0138, (LONG, 4): 0.0288}
PRINTED_EACH = {(SHORT, 1): 110.0, (LONG, 1): 73.0, (LONG, 4): 35.0}
PRINTED_TOTAL_BYTES = {(LONG, 6): 310e9}
PRINTED_PREFILL_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRow:
    """One case. `unit`: s, tokens/s (each sequence) or bytes; `printed` None: not discussed.
    `fits`: weights and KV lie within the device; None where the case is about time."""

    quantity: Quantity
    context_tokens: int
    sequences: int
    printed: float | None
    ours: float
    why: Why
    fits: bool | None = None


def article_rows(hardware: Hardware) -> tuple[ArticleRow, ...]:
    """Every case of the article, in its order."""
    model, device = hardware.models[MODEL], hardware.devices[DEVICE]
    speeds, cache = datasheet_speeds(device, WEIGHTS_DTYPE), kv_format("bf16")
    rows = []
    for (context, batch), printed in PRINTED_STEP_S.items():
        step = decode_step(
            model, speeds, cache, weights_bytes=WEIGHTS_BYTES, context_tokens=context, batch=batch
        )
        why: Why = "none" if context == SHORT else "kv"
        shown: tuple[tuple[Quantity, float, float], ...] = (
            ("step", printed, step.step_s),
            ("each", PRINTED_EACH[context, batch], step.tokens_per_s / batch),
        )
        rows += [
            ArticleRow(
                quantity=quantity, context_tokens=context, sequences=batch, printed=theirs,
                ours=ours, why=why,
            )
            for quantity, theirs, ours in shown
        ]  # fmt: skip
    for batch in (5, 6):
        step = decode_step(
            model, speeds, cache, weights_bytes=WEIGHTS_BYTES, context_tokens=LONG, batch=batch
        )
        total = WEIGHTS_BYTES + step.kv_bytes
        rows.append(
            ArticleRow(
                quantity="total",
                context_tokens=LONG,
                sequences=batch,
                printed=PRINTED_TOTAL_BYTES.get((LONG, batch)),
                ours=total,
                why="edge" if batch == 5 else "kv",
                fits=total <= device.memory_bytes,
            )
        )
    prompt = prefill(model, speeds, prompt_tokens=LONG, parameters=PARAMETERS)
    prompts: tuple[tuple[Quantity, float, Why], ...] = (
        ("prefill", prompt.prefill_s, "attention"),
        ("prefill_linear", prompt.linear_s, "none"),
    )
    for quantity, seconds, why in prompts:
        rows.append(
            ArticleRow(
                quantity=quantity, context_tokens=LONG, sequences=1,
                printed=PRINTED_PREFILL_S, ours=seconds, why=why,
            )
        )  # fmt: skip
    return tuple(rows)
