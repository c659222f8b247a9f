"""The error tree, and the message that an error or a receipt carries.

KvledgerError
├── InputError(ValueError)       what you gave is wrong: a file, a URL parameter
│   └── UsageError               a flag of the command line is wrong (exit status 2)
├── NotFoundError(LookupError)   it does not exist here
├── SourceError(OSError)         we could not ask: a host, a disk, a database
└── DataError(ValueError)        bytes came, their meaning did not: a price table, a stored report

Errors carry a message id and values; the words are made where they are shown, in the reader's
language. Every class survives pickle, because errors cross process boundaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Union

Value = Union[str, int, float, Decimal, "Message", None]
"""What a message may carry. Nested messages are translated with the outer one."""


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence to be said: the catalogue's id and the values of its placeholders.

    `n` chooses the plural form where the catalogue has one; it is also the placeholder {n}.
    """

    id: str
    values: Mapping[str, Value] = field(default_factory=dict)
    n: int | None = None

    def __hash__(self) -> int:
        return hash((self.id, tuple(sorted((k, str(v)) for k, v in self.values.items())), self.n))

    def __str__(self) -> str:
        inner = ", ".join(f"{key}={value}" for key, value in self.values.items())
        return f"{self.id}({inner})" if inner else self.id


class KvledgerError(Exception):
    """Root of everything that kvledger raises on purpose."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message

    def __reduce__(self) -> tuple[type[KvledgerError], tuple[Message]]:
        return type(self), (self.message,)


class InputError(KvledgerError, ValueError):
    """What the user gave is wrong; the message names the place and what was expected."""


class UsageError(InputError):
    """A command line flag has a value that it cannot have."""


class NotFoundError(KvledgerError, LookupError):
    """The thing asked for does not exist here."""


class SourceError(KvledgerError, OSError):
    """We could not ask: network, disk or database. Says nothing about whether the thing exists."""


class DataError(KvledgerError, ValueError):
    """Bytes came, but they do not mean what they should."""


def input_error(message_id: str, **values: Value) -> InputError:
    """An InputError from a catalogue id and its placeholder values."""
    return InputError(Message(message_id, values))
