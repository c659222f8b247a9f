"""Observations and raw answers in the store: exact, by vintage, nothing overwritten."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_sources.store.engine import Store
from data_sources.store.observations import (
    KeptBody,
    find_body,
    keep,
    keep_body,
    last_fetches,
    list_observations,
)
from econ.observation import Observation

MOMENT = datetime(2026, 11, 29, 12, tzinfo=UTC)


def seen(value: str | None, vintage: str | None = "2026-07-15", **changes: Any) -> Observation:
    base: dict[str, Any] = {
        "source": "fred", "series": "X", "entity": "", "start": date(2026, 6, 1),
        "end": date(2026, 6, 30), "unit": "percent", "url": "https://x", "fetched_utc": MOMENT,
        "vintage": date.fromisoformat(vintage) if vintage else None,
        "value": None if value is None else Decimal(value),
        "marker": "." if value is None else "",
    }  # fmt: skip
    return Observation(**base | changes)


def test_another_value_is_another_row_and_is_told(store: Store) -> None:
    first = keep(store, [seen("3.8")], repeats=False)
    assert [change.after.value for change in first.new] == [Decimal("3.8")]
    second = keep(store, [seen("3.7", "2026-08-15")], repeats=False)
    (change,) = second.changed
    assert change.before is not None
    assert (change.before.value, change.after.value) == (Decimal("3.8"), Decimal("3.7"))
    assert [o.value for o in list_observations(store)] == [Decimal("3.8"), Decimal("3.7")]


def test_the_same_value_on_a_later_day_is_nothing_new(store: Store) -> None:
    keep(store, [seen("3.8")], repeats=False)
    again = keep(store, [seen("3.8", "2026-08-15"), seen("3.8")], repeats=False)
    assert (again.new, again.changed, again.unchanged) == ((), (), 2)
    assert len(list_observations(store)) == 1


def test_every_document_is_a_row_where_documents_count(store: Store) -> None:
    filings = [seen("5", "2026-05-01", document="a"), seen("5", "2026-08-01", document="b")]
    found = keep(store, filings, repeats=True)
    assert (len(found.new), len(found.changed), found.unchanged) == (1, 0, 1)
    assert [o.document for o in list_observations(store)] == ["a", "b"]
    assert keep(store, filings, repeats=True).unchanged == 2


def test_a_missing_value_that_is_filled_is_a_change(store: Store) -> None:
    keep(store, [seen(None)], repeats=False)
    found = keep(store, [seen("3.8", "2026-08-15")], repeats=False)
    assert len(found.changed) == 1
    first, _ = list_observations(store)
    assert (first.value, first.marker) == (None, ".")


def test_an_older_vintage_found_later_takes_its_place_in_the_row(store: Store) -> None:
    keep(store, [seen("3.7", "2026-08-15")], repeats=False)
    keep(store, [seen("3.8", "2026-07-15")], repeats=False)
    assert [o.value for o in list_observations(store)] == [Decimal("3.8"), Decimal("3.7")]


def test_a_source_that_changes_its_mind_within_a_day_is_heard(store: Store) -> None:
    keep(store, [seen("3.8")], repeats=False)
    assert len(keep(store, [seen("3.9")], repeats=False).changed) == 1
    assert [o.value for o in list_observations(store)] == [Decimal("3.9")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    value=st.decimals(-(10**20), 10**20, allow_nan=False, places=9),
    series=st.text("ABC_019", min_size=1, max_size=20),
    start=st.none() | st.dates(),
    vintage=st.none() | st.dates(),
)
def test_what_is_read_back_is_what_was_kept(
    store: Store, value: Decimal, series: str, start: date | None, vintage: date | None
) -> None:
    one = replace(seen("0"), value=value, series=series, start=start, end=date.max, vintage=vintage)
    keep(store, [one], repeats=True)
    found = list_observations(store, series=[series])
    assert any(
        (o.value, o.start, o.end, o.vintage) == (value, start, date.max, vintage) for o in found
    )
    assert all(type(o.value) is Decimal for o in found)


def test_choosing_by_source_entity_and_series(store: Store) -> None:
    keep(store, [seen("1"), seen("2", series="Y"), seen("3", source="sec", entity="7")],
         repeats=True)  # fmt: skip
    assert len(list_observations(store, source="fred")) == 2
    assert len(list_observations(store, entity="7")) == 1
    assert len(list_observations(store, series=["X", "Y"], source="fred")) == 2
    assert len(list_observations(store, limit=1)) == 1


def answer(content: bytes, url: str, at: datetime) -> tuple[KeptBody, str]:
    kept = KeptBody(
        source="fred", url=url, content_type="text/csv", fetched_utc=at, content=content
    )
    return kept, hashlib.sha256(content).hexdigest()


def test_raw_answers_are_kept_with_each_fetch_and_found_by_age(store: Store) -> None:
    for hours, content in ((0, b"one"), (1, b"one"), (30, b"two" * 1_000), (31, b"")):
        keep_body(store, *answer(content, "https://x/a", MOMENT + timedelta(hours=hours)))
    newest = find_body(store, "https://x/a", None)
    assert newest is not None
    assert newest.content == b""
    assert find_body(store, "https://x/a", MOMENT + timedelta(hours=32)) is None
    assert find_body(store, "https://x/b", None) is None
    assert last_fetches(store) == {"fred": MOMENT + timedelta(hours=31)}
