"""transformers and llama.cpp with the weights of a kvcore model, behind one small interface."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import torch

from kvcore.model.weights import Model


class Transformers:
    """Its own Llama with SDPA attention and its dynamic cache."""

    name = "transformers"

    def __init__(self, model: Model) -> None:
        from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM
        from transformers.utils import logging

        logging.set_verbosity_error()
        shape = model.shape
        config = LlamaConfig(
            vocab_size=shape.vocab,
            hidden_size=shape.hidden,
            intermediate_size=shape.intermediate,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            num_key_value_heads=shape.kv_heads,
            head_dim=shape.head_dim,
            max_position_embeddings=shape.max_context,
            rms_norm_eps=shape.norm_eps,
            rope_parameters={"rope_type": "default", "rope_theta": shape.rope_theta},
            tie_word_embeddings=True,
            attn_implementation="sdpa",
        )
        self._model = LlamaForCausalLM(config).eval().to(model.weight_dtype)
        self._model.load_state_dict(named_weights(model), strict=False)
        self._model.tie_weights()
        self._new_cache = lambda: DynamicCache(config=config)
        self._cache: Any = None

    @torch.inference_mode()
    def _run(self, tokens: torch.Tensor) -> int:
        out = self._model(tokens[None], past_key_values=self._cache, logits_to_keep=1)
        return int(out.logits[0, -1].argmax())

    def cold(self, tokens: torch.Tensor) -> int:
        self._cache = self._new_cache()
        return self._run(tokens)

    def warm(self, tokens: torch.Tensor) -> int:
        self._cache.crop(-1)
        return self._run(tokens[-1:])

    decode = warm


class LlamaCpp:
    """llama.cpp from a GGUF of the same weights, flash attention on; KV in f32 or f16."""

    name = "llama.cpp"

    def __init__(self, model: Model, path: Path, context: int) -> None:
        from llama_cpp import Llama

        write_gguf(model, path)
        kv_type = 0 if model.weight_dtype == torch.float32 else 1  # GGML_TYPE_F32, _F16
        with contextlib.redirect_stderr(io.StringIO()):
            self._model = Llama(
                str(path),
                n_ctx=context,
                n_batch=512,
                n_threads=torch.get_num_threads(),
                n_threads_batch=torch.get_num_threads(),
                flash_attn=True,
                type_k=kv_type,
                type_v=kv_type,
                verbose=False,
            )

    def _run(self, tokens: torch.Tensor, keep: int) -> int:
        self._model.n_tokens = keep
        self._model._ctx.kv_cache_seq_rm(0, keep, -1)
        self._model.eval(tokens[keep:].tolist())
        return self._best()

    def _best(self) -> int:
        import numpy as np

        logits = self._model._ctx.get_logits_ith(-1)
        return int(np.ctypeslib.as_array(logits, shape=(self._model.n_vocab(),)).argmax())

    def cold(self, tokens: torch.Tensor) -> int:
        return self._run(tokens, 0)

    def warm(self, tokens: torch.Tensor) -> int:
        return self._run(tokens, len(tokens) - 1)

    decode = warm


def named_weights(model: Model) -> dict[str, torch.Tensor]:
    """The weights under the names of a Hugging Face Llama."""
    shape, weights = model.shape, model.weights
    named = {
        "model.embed_tokens.weight": weights.embedding,
        "model.norm.weight": weights.final_norm,
    }
    widths = [heads * shape.head_dim for heads in (shape.heads, shape.kv_heads, shape.kv_heads)]
    for index, layer in enumerate(weights.layers):
        q, k, v = torch.split(layer.wqkv, widths)
        gate, up = layer.w_gate_up.chunk(2)
        parts = {
            "input_layernorm": layer.attn_norm,
            "post_attention_layernorm": layer.mlp_norm,
            "self_attn.q_proj": q,
            "self_attn.k_proj": k,
            "self_attn.v_proj": v,
            "self_attn.o_proj": layer.wo,
            "mlp.gate_proj": gate,
            "mlp.up_proj": up,
            "mlp.down_proj": layer.w_down,
        }
        named |= {f"model.layers.{index}.{name}.weight": part for name, part in parts.items()}
    return named


def write_gguf(model: Model, path: Path) -> None:
    """The same weights in F32 or BF16 (norms F32), with the tokenizer of the packaged file."""
    import gguf
    import numpy as np

    from kvcore.optional import smollm2_path

    source = smollm2_path()
    assert source is not None
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(path, "llama")
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        kind = field.types[0]
        inner = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        value = 0 if model.weight_dtype == torch.float32 else 32
        if field.name != "general.file_type":
            value = field.contents()
        writer.add_key_value(field.name, value, kind, sub_type=inner)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if values.ndim > 1 and model.weight_dtype == torch.bfloat16:
            kind = gguf.GGMLQuantizationType.BF16
            writer.add_tensor(tensor.name, gguf.quants.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(tensor.name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
