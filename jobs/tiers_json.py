"""What `tiers --json` prints, and money as the shell prints it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from econ.implied_rent import Premium
from jobs.tiering import TiersFound
from price_tables.book import canonical

SMALLEST_USD = Decimal("1e-12")
SECOND_DIGITS = 6


def tiers_to_json(found: TiersFound) -> dict[str, Any]:
    """What `tiers --json` prints."""
    study = found.study
    return {
        "model": study.model,
        "prefix_tokens": study.prefix_tokens,
        "kv_bytes": round(study.kv_bytes),
        "recompute_s": round(study.recompute.prefill_s, SECOND_DIGITS),
        "linear_flop": round(study.recompute.linear_ops),
        "attention_flop": round(study.recompute.attention_ops),
        "break_even_bytes_per_s": round(study.break_even_bytes_per_s),
        "tiers": [
            {
                "tier": row.choice.tier,
                "bytes_per_s": round(row.choice.bytes_per_s),
                "transfer_s": round(row.choice.transfer_s, SECOND_DIGITS),
                "choice": row.choice.choice,
                "capacity_blocks": row.capacity_blocks,
                "hit_tokens": None if row.hits is None else row.hits.hit_tokens,
                "not_worth_loading_tokens": (
                    None if row.hits is None else row.hits.not_worth_loading_tokens
                ),
                "usd_per_gb_hour": _range(found.usd_per_gb_hour.get(row.choice.tier)),
            }
            for row in study.rows
        ],
        "implied": [_implied(row, found.implied_bytes) for row in found.premiums],
    }


def _implied(row: Premium, of: tuple[Decimal, Decimal]) -> dict[str, Any]:
    low, high = of
    return {
        "provider": row.provider,
        "model": row.model,
        "premium": row.kind,
        "lifetime_s": row.lifetime_s,
        "usd_per_gb_hour": _range((row.usd_per_gb_hour(high), None, row.usd_per_gb_hour(low))),
        "bytes_per_token": (
            round(low) if low == high else {"value": None, "low": round(low), "high": round(high)}
        ),
    }


def _range(ends: tuple[Decimal, Decimal | None, Decimal] | None) -> Any:
    """A decimal string where both ends are one, a range object, or null."""
    if ends is None:
        return None
    low, _, high = ends
    if low == high:
        return usd_text(low)
    return {"value": None, "low": usd_text(low), "high": usd_text(high)}


def usd_text(usd: Decimal) -> str:
    """Twelve decimals at most, no exponent, no trailing zeros."""
    return f"{canonical(usd.quantize(SMALLEST_USD)):f}"
