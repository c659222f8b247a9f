"""The runner for a CUDA device: Triton decode in graphs, prefill by SDPA over gathered blocks.

The same code runs on any torch device; where there is no Triton the decode attention gathers, and
only CUDA has graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import torch
from torch.nn import functional
from torch.nn.attention.bias import causal_lower_right

from kvcore.attention.kv_cache import PagedKV
from kvcore.attention.layers import project_qkv, rms_norm
from kvcore.cuda.int8_kv import Int8KV
from kvcore.cuda.steps import Direct, Graphs, StepInputs, padded_inputs
from kvcore.errors import KvcoreError
from kvcore.model.rope import rope_tables
from kvcore.optional import is_present

if TYPE_CHECKING:
    from kvcore.model.weights import Layer, Model

Attention = Literal["triton", "gather"]


class CudaRunner:
    """Runs a model where its weights lie; the contract is :class:`kvcore.attention.runner.Runner`.

    ``graphs``: replay decode steps as CUDA graphs (on CUDA). ``attention``: the Triton kernel or
    gathering; chosen by what is present where not given. ``kv_dtype``: a float type, float8_e4m3fn
    (unscaled) or int8 (a scale a token and head). Logits stay on the device. KvcoreError: MLA.
    """

    def __init__(
        self,
        model: Model,
        *,
        blocks: int,
        block_tokens: int = 16,
        kv_dtype: torch.dtype | None = None,
        graphs: bool = True,
        attention: Attention | None = None,
    ) -> None:
        if model.shape.mla is not None:
            raise KvcoreError(
                "kvcore.cuda_mla",
                "{model} keeps a latent for each token, which runs on the CPU only so far.",
                {"model": model.shape.name},
            )
        self.model, self.shape, self.weights = model, model.shape, model.weights
        self.blocks, self.block_tokens, self.device = blocks, block_tokens, model.device
        dtype = kv_dtype or model.weight_dtype
        self.kv: PagedKV = (
            Int8KV(self.shape, blocks, block_tokens, self.device)
            if dtype is torch.int8
            else PagedKV(self.shape, blocks, block_tokens, dtype, self.device)
        )
        self._cos, self._sin = rope_tables(self.shape, self.shape.max_context, self.device)
        self._scale = self.shape.head_dim**-0.5
        on_cuda = self.device.type == "cuda"
        usable = on_cuda and is_present("triton")
        self.attention: Attention = attention or ("triton" if usable else "gather")
        capture = graphs and on_cuda and self.attention == "triton"
        self._steps = (Graphs if capture else Direct)(self._step, self.device)

    def copy_block(self, source: int, destination: int) -> None:
        """Copy one block of all layers."""
        self.kv.copy_block(source, destination)

    @torch.inference_mode()
    def prefill(self, tokens: torch.Tensor, start: int, table: torch.Tensor) -> torch.Tensor:
        """See :meth:`Runner.prefill`; logits on the device."""
        end = start + tokens.shape[0]
        table = table.to(self.device, torch.int64)
        places = torch.arange(start, end, device=self.device)
        blocks, slots = table[places // self.block_tokens], places % self.block_tokens
        cos, sin = self._cos[start:end], self._sin[start:end]
        x = functional.embedding(tokens.to(self.device), self.weights.embedding).float()
        for index, layer in enumerate(self.weights.layers):
            q, k, v = project_qkv(self.shape, layer, self._normed(layer, x), cos, sin)
            self._write(index, k, v, blocks, slots)
            if index == self.shape.layers - 1:  # only the last token's logits are asked for
                q, x = q[-1:], x[-1:]
            past = None if start == 0 else self.kv.read(index, end, table)
            keys, values = past or (k.transpose(0, 1), v.transpose(0, 1))
            self._rest_of_layer(layer, x, self._attend(q, keys, values))
        return self._logits(x)[0]

    @torch.inference_mode()
    def decode(
        self, tokens: torch.Tensor, positions: torch.Tensor, tables: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        """See :meth:`Runner.decode`; logits on the device."""
        inputs = padded_inputs(tokens, positions, tables, self.block_tokens)
        return self._steps.run(inputs)[: len(tables)]

    def _step(self, inputs: StepInputs) -> torch.Tensor:
        """One step of sizes that do not change: nothing here waits for or asks the device."""
        tokens, positions, tables = inputs
        at = (positions // self.block_tokens)[:, None]
        blocks = tables.gather(1, at)[:, 0].long()
        slots = positions % self.block_tokens
        lengths = (positions + 1).to(torch.int32)
        cos, sin = self._cos[positions], self._sin[positions]
        x = functional.embedding(tokens, self.weights.embedding).float()
        for index, layer in enumerate(self.weights.layers):
            q, k, v = project_qkv(self.shape, layer, self._normed(layer, x), cos, sin)
            self._write(index, k, v, blocks, slots)
            q = q.to(self.model.weight_dtype)
            if self.attention == "triton":
                out = self._paged(index, q, tables, lengths)
            else:
                out = self._gathered(index, q, tables, lengths)
            self._rest_of_layer(layer, x, out)
        return self._logits(x)

    def _paged(
        self, index: int, q: torch.Tensor, tables: torch.Tensor, lengths: torch.Tensor
    ) -> torch.Tensor:
        from kvcore.cuda.paged_decode import Scales, paged_decode  # Triton is not everywhere

        kv = self.kv
        scales = Scales(kv.k_scale[index], kv.v_scale[index]) if isinstance(kv, Int8KV) else None
        return paged_decode(
            *(q.contiguous(), kv.k[index], kv.v[index], tables, lengths),
            scale=self._scale,
            scales=scales,
        )

    def _gathered(
        self, index: int, q: torch.Tensor, tables: torch.Tensor, lengths: torch.Tensor
    ) -> torch.Tensor:
        out = torch.empty_like(q)
        for row, length in enumerate(lengths.tolist()):
            keys, values = self.kv.read(index, length, tables[row].long())
            out[row] = self._attend(q[row : row + 1], keys, values)[0]
        return out

    def _attend(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """``q [m, H, hd]``, the last m of the n positions of ``k, v [KV, n, hd]``, causal."""
        dtype = self.model.weight_dtype
        count, positions = q.shape[0], k.shape[1]
        mask = None if count == 1 else causal_lower_right(count, positions)
        out = functional.scaled_dot_product_attention(
            q.to(dtype).transpose(0, 1)[None],
            k.to(dtype)[None],
            v.to(dtype)[None],
            attn_mask=mask,
            scale=self._scale,
            enable_gqa=self.shape.group > 1,
        )
        return out[0].transpose(0, 1)

    def _write(
        self,
        index: int,
        k: torch.Tensor,
        v: torch.Tensor,
        blocks: torch.Tensor,
        slots: torch.Tensor,
    ) -> None:
        """Store ``k, v [n, KV, hd]`` at slot ``slots [n]`` of block ``blocks [n]``."""
        if isinstance(self.kv, Int8KV):
            self.kv.put(index, k, v, blocks, slots)
            return
        self.kv.k[index][:, blocks, :, slots] = k.to(self.kv.dtype)
        self.kv.v[index][:, blocks, slots] = v.transpose(0, 1).to(self.kv.dtype)

    def _normed(self, layer: Layer, x: torch.Tensor) -> torch.Tensor:
        hidden = rms_norm(x, layer.attn_norm, self.shape.norm_eps)
        return hidden.to(self.model.weight_dtype)

    def _rest_of_layer(self, layer: Layer, x: torch.Tensor, out: torch.Tensor) -> None:
        """The output projection and the MLP of attention's ``out [n, H, hd]``, added to ``x``."""
        x += functional.linear(out.to(layer.wo.dtype).flatten(1), layer.wo)
        hidden = rms_norm(x, layer.mlp_norm, self.shape.norm_eps).to(layer.w_gate_up.dtype)
        gate, up = functional.linear(hidden, layer.w_gate_up).chunk(2, dim=-1)
        x += functional.linear(functional.silu(gate) * up, layer.w_down)

    def _logits(self, x: torch.Tensor) -> torch.Tensor:
        hidden = rms_norm(x, self.weights.final_norm, self.shape.norm_eps)
        return functional.linear(hidden.to(self.weights.head.dtype), self.weights.head).float()
