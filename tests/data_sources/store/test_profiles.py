"""Device profiles and probes are kept whole, listed by date, and gone when deleted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from data_sources.store.engine import Store
from data_sources.store.probes import delete_probe, list_probes, save_probe
from data_sources.store.profiles import (
    NewProfile,
    delete_profile,
    get_profile,
    list_profiles,
    save_profile,
)
from data_sources.store.tables import device_case
from messages.errors import NotFoundError

DAY = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)


def case(name: str, median: float | None, **params: Any) -> dict[str, Any]:
    return {
        "case": name,
        "params": params,
        "unit": "s",
        "median": median,
        "spread": None if median is None else median / 10,
        "n": 0 if median is None else 5,
        "cpu_share": 0.97,
        "contended": False,
    }


def new(number: int = 1, **changes: Any) -> NewProfile:
    values: dict[str, Any] = {
        "id": f"{number:064x}",
        "name": f"laptop {number}",
        "origin": "measured",
        "device_kind": "cpu",
        "device_name": "a processor\n™",
        "model_name": "SmolLM2",
        "measured_utc": DAY + timedelta(days=number),
        "owner": "ann",
        "profile": {
            "name": f"laptop {number}",
            "cases": [case("ttft_cold", 1.25, prompt_tokens=1024), case("offload", None)],
        },
    }
    return NewProfile(**{**values, **changes})


def rows_of(store: Store, profile_id: str) -> list[Any]:
    query = sa.select(device_case).where(device_case.c.profile_id == profile_id)
    with store.read() as connection:
        return list(connection.execute(query.order_by(device_case.c.position)))


def test_a_profile_is_kept_whole_and_as_rows(store: Store) -> None:
    saved = new()
    save_profile(store, saved)
    assert get_profile(store, saved.id) == saved.profile
    first, second = rows_of(store, saved.id)
    assert (first.case_name, first.params, first.median, first.repeats) == (
        "ttft_cold",
        {"prompt_tokens": 1024},
        1.25,
        5,
    )
    assert (second.median, second.repeats) == (None, 0)


def test_the_newest_measurement_comes_first(store: Store) -> None:
    for number in (2, 3, 1):
        save_profile(store, new(number))
    assert [row.name for row in list_profiles(store)] == ["laptop 3", "laptop 2", "laptop 1"]
    assert list_profiles(store, limit=1)[0].measured_utc == DAY + timedelta(days=3)


def test_equal_figures_are_kept_once_and_stay_measured(store: Store) -> None:
    save_profile(store, new())
    save_profile(store, new(origin="imported", name="brought in"))
    (row,) = list_profiles(store)
    assert (row.origin, row.name) == ("measured", "laptop 1")
    assert len(rows_of(store, row.id)) == 2


def test_a_profile_without_figures_is_kept_too(store: Store) -> None:
    save_profile(store, new(profile={"name": "x", "cases": []}))
    assert rows_of(store, new().id) == []
    assert len(list_profiles(store)) == 1


def test_a_deleted_profile_leaves_no_rows(store: Store) -> None:
    save_profile(store, new(1))
    save_profile(store, new(2))
    delete_profile(store, new(1).id)
    assert rows_of(store, new(1).id) == []
    assert len(rows_of(store, new(2).id)) == 2
    for act in (delete_profile, get_profile):
        with pytest.raises(NotFoundError) as caught:
            act(store, new(1).id)
        assert caught.value.message.id == "store.no_profile"


def probe(day: int, cold_s: float = 31.983, warm_s: float = 0.042) -> dict[str, Any]:
    return {
        "url": "http://localhost:11434",
        "model": "qwen3:8b",
        "api": "ollama",
        "created_utc": (DAY + timedelta(days=day)).isoformat(),
        "cold": {"first_token_s": cold_s},
        "warm": {"first_token_s": warm_s},
    }


def test_a_probe_keeps_both_times_and_can_be_deleted(store: Store) -> None:
    save_probe(store, probe(1))
    save_probe(store, probe(2, cold_s=2.0, warm_s=0.5))
    newest, oldest = list_probes(store)
    assert (newest.cold_s, newest.warm_s) == (2.0, 0.5)
    assert (oldest.cold_s, oldest.warm_s, oldest.result) == (31.983, 0.042, probe(1))
    assert oldest.created_utc == DAY + timedelta(days=1)
    delete_probe(store, newest.id)
    assert [row.id for row in list_probes(store)] == [oldest.id]
    with pytest.raises(NotFoundError):
        delete_probe(store, newest.id)
