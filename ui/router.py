"""The script that Streamlit runs: page config, language, navigation, frame. Nothing heavy.

It is not app.py, because beside a main script Streamlit would find the folder pages/ by itself,
and a cold server would then serve a deep link without language, navigation or frame.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import streamlit as st  # noqa: E402
from streamlit.navigation.page import StreamlitPage  # noqa: E402

from ui import doors, failures, own_prices, refused, state, words  # noqa: E402, F401
from ui.words import t  # noqa: E402

STATIC = Path(__file__).parent / "static"
Pages = dict[str, StreamlitPage]


def _pages(names: tuple[str, ...]) -> Pages:
    return {
        name: st.Page(
            doors.path_of(name),
            title=t(f"ui.page.{name}"),
            url_path=name,
            default=name == doors.FIRST_PAGE,
        )
        for name in names
    }


def _links_and_language(links: Pages) -> None:
    carried = state.for_links()
    with st.container(
        key="top",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        with st.container(key="links", horizontal=True, width="content"):
            for page in links.values():
                # With its parameters a visit is one step for the browser's back button.
                st.page_link(page, query_params=carried)
        words.switch()


def _run(page: StreamlitPage) -> None:
    try:
        page.run()
    except Exception as error:  # the last line of defence: one sentence instead of a traceback
        failures.show_unexpected(error)


def main() -> None:
    """Draw the frame and run the page that the URL names."""
    st.set_page_config(page_title="kvledger", page_icon=str(STATIC / "logo.svg"), layout="wide")
    words.settle()
    st.html(STATIC / "frame.css")
    st.logo(str(STATIC / "logo.svg"), size="small")
    by_door = {door.id: _pages(door.pages) for door in doors.open_doors()}
    page = st.navigation(
        {t(f"ui.door.{door}"): list(pages.values()) for door, pages in by_door.items()},
        position="top",
    )
    opened = next((p for p in by_door.values() if page in p.values()), next(iter(by_door.values())))
    with st.container(key="frame"):
        _links_and_language(opened)
        refused.begin(page.url_path)
        above = st.empty()  # filled after the page: its controls say what they could not take
        _run(page)
        with above:
            refused.show()


main()
