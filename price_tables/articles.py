"""Figures that three articles print, as `articles.yaml` has them.

`value` and `unit` are set where kvledger can say the same figure itself (`by` names how); all
others carry a `status`: confirmed or differs at the source, or published, where none could be read.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from price_tables.fields import Count, Name, Note, Source, wrong
from price_tables.records import Facts, Record

_ID = re.compile(r"[a-z][a-z0-9_]{2,40}")
_VALUE = re.compile(r"(0|[1-9]\d{0,11})(\.\d{1,6})?")
_MARK = re.compile(r"K([1-9]|[12]\d|3[0-2])")
UNITS: dict[str, float] = {
    "bytes": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20,
    "GiB": 2.0**30, "TB/s": 1e12, "PFLOPS": 1e15, "1e16 FLOP": 1e16, "ms": 1e-3, "s": 1.0,
    "h": 3600.0, "tokens/s": 1.0, "tokens": 1.0, "×": 1.0, "%": 1e-2, "points": 1e-2,
    "USD": 1.0, "bn": 1e9, "GW": 1e9, "count": 1.0,
}  # fmt: skip
"""What one unit is in the base that a computation answers in."""


def _id(value: object) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise wrong("article_id", value)
    return value


def _mark(value: object) -> str:
    if not isinstance(value, str) or not _MARK.fullmatch(value):
        raise wrong("article_mark", value)
    return value


def _value(value: object) -> Decimal:
    if not isinstance(value, str) or not _VALUE.fullmatch(value) or not Decimal(value):
        raise wrong("amount_above_zero", value)
    return Decimal(value)


Mark = Annotated[str, BeforeValidator(_mark)]


class Figure(Record):
    """One figure. `printed` as it stands in the article; `decimals`: how finely it is printed;
    `compare`: what the article claims of its `value`; `marks`: what to mind, K1 to K32."""

    id: Annotated[str, BeforeValidator(_id)]
    article: Literal["A", "B", "C"]
    item: Name
    subject: Literal[
        "size", "speed", "systems", "bill", "makers", "filings", "statistics", "hybrid", "power",
        "switch",
    ]  # fmt: skip
    printed: Name
    value: Annotated[Decimal, BeforeValidator(_value)] | None = None
    unit: Name | None = None
    decimals: Count | None = None
    by: Literal[
        "kv", "step", "prefill", "ratio", "product", "difference", "bill", "table", "waste"
    ] | None = None  # fmt: skip
    compare: Literal["equal", "at_least", "at_most"] = "equal"
    status: Literal["confirmed", "differs", "published"] | None = None
    found: Note | None = None
    source: Source
    marks: list[Mark] = Field(default_factory=list)

    @model_validator(mode="after")
    def _computed_or_looked_up(self) -> Self:
        numbers = (self.value, self.unit, self.decimals, self.by)
        if (self.status is None) is (None in numbers) or (
            self.status is not None and any(part is not None for part in numbers)
        ):
            raise wrong("article_row", self.id)
        if self.unit is not None and self.unit not in UNITS:
            raise wrong("article_unit", self.unit)
        if self.status == "differs" and not self.found:
            raise wrong("article_row", self.id)
        return self

    def rounds_to_printed(self, ours: float) -> bool:
        """Whether `ours`, in the base of the unit, is what the article prints."""
        assert self.value is not None  # noqa: S101
        assert self.unit is not None  # noqa: S101
        printed, here = float(self.value), ours / UNITS[self.unit]
        if self.compare == "at_least":
            return here >= printed
        if self.compare == "at_most":
            return here <= printed
        return abs(here - printed) <= 0.5 * 10.0 ** -(self.decimals or 0) * (1 + 1e-9)


class ArticleFacts(Facts):
    """`articles.yaml`."""

    format: Literal["1"]
    figures: Annotated[list[Figure], Field(min_length=1)]

    def figure(self, figure_id: str) -> Figure:
        """The figure of that id. KeyError where there is none."""
        for one in self.figures:
            if one.id == figure_id:
                return one
        raise KeyError(figure_id)
