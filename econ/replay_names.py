"""What a replay may be asked for, by name. Nothing heavy: the command line reads this first."""

from __future__ import annotations

from typing import Literal

Rules = Literal["trace", "engine"]
Policy = Literal["lru", "lru-leaf", "fifo", "clairvoyant"]
Scope = Literal["file", "model", "team", "user"]
RULES: tuple[Rules, ...] = ("trace", "engine")
POLICIES: tuple[Policy, ...] = ("lru-leaf", "lru", "fifo", "clairvoyant")
SCOPES: tuple[Scope, ...] = ("file", "model", "team", "user")
DEFAULT_POLICY: Policy = "lru-leaf"
"""Leaves go first, so that no block outlives the blocks in front of it."""
