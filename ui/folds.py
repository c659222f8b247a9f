"""Sections that stay folded: each says its finding in its title and costs nothing until it is
unfolded, and the URL says which are open (`?open_capex=true`)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import streamlit as st

PREFIX = "open_"


def url_name(name: str) -> str:
    """The URL parameter that says whether the section is open."""
    return f"{PREFIX}{name}"


def section(name: str, finding: str, show: Callable[[], object]) -> None:
    """One section. `finding`: its title, Markdown. `show` is called only while it is open."""
    box = st.expander(finding, key=url_name(name), on_change="rerun", bind="query-params")
    if box.open:
        with box, st.container(gap="small", key=f"inside_{name}"):
            show()


def stack(name: str) -> AbstractContextManager[object]:
    """Where a page's sections stand one under another."""
    return st.container(gap="small", key=f"folds_{name}")
