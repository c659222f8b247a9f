"""A stand-in server and an own ledger for tests of the public sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_sources.store.engine import close_current_store
from settings import Settings, using
from tests.data_sources.public.server import Stand, standing


@pytest.fixture
def stand() -> Iterator[Stand]:
    with standing() as made:
        yield made


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield
        close_current_store()


@pytest.fixture(scope="session")
def samples(reference_data: Path) -> Path:
    return reference_data / "facts" / "public" / "samples"
