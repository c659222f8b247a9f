"""Reading files: at once for the shell, as a job for the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import settings
from data_sources.store.engine import current_store
from data_sources.store.workloads import save_workload
from data_sources.traces.base import Progress as ReadProgress
from data_sources.traces.base import ReadOptions, ReadResult
from data_sources.traces.limits import BROWSER, SHELL, Limits
from data_sources.traces.read import read
from data_sources.traces.source import open_path, shown_name
from data_sources.traces.stats import inspect_json as inspection
from econ.prefix_stats import prefix_stats
from econ.receipt import Receipt
from jobs import tasks
from jobs.folders import expanded
from jobs.lifespan import current_runner
from jobs.progress import Progress
from messages.catalogue import sayer
from messages.errors import input_error

KIND = "read_files"
BYTES_PER_MIB = 1 << 20  # Streamlit's own limit of an upload counts in these
READ_SHARE = 0.9  # the rest of a job's time is writing the workload
tasks.register(KIND, "jobs.reading:read_task")


def read_paths(
    paths: Sequence[Path], options: ReadOptions, progress: ReadProgress, name: str | None = None
) -> ReadResult:
    """Read files of this machine, and in folders what can be read. `name` renames the workload;
    one folder alone gives it its own name. InputError in one sentence."""
    files, found = expanded(paths)
    sources = [open_path(path, str(path), SHELL) for path in files]
    may_fail = [source for source in sources if source.path in found]
    result = read(sources, options, progress, SHELL, may_fail)
    if name is None and found and len(paths) == 1:
        name = shown_name(paths[0].resolve().name)
    if name is None:
        return result
    return replace(result, workload=replace(result.workload, name=name))


def inspect_json(result: ReadResult, language: str) -> dict[str, Any]:
    """What `inspect` prints: receipt and statistics, words in `language`."""
    blocks = {} if result.workload.prefix is None else prefix_stats(result.workload)
    return inspection(result, blocks, sayer(language))


def start_read(files: Sequence[tuple[str, Path]], options: ReadOptions, owner: str) -> str:
    """Start reading uploaded files; returns the job's id. The files stay the caller's."""
    params = {
        "files": [[name, str(path)] for name, path in files],
        "mapping": dict(options.mapping),
        "model_names": dict(options.model_names),
        "block_tokens": options.block_tokens,
        "tz": options.tz,
        "leave_out_flagged": options.leave_out_flagged,
        "owner": owner,
    }
    return current_runner().submit(KIND, params, owner)


def read_task(params: dict[str, Any], progress: Progress) -> str:
    """The job: read, keep, and answer with the workload's id."""
    files = [(name, Path(path)) for name, path in params["files"]]
    limits = browser_limits()
    sources = [open_path(path, name, limits) for name, path in files]
    result = read(sources, _options(params), _scaled(progress), limits)
    _refuse_nothing(result.receipt)
    progress(READ_SHARE, "save", result.workload.rows)
    return save_workload(current_store(), result.workload, result.receipt, params["owner"])


def _refuse_nothing(receipt: Receipt) -> None:
    """A page has nothing to show of a file without one usable row: InputError with the first
    reason. The shell's `inspect` still prints the whole receipt."""
    if receipt.rows_kept:
        return
    if not receipt.rejected:
        raise input_error("columnar.no_usage", file=receipt.files[0].path)
    first = receipt.rejected[0]
    raise input_error(
        "columnar.all_rejected",
        file=first.file,
        rejected=receipt.rows_rejected,
        line=first.line,
        reason=first.reason,
    )


def browser_limits() -> Limits:
    """What one file may be in the browser, by the settings max_upload_mb and max_rows."""
    known = settings.current()
    return replace(BROWSER, upload_bytes=known.max_upload_mb * BYTES_PER_MIB, rows=known.max_rows)


def _options(params: Mapping[str, Any]) -> ReadOptions:
    return ReadOptions(
        mapping=params["mapping"],
        model_names=params["model_names"],
        block_tokens=params["block_tokens"],
        tz=params["tz"],
        leave_out_flagged=params["leave_out_flagged"],
    )


def _scaled(progress: Progress) -> ReadProgress:
    def report(fraction: float, stage: str) -> None:
        progress(fraction * READ_SHARE, stage)

    return report
