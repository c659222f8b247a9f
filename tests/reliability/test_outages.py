"""A source that fails leaves the dated snapshot in its place: never a zero, never an empty page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from data_sources.store.engine import close_current_store
from jobs import public_data
from jobs.public_asked import Keys, Wanted
from jobs.public_refresh import refresh
from messages.catalogue import LANGUAGES, say
from settings import Settings, using
from tests.data_sources.public.server import HTML, Reply, Stand, standing

SERIES = "PCU334413334413"
CHART = "/graph/fredgraph.csv"
OUTAGES = {
    "down": Reply(b"", 500),
    "refused": Reply(b"", 403),
    "throttled": Reply(b"", 429),
    "another page": Reply(b"<html><body>maintenance</body></html>", content_type=HTML),
    "empty": Reply(b"", 200, content_type="text/csv"),
}


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path)):
        yield
        close_current_store()


@pytest.fixture
def stand() -> Iterator[Stand]:
    with standing() as made:
        yield made


@pytest.mark.parametrize("outage", OUTAGES)
def test_source_outage_shows_dated_snapshot_not_zero(stand: Stand, outage: str) -> None:
    before = public_data.series(SERIES).figures
    stand.at(CHART, OUTAGES[outage])
    with stand.web() as web:
        (found,) = refresh(["fred"], Wanted(series=(SERIES,)), Keys(), web=web)
    assert found.failures
    for language in LANGUAGES:
        words = say(language, found.failures[0].message)
        assert words
        assert "not found" not in words.lower()
    after = public_data.series(SERIES).figures
    assert after == before
    assert after
    assert all(figure.value for figure in after)
    assert all(figure.vintage <= date(2026, 11, 29) for figure in after)
    assert public_data.standing().snapshot_day == date(2026, 11, 29)
    assert "fred" not in public_data.standing().fetched
