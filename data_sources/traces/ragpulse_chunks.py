"""How long the chunks of RAGPulse are: from its five dictionary files, or evenly split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from data_sources.traces.base import Decoded
from data_sources.traces.json_text import records
from econ.workload import IntArray

LISTS = ("sys_prompt", "passages_ids", "history", "web_search", "user_input")
"""In the order of the prompt."""

_KEYS = {
    "sys_prompt_id": 0,
    "passage_id": 1,
    "history_id": 2,
    "web_search_id": 3,
    "user_input_id": 4,
}
LARGEST_EVEN = 512
"""No chunk of the data set is longer."""

MAX_CHUNK = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionary:
    """`tokens`: (list, id) -> tokens. `entries` and `broken`: how many lines of each file state a
    length and how many do not, `first_broken` the first of those."""

    tokens: Mapping[tuple[int, int], int] = field(default_factory=dict)
    entries: Mapping[str, int] = field(default_factory=dict)
    broken: Mapping[str, int] = field(default_factory=dict)
    first_broken: Mapping[str, int] = field(default_factory=dict)


def read_dictionary(files: Sequence[Decoded]) -> Dictionary:
    """The dictionary of all `files`; lines that state no length are counted as broken."""
    tokens: dict[tuple[int, int], int] = {}
    entries: dict[str, int] = {}
    broken: Counter[str] = Counter()
    first_broken: dict[str, int] = {}
    for file in files:
        name = file.source.name
        entries.setdefault(name, 0)
        for line in records(file):
            entry = _entry(line.value)
            if entry is None:
                broken[name] += 1
                first_broken.setdefault(name, line.number)
            else:
                entries[name] += 1
                tokens[entry[0]] = entry[1]
    return Dictionary(tokens=tokens, entries=entries, broken=broken, first_broken=first_broken)


def _entry(value: object) -> tuple[tuple[int, int], int] | None:
    if not isinstance(value, Mapping):
        return None
    length = value.get("token_length")
    if type(length) is not int or not 0 <= length <= MAX_CHUNK:
        return None
    for key, kind in _KEYS.items():
        chunk = value.get(key)
        if type(chunk) is int:
            return (kind, chunk), length
    return None


def chunk_sizes(
    dictionary: Dictionary, kinds: IntArray, chunks: IntArray, lengths: IntArray, prompts: IntArray
) -> tuple[IntArray, npt.NDArray[np.bool_]]:
    """(tokens of every chunk, rows whose chunks are not all known or longer than the prompt)."""
    known = dictionary.tokens
    pairs = zip(kinds.tolist(), chunks.tolist(), strict=True)
    sizes = np.asarray([known.get(pair, -1) for pair in pairs], dtype=np.int64)
    missing = sums(sizes < 0, lengths) > 0
    return sizes, missing | (sums(sizes, lengths) > prompts)


def even_weights(prompts: IntArray, lengths: IntArray) -> IntArray:
    """Tokens of each chunk of a row when its prompt is split evenly: rounded half up, 1 to 512."""
    counts = np.maximum(lengths, 1)
    rounded = (2 * prompts + counts) // (2 * counts)
    return np.asarray(np.minimum(LARGEST_EVEN, np.maximum(1, rounded)), dtype=np.int64)


def even_sizes(prompts: IntArray, lengths: IntArray) -> IntArray:
    """Tokens of every chunk by the even split, the last ones shortened to fit the prompt."""
    weights = even_weights(prompts, lengths)
    starts = np.cumsum(lengths) - lengths
    place = np.arange(int(lengths.sum()), dtype=np.int64) - np.repeat(starts, lengths)
    before = place * np.repeat(weights, lengths)
    rest = np.repeat(prompts, lengths) - before
    return np.asarray(np.clip(rest, 0, np.repeat(weights, lengths)), dtype=np.int64)


def sums(values: npt.NDArray[np.int64] | npt.NDArray[np.bool_], lengths: IntArray) -> IntArray:
    """The sum over each row's entries."""
    ends = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    stops = np.cumsum(lengths)
    return np.asarray(ends[stops] - ends[stops - lengths])
