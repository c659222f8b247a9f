"""Reads a local Hugging Face folder: config.json beside one or many safetensors files."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from kvcore.errors import KvcoreError
from kvcore.model.shape import ModelShape
from kvcore.model.weights import Layer, MlaLayer, Weights
from kvcore.optional import require


def damaged(path: Path, problem: str) -> KvcoreError:
    return KvcoreError(
        "kvcore.folder_damaged",
        "{file} cannot be read: {problem}.",
        {"file": path.name, "problem": problem},
    )


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object. Raises KvcoreError naming the file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise damaged(path, str(error)) from error
    if not isinstance(content, dict):
        raise damaged(path, "it does not hold one JSON object")
    return content


class SafetensorsFolder:
    """The folder's tensors by name, whichever shard holds each. A context manager."""

    def __init__(self, folder: Path) -> None:
        """Raises KvcoreError where there are no safetensors or one cannot be opened."""
        require("safetensors", "Reading a model folder")
        from safetensors import SafetensorError, safe_open

        shards = sorted(folder.glob("*.safetensors"))
        if not shards:
            raise damaged(folder, "it holds no .safetensors file")
        self.folder = folder
        self._open = ExitStack()
        self._shard_of: dict[str, Any] = {}
        for path in shards:
            try:
                shard = self._open.enter_context(safe_open(path, framework="pt"))
            except (SafetensorError, OSError) as error:
                self._open.close()
                raise damaged(path, str(error)) from error
            self._shard_of.update(dict.fromkeys(shard.keys(), shard))

    def __enter__(self) -> SafetensorsFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def has(self, name: str) -> bool:
        return name in self._shard_of

    def tensor(self, name: str, *sizes: int) -> Tensor:
        """A tensor of shape sizes in the file's dtype. Raises KvcoreError naming the tensor."""
        if name not in self._shard_of:
            raise damaged(self.folder, f"it has no tensor {name}")
        values: Tensor = self._shard_of[name].get_tensor(name)
        if tuple(values.shape) != sizes:
            raise damaged(
                self.folder, f"tensor {name} has shape {tuple(values.shape)}, not {sizes}"
            )
        if not values.is_floating_point() or values.element_size() < 2:
            raise damaged(self.folder, f"tensor {name} is {values.dtype}, which is not run here")
        return values


def half_split_rows(rows: Tensor) -> Tensor:
    """Rotary rows [..., P, D] from interleaved pairs (0,1), (2,3) … to half-split order."""
    return torch.cat((rows[..., 0::2, :], rows[..., 1::2, :]), dim=-2)


def _mla(
    files: SafetensorsFolder, shape: ModelShape, at: str, interleaved: bool
) -> MlaLayer | None:
    """DeepSeek's attention; kv_b is taken apart into the key and the value half of each head."""
    m = shape.mla
    if m is None:
        return None
    h, d = shape.heads, shape.hidden
    reorder = half_split_rows if interleaved else torch.clone
    inner = m.q_rank or d
    name = f"{at}.q_b_proj.weight" if m.q_rank else f"{at}.q_proj.weight"
    q = files.tensor(name, h * shape.head_dim, inner).view(h, shape.head_dim, inner)
    q = torch.cat((q[:, : m.nope_dim], reorder(q[:, m.nope_dim :])), dim=1)
    kv_a = files.tensor(f"{at}.kv_a_proj_with_mqa.weight", m.kv_rank + m.rope_dim, d)
    kv_b = files.tensor(f"{at}.kv_b_proj.weight", h * (m.nope_dim + m.v_dim), m.kv_rank)
    kv_b = kv_b.view(h, m.nope_dim + m.v_dim, m.kv_rank)
    has_rank = m.q_rank is not None
    return MlaLayer(
        wq=q.reshape(-1, inner),
        w_q_a=files.tensor(f"{at}.q_a_proj.weight", inner, d) if has_rank else None,
        q_a_norm=files.tensor(f"{at}.q_a_layernorm.weight", inner) if has_rank else None,
        w_kv_a=torch.cat((kv_a[: m.kv_rank], reorder(kv_a[m.kv_rank :]))),
        kv_a_norm=files.tensor(f"{at}.kv_a_layernorm.weight", m.kv_rank),
        w_uk=kv_b[:, : m.nope_dim].contiguous(),
        w_uv=kv_b[:, m.nope_dim :].contiguous(),
    )


def _qkv(files: SafetensorsFolder, shape: ModelShape, at: str, kind: str, *sizes: int) -> Tensor:
    rows = {"q": shape.heads, "k": shape.kv_heads, "v": shape.kv_heads}
    return torch.cat(
        [
            files.tensor(f"{at}.{part}_proj.{kind}", heads * shape.head_dim, *sizes)
            for part, heads in rows.items()
        ]
    )


def _layer(files: SafetensorsFolder, shape: ModelShape, index: int, interleaved: bool) -> Layer:
    at = f"model.layers.{index}"
    attention, mlp = f"{at}.self_attn", f"{at}.mlp"
    d, f, hd = shape.hidden, shape.intermediate, shape.head_dim
    mla = _mla(files, shape, attention, interleaved)
    out = shape.heads * (shape.mla.v_dim if shape.mla else hd)
    gate = files.tensor(f"{mlp}.gate_proj.weight", f, d)
    up = files.tensor(f"{mlp}.up_proj.weight", f, d)
    return Layer(
        attn_norm=files.tensor(f"{at}.input_layernorm.weight", d),
        wqkv=torch.empty(0, d) if mla else _qkv(files, shape, attention, "weight", d),
        bqkv=_qkv(files, shape, attention, "bias") if shape.qkv_bias else None,
        q_norm=files.tensor(f"{attention}.q_norm.weight", hd) if shape.qk_norm else None,
        k_norm=files.tensor(f"{attention}.k_norm.weight", hd) if shape.qk_norm else None,
        wo=files.tensor(f"{attention}.o_proj.weight", d, out),
        mlp_norm=files.tensor(f"{at}.post_attention_layernorm.weight", d),
        w_gate_up=torch.cat((gate, up)),
        w_down=files.tensor(f"{mlp}.down_proj.weight", d, f),
        mla=mla,
    )


def folder_weights(
    folder: Path, shape: ModelShape, *, interleaved: bool, dtype: torch.dtype, device: str
) -> Weights:
    """All weights of a folder. interleaved: rotary rows of latent attention come in pairs.

    Raises KvcoreError naming the tensor that is missing, of another shape, or quantised.
    """
    with SafetensorsFolder(folder) as files:
        embedding = files.tensor("model.embed_tokens.weight", shape.vocab, shape.hidden)
        head = embedding
        if not shape.tied_embeddings:
            head = files.tensor("lm_head.weight", shape.vocab, shape.hidden)
        return Weights(
            embedding=embedding,
            layers=tuple(_layer(files, shape, i, interleaved) for i in range(shape.layers)),
            final_norm=files.tensor("model.norm.weight", shape.hidden),
            head=head,
        ).to(dtype, device)
