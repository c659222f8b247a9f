"""Trying a key asks one small question and keeps nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from data_sources.public.hosts import SOURCES, Source
from jobs.public_asked import Keys
from jobs.public_keys import KEY_HOSTS, try_key
from messages.catalogue import LANGUAGES, say
from tests.data_sources.public.bodies import body, edinet_list, estat
from tests.data_sources.public.server import Reply, Stand, standing

CANARY = "canary5e1f0cafe5e1f0cafe5e1f0cafe0123456"
SECRET = SecretStr(CANARY)
KEYS = Keys(sec_contact="me@example.org", fred=SECRET, edinet=SECRET, estat=SECRET)
PATHS = {
    "sec": "/api/xbrl/companyconcept/CIK0001045810/us-gaap/InventoryNet.json",
    "fred": "/fred/series",
    "edinet": "/api/v2/documents.json",
    "estat": "/rest/3.0/app/json/getMetaInfo",
}
GOOD = {
    "sec": {"cik": 1045810, "tag": "InventoryNet", "units": {}},
    "fred": {"seriess": [{"id": "IPG3344S"}]},
    "edinet": edinet_list(),
    "estat": estat("GET_META_INFO", METADATA_INF={}),
}
BAD = {
    "sec": Reply(b"<html></html>", status=403),
    "fred": Reply(b'{"error_message": "The value for variable api_key is bad"}', status=400),
    "edinet": Reply(b'{"StatusCode": 401, "message": "denied"}'),
    "estat": Reply(body(estat("GET_META_INFO", 100, f"appId {CANARY}")).content),
}


@pytest.fixture
def stand() -> Iterator[Stand]:
    with standing() as made:
        yield made


@pytest.mark.parametrize("source", SOURCES)
def test_a_good_key_is_accepted_by_its_host(stand: Stand, source: Source) -> None:
    stand.at(PATHS[source], Reply(body(GOOD[source]).content))
    with stand.web() as web:
        answer = try_key(source, KEYS, web)
    assert answer.id == "public.answers"
    assert [one.host for one in stand.seen] == [KEY_HOSTS[source]]


@pytest.mark.parametrize("source", SOURCES)
def test_a_bad_key_is_said_without_being_repeated(stand: Stand, source: Source) -> None:
    stand.at(PATHS[source], BAD[source])
    with stand.web() as web:
        answer = try_key(source, KEYS, web)
    assert answer.id == ("public.sec_refused" if source == "sec" else "public.bad_key")
    assert all(CANARY not in say(language, answer) for language in LANGUAGES)


@pytest.mark.parametrize("source", SOURCES)
def test_without_a_key_nobody_is_asked(stand: Stand, source: Source) -> None:
    with stand.web() as web:
        assert try_key(source, Keys(), web).id == "public.needs_key"
    assert stand.seen == []
