"""The four doors and the pages behind them. A page that is not there yet is not shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PAGES_DIR = Path(__file__).parent.parent / "pages"
FIRST_PAGE = "overview"


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """One menu of the top bar: `id` words it ('ui.door.<id>'), `pages` are file names."""

    id: str
    pages: tuple[str, ...]


PLAN = (
    Door(id="bill", pages=("overview", "workload", "api_costs", "cache", "reports")),
    Door(id="gpus", pages=("own_hardware", "model_size", "less_kv", "engine", "accuracy")),
    Door(id="market", pages=("prices", "market", "four_numbers", "chain", "articles_checked")),
    Door(
        id="guide",
        pages=("guide", "misconceptions", "five_questions", "formats", "data_and_changes"),
    ),
)


def path_of(page: str) -> Path:
    """The file of a page."""
    return PAGES_DIR / f"{page}.py"


def open_doors() -> tuple[Door, ...]:
    """The doors that lead somewhere, each with the pages that exist."""
    doors = (Door(id=d.id, pages=tuple(p for p in d.pages if path_of(p).exists())) for d in PLAN)
    return tuple(door for door in doors if door.pages)
