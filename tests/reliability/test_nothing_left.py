"""What was deleted or replaced by numbers is gone from the disk: database, its log, and files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from data_sources.store.engine import close_current_store, current_store
from data_sources.store.workloads import save_workload
from data_sources.traces.base import ReadOptions
from econ.report import ReportParams
from jobs import flows
from jobs.reading import read_paths
from settings import Settings, using

SECRETS = ("kimiko.tanaka", "sk-live-4711", "Projekt-Nordlicht", "quarterly-layoffs")
OWNER, TITLE = "ann", "Board paper on Nordlicht"
USAGE = (
    "start_utc,model,input_tokens,output_tokens,cached_read_tokens,user,api_key,project\n"
    "2026-10-01T09:00:00Z,claude-opus-5,1000,10,500,kimiko.tanaka,sk-live-4711,Projekt-Nordlicht\n"
    "2026-10-01T10:00:00Z,claude-opus-5,1000,x,500,kimiko.tanaka,sk-live-4711,Projekt-Nordlicht\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The folder of everything that the installation keeps."""
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield tmp_path / "ledger"
        close_current_store()


def kept_workload(tmp_path: Path) -> str:
    """The id of a workload that a session has uploaded."""
    path = tmp_path / "quarterly-layoffs.csv"
    path.write_text(USAGE, encoding="utf-8")
    result = read_paths([path], ReadOptions(), lambda *_: None)
    return save_workload(current_store(), result.workload, result.receipt, OWNER)


def found(folder: Path, words: tuple[str, ...]) -> set[str]:
    """Those of `words` that stand in any file: its bytes, and the texts of packed columns."""
    texts = []
    for path in folder.rglob("*"):
        if path.is_file():
            texts.append(path.read_bytes().decode("latin-1"))
        if path.suffix == ".parquet":
            texts.append(repr(pq.read_table(path).to_pydict()))
    return {word for word in words if any(word in text for text in texts)}


def test_names_replaced_by_numbers_are_in_no_stored_byte(folder: Path, tmp_path: Path) -> None:
    workload_id = kept_workload(tmp_path)
    assert found(folder, SECRETS) == set(SECRETS)
    report_id = flows.save_report_with_numbers(workload_id, ReportParams(), OWNER, "October")
    flows.delete_workload(workload_id, OWNER)  # the session's own copy still had them
    assert found(folder, SECRETS) == set()
    kept = flows.open_report(report_id).report
    assert {row.key for row in kept.groups if row.by == "user"} == {"user 1"}
    assert kept.workload.name == "file 1"


def test_a_deleted_report_is_in_no_stored_byte(folder: Path, tmp_path: Path) -> None:
    workload_id = kept_workload(tmp_path)
    report_id = flows.save_report(workload_id, ReportParams(), OWNER, TITLE)
    assert found(folder, (TITLE, report_id)) == {TITLE, report_id}
    flows.delete_report(report_id, OWNER)
    flows.delete_workload(workload_id, OWNER)
    assert found(folder, (TITLE, report_id, *SECRETS)) == set()
