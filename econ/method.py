"""The version of the formulas, and what they call their figures."""

from __future__ import annotations

METHOD_VERSION = 4
"""Raised by hand when a formula changes its results. Part of every report id."""

METHOD_DAYS = {1: "2026-11-29", 2: "2026-11-29", 3: "2026-11-30", 4: "2026-11-30"}
"""Version -> the day (UTC) of its formulas. What each one moved: `data.method_moved.<version>`."""

DEFAULT_MODEL = "claude-opus-5"
"""Prices a workload that names no model; printed as an assumption."""

DAYS_A_MONTH = "30.4375"
"""365.25 / 12."""
