"""Load what another tier kept, or compute it again: whichever is quicker.

    transfer_s   = latency + wait + bytes / bandwidth
    recompute_s  = (linear + attention operations) / rate       (`econ.roofline.prefill`)
    break-even   = bytes / recompute_s, the bandwidth at which both take equally long

Loading a run of `tokens` after `before` tokens saves what its prefill would take there: attention
grows with the position, so a run deep in a prompt is worth loading over a slower link than one at
its head. Waiting for the link is a number of its own, never folded into the bandwidth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
LOAD, RECOMPUTE = "load", "recompute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The way from a tier to where attention reads: bytes a second, seconds before the first
    byte, seconds of waiting for other transfers."""

    tier: str
    bytes_per_s: float
    latency_s: float = 0.0
    wait_s: float = 0.0

    def transfer_s(self, kv_bytes: float) -> float:
        """Seconds until `kv_bytes` have arrived; 0 for nothing."""
        if kv_bytes <= 0:
            return 0.0
        return self.latency_s + self.wait_s + kv_bytes / self.bytes_per_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One prefix over one link."""

    tier: str
    bytes_per_s: float
    transfer_s: float
    recompute_s: float
    choice: Literal["load", "recompute"]

    @property
    def seconds(self) -> float:
        """What the better of the two takes."""
        return min(self.transfer_s, self.recompute_s)


def choose(link: Link, *, kv_bytes: float, recompute_s: float) -> Choice:
    """The quicker way; loading where both take equally long, since it leaves the compute free."""
    transfer = link.transfer_s(kv_bytes)
    return Choice(
        tier=link.tier,
        bytes_per_s=link.bytes_per_s,
        transfer_s=transfer,
        recompute_s=recompute_s,
        choice="load" if transfer <= recompute_s else "recompute",
    )


def break_even_bytes_per_s(kv_bytes: float, recompute_s: float) -> float | None:
    """The bandwidth at which loading takes as long as computing again. None: nothing to do."""
    return kv_bytes / recompute_s if recompute_s > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierHits:
    """What one tier answers of a workload: hit tokens, those of them that are not worth loading,
    and the seconds that loading the others saves over computing all again."""

    tier: str
    hit_tokens: int
    not_worth_loading_tokens: int
    loaded_tokens: int
    transfer_s: float
    saved_s: float


def tier_hits(
    link: Link,
    *,
    first_token: IntArray,
    hit_tokens: IntArray,
    bytes_per_token: float,
    prefill_s: Callable[[IntArray], NDArray[np.float64]],
) -> TierHits:
    """Each request's run of `hit_tokens` tokens found in this tier, behind `first_token` tokens
    that faster tiers gave. `prefill_s(n)` is the time to compute prompts of n tokens from nothing.
    """
    end = first_token + hit_tokens
    again = prefill_s(end) - prefill_s(first_token)
    some = hit_tokens > 0
    moved = hit_tokens * bytes_per_token / link.bytes_per_s
    transfer = np.where(some, link.latency_s + link.wait_s + moved, 0.0)
    worth = some & (transfer <= again)
    return TierHits(
        tier=link.tier,
        hit_tokens=int(hit_tokens.sum()),
        not_worth_loading_tokens=int(hit_tokens[some & ~worth].sum()),
        loaded_tokens=int(hit_tokens[worth].sum()),
        transfer_s=float(transfer[worth].sum()),
        saved_s=float((again - transfer)[worth].sum()),
    )


def split_by_tier(cumulative: Sequence[IntArray]) -> list[tuple[IntArray, IntArray]]:
    """Per tier (first_token, hit_tokens) of each request, from the hit tokens of caches that are
    as large as the first tier, the first two, and so on. With `lru-leaf`, whose larger cache holds
    all that a smaller one does, the difference is what the next tier adds."""
    parts: list[tuple[IntArray, IntArray]] = []
    before = np.zeros_like(cumulative[0]) if cumulative else None
    for hits in cumulative:
        assert before is not None  # noqa: S101
        reached = np.maximum(hits, before)
        parts.append((before, reached - before))
        before = reached
    return parts
