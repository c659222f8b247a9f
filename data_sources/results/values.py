"""Numbers and names out of JSON that nobody promised."""

from __future__ import annotations

import math

LONGEST = 200
MOST = 1e15


def positive(value: object) -> float | None:
    """A finite number above zero; text is read too (a request rate may be "inf")."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0 < number < MOST else None


def whole(value: object) -> int | None:
    """A count of at least one."""
    number = positive(value)
    return None if number is None or number < 1 else int(number)


def text_at(node: object, key: str) -> str | None:
    """The text under a key of a mapping, cut to a length that a name may have."""
    found = node.get(key) if isinstance(node, dict) else None
    return found[:LONGEST] if isinstance(found, str) and found else None
