"""What a form may ask about files that were refused: their columns, and a first guess at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from data_sources.traces.base import Decoded
from data_sources.traces.decode import decode
from data_sources.traces.detect import detect
from data_sources.traces.formats import GENERIC, MAP, MAP_FLAGS, UNREAD
from data_sources.traces.limits import BROWSER
from data_sources.traces.mapped import column_names, guessed_mapping
from data_sources.traces.source import open_path
from messages.errors import KvledgerError

BLOCK_FORMATS = frozenset({"mooncake_trace"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Picker:
    """`columns` of the files in order; `guess`: field -> column as far as it is known;
    `block_size`: a format whose block ids may need a size. Without columns: nothing to map."""

    columns: tuple[str, ...] = ()
    guess: Mapping[str, str] = field(default_factory=dict)
    block_size: bool = False


def picker_for(files: Sequence[tuple[str, Path]]) -> Picker:
    """What to ask about `files` (name and path each). Files that cannot be opened ask nothing:
    their own sentence has been said already."""
    columns: dict[str, None] = {}
    guess: dict[str, str] = {}
    block_size = False
    with TemporaryDirectory(prefix="kvledger-columns-") as folder:
        for name, path in files:
            try:
                for decoded in decode(open_path(path, name), Path(folder), BROWSER):
                    found = detect(decoded, BROWSER).format
                    block_size |= found in BLOCK_FORMATS
                    names, known = _table(decoded, found)
                    columns.update(dict.fromkeys(names))
                    guess = {**known, **guess}
            except KvledgerError:
                continue
    return Picker(columns=tuple(columns), guess=guess, block_size=block_size)


def _table(decoded: Decoded, found: str) -> tuple[Sequence[str], Mapping[str, str]]:
    if found in GENERIC:
        names = column_names(decoded)
        return names, guessed_mapping(names)
    if UNREAD.get(found) != MAP:
        return (), {}
    pairs = (flag.rpartition("=") for flag in MAP_FLAGS[found])
    return column_names(decoded), {target: column for column, _, target in pairs}
