"""Local folders, written by transformers and read by ours, give transformers' logits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from kvcore.errors import KvcoreError
from kvcore.model.dense import dense_logits, forward, head_logits
from kvcore.model.load import load_model
from tests.kvcore.model.models import LATENT, TINY, logits_of, written

TOKENS = torch.randint(0, 96, (40,), generator=torch.Generator().manual_seed(3))
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama, every head its own": ("LlamaForCausalLM", {**TINY, "num_key_value_heads": 4}),
    "llama, grouped, stretched rotary": (
        "LlamaForCausalLM",
        {**TINY, "num_key_value_heads": 2, "rope_parameters": LLAMA3},
    ),
    "llama, one KV head, tied": (
        "LlamaForCausalLM",
        {**TINY, "num_key_value_heads": 1, "tie_word_embeddings": True},
    ),
    "mistral, head size of its own": (
        "MistralForCausalLM",
        {**TINY, "num_key_value_heads": 2, "head_dim": 24, "sliding_window": 64},
    ),
    "qwen2, biases": ("Qwen2ForCausalLM", {**TINY, "num_key_value_heads": 2}),
    "qwen3, normed queries and keys": (
        "Qwen3ForCausalLM",
        {**TINY, "num_key_value_heads": 2, "head_dim": 16},
    ),
    "deepseek v3, low-rank queries": ("DeepseekV3ForCausalLM", {**LATENT, "q_lora_rank": 24}),
    "deepseek v3, half-split rotary": (
        "DeepseekV3ForCausalLM",
        {**LATENT, "q_lora_rank": 24, "rope_interleave": False},
    ),
    "deepseek v2, full-rank queries": ("DeepseekV2ForCausalLM", {**LATENT, "q_lora_rank": None}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_logits_of_a_folder_equal_transformers(kind: str, tmp_path: Path) -> None:
    class_name, config = KINDS[kind]
    theirs = written(class_name, config, tmp_path)
    ours = load_model(tmp_path)
    assert (dense_logits(ours, TOKENS) - logits_of(theirs, TOKENS)).abs().max() < 1e-4
    assert ours.shape.parameters == sum(p.numel() for p in theirs.parameters())


@pytest.mark.parametrize(
    "kind", ["qwen3, normed queries and keys", "deepseek v3, low-rank queries"]
)
def test_a_folder_continues_over_kept_kv(kind: str, tmp_path: Path) -> None:
    class_name, config = KINDS[kind]
    written(class_name, config, tmp_path)
    model = load_model(tmp_path)
    first = forward(model, TOKENS[:17])
    rest = forward(model, TOKENS[17:], first.kv)
    joined = head_logits(model, rest.hidden)
    assert (joined - dense_logits(model, TOKENS)[17:]).abs().max() < 1e-4
    kept = sum(layer.k.numel() + layer.v.numel() for layer in first.kv)
    assert kept == 17 * model.shape.kv_elements_per_token


def test_weights_in_many_shards_are_read_as_one(tmp_path: Path) -> None:
    class_name, config = KINDS["qwen2, biases"]
    theirs = written(class_name, config, tmp_path, shard="40KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 3
    ours = load_model(tmp_path)
    assert (dense_logits(ours, TOKENS) - logits_of(theirs, TOKENS)).abs().max() < 1e-4


def small_folder(folder: Path, **changes: object) -> Path:
    """A readable folder whose config.json says something else."""
    written("LlamaForCausalLM", {**TINY, "num_key_value_heads": 2}, folder)
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**config, **changes}), encoding="utf-8")
    return folder


def test_a_tensor_of_another_shape_is_named(tmp_path: Path) -> None:
    folder = small_folder(tmp_path, intermediate_size=72)
    with pytest.raises(KvcoreError, match=r"model\.layers\.0\.mlp\.gate_proj\.weight has shape"):
        load_model(folder)


def test_a_tensor_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = small_folder(tmp_path, num_hidden_layers=4)
    with pytest.raises(KvcoreError, match=r"no tensor model\.layers\.3\."):
        load_model(folder)


def test_a_cut_shard_is_named(tmp_path: Path) -> None:
    folder = small_folder(tmp_path)
    shard = folder / "model.safetensors"
    shard.write_bytes(shard.read_bytes()[:-500])
    with pytest.raises(KvcoreError, match=r"model\.safetensors cannot be read"):
        load_model(folder)


def test_a_folder_without_config_is_named(tmp_path: Path) -> None:
    with pytest.raises(KvcoreError, match=r"config\.json cannot be read"):
        load_model(tmp_path)


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    folder = small_folder(tmp_path)
    (folder / "model.safetensors").unlink()
    with pytest.raises(KvcoreError, match=r"no \.safetensors file"):
        load_model(folder)


def test_a_path_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(KvcoreError, match="neither a model folder nor a GGUF file"):
        load_model(tmp_path / "nothing")


def test_a_folder_without_tokenizer_still_runs_and_says_why(tmp_path: Path) -> None:
    model = load_model(small_folder(tmp_path))
    assert model.tokenizer is None
    assert model.tokenizer_problem == "the folder holds no tokenizer.json"
