"""Families of models: the next smaller one that a maker sells, and published tokenizer factors.

Read from `families.yaml` and validated like the price tables. No price is in it; what a factor does
is decided where it is applied, and none is applied without being asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from price_tables.fields import Address, AsOf, Factor, Name, Note, Source, wrong
from price_tables.load import FOLDER, validated
from price_tables.yaml_loader import read_yaml

FILE = "families.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Smaller:
    """The next smaller model of the same maker, and where its tier was read."""

    model: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenizer:
    """Models whose tokenizer makes `factor` times the tokens of the maker's earlier ones."""

    provider: str
    name: str
    models: tuple[str, ...]
    factor: Decimal
    source: str
    as_of: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Families:
    """`smaller` by (provider, model)."""

    smaller: Mapping[tuple[str, str], Smaller]
    tokenizers: tuple[Tokenizer, ...]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Sourced(_Strict):
    source: Source
    as_of: AsOf
    note: Note | None = None


class SmallerRow(_Sourced):
    provider: Name
    model: Name
    to: Name


class TokenizerRow(_Sourced):
    provider: Name
    name: Name
    models: list[Name] = Field(min_length=1)
    factor: Factor


class FamiliesFile(_Strict):
    format: Literal["1"]
    pages: dict[Name, Address]
    smaller: list[SmallerRow]
    tokenizers: list[TokenizerRow]

    @model_validator(mode="after")
    def _once(self) -> Self:
        seen: set[tuple[str, str]] = set()
        for row in self.smaller:
            if (row.provider, row.model) in seen or row.model == row.to:
                raise wrong("unique_name", row.model)
            seen.add((row.provider, row.model))
        return self


@lru_cache(maxsize=8)
def load_families(folder: Path = FOLDER) -> Families:
    """The families of `folder`. Raises DataError where the file is not exactly as it should be."""
    file = validated(FamiliesFile, read_yaml(folder / FILE), FILE)
    return Families(
        smaller={
            (row.provider, row.model): Smaller(model=row.to, source=row.source, as_of=row.as_of)
            for row in file.smaller
        },
        tokenizers=tuple(
            Tokenizer(
                provider=row.provider,
                name=row.name,
                models=tuple(row.models),
                factor=row.factor,
                source=row.source,
                as_of=row.as_of,
                note=row.note or "",
            )
            for row in file.tokenizers
        ),
    )
