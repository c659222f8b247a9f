"""Pages run on a ledger of their own, with jobs in place instead of a pool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_sources.store.engine import close_current_store
from settings import Settings, using


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield
        close_current_store()
