"""Numbers out of a config, each refused with its name where it is not what it must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from messages.errors import DataError, Message, Value

LARGEST = 10**9


@dataclass(frozen=True, slots=True)
class Config:
    """A config's fields, and the assumptions made while reading them."""

    name: str
    fields: Mapping[str, Any]
    assumptions: list[Message]

    def assume(self, key: str, **values: Value) -> None:
        """Note an assumption, once."""
        message = Message(f"hardware.assume.{key}", values)
        if message not in self.assumptions:
            self.assumptions.append(message)


def refused(name: str, field: str, expected: str, found: Value) -> DataError:
    """A DataError that names the file, the field and what was expected there."""
    wanted = Message(f"hardware.config_expected.{expected}")
    key = "hardware.bad_config" if field else "hardware.bad_config_file"
    shown: Value = Message("prices.nothing") if found is None else str(found)[:60]
    return DataError(
        Message(key, {"name": name, "field": field, "expected": wanted, "found": shown})
    )


def count(config: Config, field: str) -> int:
    """A whole number above zero that must be there."""
    found = optional_count(config, field)
    if found is None:
        stands = config.fields.get(field)
        raise refused(config.name, field, "count", None if stands is None else str(stands))
    return found


def optional_count(config: Config, *names: str) -> int | None:
    """The first of `names` that is there and not null, as a whole number above zero."""
    for name in names:
        value = config.fields.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
            raise refused(config.name, name, "count", str(value))
        return value or None
    return None
