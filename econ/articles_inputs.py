"""What checking the articles reads: tables and lengths, handed in by whoever has read them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from price_tables.book import PriceBook
from price_tables.hardware import Hardware
from price_tables.model_switch import SwitchFacts
from price_tables.power import PowerFacts

ARTICLE_DAY = datetime(2026, 9, 15, tzinfo=UTC)
"""The articles are of September 2026: prices are looked up on this day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Tables by name; `example_lengths`: tokens of each request of the bundled example."""

    hardware: Hardware
    book: PriceBook
    switch: SwitchFacts
    power: PowerFacts
    example_lengths: NDArray[np.int64]
