"""Own prices on the Prices page: handed in, shown as theirs, refused in sentences, removed."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from jobs import own_prices
from messages.catalogue import t
from ui.own_prices import EXAMPLE

PAGE = Path(__file__).parents[2] / "pages" / "prices.py"


def opened() -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["_language"] = "en"
    for name, value in {"provider": "anthropic", "q": "opus-5", "at": "2026-11-29"}.items():
        app.query_params[name] = value
    return app.run()


def handed_in(app: AppTest, raw: bytes) -> AppTest:
    app.file_uploader[0].upload("mine.yaml", raw)
    app.run()
    assert not app.exception
    return app


def test_own_prices_are_shown_as_theirs_and_can_be_removed() -> None:
    app, language = opened(), "en"
    column = t(language, "prices_page.column.source")
    assert "own" not in set(app.dataframe[0].value[column])
    handed_in(app, EXAMPLE.encode())
    table = app.dataframe[0].value
    assert "own" in set(table[column])
    assert t(language, "prices_page.status.own") in set(
        table[t(language, "prices_page.column.status")]
    )
    assert own_prices.current() is None  # another session's are not touched
    app.button(key="own_remove").click().run()
    assert "own" not in set(app.dataframe[0].value[column])


def test_a_refused_file_says_every_fault_and_changes_nothing() -> None:
    app = opened()
    before = app.dataframe[0].value
    handed_in(app, b"format: 1\nadjustments: {foo: {}}\nprices: {bar: []}\n")
    assert len(app.error) == 2
    assert app.dataframe[0].value.equals(before)


def test_the_example_of_the_page_is_a_file_without_faults() -> None:
    assert own_prices.faults_of(EXAMPLE.encode()) == []
