"""Keys of the public sources: entered, tried, held by the session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data_sources.public.hosts import SOURCES
from data_sources.store.engine import close_current_store
from jobs import public_keys
from messages.catalogue import LANGUAGES, t
from settings import Settings, using
from tests.data_sources.public.server import Reply, Stand, standing

CANARY = "canary5e1f0cafe5e1f0cafe5e1f0cafe"
SCRIPT = """
from ui import keys_view

keys_view.keys()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    with using(Settings(data_dir=tmp_path)):
        yield tmp_path
        close_current_store()


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    with standing() as made:
        monkeypatch.setattr(public_keys, "Web", made.web)
        yield made


def opened(language: str = "en") -> AppTest:
    app = AppTest.from_string(SCRIPT, default_timeout=30)
    app.session_state["_language"] = language
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("language", LANGUAGES)
def test_opening_asks_nobody(stand: Stand, language: str) -> None:
    app = opened(language)
    assert len(app.text_input) == len(SOURCES)
    assert app.subheader[0].value == t(language, "public_keys.heading")
    assert stand.seen == []


def test_a_key_is_tried_where_it_is_entered_and_lands_in_no_file(
    stand: Stand, folder: Path
) -> None:
    stand.at("/fred/series", Reply(b'{"error_message": "api_key is not registered"}', status=400),
             Reply(b'{"seriess": [{"id": "IPG3344S"}]}'))  # fmt: skip
    app = opened()
    app.text_input(key="public_key_fred").set_value(CANARY).run()
    app.button(key="try_fred").click().run()
    assert "not accepted" in app.error[0].value.replace("\\", "")
    app.button(key="try_fred").click().run()
    assert "accepts the key" in app.success[0].value
    assert stand.seen[1].query["api_key"] == [CANARY]
    for path in folder.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()


def test_a_missing_key_is_said_with_its_variable(stand: Stand) -> None:
    app = opened()
    app.button(key="try_estat").click().run()
    assert "KVLEDGER_ESTAT_KEY" in app.error[0].value.replace("\\", "")
    assert stand.seen == []
