"""Files in, one workload and one receipt out: decode, detect, read by format, join."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from data_sources.traces import formats, registry
from data_sources.traces.base import Decoded, Progress, ReadOptions, ReadResult, Source, no_progress
from data_sources.traces.combine import add_receipts, combine
from data_sources.traces.decode import decode
from data_sources.traces.detect import Detection, detect
from data_sources.traces.left_out import LeftOut
from data_sources.traces.limits import BROWSER, Limits
from messages.errors import InputError, KvledgerError, Message, SourceError, input_error

_DECODE_SHARE = 0.2  # of the whole read, as measured on JSON Lines


def read(
    sources: Sequence[Source],
    options: ReadOptions | None = None,
    progress: Progress = no_progress,
    limits: Limits = BROWSER,
    may_fail: Collection[Source] = (),
) -> ReadResult:
    """One workload from all `sources`, and the receipt of how it came about.

    InputError with one sentence when there is no file, or one of them is empty, broken, too
    large, of a format that is not read yet, or unusable as a whole; SourceError when the disk
    fails or is full. Sources of `may_fail` (found in a folder, not named by the user) are left
    out instead, which the receipt says, unless no other is left. Nothing is left on disk.
    """
    options = options or ReadOptions()
    unique, notes = _without_copies(sources)
    if not unique:
        raise input_error("traces.no_files")
    left_out = LeftOut(sources, may_fail)
    try:
        with TemporaryDirectory(prefix="kvledger-read-") as folder:
            results, mapped = _results(unique, options, progress, limits, Path(folder), left_out)
    except KvledgerError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SourceError(Message("traces.disk", {"reason": reason})) from error
    if sum(result.workload.rows for result in results) > limits.rows:
        raise input_error("traces.too_many_rows", limit=limits.rows)
    if options.mapping and not mapped:
        notes.append(Message("traces.assume.mapping_unused"))
    joined = combine(results, workload_name(unique))
    progress(1.0, "read")
    notes += left_out.notes()
    return ReadResult(workload=joined.workload, receipt=add_receipts([joined.receipt], notes))


def _results(
    sources: Sequence[Source],
    options: ReadOptions,
    progress: Progress,
    limits: Limits,
    folder: Path,
    left_out: LeftOut,
) -> tuple[list[ReadResult], bool]:
    """What each format's reader gave, and whether the user's mapping was used."""
    decoded = _decoded(sources, folder, limits, progress, left_out)
    groups = _grouped(decoded, options, limits, left_out)
    results = []
    for done, ((_, module), files) in enumerate(groups.items()):
        part = _part_of(progress, done, len(groups))
        read_group = partial(registry.reader(module), options=options, progress=part)
        results += left_out.read_together(files, read_group)
    if not results:
        raise left_out.refusal()
    return results, any(module == registry.MAPPED for _, module in groups)


def workload_name(sources: Sequence[Source]) -> str:
    """The first file's own name, '+ n' where there are more."""
    first = sources[0].name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or sources[0].name
    return first if len(sources) == 1 else f"{first} + {len(sources) - 1}"


def _without_copies(sources: Sequence[Source]) -> tuple[list[Source], list[Message]]:
    """Byte-for-byte copies are read once: reading them twice would double every count."""
    seen: dict[str, Source] = {}
    notes = []
    for source in sources:
        first = seen.setdefault(source.sha256, source)
        if first is not source:
            values = {"file": source.name, "first": first.name}
            notes.append(Message("traces.assume.same_file", values))
    return list(seen.values()), notes


def _decoded(
    sources: Sequence[Source],
    folder: Path,
    limits: Limits,
    progress: Progress,
    left_out: LeftOut,
) -> list[Decoded]:
    files: list[Decoded] = []
    for done, source in enumerate(sources):
        progress(_DECODE_SHARE * done / len(sources), "decode")
        with left_out.where(source):
            files.extend(decode(source, folder, limits))
    return files


def _grouped(
    files: Sequence[Decoded], options: ReadOptions, limits: Limits, left_out: LeftOut
) -> dict[tuple[str, str], list[Decoded]]:
    """Files by (format, reader module), in order of first appearance."""
    known: list[tuple[Decoded, Detection]] = []
    for file in files:
        with left_out.where(file.source):
            known.append((file, detect(file, limits)))
    present = {found.format for _, found in known}
    groups: dict[tuple[str, str], list[Decoded]] = {}
    for file, found in known:
        with left_out.where(file.source):
            for group in _groups_of(file, found, options, present):
                groups.setdefault(group, []).append(file)
    return groups


def _groups_of(
    file: Decoded, found: Detection, options: ReadOptions, present: Collection[str]
) -> list[tuple[str, str]]:
    """(format, reader module), several for a file that helps the readers of several formats of the
    upload. A column mapping that names a column of the file goes before its own reader: the user
    knows better. A format without a reader needs one."""
    helped = [name for name in registry.EXPLAINS.get(found.format, ()) if name in present]
    if helped and not options.mapping:
        return [(name, registry.READERS[name]) for name in helped]
    if options.mapping and _mapping_applies(found, options):
        return [(found.format, registry.MAPPED)]
    if found.format in registry.READERS:
        return [(found.format, registry.READERS[found.format])]
    raise _unread(file, found)


def _mapping_applies(found: Detection, options: ReadOptions) -> bool:
    if found.shape == "text":
        return False
    columns = {name.split(".", 1)[0] for name in options.mapping} | set(options.mapping)
    if not found.columns.isdisjoint(columns):
        return True
    return found.format in formats.GENERIC or found.format not in registry.READERS


def _unread(file: Decoded, found: Detection) -> InputError:
    return input_error(
        "traces.unread_format",
        file=file.source.name,
        format=formats.label(found.format),
        advice=formats.advice(found.format),
    )


def _part_of(progress: Progress, done: int, total: int) -> Progress:
    """`progress` of one of `total` groups, as a share of the whole read."""

    def report(fraction: float, stage: str) -> None:
        share = (done + min(1.0, max(0.0, fraction))) / total
        progress(_DECODE_SHARE + (1 - _DECODE_SHARE) * share, stage)

    return report
