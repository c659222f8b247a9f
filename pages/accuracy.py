"""Accuracy: how far off are the speeds that this program estimates?"""

from __future__ import annotations

import streamlit as st

from jobs import accuracy
from ui import accuracy_article, accuracy_own, accuracy_view, components
from ui.words import t


def page() -> None:
    """The whole page, top to bottom."""
    components.question(t("accuracy_page.title"))
    with st.container(gap="medium"):
        metric, name = accuracy_view.switches()
        rows, devices = accuracy_own.rows(), accuracy.device_names()
        found = accuracy.families(rows)
        family = accuracy_view.chosen(found, name)
        every = None if family is None else family.group("all", metric)
        if family is None or every is None:
            accuracy_view.no_such_rows()
        else:
            left, right = st.columns([5, 6], gap="large", vertical_alignment="center")
            with left:
                accuracy_view.first_screen(every, name, metric)
            with right:
                accuracy_view.sentence(every, metric)
                accuracy_view.how(family, metric, rows)
            accuracy_view.by_device(family, metric, devices)
        accuracy_view.by_family(found, metric)
        if family is not None and every is not None:
            accuracy_own.scatter(rows, family, metric, devices)
        accuracy_view.outside(found, devices)
        accuracy_article.beside()
        accuracy_own.own_results(devices)


page()
