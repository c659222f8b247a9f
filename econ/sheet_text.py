"""Numbers and foreign text on a sheet of paper: money, ratios and names in the reader's language.

Everything takes `say`, because a range, a large sum of yen and 'not known' are words too.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Callable
from decimal import Decimal

from econ.money import Amount, product, shown
from econ.report import Rate
from messages.errors import Message

Say = Callable[[Message], str]

MINUS, SPACE = "\u2212", "\u00a0"
CENT_PLACES = 2
LONGEST_NAME = 60
YEN_UNITS = (("cho", 10**12, 10**6), ("oku", 10**8, 100), ("man", 10**4, 1))
"""Unit, its yen, and the last yen that the next smaller unit still shows."""
COUNTS_IN_MAN = ("ja",)
WHOLE_CURRENCIES = ("JPY", "KRW")


def name_shown(text: str, longest: int = LONGEST_NAME) -> str:
    """A name out of a file: one line without control and direction marks, cut with an ellipsis."""
    clean = "".join(" " if _unseen(char) else char for char in text).strip()
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}


def escaped(text: str) -> str:
    """Text between tags or inside a quoted attribute."""
    return html.escape(text, quote=True)


def _digits(value: Decimal, places: int) -> str:
    """Half-up; below a cent two significant digits, so that a cost never shows as zero."""
    if value and places and abs(value) < Decimal(1).scaleb(-places):
        places = 1 - value.adjusted()
    return f"{abs(shown(value, places)):,f}"


def dollars(value: Decimal, *, plus: bool = False) -> str:
    """'$1,234.56', '−$0.30'; with `plus` '+$1.00'."""
    sign = MINUS if value < 0 else "+" if plus and value > 0 else ""
    return f"{sign}${_digits(value, CENT_PLACES)}"


def usd(amount: Amount | None, say: Say, *, plus: bool = False) -> str:
    """An amount, both ends where it is a range, a word where it is not known."""
    if amount is None:
        return say(Message("sheet.unknown"))
    low, high = dollars(amount.low_usd, plus=plus), dollars(amount.high_usd, plus=plus)
    return low if low == high else say(Message("ui.ends", {"low": low, "high": high}))


def converted(amount: Amount, rate: Rate, say: Say, language: str) -> str:
    """An amount in the currency of `rate`, both ends where it is a range."""
    low, high = (
        money_in(product(end, rate.per_usd), rate.currency, say, language)
        for end in (amount.low_usd, amount.high_usd)
    )
    return low if low == high else say(Message("ui.ends", {"low": low, "high": high}))


def money_in(value: Decimal, currency: str, say: Say, language: str) -> str:
    """'EUR 12.30'; yen have no decimals."""
    if currency == "JPY":
        return yen(value, say, language)
    places = 0 if currency in WHOLE_CURRENCIES else CENT_PLACES
    return f"{currency}{SPACE}{MINUS if value < 0 else ''}{_digits(value, places)}"


def yen(value: Decimal, say: Say, language: str) -> str:
    """Yen: '¥27,456'; Japanese counts large sums in ten thousands: 2.75万円, 1.2億円, 3兆円."""
    sign = MINUS if value < 0 else ""
    for unit, size, step in YEN_UNITS if language in COUNTS_IN_MAN else ():
        if shown(abs(value) / step, 0) * step >= size:
            text = f"{shown(abs(value) / size, CENT_PLACES):,f}".rstrip("0").rstrip(".")
            return say(Message(f"sheet.yen_{unit}", {"scaled": sign + text}))
    places = 0 if abs(value) >= 1 or not value else CENT_PLACES
    return say(Message("sheet.yen", {"whole": sign + _digits(value, places)}))


def percent(ratio: float, digits: int = 1) -> str:
    """A ratio 0..1 as '36.6 %'."""
    value = shown(Decimal(repr(ratio)) * 100, digits)
    return f"{MINUS if value < 0 else ''}{abs(value):,f}{SPACE}%"
