"""Trying a key: one small question to its source, nothing kept."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from data_sources.public import edinet, estat, fred, sec
from data_sources.public.hosts import EDINET, ESTAT, FRED_API, SEC_DATA, Source
from data_sources.public.web import Ask, Body, Web
from jobs.public_asked import Keys
from messages.errors import KvledgerError, Message

VARIABLES: dict[Source, str] = {
    "sec": "KVLEDGER_SEC_CONTACT",
    "fred": "KVLEDGER_FRED_KEY",
    "edinet": "KVLEDGER_EDINET_KEY",
    "estat": "KVLEDGER_ESTAT_KEY",
}
KEY_HOSTS: dict[Source, str] = {
    "sec": SEC_DATA,
    "fred": FRED_API,
    "edinet": EDINET,
    "estat": ESTAT,
}
NVIDIA = "1045810"
SERIES = "IPG3344S"
TABLE = "0004052177"
Trial = tuple[Ask, Callable[[Body], Any]]


def has_key(source: Source, keys: Keys) -> bool:
    """Whether there is anything to try."""
    return _key(source, keys) is not None


def try_key(source: Source, keys: Keys, web: Web | None = None) -> Message:
    """'public.answers' where the source accepts the key, else why not. Never raises for what the
    source does; the message holds no key."""
    key = _key(source, keys)
    if key is None:
        return Message("public.needs_key", {"name": VARIABLES[source]})
    try:
        ask, read = _trial(source, key)
        with Web() if web is None else nullcontext(web) as client:
            read(client.get(ask))
    except KvledgerError as error:
        return keys.hide(error.message)
    return Message("public.answers", {"host": KEY_HOSTS[source]})


def _key(source: Source, keys: Keys) -> SecretStr | None:
    if source == "sec":
        return SecretStr(keys.sec_contact) if keys.sec_contact else None
    return {"fred": keys.fred, "edinet": keys.edinet, "estat": keys.estat}[source]


def _trial(source: Source, key: SecretStr) -> Trial:
    if source == "sec":
        return sec.concept_ask(NVIDIA, "InventoryNet", key.get_secret_value()), sec.read_concept
    if source == "fred":
        return fred.info_ask(SERIES, key), fred.read_info
    if source == "edinet":
        return edinet.list_ask(datetime.now(UTC).date(), key), edinet.read_list
    return estat.meta_ask(TABLE, key), estat.read_codes
