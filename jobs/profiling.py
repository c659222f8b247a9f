"""Device profiles: measured here, brought in from a file, and those that come with the program."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

import kvcore
from data_sources.store import profiles as rows
from data_sources.store.engine import current_store
from econ.device_cases import Pair, cases_to_csv, pair_near
from jobs.shelf import LastUsed
from kvcore import profile_json
from kvcore.profile import DeviceProfile
from kvcore.profile_json import ProfileError
from messages.errors import InputError, Message, input_error

log = logging.getLogger(__name__)

REFERENCE_DIR = Path(kvcore.__file__).parent / "profiles"
SHELL_OWNER = "shell"
KEPT_PROFILES = 16
Origin = Literal["measured", "imported", "reference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileEntry:
    """A profile without its figures. Only `measured` was measured on this machine."""

    id: str
    name: str
    origin: Origin
    device_kind: str
    device_name: str
    model_name: str
    measured_utc: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ThisMachine:
    """The newest cold and warm time of this machine."""

    entry: ProfileEntry
    pair: Pair


_read: LastUsed[DeviceProfile] = LastUsed(KEPT_PROFILES)
"""By id, which is the hash of all that is in it."""


def profiles() -> list[ProfileEntry]:
    """Every profile that can be looked at: kept ones, newest first, then the reference profiles."""
    kept = [
        ProfileEntry(**{name: getattr(row, name) for name in ProfileEntry.__slots__})
        for row in rows.list_profiles(current_store())
    ]
    known = {entry.id for entry in kept}
    return kept + [entry for entry, _ in references() if entry.id not in known]


def profile(profile_id: str) -> DeviceProfile:
    """A profile with its figures. NotFoundError if there is none."""
    for entry, found in references():
        if entry.id == profile_id:
            return found
    return _read.get(profile_id, lambda: profile_json.from_json(_kept(profile_id)))


def _kept(profile_id: str) -> Mapping[str, Any]:
    return rows.get_profile(current_store(), profile_id)


@cache
def references() -> tuple[tuple[ProfileEntry, DeviceProfile], ...]:
    """The profiles that come with the program, newest first."""
    found = []
    for path in sorted(REFERENCE_DIR.glob("*.json")):
        try:
            read = profile_json.loads(path.read_bytes())
        except (OSError, ProfileError) as error:
            log.warning("reference profile %s cannot be used: %s", path.name, error)
            continue
        found.append((_entry(read, "reference"), read))
    return tuple(sorted(found, key=lambda pair: pair[0].measured_utc, reverse=True))


def _entry(found: DeviceProfile, origin: Origin) -> ProfileEntry:
    return ProfileEntry(
        id=digest(found),
        name=found.name,
        origin=origin,
        device_kind=found.device.kind,
        device_name=found.device.name,
        model_name=found.model.name,
        measured_utc=datetime.fromisoformat(found.created_utc),
    )


def digest(found: DeviceProfile) -> str:
    """The SHA-256 of a profile's JSON: its id."""
    plain = json.dumps(profile_json.to_json(found), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def keep(found: DeviceProfile, origin: rows.Origin, owner: str) -> str:
    """Keep a profile for everyone on this server; returns its id."""
    entry = _entry(found, origin)
    values = {name: getattr(entry, name) for name in ProfileEntry.__slots__}
    kept = json.loads(profile_json.dumps(found))  # lists, not tuples: plain JSON
    rows.save_profile(current_store(), rows.NewProfile(**values, owner=owner, profile=kept))
    return entry.id


def read_profile(content: bytes, name: str) -> DeviceProfile:
    """The profile in a file. InputError names file, place, expectation and find."""
    if len(content) > profile_json.MAX_BYTES:
        raise input_error("profiles.too_large", file=name, limit=profile_json.MAX_BYTES)
    try:
        return profile_json.loads(content)
    except ProfileError as error:
        raise _unreadable(name, **error.values) from None


def _unreadable(name: str, **values: str) -> InputError:
    return InputError(Message("profiles.unreadable", {"file": name, **values}))


def import_profile(content: bytes, name: str, owner: str) -> str:
    """Keep the profile of a file as one of another machine; returns its id. Equal figures that were
    measured here stay measured here."""
    return keep(read_profile(content, name), "imported", owner)


def import_file(path: Path) -> str:
    """`import_profile` for a path, of the shell. InputError where it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(profile_json.MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise input_error("profiles.cannot_read", file=str(path), why=why) from error
    return import_profile(content, path.name, SHELL_OWNER)


def delete_profile(profile_id: str) -> None:
    """Delete a kept profile for good. InputError for a reference profile, NotFoundError: none."""
    if any(entry.id == profile_id for entry in profiles() if entry.origin == "reference"):
        raise input_error("profiles.is_reference", id=profile_id[:12])
    rows.delete_profile(current_store(), profile_id)
    _read.forget(lambda known: known == profile_id)


def full_profile_id(start: str) -> str:
    """The id of the one profile whose id begins with `start`; `start` itself where there is none.
    InputError where there are several."""
    found = [entry.id for entry in profiles() if start and entry.id.startswith(start.lower())]
    if len(found) > 1:
        raise input_error("cli.ambiguous_id", id=start, found=len(found))
    return found[0] if found else start


def this_machine(prompt_tokens: int | None = None) -> ThisMachine | None:
    """The newest pair that was measured here, at the longest prompt, or the one nearest to
    `prompt_tokens`. None where nothing was measured here."""
    for row in profiles():
        if row.origin != "measured":
            continue
        pair = pair_near(profile(row.id), prompt_tokens)
        if pair is not None:
            return ThisMachine(entry=row, pair=pair)
    return None


def cases_csv(profile_ids: tuple[str, ...]) -> bytes:
    """Every figure of the profiles as CSV: UTF-8 with BOM, raw numbers."""
    return cases_to_csv([(profile_id, profile(profile_id)) for profile_id in profile_ids])


def profiles_json() -> list[dict[str, Any]]:
    """What `profiles list --json` prints."""
    return [
        {
            "profile_id": entry.id,
            "name": entry.name,
            "origin": entry.origin,
            "device_kind": entry.device_kind,
            "device_name": entry.device_name,
            "model_name": entry.model_name,
            "created_utc": entry.measured_utc.isoformat(),
        }
        for entry in profiles()
    ]


def profile_to_json(profile_id: str) -> Mapping[str, Any]:
    """What `profiles show --json` prints: the profile as it was measured."""
    return profile_json.to_json(profile(profile_id))
