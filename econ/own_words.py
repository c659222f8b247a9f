"""Figures of one's own hardware in words: the same on the page and on paper, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from econ.money import plain, shown
from econ.report_own import Number, OwnLine
from econ.sheet_text import MINUS, SPACE, dollars, percent
from messages.errors import Message, Value

Say = Callable[[Message], str]

SIZES = ((10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))
DIGITS = 3
DASH = "–"


def figure(line: OwnLine | None, say: Say) -> str:
    """The figure with its unit; both ends where only they are known; a dash where nothing is."""
    if line is None:
        return DASH
    if line.state == "saturated" and line.value is None:
        return say(Message("own_report.saturated"))
    if line.value is not None:
        return number(line.value, line.unit, say)
    if line.low is None or line.high is None:
        return DASH
    return say(Message("ui.ends", _ends(line, say)))


def with_band(line: OwnLine | None, say: Say) -> str:
    """'4.29 s (3.37 to 15.5 s)': the figure, and its band where it has one."""
    if line is None or line.value is None or line.low is None or line.high is None:
        return figure(line, say)
    return say(Message("own_report.band", {"value": figure(line, say), **_ends(line, say)}))


def _ends(line: OwnLine, say: Say) -> dict[str, Value]:
    low, high = line.low, line.high
    assert low is not None  # noqa: S101
    assert high is not None  # noqa: S101
    return {"low": number(low, line.unit, say), "high": number(high, line.unit, say)}


def number(value: Number, unit: str, say: Say) -> str:
    """A number as it is read: bytes with decimal prefixes, money, times, ratios, counts."""
    if unit.startswith("USD"):
        return money(value if isinstance(value, Decimal) else Decimal(repr(value)))
    size = float(value)
    if unit == "bytes":
        return sized(size)
    if unit == "GB":
        return sized(size * 1e9)
    if unit == "bytes/s":
        return f"{sized(size)}/s"
    if unit == "s":
        return duration(size)
    if unit == "ratio":
        return percent(size)
    if unit == "J/token":
        return f"{_digits(size)}{SPACE}J"
    if unit == "x":
        return f"{size:.2f}{SPACE}×"
    if unit == "%":
        return f"{size:g}{SPACE}%"
    if unit in ("h", "GB-h"):
        return f"{size:,.1f}"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{size:,.0f}"


def money(value: Decimal) -> str:
    """Cents from a dollar on, three significant digits below: '$110.48', '$0.866', '$0.0340'."""
    size = abs(value)
    if not size or size >= 1:
        return dollars(value)
    text = plain(shown(size, DIGITS - 1 - size.adjusted()))
    return f"{MINUS if value < 0 else ''}${text}"


def sized(size: float) -> str:
    """'199.4 GB': four digits at most."""
    for step, name in SIZES:
        if abs(size) >= step:
            return f"{_short(size / step)}{SPACE}{name}"
    return f"{size:g}{SPACE}B"


def duration(seconds: float) -> str:
    """'67.8 s', '204 ms', '3.1 µs': three significant digits."""
    if seconds >= 1 or seconds <= 0:
        return f"{_digits(seconds)}{SPACE}s"
    if seconds >= 1e-3:
        return f"{_digits(seconds * 1e3)}{SPACE}ms"
    return f"{_digits(seconds * 1e6)}{SPACE}µs"


def _digits(value: float) -> str:
    places = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{places}f}"


def _short(value: float) -> str:
    places = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def fleet_name(key: str, say: Say) -> str:
    """'2 × least loaded' of '2 least-loaded'."""
    replicas, _, routing = key.partition(" ")
    return f"{replicas} × {say(Message(f'own_hardware_page.routing_{routing}'))}"


def row_name(key: str, say: Say) -> str:
    """'One KV head (MQA), 16 bits' of 'mqa bf16'; a format alone where that is what changes."""
    lever, _, kv_format = key.partition(" ")
    words = format_name(kv_format, say)
    if lever == "format":
        return words
    values: dict[str, Value] = {"lever": Message(f"less_kv.lever.{lever}"), "format": words}
    return say(Message("less_kv.named", values))


def format_name(name: str, say: Say) -> str:
    """A format as people call it; both where keys and values differ."""
    key, slash, value = name.partition("/")
    if slash:
        values = {"keys": format_name(key, say), "values": format_name(value, say)}
        return say(Message("less_kv.keys_and_values", values))
    return say(Message(f"less_kv.format.{name.replace('-', '_')}"))


def energy_name(key: str, say: Say) -> str:
    """'As it is, 16 bits, 3 at once' of 'as_is bf16 x3'."""
    row, _, batch = key.rpartition(" x")
    return say(Message("own_report.batch", {"row": row_name(row, say)}, int(batch)))
