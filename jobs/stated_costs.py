"""A file of costs as the stated side of a reconciliation."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from data_sources.traces.cost_exports import StatedCost, read_costs
from data_sources.traces.decode import decode
from data_sources.traces.source import open_path
from jobs.reading import browser_limits

__all__ = ["StatedCost", "stated_cost"]


def stated_cost(path: Path, name: str) -> StatedCost:
    """What Anthropic's or OpenAI's export of costs says was charged; gzip, encodings and a zip of
    one file are undone. InputError in one sentence. The file stays the caller's."""
    limits = browser_limits()
    with TemporaryDirectory(prefix="kvledger-costs-") as folder:
        return read_costs(decode(open_path(path, name, limits), Path(folder), limits)[0])
