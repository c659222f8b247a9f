"""One session of kv-cache-tester: its requests, those of nested agents among them, as arrays."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from data_sources.traces.block_ids import Blocks
from data_sources.traces.builder import clean_text
from data_sources.traces.faults import Rejects
from data_sources.traces.limits import MAX_CLOCK_S, MAX_DURATION_S
from data_sources.traces.row_values import BadValueError, IdCollector, count_of, number_of
from data_sources.traces.tally import RowRejectedError
from econ.workload import EMPTY, IntArray
from messages.errors import Message, input_error

_MAX_DEPTH = 20
"""Agents inside agents; real sessions have one level."""

_FLOATS = ("arrival_s", "response_s", "finished_s")
_INTS = ("input_tokens", "output_tokens")
_NAMES = ("session_id", "agent", "model")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a request stands: the agent that made it and the start of that agent's clock."""

    agent: str | None
    start_s: float
    depth: int


@dataclass(slots=True, kw_only=True)
class Session:
    """The usable requests of one session in the order of the file.

    `requests` counts all, `main_requests` those of the main agent; `declared` is the checksum
    (input, output) that the file states; `on_session_clock` counts agents whose times are on the
    session's clock instead of their own.
    """

    name: str
    block_tokens: int
    declared: tuple[int, int] | None
    requests: int = 0
    main_requests: int = 0
    agents: int = 0
    streaming: int = 0
    zero_outputs: int = 0
    on_session_clock: int = 0
    seen_tokens: list[int] = field(default_factory=lambda: [0, 0])
    _floats: dict[str, array[float]] = field(
        default_factory=lambda: {name: array("d") for name in _FLOATS}
    )
    _ints: dict[str, array[int]] = field(
        default_factory=lambda: {name: array("q") for name in _INTS}
    )
    _names: dict[str, list[str | None]] = field(
        default_factory=lambda: {name: [] for name in _NAMES}
    )
    _lengths: array[int] = field(default_factory=lambda: array("q"))
    _numbers: array[int] = field(default_factory=lambda: array("q"))
    _ids: IdCollector = field(default_factory=IdCollector)

    def add(self, number: int, request: Mapping[str, Any], place: _Place) -> None:
        """One request; BadValueError or RowRejectedError, and nothing added, where it is none."""
        floats = _times(request, place)
        counts = _lengths(request)
        ids = self._ids.checked(request.get("hash_ids"))
        model = request.get("model")
        names = {
            "session_id": self.name if place.agent is None else f"{self.name}/{place.agent}",
            "agent": place.agent,
            "model": clean_text(model) if isinstance(model, str) else None,
        }
        for name, value in zip(_FLOATS, floats, strict=True):
            self._floats[name].append(value)
        for place_of, (name, count) in enumerate(zip(_INTS, counts, strict=True)):
            self._ints[name].append(count)
            self.seen_tokens[place_of] += count
        for name, text in names.items():
            self._names[name].append(text)
        self._ids.extend(ids)
        self._lengths.append(len(ids))
        self._numbers.append(number)
        self.streaming += request.get("type") == "s"
        self.zero_outputs += counts[1] == 0

    def numbers(self) -> IntArray:
        """The number of every usable request among the file's requests, from 1."""
        return np.asarray(self._numbers, dtype=np.int64)

    def numbers_of(self, name: str) -> npt.NDArray[Any]:
        """A numeric column."""
        if name in _FLOATS:
            return np.asarray(self._floats[name], dtype=np.float64)
        return np.asarray(self._ints[name], dtype=np.int64)

    def names_of(self, name: str) -> Sequence[str | None]:
        """A text column."""
        return self._names[name]

    def blocks(self) -> Blocks:
        """Block ids of every usable request."""
        lengths = np.asarray(self._lengths, dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Blocks(offsets, np.asarray(self._ids.codes, dtype=np.int64))

    def totals(self) -> dict[str, int]:
        """Stated and counted tokens, for a sentence."""
        stated = self.declared or (EMPTY, EMPTY)
        return {
            "stated_input": stated[0],
            "stated_output": stated[1],
            "input": self.seen_tokens[0],
            "output": self.seen_tokens[1],
        }

    def totals_agree(self) -> bool | None:
        """Whether the stated checksum is the sum of the usable requests; None: none is stated."""
        return None if self.declared is None else list(self.declared) == self.seen_tokens

    def fingerprint(self) -> bytes:
        """Equal for sessions that are the same in every request."""
        sha = hashlib.sha256(str((self.block_tokens, self._names["model"])).encode())
        for numbers in (*_FLOATS, *_INTS):
            sha.update(np.ascontiguousarray(self.numbers_of(numbers)).tobytes())
        blocks = self.blocks()
        sha.update(blocks.offsets.tobytes() + blocks.ids.tobytes())
        return sha.digest()


def session_of(value: object, limit: int, rejects: Rejects, before: int) -> Session | None:
    """The session of one JSON object, None where it is none. `before`: requests of the file that
    came earlier. InputError above `limit` requests."""
    if not isinstance(value, Mapping) or not isinstance(value.get("requests"), list):
        return None
    size = value.get("block_size")
    if type(size) is not int or not 1 <= size <= 1 << 20:
        return None
    name = value.get("id")
    session = Session(
        name=clean_text(str(name)[:400]) if name is not None else f"session-{before + 1}",
        block_tokens=size,
        declared=_declared(value),
    )
    root = _Place(agent=None, start_s=0.0, depth=0)
    for request, place in _walk(session, value["requests"], root):
        session.requests += 1
        session.main_requests += place.agent is None
        if session.requests > limit:
            raise input_error("traces.too_many_rows", limit=limit + before)
        number = before + session.requests
        try:
            if not isinstance(request, Mapping):
                raise RowRejectedError(Message("columnar.not_an_object"))
            session.add(number, request, place)
        except BadValueError as error:
            rejects.add(number, error.message)
        except RowRejectedError as error:
            rejects.add(number, error.reason)
    return session


def _walk(session: Session, requests: Sequence[Any], place: _Place) -> Iterator[tuple[Any, _Place]]:
    """Every request with its place; a marker is none itself and opens what is nested in it."""
    for request in requests:
        if not isinstance(request, Mapping) or not isinstance(request.get("requests"), list):
            yield request, place
        elif place.depth < _MAX_DEPTH:
            yield from _walk(session, request["requests"], _inner(session, request, place))


def _inner(session: Session, marker: Mapping[str, Any], place: _Place) -> _Place:
    session.agents += 1
    given = marker.get("agent_id")
    name = str(given)[:200] if given is not None else f"agent-{session.agents}"
    start_s = place.start_s + _seconds(marker.get("t"))
    if _on_session_clock(marker, start_s):
        session.on_session_clock += 1
        start_s = place.start_s
    outer = "" if place.agent is None else f"{place.agent}/"
    return _Place(agent=clean_text(outer + name), start_s=start_s, depth=place.depth + 1)


def _on_session_clock(marker: Mapping[str, Any], start_s: float) -> bool:
    """Nested times count from the marker; some corpora write them on the session's clock, where
    none can lie before the marker."""
    times = [_seconds(r.get("t")) for r in marker["requests"] if isinstance(r, Mapping)]
    return bool(times) and start_s > 0 and min(times) >= start_s


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if abs(value) < MAX_CLOCK_S else 0.0


def _times(request: Mapping[str, Any], place: _Place) -> tuple[float, float, float]:
    """(arrival on the session's clock, first token, end); NaN where nothing is said."""
    expected = "columnar.expected_seconds"
    at = number_of(request.get("t"), "t", expected)
    if abs(at) > MAX_CLOCK_S:
        raise BadValueError("t", expected, at)
    first = number_of(request.get("ttft"), "ttft", expected)
    whole = number_of(request.get("api_time"), "api_time", expected)
    for name, duration in (("ttft", first), ("api_time", whole)):
        if not np.isnan(duration) and not 0 <= duration <= MAX_DURATION_S:
            raise BadValueError(name, expected, duration)
    return place.start_s + at, first, whole


def _lengths(request: Mapping[str, Any]) -> tuple[int, int]:
    prompt, output = count_of(request.get("in"), "in"), count_of(request.get("out"), "out")
    if prompt == EMPTY:
        raise RowRejectedError(Message("columnar.no_input"))
    if prompt == 0:
        raise RowRejectedError(Message("columnar.zero_input"))
    if output == EMPTY:
        raise RowRejectedError(Message("columnar.no_output"))
    return prompt, output


def _declared(value: Mapping[str, Any]) -> tuple[int, int] | None:
    totals = value.get("totals")
    combined = totals.get("combined_tokens") if isinstance(totals, Mapping) else None
    if not isinstance(combined, Mapping):
        return None
    stated = (combined.get("input"), combined.get("output"))
    if not all(type(count) is int for count in stated):
        return None
    return stated  # type: ignore[return-value]
