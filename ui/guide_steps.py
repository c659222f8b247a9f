"""Guide, chapter one, second half: layers, the two phases, and one position step by step."""

from __future__ import annotations

from econ import guide_attention as small
from econ.roofline import decode_step, prefill
from econ.speed_features import datasheet_speeds, weights_of
from ui import asked, components, guide_inputs
from ui.byte_words import size
from ui.cell_pictures import Kind, Part, bar, cells, square, titles
from ui.guide_frame import drawn, head, section
from ui.numerals import count
from ui.time_lines import duration
from ui.words import t

MOST_POSITIONS, LAYERS_A_ROW, SHOWN_TOKENS = 8, 20, 24
KV_DTYPE = "bf16"


def layers() -> None:
    """Each group of layers of a chosen model, in the logical shape."""
    with section("layers"):
        model = guide_inputs.model("g_layers")
        rows, lines = [], []
        for group in model.groups:
            name = t(f"guide.kind.{group.kind}")
            constant = group.kind == "linear_state"
            width = (
                t("guide.constant")
                if constant
                else count(group.key_dim or group.latent + group.rope)
            )
            rows.append(
                [name, count(group.layers), count(group.kv_heads) if group.kv_heads else "1", width]
            )
            kind: Kind = "plain" if constant else "kept" if group.kind == "full" else "read"
            lines.append(
                cells(
                    t("guide.layers.row", name=name, n=group.layers),
                    [square(kind)] * group.layers,
                    LAYERS_A_ROW,
                )
            )
        drawn(
            "layers",
            lines,
            keys=(("kept", "every_token"), ("read", "some_or_latent"), ("plain", "constant")),
            as_table=(head("", "layers", "kv_heads", "width"), rows),
            model=model.name,
            layers=sum(group.layers for group in model.groups),
        )


def phases() -> None:
    """Prefill and decode of one model on one device: two floors, two limits."""
    model, device = guide_inputs.case()
    speeds = datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE)
    with section("phases", model=model.name, device=device.name):
        tokens = guide_inputs.tokens("g_phases")
        read = prefill(model, speeds, prompt_tokens=tokens)
        step = decode_step(
            model,
            speeds,
            guide_inputs.format_of(KV_DTYPE),
            weights_bytes=weights_of(model, guide_inputs.WEIGHTS_DTYPE),
            context_tokens=tokens,
            batch=1,
        )
        rows = [
            [
                t("guide.col.prefill"),
                count(tokens),
                duration(read.prefill_s),
                t("guide.bound.compute"),
            ],
            [t("guide.col.decode"), "1", duration(step.step_s), t(f"guide.bound.{step.bound}")],
        ]
        whole_s = read.prefill_s + SHOWN_TOKENS * step.step_s
        lines = [
            bar(
                t("guide.col.prefill"),
                [Part(kind="made", share=read.prefill_s / whole_s)],
                duration(read.prefill_s),
            ),
            bar(
                t("guide.phases.tokens", n=SHOWN_TOKENS),
                [
                    Part(kind="void", share=read.prefill_s / whole_s),
                    *([Part(kind="read", share=step.step_s / whole_s)] * SHOWN_TOKENS),
                ],
                duration(SHOWN_TOKENS * step.step_s),
            ),
        ]
        drawn(
            "phases",
            lines,
            keys=(("made", "all_at_once"), ("read", "one_a_step")),
            as_table=(head("", "new", "floor", "bound"), rows),
            prefill=duration(read.prefill_s),
            tokens=tokens,
            step=duration(step.step_s),
        )
        components.note(t("guide.phases.note", kv=size(step.kv_bytes, "gb")))


def four() -> None:
    """One position's turn: three computed, two appended, all before it read."""
    with section("four"):
        at = asked.whole("g_four", t("guide.four.slider"), 1, MOST_POSITIONS, 4)
        one = small.steps(at)[-1]
        components.sentence(
            t(
                "guide.four.event",
                position=one.position,
                computed=one.computed,
                appended=one.appended,
                read=one.keys_read,
            )
        )
        columns = MOST_POSITIONS
        lines = [titles([count(n) for n in range(1, columns + 1)])] + [
            cells(name, [square(*_four(n, at, name)) for n in range(1, columns + 1)])
            for name in ("q", "k", "v")
        ]
        rows = [
            [t("guide.four.position", n=n), *(_state(n, at, name) for name in ("q", "k", "v"))]
            for n in range(1, at + 1)
        ]
        drawn(
            "four",
            lines,
            keys=(
                ("made", "computed_now"),
                ("read", "read_now"),
                ("off", "gone"),
                ("free", "not_yet"),
            ),
            as_table=(["", "q", "k", "v"], rows),
            side_rem=1.5,
            position=one.position,
            computed=one.computed,
            appended=one.appended,
            read=one.keys_read,
        )


def _four(position: int, at: int, name: str) -> tuple[Kind, str]:
    if position > at:
        return "free", ""
    if position == at:
        return "made", name
    return ("off", "") if name == "q" else ("read", name)


def _state(position: int, at: int, name: str) -> str:
    if position == at:
        return t("guide.four.computed" if name == "q" else "guide.four.appended")
    return "–" if name == "q" else t("guide.four.read")


PARTS = {"layers": layers, "phases": phases, "four": four}
"""The last sections of the chapter, by name."""
