"""The same weights in transformers: what greedy answers are held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from kvcore.model.weights import Model


def transformers_twin(model: Model) -> Any:
    """A LlamaForCausalLM in fp32 that shares this model's tensors."""
    transformers = pytest.importorskip("transformers")
    shape = model.shape
    config = transformers.LlamaConfig(
        vocab_size=shape.vocab,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        rope_theta=shape.rope_theta,
        rms_norm_eps=shape.norm_eps,
        max_position_embeddings=shape.max_context,
        tie_word_embeddings=True,
        attn_implementation="sdpa",
    )
    with torch.device("meta"):
        twin = transformers.LlamaForCausalLM(config)
    twin = twin.to_empty(device="cpu")
    twin.load_state_dict(_state(model), assign=True)
    twin.tie_weights()
    with torch.device("cpu"):
        rotary = type(twin.model.rotary_emb)(config)
    twin.model.rotary_emb = rotary
    return twin.eval()


def _state(model: Model) -> dict[str, torch.Tensor]:
    shape, weights = model.shape, model.weights
    kv = shape.kv_heads * shape.head_dim
    state = {
        "model.embed_tokens.weight": weights.embedding,
        "model.norm.weight": weights.final_norm,
        "lm_head.weight": weights.head,
    }
    for number, layer in enumerate(weights.layers):
        q, k, v = layer.wqkv.split((shape.heads * shape.head_dim, kv, kv))
        gate, up = layer.w_gate_up.chunk(2)
        parts = {
            "self_attn.q_proj": q,
            "self_attn.k_proj": k,
            "self_attn.v_proj": v,
            "self_attn.o_proj": layer.wo,
            "mlp.gate_proj": gate,
            "mlp.up_proj": up,
            "mlp.down_proj": layer.w_down,
            "input_layernorm": layer.attn_norm,
            "post_attention_layernorm": layer.mlp_norm,
        }
        state |= {f"model.layers.{number}.{name}.weight": part for name, part in parts.items()}
    return state


@torch.inference_mode()
def is_greedy_answer(twin: Any, prompt: Sequence[int], answer: Sequence[int]) -> bool:
    """Whether every token of the answer is the one that transformers finds likeliest after all
    before it: then its own greedy answer is this one, and one forward pass tells."""
    ids = torch.tensor([[*prompt, *answer]])
    likeliest = twin(ids, use_cache=False).logits[0].argmax(-1)
    return likeliest[len(prompt) - 1 : -1].tolist() == list(answer)
