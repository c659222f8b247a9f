"""Pages speak the session's language; here a test says which."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ui import words


@pytest.fixture
def speak(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`speak("ja")`: from now on words are Japanese."""

    def choose(language: str) -> None:
        monkeypatch.setattr(words, "language", lambda: language)

    return choose


@pytest.fixture(autouse=True)
def _english(speak: Callable[[str], None]) -> None:
    speak("en")
