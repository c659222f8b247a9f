"""Two languages, one catalogue: equal keys, equal placeholders, and every key that is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog

from messages.catalogue import LANGUAGES, LOCALE_DIR, read_catalogue

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("pages", "ui", "jobs", "data_sources", "econ", "price_tables", "messages")
KEY = re.compile(r"[a-z_0-9]+(\.[A-Za-z0-9_-]+)+")
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
SPEAKERS = {"t", "say", "input_error", "Message", "M"}


def entries(catalogue: Catalog) -> dict[str, tuple[str, ...]]:
    """Key -> its texts: one, or one a plural form."""
    found = {}
    for message in catalogue:
        if message.id:
            key = message.id[0] if isinstance(message.id, tuple) else message.id
            texts = message.string if isinstance(message.string, tuple) else (message.string,)
            found[key] = tuple(texts)
    return found


def placeholders(texts: tuple[str, ...]) -> set[str]:
    """The names in braces over all forms; {n} may stay unsaid in one of them."""
    return {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}


@pytest.fixture(scope="module")
def english() -> dict[str, tuple[str, ...]]:
    return entries(read_catalogue("en"))


@pytest.fixture(scope="module")
def japanese() -> dict[str, tuple[str, ...]]:
    return entries(read_catalogue("ja"))


def test_both_languages_have_the_same_files() -> None:
    names = [{path.name for path in (LOCALE_DIR / lang).glob("*.po")} for lang in LANGUAGES]
    assert names[0] == names[1]


def test_locale_files_have_equal_keys_and_placeholders(
    english: dict[str, tuple[str, ...]], japanese: dict[str, tuple[str, ...]]
) -> None:
    assert sorted(english) == sorted(japanese)
    different = {
        key: (placeholders(texts), placeholders(japanese[key]))
        for key, texts in english.items()
        if placeholders(texts) - {"n"} != placeholders(japanese[key]) - {"n"}
    }
    assert different == {}


def test_plural_entries_are_plural_in_both_languages() -> None:
    plural = [
        {m.id[0] for m in read_catalogue(lang) if isinstance(m.id, tuple)} for lang in LANGUAGES
    ]
    assert plural[0] == plural[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_has_words(language: str) -> None:
    empty = [k for k, texts in entries(read_catalogue(language)).items() if not all(texts)]
    assert empty == []


def test_sentences_are_really_translated(
    english: dict[str, tuple[str, ...]], japanese: dict[str, tuple[str, ...]]
) -> None:
    """A Japanese sentence has Japanese in it, unless English has no words there either."""
    untranslated = []
    for key, texts in english.items():
        bare = re.sub(r"\{[^}]*\}", "", texts[0])
        if len(re.findall(r"[A-Za-z]{3,}", bare)) >= 3 and not JAPANESE.search(japanese[key][0]):
            untranslated.append(key)
    assert untranslated == []


def spoken_keys() -> Iterator[tuple[str, str]]:
    """(where, key) for every literal key that code hands to t(), Message() and the like."""
    files = [p for room in ROOMS for p in (ROOT / room).rglob("*.py")]
    for path in [*files, ROOT / "app.py", ROOT / "cli.py", ROOT / "settings.py"]:
        if not path.exists():
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in SPEAKERS:
                for literal in _literals(node.args[0]):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", literal


def _name(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def _literals(node: ast.expr) -> list[str]:
    """The string constants that the expression may be; both arms of a conditional."""
    if isinstance(node, ast.IfExp):
        return _literals(node.body) + _literals(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value] if KEY.fullmatch(node.value) else []
    return []


def test_every_key_that_code_says_is_in_the_catalogue(
    english: dict[str, tuple[str, ...]],
) -> None:
    missing = sorted({f"{key} ({where})" for where, key in spoken_keys() if key not in english})
    assert missing == []


def built_prefixes() -> Iterator[tuple[str, str]]:
    """(where, 'ui.by.') for every t(f"ui.by.{...}")."""
    for room in ("pages", "ui"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not (isinstance(node, ast.Call) and node.args and _name(node.func) == "t"):
                    continue
                first = node.args[0]
                if isinstance(first, ast.JoinedStr) and isinstance(first.values[0], ast.Constant):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", str(first.values[0].value)


def test_every_built_key_has_a_family_in_the_catalogue(
    english: dict[str, tuple[str, ...]],
) -> None:
    lonely = [
        f"{prefix}… ({where})"
        for where, prefix in built_prefixes()
        if not any(key.startswith(prefix) for key in english)
    ]
    assert lonely == []
