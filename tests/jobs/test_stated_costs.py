"""A file of costs as it comes out of a browser: packed or not, the same total."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path

import pytest

from jobs.stated_costs import stated_cost

CSV = b"usage_date_utc,model,token_type,cost_usd\n2026-08-01,Claude Opus 5,output,1.25\n"


@pytest.mark.parametrize(
    "raw",
    [CSV, gzip.compress(CSV, mtime=0), b"\xef\xbb\xbf" + CSV],
    ids=["plain", "gzip", "marked"],
)
def test_a_packed_or_marked_export_states_the_same_total(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "0000"
    path.write_bytes(raw)
    found = stated_cost(path, "cost.csv")
    assert (found.provider, found.usd) == ("anthropic", Decimal("1.25"))
    assert path.exists()
