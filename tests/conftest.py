"""What every test shares: a clean environment, a data folder of its own, and reference files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from kvcore.profile import DeviceProfile

# A busy machine is no finding: examples are counted, not timed.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

REFERENCE_NAME = "KVLEDGER_REFERENCE_DATA"
KEPT = {REFERENCE_NAME}


def clean_environment() -> tempfile.TemporaryDirectory[str]:
    """Takes settings of the user's shell out of the way and gives this process its own folder.

    Done when this file is imported, before any test imports the settings.
    """
    for name in list(os.environ):
        if name.startswith(("KVLEDGER_", "STREAMLIT_")) and name not in KEPT:
            del os.environ[name]
    folder = tempfile.TemporaryDirectory(prefix="kvledger-tests-", ignore_cleanup_errors=True)
    os.environ["KVLEDGER_DATA_DIR"] = folder.name
    return folder


_FOLDER = clean_environment()


def pytest_unconfigure() -> None:
    """The folder goes when the process does."""
    _FOLDER.cleanup()


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of reference files: real usage logs, price facts and their statistics."""
    given = os.environ.get(REFERENCE_NAME)
    if not given:
        pytest.skip(f"{REFERENCE_NAME} is not set: no reference files to compare with")
    folder = Path(given)
    if not folder.is_dir():
        pytest.fail(f"{REFERENCE_NAME} names {given}, which is not a folder")
    return folder


@pytest.fixture
def reference_profiles(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Which profiles came with the program: none, until it is called with some. What really comes
    grows, and a test that counts on what is there says so itself."""
    from jobs import profiling

    def come(*profiles: DeviceProfile) -> None:
        known = tuple((profiling._entry(one, "reference"), one) for one in profiles)
        monkeypatch.setattr(profiling, "references", lambda: known)

    come()
    return come


@pytest.fixture(autouse=True)
def _environment_stays_as_it_was() -> Iterator[None]:
    """A test that changes the environment does not change the next test."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        if name != "PYTEST_CURRENT_TEST":
            del os.environ[name]
    for name, value in before.items():
        if os.environ.get(name) != value and name != "PYTEST_CURRENT_TEST":
            os.environ[name] = value
