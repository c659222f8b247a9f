"""Probes of people's own servers: asked once, kept, and shown beside kvcore's own times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import settings as settings_module
from data_sources.probe.asked import (
    APIS,
    AUTO,
    DEFAULT_PROMPT_TOKENS,
    DEFAULT_TIMEOUT_S,
    Api,
    ProbeRequest,
    target_of,
)
from data_sources.store import probes as rows
from data_sources.store.engine import current_store
from data_sources.store.probes import StoredProbe as StoredProbe
from jobs.profiling import this_machine


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAsked:
    """A probe as a person asks for it. `api`: 'openai', 'ollama' or 'auto'."""

    url: str
    model: str
    prompt_tokens: int = DEFAULT_PROMPT_TOKENS
    api: str = AUTO
    timeout_s: int = DEFAULT_TIMEOUT_S


def probe(asked: ProbeAsked, stage: Callable[[str], None]) -> dict[str, Any]:
    """Ask the server, keep what it took, and return what `probe --json` prints.

    `stage` is told what begins. The key is the setting `probe_key`. InputError for a bad address;
    SourceError or DataError where no two whole answers came: then nothing is kept.
    """
    from data_sources.probe.run import probe as ask
    from data_sources.probe.run import to_json

    request = ProbeRequest(
        target=target_of(asked.url),
        model=asked.model,
        prompt_tokens=asked.prompt_tokens,
        api=_api(asked.api),
        timeout_s=asked.timeout_s,
    )
    store = current_store()  # a ledger that cannot be written is said before anybody waits
    found = to_json(ask(request, settings_module.current().probe_key, stage))
    probe_id = rows.save_probe(store, found)
    tokens = found["cold"]["prompt_tokens"] or asked.prompt_tokens
    return {"probe_id": probe_id, **found, "kvcore": kvcore_pair(tokens)}


def _api(name: str) -> Api | None:
    return next((api for api in APIS if api == name), None)


def kvcore_pair(prompt_tokens: int) -> dict[str, Any] | None:
    """kvcore's own pair of this machine at the nearest prompt length; None where not measured."""
    own = this_machine(prompt_tokens)
    if own is None:
        return None
    return {
        "profile_id": own.entry.id,
        "name": own.entry.name,
        "created_utc": own.entry.measured_utc.isoformat(),
        "model": own.entry.model_name,
        "prompt_tokens": own.pair.prompt_tokens,
        "reused_tokens": own.pair.reused_tokens,
        "cold_s": own.pair.cold_s,
        "warm_s": own.pair.warm_s,
    }


def probes() -> list[StoredProbe]:
    """What has been asked so far, newest first."""
    return rows.list_probes(current_store())


def delete_probe(probe_id: str) -> None:
    """Delete a probe for good. NotFoundError if there is none."""
    rows.delete_probe(current_store(), probe_id)
