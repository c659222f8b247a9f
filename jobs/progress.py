"""What a long task is given: a way to say how far it is, and to be told to stop."""

from __future__ import annotations

from typing import Protocol


class Cancelled(Exception):  # an outcome that was asked for, not an error
    """Somebody asked for an end. Never shown as an error."""


class TimedOut(Exception):
    """The task took longer than its job may."""


class Progress(Protocol):
    """Called often; cheap. May be handed on wherever `Callable[[float, str], None]` is asked for.

    Raises Cancelled or TimedOut when the task must end: let it pass, and clean up on the way.
    """

    def __call__(self, fraction: float, stage: str, rows: int | None = None) -> None:
        """`fraction` of the whole task in 0..1, the stage's id ('read', 'sort'), rows so far."""
        ...


def no_progress(fraction: float, stage: str, rows: int | None = None) -> None:
    """A Progress that says nothing and never stops."""
