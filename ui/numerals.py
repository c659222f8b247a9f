"""Numbers, ranges, dates and foreign text as they are shown: the only place that formats them."""

from __future__ import annotations

import calendar
import re
import unicodedata
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

from econ.money import Amount
from ui.words import t

MINUS = "\u2212"
SPACE = "\u00a0"  # before a unit, so that a number never parts from it
CENT = Decimal("0.01")
LONGEST_FOREIGN_TEXT = 80
LONGEST_SENTENCE = 1000

JOINER = "\u2060"  # shows nothing and keeps two characters together
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~:$>^=])")
_SHORTHAND = re.compile(r"(:(?=[\w+/-]+:|//)|<(?=-)|-(?=[->])|@|www(?=\.))")
"""Icons, smileys, links and arrows: Streamlit makes them of plain text too, escaped or not."""


def _sign(negative: bool, *, plus: bool) -> str:
    return MINUS if negative else "+" if plus else ""


def _cents(value: Decimal) -> Decimal:
    """Half-up to the cent; below a cent two significant digits, so that a price never shows 0."""
    if value == 0 or abs(value) >= CENT:
        return value.quantize(CENT, ROUND_HALF_UP)
    step = Decimal(1).scaleb(value.adjusted() - 1)
    return value.quantize(step, ROUND_HALF_UP)


def amount(value: Decimal) -> str:
    """'6,412.80' or '−210.00': USD without its sign, for places whose unit line says USD."""
    rounded = _cents(value)
    return f"{_sign(rounded < 0, plus=False)}{abs(rounded):,f}"


def usd(value: Decimal) -> str:
    """'$6,412.80', '−$210.00'."""
    rounded = _cents(value)
    return f"{_sign(rounded < 0, plus=False)}${abs(rounded):,f}"


def signed_usd(value: Decimal) -> str:
    """'+$4,128.64', '−$210.00', '$0.00'."""
    rounded = _cents(value)
    return f"{_sign(rounded < 0, plus=rounded > 0)}${abs(rounded):,f}"


def exact(value: Decimal) -> str:
    """All digits of an amount, for 'how it is computed': '0.57959', '−210'."""
    text = f"{abs(value):,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{_sign(value < 0, plus=False)}{text}"


def count(value: int) -> str:
    """'48,210'."""
    return f"{_sign(value < 0, plus=False)}{abs(value):,}"


def small_count(value: int) -> str:
    """A small number in a sentence, as a word where the language has one: 'two', '2'."""
    return t(f"ui.number.{value}") if 2 <= value <= 9 else count(value)


def percent(ratio: float | Decimal, digits: int = 1) -> str:
    """A ratio 0..1 as '36.6 %'; `digits` 0 for a sentence."""
    return f"{_decimal(Decimal(str(ratio)) * 100, digits)}{SPACE}%"


def _decimal(value: Decimal, digits: int) -> str:
    rounded = value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{_sign(rounded < 0, plus=False)}{abs(rounded):,f}"


def compact(value: float) -> str:
    """A count on an axis: '512', '16 k', '1.5 M'."""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            scaled = f"{abs(value) / size:.1f}".removesuffix(".0")
            return f"{_sign(value < 0, plus=False)}{scaled}{SPACE}{suffix}"
    return f"{_sign(value < 0, plus=False)}{abs(value):g}"


def seconds(value: float) -> str:
    """A stretch of time: '8 s', '3 min 20 s', '2 h 05 min'; '8秒', '3分20秒'."""
    whole = round(value)
    if whole < 60:
        return t("ui.time.s", s=whole)
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return t("ui.time.min_s" if rest else "ui.time.min", min=minutes, s=rest)
    hours, minutes = divmod(minutes, 60)
    return t("ui.time.h_min", h=hours, min=f"{minutes:02d}")


def range_words(low: str, high: str) -> str:
    """'range a to b' around two shown numbers."""
    return t("ui.range", low=low, high=high)


def day(moment: date | datetime) -> str:
    """'2026-11-29'."""
    return moment.strftime("%Y-%m-%d")


def days(first: date | datetime, last: date | datetime) -> str:
    """One day, one whole month ('October 2026'), or 'first to last'."""
    if day(first) == day(last):
        return day(first)
    month_end = calendar.monthrange(last.year, last.month)[1]
    one_month = (first.year, first.month) == (last.year, last.month)
    if one_month and (first.day, last.day) == (1, month_end):
        return t("ui.month", name=t(f"ui.month.{first.month}"), year=str(first.year))
    return t("ui.period", first=day(first), last=day(last))


def axis_day(moment: date | datetime) -> str:
    """A day on an axis: '8 Oct', '10/8'."""
    return t("ui.axis_day", day=str(moment.day), month=t(f"ui.month_short.{moment.month}"))


def age(moment: date, today: date) -> str:
    """'2026-11-29, today', '2026-11-20, 9 days ago'."""
    passed = (today - moment).days
    if passed <= 0:
        return t("ui.age.today", date=day(moment))
    return t("ui.age.days", passed, date=day(moment))


def digest(sha256: str) -> str:
    """The first eight hex digits: enough to recognise a file."""
    return sha256[:8]


def foreign(text: str, longest: int = LONGEST_FOREIGN_TEXT) -> str:
    """Text from a file, made harmless to look at: one line, no control or direction marks, at most
    `longest` characters."""
    clean = "".join(" " if _unseen(char) else char for char in text).strip()
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}


def md(text: str, longest: int = LONGEST_SENTENCE) -> str:
    """`text` as Markdown that shows exactly these characters; `$` and `:` mean themselves."""
    clean = _SHORTHAND.sub(rf"\1{JOINER}", foreign(text, longest))
    return _MARKDOWN.sub(r"\\\1", clean).replace("&", "&amp;").replace("<", "&lt;")


def amount_usd(value: Amount) -> str:
    """'$6,412.80', or the range itself where only a range is known: '$1,871.00 to $1,933.00'."""
    return _ends(usd(value.low_usd), usd(value.high_usd))


def amount_signed(value: Amount) -> str:
    """'+$4,128.64', or '−$3.00 to +$1.20'."""
    return _ends(signed_usd(value.low_usd), signed_usd(value.high_usd))


def amount_of(value: Amount) -> str:
    """'6,412.80' or a range, for places whose unit line says USD."""
    return _ends(amount(value.low_usd), amount(value.high_usd))


def _ends(low: str, high: str) -> str:
    return low if low == high else t("ui.ends", low=low, high=high)


def significant(value: float, digits: int = 3) -> str:
    """So many significant digits, without an exponent: 0.00000571, 12.3, 4,560."""
    return f"{Decimal(f'{value:.{digits}g}'):,f}".replace("-", MINUS)
