"""What the guide's pages read: the fact files, the bundled example's lengths, and prices."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from econ.articles_checked import Checked, check
from econ.articles_inputs import Inputs
from jobs.shelf import example
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
