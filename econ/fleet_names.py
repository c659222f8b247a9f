"""How requests are spread over replicas: names that the shell and pages share."""

from __future__ import annotations

from typing import Literal

Routing = Literal["round-robin", "least-loaded", "prefix-affine"]
ROUTINGS: tuple[Routing, ...] = ("round-robin", "least-loaded", "prefix-affine")
MOST_REPLICAS = 64
PERCENTILES = (50, 95, 99)
