"""`refresh` and `observations list` through the shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_sources.store.engine import close_current_store
from jobs import public_refresh
from messages.catalogue import LANGUAGES
from settings import Settings, using
from tests.data_sources.public.server import Reply, Stand, standing
from tests.shell import shell
from tests.shell_shapes import count, maybe, shape, text

EXACT = re.compile(r"-?\d+(\.\d+)?")


def exact(value: Any) -> None:
    """A number as text, not rounded."""
    assert isinstance(value, str)
    assert EXACT.fullmatch(value), value


FIGURE = shape(
    source=text, series=text, entity=text, span=text, start=maybe(text), end=text,
    value=maybe(exact), marker=text, first=maybe(exact), unit=text, currency=text,
    vintage=maybe(text), derived=text, document=text, link=text, origin=text, status=text,
    note=text,
)  # fmt: skip
CHANGE = shape(
    before=maybe(exact), before_vintage=maybe(text), source=text, entity=text, series=text,
    start=maybe(text), end=text, value=maybe(exact), unit=text, vintage=maybe(text),
    document=text, link=text,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield
        close_current_store()


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    with standing() as made:
        monkeypatch.setattr(public_refresh, "Web", made.web)
        yield made


def test_the_list_needs_no_network_and_says_how_old_it_is() -> None:
    said = shell("observations", "list", "--limit", 5000, "--json")
    assert said.status == 0, said.err
    assert said.json["snapshot_day"] == "2026-11-29"
    assert said.json["fetched"] == {}
    assert said.json["left_out"] == 0
    for row in said.json["observations"]:
        FIGURE(row)
    assert {row["origin"] for row in said.json["observations"]} == {"snapshot"}


def test_the_list_is_cut_and_says_so() -> None:
    said = shell("observations", "list", "--source", "makers", "--limit", 3, "--json")
    assert len(said.json["observations"]) == 3
    count(said.json["left_out"])
    assert said.json["left_out"] == 15


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_is_read_in_both_languages(language: str) -> None:
    said = shell("observations", "list", "--entity", "skhynix", "--lang", language)
    assert said.status == 0
    assert "2026-11-29" in said.out
    assert "79300000000000" in said.out
    assert "cli." not in said.out


def test_a_refresh_prints_what_is_new_then_what_changed(stand: Stand) -> None:
    head = b"observation_date,X\n2026-06-01,"
    stand.at("/graph/fredgraph.csv", Reply(head + b"3.8\n", content_type="text/csv"),
             Reply(head + b"3.7\n", content_type="text/csv"))  # fmt: skip
    first = shell("refresh", "fred", "--series", "X", "--json")
    assert first.status == 0, first.err
    (source,) = first.json["sources"]
    assert (source["source"], source["asked"], source["failures"]) == ("fred", 1, [])
    (new,) = source["new"]
    CHANGE(new)
    assert (new["before"], new["value"]) == (None, "3.8")
    again = shell("refresh", "fred", "--series", "X", "--force", "--json")
    (changed,) = again.json["sources"][0]["changed"]
    CHANGE(changed)
    assert (changed["before"], changed["value"]) == ("3.8", "3.7")
    words = shell("refresh", "fred", "--series", "X")
    assert "1 read again" in words.out


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failure_is_a_sentence_and_status_1(stand: Stand, language: str) -> None:
    said = shell("refresh", "fred", "sec", "edinet", "estat", "--series", "X", "--lang", language)
    assert said.status == 1
    assert len(said.err.splitlines()) == 4
    assert "KVLEDGER_SEC_CONTACT" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "arguments",
    [("refresh",), ("refresh", "nasdaq"), ("refresh", "edinet", "--from", "yesterday"),
     ("refresh", "http://x"), ("observations",), ("observations", "list", "--limit", "0")],
)  # fmt: skip
def test_wrong_usage_is_status_2(arguments: tuple[str, ...]) -> None:
    try:
        status = shell(*arguments).status
    except SystemExit as left:
        status = int(str(left.code))
    assert status == 2
