"""Guide, chapter seven: reading and writing on machines apart."""

from __future__ import annotations

from econ.guide_sizes import kept_bytes
from econ.guide_timeline import Doing, timelines
from econ.offload import Link
from econ.roofline import decode_step, prefill
from econ.speed_features import datasheet_speeds, weights_of
from jobs import guide_facts
from ui import asked, components, guide_inputs
from ui.byte_words import size
from ui.cell_pictures import Kind, Part, bar, note_row
from ui.guide_frame import Rows, drawn, head, section
from ui.time_lines import duration
from ui.words import t

DOING: dict[Doing, Kind] = {"step": "read", "prefill": "made", "move": "shared", "idle": "free"}
LINKS_MB_S = (12_500, 25_000, 50_000, 100_000, 450_000)


def apart() -> None:
    """What a hand-over between machines moves."""
    model, _ = guide_inputs.case()
    with section(
        "apart",
        model=model.name,
        distserve=guide_facts.printed_number("distserve"),
        cpx=guide_facts.printed_number("cpx_memory"),
    ):
        tokens = guide_inputs.tokens("g_apart", 8_192)
        kept = kept_bytes(model, tokens)
        rows: Rows = [[_gb(speed), duration(_move_s(kept, speed))] for speed in LINKS_MB_S]
        speed = asked.stops("g_link", t("guide.apart.link"), LINKS_MB_S, LINKS_MB_S[2], _gb)
        _together_or_apart(tokens, _move_s(kept, speed), rows)
        components.note(t("guide.apart.note", kv=size(kept, "gb"), tokens=tokens))


def _gb(mb_s: int) -> str:
    return f"{mb_s / 1000:g}"


def _move_s(kept: int, mb_s: int) -> float:
    return Link(tier="link", bytes_per_s=mb_s * 1e6).transfer_s(kept)


def _together_or_apart(tokens: int, move_s: float, rows: Rows) -> None:
    """Both ways as lanes over the same seconds."""
    model, device = guide_inputs.case()
    speeds = datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE)
    read_s = prefill(model, speeds, prompt_tokens=tokens).prefill_s
    step_s = decode_step(
        model,
        speeds,
        guide_inputs.format_of("bf16"),
        weights_bytes=weights_of(model, guide_inputs.WEIGHTS_DTYPE),
        context_tokens=tokens,
        batch=1,
    ).step_s
    found = timelines(
        prefill_s=read_s, step_s=step_s, move_s=move_s, before_s=read_s / 3, after_s=read_s / 3
    )
    lanes = (("together", found.together), ("reads", found.prefill), ("writes", found.decode))
    lines = [note_row(t("guide.apart.one"))]
    for at, (name, spans) in enumerate(lanes):
        if at == 1:
            lines.append(note_row(t("guide.apart.two")))
        lines.append(
            bar(
                t(f"guide.apart.{name}"),
                [Part(kind=DOING[span.doing], share=span.length_s / found.end_s) for span in spans],
            )
        )
    drawn(
        "apart",
        lines,
        keys=(("read", "decode"), ("made", "prefill_new"), ("shared", "moved"), ("free", "idle")),
        as_table=(head("gb_s", "hand_over"), rows),
        stall=duration(found.stall_s),
        step=duration(found.apart_stall_s),
        later=duration(move_s),
    )
    components.sentence(
        t(
            "guide.apart.result",
            stall=duration(found.stall_s),
            step=duration(found.apart_stall_s),
            later=duration(move_s),
        )
    )


PARTS = {"apart": apart}
"""The section, by name."""
