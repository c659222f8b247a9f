"""The same loops, interpreted: what runs where numba is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kvcore.blocks import compiled
from kvcore.blocks.replay import replay_hits, trace_pool

ROOT = Path(__file__).resolve().parents[3]
WITHOUT_NUMBA = """
import importlib, sys
if {hidden}:
    sys.modules["numba"] = None
import numpy as np
from kvcore.blocks import compiled
from kvcore.blocks.replay import replay_hits, trace_pool
assert not {hidden} or compiled.NJIT is None
offsets, ids, prompts = np.load({path!r}).values()
for policy in ("lru-leaf", "priority", "lru"):
    pool = trace_pool(40, policy)
    print(replay_hits(offsets, ids, prompts, 8, pool).sum(), pool.evictions)
"""


def made_trace() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    made = np.random.default_rng(3)
    rows = [[int(made.integers(0, 4)) * 100 + at for at in range(made.integers(1, 12))]
            for _ in range(200)]  # fmt: skip
    lengths = [len(row) for row in rows]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    prompts = np.array(lengths) * 8 - made.integers(0, 8, len(rows))
    return offsets, np.concatenate(rows).astype(np.int64), prompts.astype(np.int64)


@pytest.mark.parametrize("hidden", [True, False], ids=["numba absent", "numba switched off"])
def test_interpreted_loops_give_what_compiled_ones_give(hidden: bool, tmp_path: Path) -> None:
    trace, path = made_trace(), tmp_path / "trace.npz"
    np.savez(path, *trace)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA.format(hidden=hidden, path=str(path))],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = []
    for policy in ("lru-leaf", "priority", "lru"):
        pool = trace_pool(40, policy)
        hits = replay_hits(*trace, 8, pool).sum()
        assert pool.evictions > 0
        expected.append(f"{hits} {pool.evictions}")
    assert done.stdout.split("\n")[:-1] == expected


def test_a_loop_without_a_compiler_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "NJIT", None)
    assert compiled.compiled(made_trace) is made_trace
