"""A workload without a file: choose a shape of use, change its five numbers, look at its cost."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from data_sources.traces.base import ReadOptions
from econ.presets import MOST_REQUESTS, MOST_TOKENS, PRESETS, Preset, as_csv
from jobs.spool import new_folder
from messages.errors import Message
from ui import components, upload
from ui.numerals import percent
from ui.words import t

_LIMITS = {
    "requests": (1, MOST_REQUESTS),
    "shared_tokens": (0, MOST_TOKENS),
    "fresh_tokens": (0, MOST_TOKENS),
    "output_tokens": (0, MOST_TOKENS),
    "gap_s": (0, 86_400),
}


def show(key: str) -> None:
    """The button that opens the form; a made workload is read like any file."""
    with st.popover(
        t("ui.preset.open"), type="tertiary", icon=":material/edit_note:", key=f"preset-{key}"
    ):
        components.note(t("ui.preset.what"))
        named = {preset: _name(preset) for preset in PRESETS}  # in the reader's language, now
        chosen = st.selectbox(
            t("ui.preset.shape"), PRESETS, format_func=named.__getitem__, key=f"preset_shape-{key}"
        )
        # a key for each shape, so that its numbers are those of the shape until they are changed
        numbers = {
            name: st.number_input(
                t(f"ui.preset.{name}"),
                min_value=low,
                max_value=high,
                value=getattr(chosen, name),
                key=f"preset_{name}-{chosen.id}-{key}",
            )
            for name, (low, high) in _LIMITS.items()
        }
        preset = replace(chosen, **numbers)
        components.note(t("ui.preset.most_hits", ratio=percent(preset.most_hits)))
        if st.button(
            t("ui.preset.make"),
            key=f"preset_make-{key}",
            disabled=not 1 <= preset.prompt_tokens <= MOST_TOKENS,
        ):
            take(preset)
            st.rerun()


def _name(preset: Preset) -> str:
    return t(f"ui.preset.name.{preset.id}")


def take(preset: Preset) -> None:
    """Hand the preset's CSV to the reader, as an upload would be."""
    try:
        path = new_folder() / "0000"
        path.write_text(as_csv(preset), encoding="utf-8")
    except OSError as error:
        why = error.strerror or type(error).__name__
        upload.refuse(Message("ui.upload.disk", {"why": why}))
        return
    upload.drop_files()
    upload.start([(f"{preset.id}.csv", path)], ReadOptions())
