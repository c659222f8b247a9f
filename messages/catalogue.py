"""One gettext catalogue in two languages, and the functions that speak it.

A language is a folder of .po files under `messages/locale/`, one file a room; together they are one
catalogue. They are compiled in memory at first use, so there is nothing to build and nothing stale.
Message ids are keys ("overview.title"); English is a translation like Japanese. A missing key is an
error in tests and falls back to English, then to the key, in the app: never a traceback.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Callable
from decimal import Decimal
from functools import cache, partial
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from messages.errors import Message, Value

LANGUAGES = ("en", "ja")
DEFAULT_LANGUAGE = "en"
LOCALE_DIR = Path(__file__).parent / "locale"

Say = Callable[[Message], str]
"""Turns a message into words of one language."""


def read_catalogue(language: str) -> Catalog:
    """All .po files of `language` as one babel Catalog. A key in two files raises ValueError."""
    merged = Catalog(locale=language)
    for path in sorted((LOCALE_DIR / language).glob("*.po")):
        with path.open("rb") as file:
            part = read_po(file, locale=language, abort_invalid=True)
        for message in part:
            if not message.id:
                continue
            if merged.get(message.id) is not None:
                raise ValueError(f"{path.name}: {message.id!r} stands in two files")
            merged[message.id] = message
    return merged


@cache
def translations(language: str) -> gettext.NullTranslations:
    """The compiled catalogue of `language`; the default language's for an unknown one."""
    if language not in LANGUAGES:
        return translations(DEFAULT_LANGUAGE)
    buffer = io.BytesIO()
    write_mo(buffer, read_catalogue(language))
    buffer.seek(0)
    compiled = gettext.GNUTranslations(buffer)
    if language != DEFAULT_LANGUAGE:
        compiled.add_fallback(translations(DEFAULT_LANGUAGE))
    return compiled


def _lookup(language: str, key: str, n: int | None) -> str:
    catalogue = translations(language)
    if n is None:
        return catalogue.gettext(key)
    return catalogue.ngettext(key, key, n)


def _worded(language: str, value: Value) -> object:
    if isinstance(value, Message):
        return say(language, value)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Decimal):
        return f"{value:,f}"
    return value


def say(language: str, message: Message) -> str:
    """`message` in `language`. Integers get thousands commas; ids and years go in as text."""
    template = _lookup(language, message.id, message.n)
    values = {key: _worded(language, value) for key, value in message.values.items()}
    if message.n is not None:
        values.setdefault("n", f"{message.n:,}")
    try:
        return template.format(**values)
    except (KeyError, IndexError, ValueError):
        return f"{template} {message}"


def t(language: str, key: str, n: int | None = None, /, **values: Value) -> str:
    """The words for `key` in `language`; `n` chooses the plural form and fills {n}."""
    return say(language, Message(key, values, n))


def sayer(language: str) -> Say:
    """A `Say` bound to one language, for code that must not know catalogues."""
    return partial(say, language)
