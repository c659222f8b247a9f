"""Where requests come in and answers go out, under one lock: all that several threads touch."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Condition
from typing import NamedTuple

from kvcore.errors import KvcoreError
from kvcore.serve.request import Completion, Request, Sample, Tally
from kvcore.serve.sequence import Sequence

KEPT_RESULTS = 1024
"""Completions that nobody has asked for yet; the oldest are forgotten beyond that."""
OTHERS_STEP_S = 0.05
"""A reader waits this long for another thread's step before it looks again."""


class StreamedToken(NamedTuple):
    """One token of one of the request's samples."""

    sample: int
    token: int


OnToken = Callable[[StreamedToken], None]


class Answer:
    """What one request has been answered so far. Its fields change under the desk's lock only."""

    def __init__(self, request: Request, tally: Tally, on_token: OnToken | None) -> None:
        self.request, self.tally, self.on_token = request, tally, on_token
        self.unread: deque[StreamedToken] = deque()
        self.samples: dict[int, Sample] = {}
        self.cancelled = False
        self.completion: Completion | None = None
        self.failure: Exception | None = None  # what its on_token raised

    @property
    def all_ended(self) -> bool:
        """No sample is still to come."""
        return len(self.samples) == self.request.samples

    def complete(self) -> Completion:
        """Make the completion; samples that never began were cancelled and are empty."""
        nothing = Sample(tokens=(), reason="cancelled")
        numbers = range(self.request.samples)
        self.completion = Completion(
            id=self.request.id,
            samples=tuple(self.samples.get(number, nothing) for number in numbers),
            report=self.tally.report(self.request),
        )
        return self.completion


class Desk:
    """Every method may be called from any thread."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._answers: dict[str, Answer] = {}
        self._arrived: deque[Sequence] = deque()
        self._cancelled: list[Answer] = []
        self._results: OrderedDict[str, Completion] = OrderedDict()
        self._order = 0
        self._closed = False

    @property
    def busy(self) -> bool:
        """Some request has not ended."""
        return bool(self._answers)

    @property
    def has_cancelled(self) -> bool:
        """Some cancelled request may still hold blocks."""
        return bool(self._cancelled)

    def take_in(self, request: Request, arrival_s: float, on_token: OnToken | None) -> Answer:
        """A new request, last in line. KvcoreError where its id is in use or the desk is closed."""
        tally = Tally(arrival_s=arrival_s)
        answer = Answer(request, tally, on_token)
        with self._changed:
            if self._closed:
                raise KvcoreError("engine.closed", "The engine is closed and takes no request.")
            if request.id in self._answers:
                raise KvcoreError(
                    "engine.id_in_use",
                    "A request with the id {id} is being answered.",
                    {"id": request.id},
                )
            self._order += 1
            self._answers[request.id] = answer
            self._arrived.append(Sequence(request, 0, (self._order, 0), tally))
        return answer

    def find(self, request_id: str) -> Answer | None:
        """The answer in progress, if there is one."""
        with self._changed:
            return self._answers.get(request_id)

    def answer(self, request_id: str) -> Answer:
        """The answer in progress. KvcoreError where there is none."""
        answer = self.find(request_id)
        if answer is None:
            raise KvcoreError(
                "engine.unknown_request",
                "No request with the id {id} is being answered.",
                {"id": request_id},
            )
        return answer

    def arrived(self) -> list[Sequence]:
        """Those that came since the last call, in their order."""
        with self._changed:
            fresh = list(self._arrived)
            self._arrived.clear()
        return fresh

    def cancel(self, answer: Answer) -> bool:
        """No reader gets a token of it from now on. False where it has ended."""
        with self._changed:
            if answer.cancelled or answer.completion is not None:
                return False
            self._mark(answer)
        return True

    def close(self) -> None:
        """Nothing comes in any more and all that is in progress is cancelled."""
        with self._changed:
            self._closed = True
            for answer in self._answers.values():
                if not answer.cancelled:
                    self._mark(answer)

    def cancelled(self) -> list[Answer]:
        """Those cancelled since the last call: the caller frees their blocks and ends them."""
        with self._changed:
            dropped, self._cancelled = self._cancelled, []
        return dropped

    def end(self, answer: Answer, dropped: list[Sequence]) -> None:
        """A cancelled request is over; `dropped` were its sequences."""
        with self._changed:
            for one in dropped:
                answer.samples[one.sample] = Sample(tokens=one.answer, reason="cancelled")
            self._complete(answer)

    def heard(self, sequence: Sequence, token: int) -> Answer | None:
        """A token of this sequence, the last one where it has a reason to end. The answer, where
        somebody still wants it."""
        with self._changed:
            answer = self._answers[sequence.request.id]
            if sequence.reason:
                ended = Sample(tokens=sequence.answer, reason=sequence.reason)
                answer.samples[sequence.sample] = ended
            if answer.cancelled:
                return None
            answer.unread.append(StreamedToken(sequence.sample, token))
            if answer.all_ended:
                self._complete(answer)
            self._changed.notify_all()
        return answer

    def read(self, answer: Answer) -> tuple[list[StreamedToken], bool]:
        """Tokens not read yet, and whether more may come."""
        with self._changed:
            fresh = list(answer.unread)
            answer.unread.clear()
            return fresh, answer.completion is None

    def wait(self, answer: Answer) -> None:
        """Until something of this answer may be there."""
        with self._changed:
            if answer.completion is None and not answer.unread:
                self._changed.wait(OTHERS_STEP_S)

    def kept(self, request_id: str) -> Completion | None:
        """The completion of a request that has ended, handed out once."""
        with self._changed:
            return self._results.pop(request_id, None)

    def _mark(self, answer: Answer) -> None:
        answer.cancelled = True
        answer.unread.clear()
        self._cancelled.append(answer)

    def _complete(self, answer: Answer) -> None:
        self._answers.pop(answer.request.id)
        self._results[answer.request.id] = answer.complete()
        while len(self._results) > KEPT_RESULTS:
            self._results.popitem(last=False)
        self._changed.notify_all()
