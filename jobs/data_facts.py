"""What this installation keeps and where, whom it may ever ask, and what newer prices or formulas
would say about saved reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import settings
from data_sources.public.hosts import HOSTS, SOURCE_OF, SOURCES
from data_sources.store import reports as report_rows
from data_sources.store.engine import current_store
from data_sources.store.workloads import load_workload
from econ.method import METHOD_DAYS, METHOD_VERSION
from econ.money import Amount
from econ.prompt_cache_oracle import LOOKBACK_POSITIONS
from econ.report import CostReport
from econ.report_build import build_report
from econ.report_store import params_from_store, report_from_store
from jobs.reporting import book
from jobs.spool import uploads_dir
from messages.errors import KvledgerError

__all__ = ["Effect", "Kept", "effects", "hosts", "hosts_by_source", "kept", "methods", "now"]

MOST_REPORTS = 20
LOOKBACK = LOOKBACK_POSITIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One kind of thing that is kept. `id` names its words; `place` is relative to the data folder,
    or a database's host. `size_bytes` is None where only the database knows."""

    id: str
    place: str
    size_bytes: int | None
    setting: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A saved report: what it says, and what the same question gives with today's prices and
    formulas. `today` and `same_id` are None where its workload cannot be read any more."""

    id: str
    name: str
    price_book_version: str
    method_version: int
    saved: Amount | None
    today: Amount | None
    same_id: bool | None


def kept() -> tuple[Kept, ...]:
    """Ledger, workload files and uploads that are being read, with their sizes on this disk."""
    known = settings.current()
    ledger = known.sqlite_path
    if known.database_url is None:
        parts = (ledger, *(Path(f"{ledger}-{end}") for end in ("wal", "shm")))
        size: int | None = sum(_size(part) for part in parts)
    else:
        size = None
    local = known.workloads_url is None
    return (
        Kept(id="ledger", place=current_store().label, size_bytes=size,
             setting="KVLEDGER_DATABASE_URL"),
        Kept(id="workloads", place="workloads" if local else "KVLEDGER_WORKLOADS_URL",
             size_bytes=_size(known.data_dir / "workloads") if local else None,
             setting="KVLEDGER_WORKLOADS_URL"),
        Kept(id="uploads", place="uploads", size_bytes=_size(uploads_dir()),
             setting="KVLEDGER_DATA_DIR"),
    )  # fmt: skip


def _size(path: Path) -> int:
    """Bytes of a file or of all files below a folder; 0 where there is none."""
    try:
        if path.is_file():
            return path.stat().st_size
        return sum(_size(entry) for entry in path.iterdir() if not entry.is_symlink())
    except OSError:
        return 0


def hosts() -> tuple[str, ...]:
    """Every outside host that the program may ever ask, from the one constant that guards it."""
    return tuple(sorted(HOSTS))


def hosts_by_source() -> dict[str, tuple[str, ...]]:
    """The same hosts under the source that each belongs to."""
    return {
        source: tuple(host for host in hosts() if SOURCE_OF[host] == source) for source in SOURCES
    }


def methods() -> list[tuple[int, str]]:
    """Every version of the formulas with its day, newest first."""
    return sorted(METHOD_DAYS.items(), reverse=True)


def now() -> tuple[str, int]:
    """The price book's version and the method's, as they are today."""
    return book().version, METHOD_VERSION


def effects() -> list[Effect]:
    """The newest saved reports, each computed again from its own workload and settings."""
    store = current_store()
    found = []
    for summary in report_rows.list_reports(store, limit=MOST_REPORTS):
        kept_report = report_rows.get_report(store, summary.id)
        before = report_from_store(kept_report.report)
        try:
            workload, receipt = load_workload(store, summary.workload_digest, "")
            again = build_report(workload, receipt, book(), params_from_store(summary.params))
        except KvledgerError:
            again = None
        found.append(
            Effect(
                id=summary.id,
                name=summary.name,
                price_book_version=before.price_book_version,
                method_version=before.method_version,
                saved=_headline(before),
                today=None if again is None else _headline(again),
                same_id=None if again is None else again.report_id == summary.id,
            )
        )
    return found


def _headline(report: CostReport) -> Amount | None:
    """What was paid, or the cost without caching where the file does not say."""
    return report.baselines.billed or report.baselines.no_cache
