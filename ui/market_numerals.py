"""Money and periods of filings as each language writes them: '41,456 M USD', 414億5,600万ドル."""

from __future__ import annotations

from decimal import Decimal

from jobs.public_data import Figure
from ui.numerals import MINUS, SPACE, day, percent
from ui.words import language, t

SCALES = {"USD": ("m", Decimal(10) ** 6), "JPY": ("bn", Decimal(10) ** 9),
          "KRW": ("tn", Decimal(10) ** 12)}  # fmt: skip
MYRIADS = (("cho", 10**12), ("oku", 10**8), ("man", 10**4))
"""Japanese counts in steps of ten thousand: 兆, 億, 万."""


def money(value: Decimal | None, currency: str) -> str:
    """An amount with its currency; '–' where there is none."""
    if value is None:
        return "–"
    if language() == "ja":
        return myriads(value) + t("market.currency", currency=_currency(currency))
    unit, scale = SCALES.get(currency, SCALES["USD"])
    shown = plain(abs(value) / scale)
    sign = MINUS if value < 0 else ""
    return t(f"market.money_{unit}", value=f"{sign}{shown}", currency=currency)


def _currency(code: str) -> str:
    return t(f"market.currency_{code.lower()}") if code in SCALES else code


def myriads(value: Decimal) -> str:
    """The two largest steps of ten thousand: 2兆3,376億, 414億5,600万, −4,900万."""
    rest, parts = int(abs(value)), []
    for name, size in MYRIADS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count:,}{t(f'market.{name}')}")
    whole = "".join(parts[:2]) if parts else f"{rest:,}"
    return f"{MINUS if value < 0 else ''}{whole}"


def plain(value: Decimal) -> str:
    """Thousands commas and no more digits than the value has, at most three."""
    text = f"{value:,.3f}".rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def index(value: Decimal | None) -> str:
    """An index number as published: '28.987', '124.2'; '–' where there is none."""
    return "–" if value is None else plain(value)


def period(figure: Figure) -> str:
    """'2026-02-27 to 2026-05-28': both days, since fiscal quarters are no calendar quarters."""
    if figure.start is None or figure.start == figure.end:
        return day(figure.end)
    return t("market.period", first=day(figure.start), last=day(figure.end))


def vintage(figure: Figure) -> str:
    """'published 2026-07-29', or that the day is not known."""
    if figure.vintage is None:
        return t("market.vintage_unknown")
    return t("market.vintage", day=day(figure.vintage))


def status(figure: Figure) -> str:
    """Where it stands: fetched, in a copy, in a filing, a release, the press, an article alone."""
    return t(f"market.status.{figure.status}")


def ratio(value: Decimal | None) -> str:
    """'84.6 %'; '–' where an input is missing. A loss has a true minus."""
    return "–" if value is None else percent(value).replace("-", MINUS)


def multiplier(value: Decimal) -> str:
    """'0.025 ×' / '0.025 倍'."""
    return t("market.times", value=f"{value:.4f}".rstrip("0").rstrip("."), space=SPACE)
