"""Model size: how much memory does a token take?"""

from __future__ import annotations

import streamlit as st

from econ.size_csv import size_csv
from econ.size_study import fits, size_rows
from jobs import model_sizes
from ui import (
    byte_words,
    components,
    device_choice,
    downloads,
    folds,
    model_choice,
    model_size_articles,
    model_size_view,
    model_source,
    scenario,
)
from ui.words import t

REFERENCE_DEVICES = ("h100-sxm", "b300-sxm")


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("model_size.title"))
    with st.container(gap="medium"):
        scenario.adopt()
        top = st.container(gap="medium")
        with st.container(horizontal=True, gap="large", key="controls_size"):
            context = model_choice.context()
            dtype = model_choice.dtype()
            unit = byte_words.unit()
        with st.container(key="controls_models"):
            models = model_choice.models()
            model_source.ask()
        with st.container(horizontal=True, gap="small", key="controls_device",
                          vertical_alignment="bottom"):  # fmt: skip
            device, place = device_choice.asked(models[0])
        scenario.said()
        first, *_ = size_rows(models[:1], dtype, context)
        rows = size_rows(models, dtype, context)
        fit = fits(first.spec, dtype, context, place)
        with top:
            left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
            with left:
                model_size_view.first_screen(first, unit)
            with right:
                model_size_view.sentence(first, fit, device, place, unit)
                model_size_view.how(first, fit, device, place, dtype)
        model_source.assumed(models)
        ordered = [row.spec for row in rows]

        def csv() -> None:
            downloads.csv_button(
                t("model_size.download"),
                lambda: size_csv(ordered, dtype, context, device, place),
                "kvledger-model-sizes.csv",
                "size_csv",
                "tertiary",
            )

        model_size_view.device_table(ordered, dtype, device, place, unit, csv)
        model_size_view.bars(rows, first.spec.id, unit)
        known = model_sizes.hardware().devices
        levels = {one: known[one] for one in REFERENCE_DEVICES} | {device.id: device}
        with folds.stack("model_size"):
            model_size_view.growth_curve(models, list(levels.values()), dtype, context, unit)
            model_size_view.sizes_table(rows, dtype, unit)
            model_size_articles.sections(unit)


page()
