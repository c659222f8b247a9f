"""The dollars per GB-hour that a provider's write premium or storage fee comes to.

    premium   (write price - input price) USD a token, for `lifetime` hours, over the bytes that a
              token keeps: USD / (bytes / 1e9) / hours
    storage   the fee for a million tokens and an hour, over the same bytes

How many bytes a closed model keeps of a token is not public: the result is a line over bytes per
token. Beside it stands what an hour of a GB of memory is rented for. Reads, and refreshes by
reading, keep an entry longer for nothing: the implied rent is that of one lifetime.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

GB = 1_000_000_000
MTOK = 1_000_000
HOUR_S = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Premium:
    """What one provider takes for keeping a token: `usd_per_mtok` for `lifetime_s`."""

    provider: str
    model: str
    kind: str
    usd_per_mtok: Decimal
    lifetime_s: int
    source: str
    as_of: str

    def usd_per_gb_hour(self, bytes_per_token: Decimal) -> Decimal:
        """The implied rent at that many bytes a token (above zero)."""
        if bytes_per_token <= 0:
            raise ValueError("bytes per token must be above zero")
        per_token_hour = self.usd_per_mtok / MTOK * HOUR_S / self.lifetime_s
        return per_token_hour * GB / bytes_per_token

    def bytes_at(self, usd_per_gb_hour: Decimal) -> Decimal:
        """Bytes a token at which the premium is that rent: below it the premium lies above."""
        return self.usd_per_gb_hour(Decimal(1)) / usd_per_gb_hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Rent:
    """A named price of one GB of memory for one hour."""

    name: str
    usd_per_gb_hour: Decimal
    source: str
    as_of: str


def rent_of_memory(usd_per_hour: Decimal, memory_gb: Decimal) -> Decimal:
    """An hour of the whole device over its GB: the memory is charged for everything on it."""
    return usd_per_hour / memory_gb


def rent_of_bought_memory(usd_per_gb: Decimal, life_hours: Decimal) -> Decimal:
    """Memory that is bought, spread over its life: without server, power and place."""
    return usd_per_gb / life_hours
