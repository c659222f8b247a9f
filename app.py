"""The browser's door: the server. The script that draws the pages is ui/router.py."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from jobs import flows, lifespan
from messages.catalogue import LANGUAGES, say, translations
from messages.errors import KvledgerError
from settings import start_language
from ui import failures, server
from ui.doors import FIRST_PAGE

FIRST_PAGE_MODULES = (
    "pandas", "plotly.graph_objects", "ui.view", "ui.sections", "ui.advice", "ui.elsewhere",
    "ui.engine_strip", "ui.hardware_strip", "ui.market_strip", "ui.own_prices",
)  # fmt: skip


@asynccontextmanager
async def serving(_app: Any) -> AsyncIterator[dict[str, Any]]:
    """Ledger, pool and warm numbers while the server stands.

    What the first page needs is made before the door opens: made beside the first visitor's run
    it would take longer for both.
    """
    for name in FIRST_PAGE_MODULES:
        importlib.import_module(name)
    for language in LANGUAGES:
        translations(language)  # hover help knows the terms of both
    try:
        lifespan.start(later=(flows.warm_jobs,))
        flows.warm()
    except KvledgerError as error:
        # Raised further it would fill the terminal with the server's own calls, not ours.
        print(say(start_language(), error.message), file=sys.stderr, flush=True)
        os._exit(1)
    try:
        yield {}
    finally:
        lifespan.stop()


app = st.App(
    Path(__file__).parent / "ui" / "router.py",
    lifespan=serving,
    routes=[Route("/readyz", server.ready), Route(f"/{FIRST_PAGE}", server.first_page)],
    middleware=[Middleware(server.SecurityHeaders), Middleware(server.PageLanguage)],
    on_script_error=failures.show_unexpected,
)
