"""Service calls on prices for both doors: the shapes of `prices show` and `prices check`. Money
leaves as decimal text, moments as UTC text. The page's rows come from `jobs.price_rows`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from econ.money import plain
from jobs import own_prices
from jobs.price_rows import (
    CacheRuleRow,
    ChangeRow,
    DisagreementRow,
    PriceRow,
    StatedValue,
    book_version,
    cache_rule_rows,
    changes_ahead_rows,
    disagreement_rows,
    price_table_rows,
    providers,
    rows_at,
    utc_moment,
)
from messages.catalogue import DEFAULT_LANGUAGE, Say, sayer
from price_tables.book import RateCard, Segment, Unpriced
from price_tables.changes import changes_ahead
from price_tables.load import CheckedTable, check_tables, load_book
from price_tables.lookup import moment_text, rate_card
from price_tables.peak import peak_prices

__all__ = [
    "CacheRuleRow",
    "ChangeRow",
    "DisagreementRow",
    "PriceRow",
    "StatedValue",
    "book_version",
    "cache_rule_rows",
    "changes_ahead_rows",
    "disagreement_rows",
    "price_table_rows",
    "prices_check",
    "prices_show",
    "providers",
]

_ENGLISH = sayer(DEFAULT_LANGUAGE)


def prices_show(
    model: str,
    provider: str | None = None,
    surface: str | None = None,
    mode: str | None = None,
    prompt_tokens: int | None = None,
    at: date | datetime | None = None,
    say: Say = _ENGLISH,
) -> dict[str, Any]:
    """The rows that price `model` at `at` (default the book's own date; a date is 00:00 UTC), or
    the reason why none does. Without `prompt_tokens` every tier is a match."""
    book = own_prices.book()
    moment = utc_moment(at) if at is not None else book.as_of
    card = rate_card(book, provider=provider, surface=surface, model=model, mode=mode)
    rows = card if isinstance(card, Unpriced) else rows_at(card, moment, prompt_tokens)
    if isinstance(rows, Unpriced):
        return {"matches": [], "unpriced_reason": say(rows.reason)}
    assert isinstance(card, RateCard)  # noqa: S101
    return {"matches": [_shown(card, row, say) for row in rows], "unpriced_reason": None}


def prices_check(
    today: date | None = None, say: Say = _ENGLISH, folder: Path | None = None
) -> dict[str, Any]:
    """Every table with its age and its errors, and the changes after `today` (default the UTC day),
    of the tables in `folder` (default those of kvledger with the file of own prices, if the
    setting names one, under `own`). With an error in a table no changes are listed.
    Raises DataError only where `book.yaml` itself cannot be read."""
    today = today or datetime.now(tz=UTC).date()
    checked = check_tables(folder)
    sound = all(table.error is None for table in checked)
    own = None if folder else _own_checked(today, say)
    whole = own_prices.book() if own and not own["errors"] else load_book(folder) if sound else None
    changes = changes_ahead(whole, today) if whole else ()
    return {
        "tables": [_checked(table, today, say) for table in checked],
        "own": own,
        "changes_ahead": [
            {
                "provider": change.provider,
                "model": change.model,
                "from": moment_text(change.on),
                "what": say(change.what),
            }
            for change in changes
        ],
    }


def _shown(card: RateCard, row: Segment, say: Say) -> dict[str, Any]:
    return {
        "provider": card.provider,
        "surface": card.surface,
        "model": card.model,
        "matched_by": card.matched_by,
        "valid_from": moment_text(row.valid_from) if row.valid_from else None,
        "valid_to": moment_text(row.valid_to) if row.valid_to else None,
        "mode": card.mode,
        "tier": f"above {row.above_tokens}" if row.above_tokens else "base",
        "above_tokens": row.above_tokens,
        "usd_per_mtok": _texts(row.usd_per_mtok),
        "source": row.source,
        "as_of": row.as_of,
        "status": row.status,
        "second_source": row.second_source,
        "via": row.via,
        "note": row.note,
        "factors": list(row.factors),
        "peak_usd_per_mtok": _texts(peak_prices(row)) if row.peak else None,
        "assumptions": [say(message) for message in card.assumptions],
    }


def _texts(prices: Mapping[str, Decimal]) -> dict[str, str]:
    return {name: plain(price) for name, price in prices.items()}


def _checked(checked: CheckedTable, today: date, say: Say) -> dict[str, Any]:
    table = checked.table
    if table is None:
        errors = [say(checked.error.message)] if checked.error else []
        return {
            "provider": checked.provider,
            "models": 0,
            "oldest_as_of": None,
            "age_days": None,
            "errors": errors,
        }
    oldest = min(model.periods[-1].as_of for model in table.models)
    return {
        "provider": table.provider,
        "models": len(table.models),
        "oldest_as_of": oldest,
        "age_days": (today - _first_day(oldest)).days,
        "errors": [],
    }


def _own_checked(today: date, say: Say) -> dict[str, Any] | None:
    """The file of own prices as the tables are shown; None where no setting names one."""
    found = own_prices.checked_file()
    if found is None:
        return None
    path, own, errors = found
    oldest = own.oldest_as_of if own else None
    return {
        "file": path.name,
        "models": sum(len(rows) for rows in own.models.values()) if own else 0,
        "oldest_as_of": oldest,
        "age_days": (today - _first_day(oldest)).days if oldest else None,
        "adjustments": {
            name: {
                "discount_ratio": plain(row.discount_ratio),
                "tax_ratio": plain(row.tax_ratio),
            }
            for name, row in (own.adjustments.items() if own else ())
        },
        "errors": [say(error.message) for error in errors],
    }


def _first_day(as_of: str) -> date:
    """A month stands for its first day: ages are never understated."""
    return date.fromisoformat(as_of if len(as_of) > 7 else f"{as_of}-01")
