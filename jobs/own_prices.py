"""A person's own prices: the file that KVLEDGER_PRICE_OVERRIDES names, or in its place what a
browser session has uploaded. The session's text lives with the session; jobs take it along."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

import settings
from econ.report_params import Adjustment
from messages.errors import DataError, Message
from price_tables.book import PriceBook
from price_tables.load import load_book
from price_tables.own import OwnPrices, own_faults, parse_own, read_own, with_own

Asked = Callable[[], str | None]

JOB_KEY = "own_prices"
"""Under which a job's parameters carry the text of the session that started it."""
UPLOAD_NAME = "own_prices.yaml"

KEPT_BOOKS = 16

_lock = threading.Lock()
_books: dict[str, PriceBook] = {}  # by the digest of the own prices in them
_ask: Asked = lambda: None  # noqa: E731
_given: ContextVar[str | None] = ContextVar("own_prices", default=None)


def ask_session_with(ask: Asked) -> None:
    """The browser's door says how the text of the session at hand is found."""
    global _ask
    _ask = ask


def session_text() -> str | None:
    """What this browser session has uploaded, or the job at hand was given; None: nothing."""
    return _given.get() or _ask()


@contextmanager
def using(text: str | None) -> Iterator[None]:
    """Inside the block `text` is the session's upload."""
    token = _given.set(text)
    try:
        yield
    finally:
        _given.reset(token)


def current() -> OwnPrices | None:
    """The own prices in force: the session's, else those of the setting. DataError where the file
    is not as it should be."""
    text = session_text()
    if text is not None:
        return _parsed(text)
    path = settings.current().price_overrides
    return None if path is None else _read(path, _stamp(path))


def book() -> PriceBook:
    """The price book with the own prices in force."""
    own = current()
    if own is None:
        return load_book()
    with _lock:
        if own.digest not in _books:
            while len(_books) >= KEPT_BOOKS:
                _books.pop(next(iter(_books)))
            _books[own.digest] = with_own(load_book(), own)
        return _books[own.digest]


def adjustments() -> Mapping[str, Adjustment]:
    """Discount and tax by provider, as set."""
    own = current()
    return {} if own is None else {
        name: Adjustment(discount_ratio=row.discount_ratio, tax_ratio=row.tax_ratio)
        for name, row in own.adjustments.items()
    }  # fmt: skip


def faults_of(raw: bytes, name: str = UPLOAD_NAME) -> list[Message]:
    """What is wrong with a file that is being handed in, a sentence each; empty: nothing."""
    return [error.message for error in own_faults(raw, name, load_book())]


def checked_file() -> tuple[Path, OwnPrices | None, tuple[DataError, ...]] | None:
    """The file of the setting with all its faults; None where the setting names none."""
    path = settings.current().price_overrides
    if path is None:
        return None
    try:
        return path, read_own(path, load_book()), ()
    except DataError as error:
        try:
            faults = own_faults(path.read_bytes(), path.name, load_book())
        except OSError:
            faults = ()
        return path, None, faults or (error,)


@lru_cache(maxsize=16)
def _parsed(text: str) -> OwnPrices:
    return parse_own(text.encode(), UPLOAD_NAME, load_book())


@lru_cache(maxsize=4)
def _read(path: Path, _changed: tuple[int, int]) -> OwnPrices:
    return read_own(path, load_book())


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return found.st_mtime_ns, found.st_size
