"""Whose keys and values a block holds: everything but the tokens that makes them what they are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields

SCHEME = b"kvcore block chain 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Two sequences may share blocks only where all of this is equal.

    `model` names weights and their number format, `kv_dtype` the format of keys and values,
    `adapter` a LoRA, `media` the digest of images or sound in the prompt, `salt` the circle that
    may share: nobody outside it gets a hit, so nobody can learn from the time to first token what
    others have asked.
    """

    model: str
    kv_dtype: str
    adapter: str = ""
    media: str = ""
    salt: str = ""

    def root(self) -> bytes:
        """32 bytes: the parent of every first block. Each field goes in with its name and length,
        so that no two identities run together."""
        digest = hashlib.sha256(SCHEME)
        for field in fields(self):
            value = str(getattr(self, field.name)).encode()
            digest.update(f"\n{field.name} {len(value)}:".encode() + value)
        return digest.digest()
