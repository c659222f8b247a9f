"""The same file gives the same bill wherever the machine stands and whatever language it speaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.shell import plain_csv, process

PLACES = (
    {"TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"TZ": "Asia/Tokyo", "LC_ALL": "ja_JP.UTF-8"},
    {"TZ": "America/New_York", "LC_ALL": "de_DE.UTF-8"},  # summer time; a comma for decimals
    {"TZ": "Australia/Lord_Howe", "LC_ALL": "C"},  # half an hour of summer time; plain ASCII
)
MOMENTS = (
    "2024-02-29T23:59:59Z",
    "2024-03-01T00:00:00Z",
    "2026-03-08T07:30:00Z",  # clocks go forward in New York
    "2026-08-20T23:59:59Z",  # the last second of an old price
    "2026-08-21T00:00:00Z",
    "2026-10-31T23:59:59Z",  # the last second of a month
    "2026-11-01T06:30:00Z",  # clocks go back in New York: this local hour comes twice
)


@pytest.fixture(scope="module")
def usage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    row = {"input_tokens": 100_000, "cached_read_tokens": 50_000, "output_tokens": 1_000}
    rows = [{**row, "start_utc": moment, "model": model, "user": "契約"} for moment in MOMENTS
            for model in ("gpt-5.6-sol", "claude-opus-5")]  # fmt: skip
    return plain_csv(tmp_path_factory.mktemp("usage") / "usage.csv", rows)


def printed(usage: Path, *words: object, **place: str) -> dict[str, Any]:
    said = process("report", usage, "--by", "day,model,user", *words, "--json", **place)
    assert said.status == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_tokens_prices_and_days_do_not_move_with_the_machine(usage: Path) -> None:
    """Reliability 2 and 5 under other clocks: ids and all amounts are equal."""
    first, *others = [printed(usage, **place) for place in PLACES]
    days = [group["key"] for group in first["groups"] if group["by"] == "day"]
    assert "2024-02-29" in days
    assert "2026-10-31" in days
    for other in others:
        assert other == first


def test_a_readers_zone_moves_the_days_and_not_the_money(usage: Path) -> None:
    here, tokyo = printed(usage), printed(usage, "--tz", "Asia/Tokyo")
    days = [group["key"] for group in tokyo["groups"] if group["by"] == "day"]
    assert "2024-02-29" not in days
    assert "2026-11-01" in days
    assert tokyo["baselines"] == here["baselines"]
