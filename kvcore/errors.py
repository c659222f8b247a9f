"""The one exception of the engine: a message id for the caller to translate, English if alone."""

from __future__ import annotations

from collections.abc import Mapping

Value = str | int | float


class KvcoreError(Exception):
    """What was asked cannot be run. message_id names the sentence, values fill it.

    The engine stands alone, so the sentence is here in English too (str(error)). Survives
    pickling, because errors cross process boundaries.
    """

    def __init__(
        self, message_id: str, sentence: str, values: Mapping[str, Value] | None = None
    ) -> None:
        super().__init__(message_id, sentence, values)
        self.message_id = message_id
        self.sentence = sentence
        self.values: dict[str, Value] = dict(values or {})

    def __str__(self) -> str:
        return self.sentence.format(**self.values)

    def __reduce__(self) -> tuple[type[KvcoreError], tuple[str, str, dict[str, Value]]]:
        return type(self), (self.message_id, self.sentence, self.values)
