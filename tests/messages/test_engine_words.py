"""What the engine refuses, and why a figure was not taken, has words in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from messages.catalogue import LANGUAGES, t

ROOT = Path(__file__).resolve().parents[2]
ID = re.compile(r"(kvcore|engine)\.[a-z0-9_]+")
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def refusals() -> Iterator[tuple[str, str]]:
    """(id, English sentence) of everything that kvcore refuses, read from its source."""
    for path in (ROOT / "kvcore").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts: list[ast.expr] = []
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "KvcoreError":
                parts = node.args[:2]
            elif isinstance(node, ast.Tuple):
                parts = node.elts[:2]
            said = [part.value for part in parts if isinstance(part, ast.Constant)]
            if len(said) == 2 and isinstance(said[0], str) and ID.fullmatch(said[0]):
                yield said[0], str(said[1])


REFUSALS = dict(refusals())


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_the_refusals_are_found() -> None:
    assert len(REFUSALS) > 30
    assert {"kvcore.no_such_block", "kvcore.device_missing", "engine.closed"} <= set(REFUSALS)


@pytest.mark.parametrize("message_id", sorted(REFUSALS))
def test_a_refusal_has_the_same_sentence_here_and_one_in_japanese(message_id: str) -> None:
    sentence = REFUSALS[message_id]
    same = {name: f"<{name}>" for name in names(sentence)}
    assert t("en", message_id, **same) == sentence.format(**same)
    japanese = t("ja", message_id, **same)
    assert JAPANESE.search(japanese)
    assert all(value in japanese for value in same.values())


def reasons() -> Iterator[str]:
    """Every reason for which a figure is missing, with a number where one stands in it."""
    for path in (ROOT / "kvcore" / "bench").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "missing":
                yield from literals(node.args[1])
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in CONSTANTS:
                yield from literals(node.value)


CONSTANTS = {"reason", "NO_MEMORY", "TIME_BUDGET", "NO_CUDA"}


def literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        text = "".join(getattr(part, "value", "4,096") if isinstance(part, ast.Constant) else "@"
                       for part in node.values)  # fmt: skip
        yield text.replace("@", "cpu" if text.startswith("@") else "4,096")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", sorted({*reasons(), "stopped", "computed", "extrapolated"}))
def test_a_reason_is_said_in_the_readers_words(reason: str, language: str) -> None:
    from ui.engine_profiles import reason_in

    said = reason_in(language, reason)
    assert said != t(language, "engine_page.reason_other", said=reason)
    assert language == "en" or JAPANESE.search(said)
    assert "4,096" not in reason or "4,096" in said


def test_a_strangers_reason_is_said_to_be_the_profiles() -> None:
    from ui.engine_profiles import reason_in

    assert reason_in("en", "the moon was full") == "as the profile says: the moon was full"
