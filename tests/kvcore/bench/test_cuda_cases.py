"""The CUDA cases' work, run on the CPU: both ways to attend give the same under the interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

CODE = """
import json, torch
from kvcore.bench.cases.cuda_only import Heads, kernels
torch.manual_seed(0)
ways = dict(kernels(Heads(6, 2, 32), 2, 96, torch.float32, torch.device("cpu")))
results = [run() for run in ways.values()]
print(json.dumps([list(ways), float((results[0] - results[1]).abs().max())]))
"""


def test_both_ways_of_the_attention_case_give_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    names, error = json.loads(done.stdout)
    assert names == ["triton", "gather + sdpa"]
    assert error < 1e-5
