"""The Triton kernel, run by its interpreter on the CPU, equals attention written out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

SMOL = {"heads": 9, "kv_heads": 3, "hd": 64}
CASES: dict[str, tuple[dict[str, Any], float]] = {
    "grouped heads, three lengths, a block half full": (
        {**SMOL, "block": 16, "lengths": [1, 37, 200]},
        2e-6,
    ),
    "one split or several give the same": (
        {**SMOL, "block": 16, "lengths": [700], "split": 128},
        2e-6,
    ),
    "a length that ends with its split": (
        {**SMOL, "block": 16, "lengths": [128, 256], "split": 128},
        2e-6,
    ),
    "many splits are merged in rounds": (
        {"heads": 2, "kv_heads": 1, "hd": 16, "block": 16, "lengths": [5000, 3], "split": 64},
        2e-6,
    ),
    "every head its own": (
        {"heads": 4, "kv_heads": 4, "hd": 32, "block": 16, "lengths": [70]},
        2e-6,
    ),
    "all heads share one": (
        {"heads": 8, "kv_heads": 1, "hd": 32, "block": 16, "lengths": [70]},
        2e-6,
    ),
    "more query heads than a tile's rows": (
        {"heads": 24, "kv_heads": 1, "hd": 16, "block": 16, "lengths": [33]},
        2e-6,
    ),
    "a head that is no power of two": (
        {"heads": 2, "kv_heads": 1, "hd": 80, "block": 16, "lengths": [50]},
        2e-6,
    ),
    "blocks of one token": ({**SMOL, "block": 1, "lengths": [5]}, 2e-6),
    "blocks longer than a tile": ({**SMOL, "block": 128, "lengths": [150]}, 2e-6),
    "half precision": ({**SMOL, "block": 16, "lengths": [90], "dtype": "float16"}, 2e-3),
    "int8 with a scale a token and head": (
        {**SMOL, "block": 16, "lengths": [90, 17], "format": "int8"},
        2e-6,
    ),
    "fp8": ({**SMOL, "block": 16, "lengths": [90, 17], "format": "fp8"}, 2e-6),
}


@pytest.fixture(scope="module")
def errors() -> dict[str, float]:
    """Largest error of every case, from one interpreter process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kvcore.cuda.interpreted"],
        input=json.dumps([case for case, _ in CASES.values()]),
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(CASES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_equals_plain_attention(name: str, errors: dict[str, float]) -> None:
    assert errors[name] < CASES[name][1]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("name", CASES)
def test_the_compiled_kernel_equals_plain_attention(name: str) -> None:
    from .interpreted import error_of

    case, bound = CASES[name]
    assert error_of({**case, "device": "cuda"}) < max(bound, 1e-5)
