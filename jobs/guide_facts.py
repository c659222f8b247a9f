"""What the guide's pages read: the fact files, the bundled example's lengths, and prices."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from econ.articles_checked import Checked, check
from econ.articles_inputs import Inputs
from econ.guide_waste import BLOCK_SIZES, paged_waste
from jobs.shelf import LastUsed, example, opened
from messages.errors import NotFoundError
from price_tables.articles import ArticleFacts
from price_tables.articles_load import load_articles
from price_tables.book import PriceBook
from price_tables.facts_load import load_power, load_switch
from price_tables.hardware import Hardware
from price_tables.hardware_load import load_hardware
from price_tables.load import load_book
from price_tables.model_switch import SwitchFacts
from price_tables.power import PowerFacts
from price_tables.tiers import TierSpec
from price_tables.tiers_load import load_tiers

IntArray = NDArray[np.int64]
KEPT_LENGTHS = 4
SHARES = (0.05, 0.5, 0.95, 1.0)
_NUMBER = re.compile(r"[\d.,]+(?:–[\d.,]+)? ?(?:%|×|GB)?")


def hardware() -> Hardware:
    """Models and devices."""
    return load_hardware()


def links() -> tuple[TierSpec, ...]:
    """Places that keys and values are loaded from over a link."""
    return tuple(tier for tier in load_tiers().values() if tier.place == "link")


def switch_facts() -> SwitchFacts:
    """The published pairs that hand over a cache."""
    return load_switch()


def power_facts() -> PowerFacts:
    """Power scenarios."""
    return load_power()


def articles() -> ArticleFacts:
    """What the three articles print."""
    return load_articles()


def printed_number(figure_id: str) -> str:
    """A printed figure's number with its unit alone: '6.4 ×' of 'up to 6.4 ×'."""
    printed = articles().figure(figure_id).printed
    found = _NUMBER.search(printed)
    return printed if found is None else found[0].replace(" ", "\u00a0")


def book() -> PriceBook:
    """The price tables."""
    return load_book()


def example_lengths() -> IntArray:
    """Prompt and answer tokens of every request of the bundled example."""
    workload = example().workload
    return np.asarray(
        workload.counts("input_tokens") + workload.counts("output_tokens"), dtype=np.int64
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How long the requests of a workload are. `tokens` [requests] of prompt and answer;
    `quantiles` (share, tokens); `blocks` (tokens a block, unused share, blocks).
    `whose`: 'own'; 'example' where the reader has chosen no file; 'sums' and 'none' where the
    chosen file has sums instead of requests, or no tokens: then the figures are the example's."""

    whose: Literal["own", "example", "sums", "none"]
    name: str
    requests: int
    tokens: IntArray
    quantiles: tuple[tuple[float, int], ...]
    blocks: tuple[tuple[int, float, int], ...]

    def waste_of(self, block_tokens: int) -> float:
        """The unused share at one of the block lengths."""
        return next(waste for size, waste, _ in self.blocks if size == block_tokens)


_lengths: LastUsed[Lengths] = LastUsed(KEPT_LENGTHS)


def lengths(workload_id: str | None, owner: str) -> Lengths:
    """Lengths of the workload that the reader looks at; those of the example where none is chosen
    or it has none of single requests."""
    if workload_id is None or workload_id == example().id:
        return _lengths_of(example().key, "example", example().workload.name, example_lengths())
    try:
        found = opened(workload_id, owner)
    except NotFoundError:  # the link's file is not here
        return lengths(None, owner)
    workload = found.workload
    if workload.granularity == "bucket":
        return replace(lengths(None, owner), whose="sums", name=workload.name)
    tokens = np.asarray(
        workload.counts("input_tokens") + workload.counts("output_tokens"), dtype=np.int64
    )
    tokens = tokens[tokens > 0]
    if not len(tokens):
        return replace(lengths(None, owner), whose="none", name=workload.name)
    return _lengths_of(found.key, "own", workload.name, tokens)


def _lengths_of(key: str, whose: Literal["own", "example"], name: str, tokens: IntArray) -> Lengths:
    def make() -> Lengths:
        return Lengths(
            whose=whose, name=name, requests=len(tokens), tokens=tokens,
            quantiles=tuple(
                (share, int(value))
                for share, value in zip(SHARES, np.quantile(tokens, SHARES), strict=True)
            ),
            blocks=tuple(
                (size, paged_waste(tokens, size), int((-(-tokens // size)).sum()))
                for size in BLOCK_SIZES
            ),
        )  # fmt: skip

    return _lengths.get((key, name, "guide lengths"), make)


def inputs() -> Inputs:
    """What checking the articles reads."""
    return Inputs(
        hardware=hardware(),
        book=book(),
        switch=switch_facts(),
        power=power_facts(),
        example_lengths=example_lengths(),
    )


@cache
def checked() -> tuple[Checked, ...]:
    """Every figure of the articles with its verdict, computed once a process."""
    return check(articles(), inputs())
