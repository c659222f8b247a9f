"""Six misconceptions: what is said, what is right, and a figure that says so."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from econ import guide_answers as answers
from econ.guide_quant import Kind
from econ.guide_sizes import shrunk
from econ.guide_times import whole_request
from econ.guide_waste import paged_waste, reserved_waste
from econ.roofline import decode_step
from econ.speed_features import datasheet_speeds, weights_of
from jobs import guide_facts, profiling
from kvcore.profile import CaseResult
from ui import components, doors, engine_profiles, guide_inputs, state
from ui.components import mark
from ui.engine_profiles import Shown
from ui.numerals import percent
from ui.time_lines import duration
from ui.words import t

SHORT, LONG = 1_024, 131_072
PROMPT, KEPT, REPLIES = 32_768, 30_000, (1, 4_096)
RESERVED, BLOCK = 262_144, 16
STORED: Kind = "int4"


def newest() -> Shown | None:
    """The profile that the Engine page would show: this machine's, else one brought along."""
    found = engine_profiles.chosen(profiling.profiles())
    return found[0] if found else None


def show(shown: Shown | None) -> None:
    """All six, in the guide's order."""
    for name in ("memory", "constant", "heads", "paged", "all", "lossless"):
        with components.rule(f"wrong_{name}"):
            left, right = st.columns([5, 6], gap="large")
            with left:
                components.answer(t(f"misconceptions.{name}.said"), t("misconceptions.said"))
            with right:
                components.sentence(t(f"misconceptions.{name}.right"))
                ANSWERS[name](shown)


def _say(text: str, shown: Shown | None, rows: Sequence[CaseResult] | None) -> None:
    """The figure, and below it whether it was measured or computed."""
    components.sentence(text[:1].upper() + text[1:])
    if rows is not None and shown is not None:
        known = engine_profiles.known_by(shown, rows)
        components.note(t("misconceptions.measured", known=known))
    else:
        key = "computed" if rows is None else "computed_always"
        components.note(
            t("misconceptions.by", mark=mark("computed"), how=t(f"misconceptions.{key}"))
        )


def _memory(shown: Shown | None) -> None:
    found = None if shown is None else answers.first_token(shown.profile)
    equal, everything = answers.made_again()
    text = t("misconceptions.memory.computed", equal=equal, all=everything)
    _say(text, None, ())
    if found is not None:
        text = t("misconceptions.memory.measured", tokens=found.first_at,
                 cold=duration(found.first), warm=duration(found.last))  # fmt: skip
        _say(text, shown, found.rows)


def _constant(shown: Shown | None) -> None:
    found = None if shown is None else answers.steps(shown.profile)
    ends: tuple[float, ...]
    if found is not None:
        ends, at, rows = (found.first, found.last), (found.first_at, found.last_at), found.rows
    else:
        model, device = guide_inputs.case()
        ends = tuple(
            decode_step(
                model, datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE),
                guide_inputs.format_of("bf16"),
                weights_bytes=weights_of(model, guide_inputs.WEIGHTS_DTYPE),
                context_tokens=tokens, batch=1,
            ).step_s
            for tokens in (SHORT, LONG)
        )  # fmt: skip
        at, rows = (SHORT, LONG), None
    text = t("misconceptions.constant.result", short=at[0], long=at[1],
             first=duration(ends[0]), last=duration(ends[1]))  # fmt: skip
    _say(text, shown, rows)


def _heads(_shown: Shown | None) -> None:
    model, _ = guide_inputs.case()
    text = t(
        "misconceptions.heads.result", model=model.name, query=model.query_heads,
        kv=model.groups[0].kv_heads, share=percent(1 / (shrunk(model) or 1.0)),
    )  # fmt: skip
    _say(text, None, ())


def _paged(shown: Shown | None) -> None:
    found = None if shown is None else answers.waste(shown.profile)
    if found is not None:
        text = t("misconceptions.paged.measured", contiguous=percent(found.first),
                 paged=percent(found.last))  # fmt: skip
        _say(text, shown, found.rows)
        return
    lengths = guide_facts.example_lengths()
    equal = "equal" if answers.scattered_is_equal() else "differ"
    text = t(
        "misconceptions.paged.computed", contiguous=percent(reserved_waste(lengths, RESERVED)),
        paged=percent(paged_waste(lengths, BLOCK), 2), equal=t(f"misconceptions.paged.{equal}"),
    )  # fmt: skip
    _say(text, shown, None)


def _all(shown: Shown | None) -> None:
    found = None if shown is None else answers.replies(shown.profile)
    if found is not None:
        text = t("misconceptions.all.measured", tokens=found.last_at, cold=duration(found.first),
                 warm=duration(found.last))  # fmt: skip
        _say(text, shown, found.rows)
        return
    model, device = guide_inputs.case()
    shares = [
        whole_request(
            model, datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE),
            guide_inputs.format_of("bf16"),
            weights_bytes=weights_of(model, guide_inputs.WEIGHTS_DTYPE), prompt_tokens=PROMPT,
            cached_tokens=KEPT, reply_tokens=reply,
        ).saved_share
        for reply in REPLIES
    ]  # fmt: skip
    text = t("misconceptions.all.computed", short=REPLIES[0], long=REPLIES[1],
             first=percent(shares[0], 0), last=percent(shares[1], 0))  # fmt: skip
    _say(text, shown, None)


def _lossless(shown: Shown | None) -> None:
    found = None if shown is None else answers.coarsest(shown.profile)
    if found is None or shown is None:
        error = percent(answers.output_error(STORED), 1)
        text = t("misconceptions.lossless.computed", format=STORED.upper(), error=error)
        _say(text, shown, None)
        return
    values = {"format": found.name, "kl": f"{found.kl_nats:.2g}"}
    if found.top1_ratio is None:
        text = t("misconceptions.lossless.measured_kl", **values)
    else:
        text = t("misconceptions.lossless.measured", **values, top1=percent(found.top1_ratio))
    rows = [row for row in shown.profile.cases if row.case == "kv_error_kl"]
    _say(text, shown, rows)


ANSWERS = {
    "memory": _memory, "constant": _constant, "heads": _heads, "paged": _paged, "all": _all,
    "lossless": _lossless,
}  # fmt: skip


def engine() -> None:
    """A link to the page where all of it is measured, and what measuring this machine takes."""
    components.note(t("misconceptions.measure_how"))
    st.page_link(
        doors.path_of("engine"), label=t("misconceptions.engine"),
        icon=":material/arrow_forward:", query_params=state.for_links(),
    )  # fmt: skip
