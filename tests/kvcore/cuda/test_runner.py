"""The CUDA runner's logic, on whatever device is here: the CPU by gathering, CUDA in full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from kvcore.cuda.runner import CudaRunner  # noqa: E402
from kvcore.cuda.steps import next_power_of_two, padded_inputs  # noqa: E402
from kvcore.errors import KvcoreError  # noqa: E402
from kvcore.model.dense import dense_logits  # noqa: E402
from kvcore.model.shape import MlaShape  # noqa: E402

from .small import SHAPE, model, table, tokens  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BLOCKS = 40


def close(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    return torch.allclose(found.cpu(), wanted.cpu(), atol=2e-4)


@pytest.mark.parametrize("splits", [[53], [32, 21], [16, 1, 36], [1] * 5 + [48]])
def test_prefill_in_any_chunks_equals_the_dense_pass(splits: Sequence[int]) -> None:
    runner, ids = CudaRunner(model(DEVICE), blocks=BLOCKS, block_tokens=16), tokens(53)
    own, start = table(0, 4, BLOCKS), 0
    for count in splits:
        logits = runner.prefill(ids[start : start + count], start, own)
        start += count
    assert close(logits, dense_logits(model(), ids)[-1])


@pytest.mark.parametrize("graphs", [False, True])
def test_a_batch_of_different_lengths_decodes_as_each_alone(graphs: bool) -> None:
    runner = CudaRunner(model(DEVICE), blocks=BLOCKS, block_tokens=16, graphs=graphs)
    lengths, first = (5, 33, 16), 0
    prompts = [tokens(length, seed) for seed, length in enumerate(lengths)]
    tables = []
    for prompt in prompts:
        tables.append(table(first, 4, BLOCKS))
        first += 4
        runner.prefill(prompt, 0, tables[-1])
    for _ in range(3):
        chosen = torch.stack([prompt.new_tensor(len(prompt) % 200) for prompt in prompts])
        positions = torch.tensor([len(prompt) for prompt in prompts])
        logits = runner.decode(chosen, positions, tables)
        prompts = [torch.cat((p, c[None])) for p, c in zip(prompts, chosen, strict=True)]
        for row, prompt in enumerate(prompts):
            assert close(logits[row], dense_logits(model(), prompt)[-1])


def test_a_copied_block_serves_another_sequence() -> None:
    runner, ids = CudaRunner(model(DEVICE), blocks=BLOCKS, block_tokens=16), tokens(20)
    own = table(0, 2, BLOCKS)
    runner.prefill(ids, 0, own)
    other = torch.tensor([int(own[0]), BLOCKS - 1], dtype=torch.int32)
    if int(own[1]) != BLOCKS - 1:
        runner.copy_block(int(own[1]), BLOCKS - 1)
    logits = runner.decode(ids[:1], torch.tensor([20]), [other])
    wanted = dense_logits(model(), torch.cat((ids, ids[:1])))[-1]
    assert close(logits[0], wanted)


def test_padding_repeats_the_first_row_and_reads_no_stray_entry() -> None:
    tables = [torch.tensor([4, 5, 2**30], dtype=torch.int32), torch.tensor([6], dtype=torch.int32)]
    tables.append(torch.tensor([7, 8], dtype=torch.int32))
    inputs = padded_inputs(torch.tensor([1, 2, 3]), torch.tensor([17, 3, 31]), tables, 16)
    assert inputs.tables.shape == (4, 8)
    assert inputs.tables[:, :2].tolist() == [[4, 5], [6, 0], [7, 8], [4, 5]]
    assert int(inputs.tables.max()) == 8
    assert inputs.tokens.tolist() == [1, 2, 3, 1]
    assert inputs.positions.tolist() == [17, 3, 31, 17]


def test_sizes_are_rounded_up_to_powers_of_two() -> None:
    assert [next_power_of_two(n) for n in (1, 2, 3, 4, 5, 128, 129)] == [1, 2, 4, 4, 8, 128, 256]


def test_a_latent_model_is_refused_by_name() -> None:
    mla = MlaShape(q_rank=None, kv_rank=8, nope_dim=8, rope_dim=8, v_dim=8)
    latent = replace(model(), shape=replace(SHAPE, mla=mla, name="latent-model"))
    with pytest.raises(KvcoreError, match="latent-model"):
        CudaRunner(latent, blocks=2)


def test_int8_keys_and_values_take_their_bytes_and_come_back_near() -> None:
    runner = CudaRunner(model(), blocks=BLOCKS, block_tokens=16, kv_dtype=torch.int8)
    elements = SHAPE.kv_elements_per_token * BLOCKS * 16
    assert runner.kv.formula_bytes == elements
    scales = 2 * 2 * SHAPE.layers * SHAPE.kv_heads * BLOCKS * 16  # K and V, two bytes each
    assert sum(runner.kv.metadata_bytes.values()) == scales
    assert runner.kv.bytes == elements + scales
    k = torch.randn(20, SHAPE.kv_heads, SHAPE.head_dim)
    v = torch.randn(20, SHAPE.kv_heads, SHAPE.head_dim) * 30
    places = torch.arange(20)
    own = table(0, 2, BLOCKS).long()
    runner.kv.put(1, k, v, own[places // 16], places % 16)
    for found, wanted in zip(runner.kv.read(1, 20, own), (k, v), strict=True):
        wanted = wanted.transpose(0, 1)
        step = wanted.abs().amax(-1, keepdim=True) / 127
        assert ((found - wanted).abs() <= 0.56 * step).all()  # half a step and the scale's rounding


STEP_CODE = """
import json, torch
from kvcore.cuda.runner import CudaRunner
from tests.kvcore.cuda.small import model, table, tokens
errors = {}
exact = None
for name in ("float32", "bfloat16", "float8_e4m3fn", "int8"):
    logits = []
    for attention in ("gather", "triton"):
        runner = CudaRunner(
            model(), blocks=40, block_tokens=16, attention=attention, kv_dtype=getattr(torch, name)
        )
        tables = [table(0, 6, 40), table(6, 6, 40)]
        for seed, own in enumerate(tables):
            runner.prefill(tokens(70 + 9 * seed, seed), 0, own)
        logits.append(runner.decode(torch.tensor([5, 6]), torch.tensor([70, 79]), tables))
    exact = logits[0] if exact is None else exact
    gaps = (logits[0] - logits[1], logits[0] - exact)
    errors[name] = [float(gap.abs().max()) for gap in gaps]
print(json.dumps([errors, float(exact.abs().max())]))
"""


def test_the_triton_step_equals_the_gathered_one_for_every_kv_type() -> None:
    pytest.importorskip("triton")
    done = subprocess.run(
        [sys.executable, "-c", STEP_CODE],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    errors, largest = json.loads(done.stdout)
    assert largest > 0.1
    for ways_apart, _ in errors.values():
        assert ways_apart < 1e-4
    assert errors["float32"][1] == 0.0
    assert 0 < errors["int8"][1] < errors["float8_e4m3fn"][1] < largest / 4
