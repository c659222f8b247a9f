"""Bytes in words: one switch, GB or GiB, for every figure of a page, and both units beside it."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Literal

from ui import controls
from ui.numerals import MINUS, SPACE, count
from ui.words import t

Unit = Literal["gb", "gib"]
UNITS: tuple[Unit, ...] = ("gb", "gib")
URL_UNIT = "size_in"
STEP = {"gb": 1000, "gib": 1024}
NAMES = {
    "gb": ("bytes", "KB", "MB", "GB", "TB", "PB"),
    "gib": ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"),
}


def unit() -> Unit:
    """The switch; in the URL as `size_in`."""
    name = controls.choice(t("model_size.unit"), UNITS, URL_UNIT, lambda u: NAMES[u][3])
    return UNITS[UNITS.index(name)]


def scale(value: float, of: Unit) -> tuple[float, str]:
    """The divisor and the name of the unit in which `value` has one to three digits in front."""
    step, names = STEP[of], NAMES[of]
    at = 0
    while at + 1 < len(names) and abs(value) >= step ** (at + 1) * 0.9995:
        at += 1
    return float(step**at), names[at]


def size(value: int | float | Fraction, of: Unit) -> str:
    """'42.95 GB', '320 KiB', '12 bytes': four digits at most, no zeros at their end."""
    divisor, name = scale(float(value), of)
    return f"{_digits(float(value) / divisor)}{SPACE}{t(f'model_size.unit_{name}')}"


def _digits(value: float) -> str:
    places = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2
    step = Decimal(1).scaleb(-places)
    text = f"{Decimal(repr(value)).quantize(step, ROUND_HALF_UP):,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", MINUS)


def both(value: int | float | Fraction) -> str:
    """'42,949,672,960 bytes = 42.95 GB = 40 GiB'."""
    exact = float(value)
    shown = count(int(exact)) if exact == int(exact) else f"{exact:,.3f}"
    first = f"{shown}{SPACE}{t('model_size.unit_bytes')}"
    sizes = [size(value, of) for of in UNITS] if abs(exact) >= 1000 else []
    return " = ".join([first, *sizes])


def other(of: Unit) -> Unit:
    """The unit that the switch does not show."""
    return "gib" if of == "gb" else "gb"
