"""A model of the reader's own: its config.json pasted, or the start of its file."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from econ.kv_sources import MOST_BYTES
from jobs import model_sizes
from messages.errors import KvledgerError
from price_tables.hardware import ModelSpec
from ui import components, failures, model_choice
from ui.numerals import foreign, md
from ui.words import say, t

_TURN = "_model_file_turn"
MOST_MB = 1024


def ask(taken: Callable[[str], None] | None = None, label: str = "") -> None:
    """A popover that takes a config.json, a GGUF or a safetensors file. `taken` hears the key of
    what was read."""
    label = label or t("model_size.own_open")
    with st.popover(label, icon=":material/upload_file:", key="own_model"):
        refusal = st.container()
        st.text_input(t("model_size.own_name"), key="own_name", max_chars=60)
        st.text_area(t("model_size.own_paste"), key="own_text", height=160)
        turn = st.session_state.get(_TURN, 0)
        file = st.file_uploader(
            t("model_size.own_file"),
            type=["json", "gguf", "safetensors"],
            key=f"model_file-{turn}",
            max_upload_size=MOST_MB,
            help=t("model_size.own_file_help"),
        )
        if file is not None:
            file.seek(0)
            start = file.read(MOST_BYTES)
            st.session_state[_TURN] = turn + 1  # an empty widget lets go of the bytes
            _take(start, st.session_state.get("own_name") or file.name, refusal, taken)
        if st.button(t("model_size.own_take"), key="own_take"):
            text = str(st.session_state.get("own_text") or "")
            name = st.session_state.get("own_name") or "config.json"
            _take(text.encode(), name, refusal, taken)


def _take(
    data: bytes, name: str, refusal: DeltaGenerator, taken: Callable[[str], None] | None
) -> None:
    try:
        key = model_choice.keep_own(model_sizes.model_of_bytes(data, name))
    except KvledgerError as error:
        with refusal:
            failures.show(error)
    else:
        if taken is not None:
            taken(key)
        st.rerun()


def assumed(models: list[ModelSpec]) -> None:
    """What was assumed of the reader's own models that are looked at."""
    for read in model_choice.own_models().values():
        if read.spec not in models:
            continue
        with st.container(key=f"rule_own_{abs(hash(read.spec.id))}", gap="xxsmall"):
            name = md(foreign(read.spec.name, 60))
            components.answer(t("model_size.own_read", name=name),
                              t("model_size.own_source", source=read.spec.source))  # fmt: skip
            for message in read.assumptions:
                components.note(md(say(message)))
            if not read.assumptions:
                components.note(t("model_size.own_nothing"))
    if model_choice.own_models():
        st.button(t("model_size.own_forget"), key="own_forget", type="tertiary",
                  on_click=model_choice.forget_own)  # fmt: skip
