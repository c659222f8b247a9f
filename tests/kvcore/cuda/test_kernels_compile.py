"""The kernels become machine code for two generations of GPU, on a machine that has none."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

COMPILE = """
import sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from kvcore.cuda.paged_decode import _merge_kernel, _split_kernel

query, stored, capability = sys.argv[1], sys.argv[2], int(sys.argv[3])


def built(kernel, pointers, numbers, constants):
    signature = {**pointers, **numbers, **dict.fromkeys(constants, "constexpr")}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    code = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    return len(code.asm["cubin"]), code.metadata.shared


print(*built(
    _split_kernel,
    {
        "q_ptr": "*" + query, "k_ptr": "*" + stored, "v_ptr": "*" + stored,
        "k_scale_ptr": "*fp32", "v_scale_ptr": "*fp32", "table_ptr": "*i32", "length_ptr": "*i32",
        "out_ptr": "*fp32", "lse_ptr": "*fp32",
    },
    {"scale": "fp32", "blocks": "i32", "width": "i32", "splits": "i32"},
    {"GROUP": 4, "ROWS": 16, "HEAD": 128, "HEAD_PADDED": 128, "BLOCK": 16, "TILE": 64, "TILES": 4,
     "SCALED": stored == "i8"},
))
print(*built(
    _merge_kernel,
    {"part_ptr": "*fp32", "lse_ptr": "*fp32", "out_ptr": "*" + query},
    {"splits": "i32"},
    {"HEAD": 128, "HEAD_PADDED": 128, "ROUNDS": 2, "AT_ONCE": 32},
))
"""
SHARED_MEMORY_BYTES = 99 * 1024  # what every GPU since compute capability 8.0 grants a block


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "stored", "capability"),
    [("bf16", "bf16", 80), ("bf16", "bf16", 90), ("bf16", "i8", 90), ("bf16", "fp8e4nv", 90)],
)
def test_the_kernels_become_machine_code(query: str, stored: str, capability: int) -> None:
    done = subprocess.run(
        [sys.executable, "-", query, stored, str(capability)],
        input=COMPILE,
        capture_output=True,
        text=True,
        timeout=300,
        env={key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"},
    )
    if "ptxas" in done.stderr and "not found" in done.stderr.lower():
        pytest.skip("this Triton came without its assembler")
    assert done.returncode == 0, done.stderr[-2000:]
    for line in done.stdout.splitlines():
        size, shared = map(int, line.split())
        assert size > 1000
        assert shared <= SHARED_MEMORY_BYTES
