"""What the shell prints of a replay and of a curve for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from messages.catalogue import t
from ui.shell_table import columns

POINTS_SHOWN = 24
RATIOS = {
    "by_block": "block_hit_ratio",
    "by_token": "token_hit_ratio",
    "by_request": "mean_request_hit_ratio",
}
Data = Mapping[str, Any]


def replay(data: Data, language: str) -> str:
    """One line a capacity, with the three ratios and what they are ratios of."""
    head = [
        t(language, f"cli.{name}") for name in ("capacity", "hit_blocks", "hit_tokens", *RATIOS)
    ]
    rows = [
        (
            _capacity(row["capacity_blocks"], language),
            f"{row['hit_blocks']:,}",
            f"{row['hit_tokens']:,}",
            *(_ratio(row[name]) for name in RATIOS.values()),
        )
        for row in data["results"]
    ]
    first = data["results"][0]
    return "\n".join([_setting(data, first, language), "", *columns([head, *rows])])


def curve(data: Data, language: str) -> str:
    """The footprint, the knee, and points of the curve spread over its length."""
    head = [
        t(language, f"cli.{name}") for name in ("capacity", "hit_blocks", "hit_tokens", *RATIOS)
    ]
    total_blocks, total_tokens = max(data["total_blocks"], 1), max(data["total_tokens"], 1)
    rows = [
        (f"{size:,}", f"{blocks:,}", f"{tokens:,}", *map(_ratio, ratios))
        for size, blocks, tokens, mean in _some(data["points"])
        for ratios in [(blocks / total_blocks, tokens / total_tokens, mean)]
    ]
    knee = data["knee_blocks"]
    lines = [
        _setting(data, data, language),
        t(language, "cli.footprint", blocks=data["footprint_blocks"]),
        t(language, "cli.no_knee") if knee is None else t(language, "cli.knee", blocks=knee),
    ]
    return "\n".join([*lines, "", *columns([head, *rows])])


def _head(language: str) -> list[str]:
    names = ("capacity", "hit_blocks", "hit_tokens", *RATIOS)
    return [t(language, f"cli.{name}") for name in names]


def _setting(data: Data, totals: Data, language: str) -> str:
    return t(
        language,
        "cli.replayed",
        policy=data["policy"],
        rules=data["rules"],
        blocks=totals["total_blocks"],
        tokens=totals["total_tokens"],
    )


def _some(points: Sequence[Any]) -> list[Any]:
    """At most `POINTS_SHOWN` of the points, the first and the last among them."""
    last = len(points) - 1
    if last < POINTS_SHOWN:
        return list(points)
    return [points[round(at * last / (POINTS_SHOWN - 1))] for at in range(POINTS_SHOWN)]


def _capacity(blocks: int | None, language: str) -> str:
    return t(language, "cli.unlimited") if blocks is None else f"{blocks:,}"


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.6f}"
