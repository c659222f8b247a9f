"""A refresh on the page: what changed, what could not be had, and keys that no file has seen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from data_sources.public.hosts import Source
from data_sources.store.engine import close_current_store, current_store
from data_sources.store.observations import keep
from econ.observation import Observation
from jobs import public_keys, public_refresh
from messages.catalogue import LANGUAGES
from settings import Settings, using
from tests.data_sources.public.bodies import companyfacts, fact
from tests.data_sources.public.server import Reply, Stand, standing

CANARY = "canary5e1f0cafe5e1f0cafe5e1f0cafe"
CSV = "/graph/fredgraph.csv"
FACTS = "/api/xbrl/companyfacts/CIK0000000007.json"
SCRIPT = """
from ui import keys_view, market_refresh

keys_view.keys()
market_refresh.ask()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    with using(Settings(data_dir=tmp_path)):
        yield tmp_path
        close_current_store()


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    with standing() as made:
        monkeypatch.setattr(public_refresh, "Web", made.web)
        monkeypatch.setattr(public_keys, "Web", made.web)
        yield made


def opened(language: str = "en") -> AppTest:
    app = AppTest.from_string(SCRIPT, default_timeout=60)
    app.session_state["_language"] = language
    app.run()
    assert not app.exception
    return app


def asked(app: AppTest, *sources: Source, **typed: str) -> AppTest:
    app.multiselect(key="market_sources").set_value(list(sources))
    for name, text in typed.items():
        app.text_input(key=f"market_add_{name}").set_value(text)
    app.run()
    app.button(key="market_refresh_go").click().run()
    app.run()  # what the job's panel does by itself when it has ended
    assert not app.exception
    return app


def tables(app: AppTest) -> str:
    parts: list[Any] = list(app.get("html"))
    return "\n".join(str(part.proto.body) for part in parts)


def warned(app: AppTest) -> list[str]:
    return [box.value.replace("\\", "") for box in app.warning]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refresh_shows_the_value_before_and_now(stand: Stand, language: str) -> None:
    known = Observation(
        source="fred", series="X", entity="", start=date(2026, 6, 1), end=date(2026, 6, 30),
        vintage=date(2026, 7, 1), value=Decimal("3.8"), unit="", document="", form="", url="",
        fetched_utc=datetime(2026, 7, 1, tzinfo=UTC), body_sha256="0" * 64,
    )  # fmt: skip
    keep(current_store(), [known], repeats=False)
    content = b"observation_date,X\n2026-06-01,3.7\n2026-07-01,3.6\n"
    stand.at(CSV, Reply(content, content_type="text/csv"))
    shown = tables(asked(opened(language), "fred", series="x"))
    assert shown.index("3.8") < shown.index("3.7") < shown.index("3.6")


def test_any_series_and_any_company_can_be_added(stand: Stand) -> None:
    stand.at(CSV, Reply(b"observation_date,UNRATE\n2026-06-01,4.2\n", content_type="text/csv"))
    rows = [fact("2026-01-01", "2026-03-31", 5_000_000, "2026-05-01", form="10-Q")]
    stand.at(FACTS, Reply(companyfacts({"Revenues": rows}).content,
                          content_type="application/json"))  # fmt: skip
    app = opened()
    app.text_input(key="public_key_sec").set_value("me@example.org").run()
    app = asked(app, "fred", "sec", series="UNRATE", company="7")
    shown = tables(app)
    assert "4.2" in shown
    assert "5 M USD" in shown
    assert warned(app) == []


def test_a_typed_key_reaches_the_source_and_lies_in_no_file(stand: Stand, folder: Path) -> None:
    stand.at("/fred/series", Reply(b'{"seriess": [{"id": "X", "units": "Index"}]}'))
    stand.at("/fred/series/observations", Reply(b'{"observations": [], "count": 0}'))
    app = opened()
    app.text_input(key="public_key_fred").set_value(CANARY).run()
    asked(app, "fred", series="X")
    assert stand.seen[0].query["api_key"] == [CANARY]
    for path in folder.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()


def test_without_network_one_sentence_says_so_with_the_snapshots_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with standing() as gone:
        pass
    monkeypatch.setattr(public_refresh, "Web", gone.web)
    app = opened()
    app.text_input(key="public_key_sec").set_value("me@example.org").run()
    app = asked(app, "fred", "sec")
    (sentence,) = warned(app)
    assert "2026-11-29" in sentence
    assert "FRED" in sentence
    assert "SEC" in sentence


def test_a_source_that_fails_says_why(stand: Stand) -> None:
    stand.at(CSV, Reply(b"", status=500))
    app = asked(opened(), "fred", series="X")
    (sentence,) = warned(app)
    assert "500" in sentence
    assert "X" in sentence
