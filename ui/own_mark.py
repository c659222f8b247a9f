"""A model whose price the reader has entered says so wherever its name stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from price_tables.own import OWN
from ui.numerals import foreign
from ui.words import t


class Priced(Protocol):
    """A price row that was used."""

    @property
    def source(self) -> str: ...


def name_of(model: str | None, sources: Iterable[Priced]) -> str:
    """'claude-opus-5', or 'claude-opus-5 (own price)' where one of `sources` is the reader's."""
    name = foreign(model or "")
    return t("ui.own_price", model=name) if any(s.source == OWN for s in sources) else name
