"""Values of a GGUF file, refused with their key where they are not what they must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from econ.kv_config_fields import LARGEST, refused
from messages.errors import Message


class Keys:
    """Metadata of one architecture, each value checked as it is taken."""

    def __init__(self, metadata: Mapping[str, Any], name: str) -> None:
        arch = metadata.get("general.architecture")
        if not isinstance(arch, str) or not arch:
            raise refused(name, "general.architecture", "architecture", None)
        self.metadata, self.name, self.arch = metadata, name, arch
        self.assumptions: list[Message] = []

    def key(self, name: str) -> str:
        """The full key of this architecture."""
        return f"{self.arch}.{name}"

    def raw(self, name: str) -> Any:
        """The value as it stands; None where the key is absent."""
        return self.metadata.get(self.key(name))

    def whole(self, name: str) -> int | None:
        """A whole number, 0 and absent as None; the largest where there is one a layer."""
        value = self.raw(name)
        if isinstance(value, list):
            return max(self.per_layer(name) or [0]) or None
        return self._checked(name, value) or None

    def needed(self, name: str) -> int:
        """A whole number above zero that must be there."""
        found = self.whole(name)
        if found is None:
            raise refused(self.name, self.key(name), "count", None)
        return found

    def per_layer(self, name: str) -> list[int] | None:
        """One whole number a layer; None where there is one for all, or none."""
        value = self.raw(name)
        if not isinstance(value, list):
            return None
        return [self._checked(name, item) or 0 for item in value]

    def _checked(self, name: str, value: Any) -> int | None:
        if value is None:
            return None
        if not isinstance(value, int) or not 0 <= value <= LARGEST:
            raise refused(self.name, self.key(name), "count", str(value))
        return int(value)

    def assume(self, key: str, **values: Any) -> None:
        """Note an assumption."""
        self.assumptions.append(Message(f"hardware.assume.{key}", values))
