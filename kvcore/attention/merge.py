"""Attention over parts of the keys, joined by the logarithm of each part's normaliser.

For parts i with outputs o_i and log-sum-exp l_i of their scores, the whole is
``sum(exp(l_i - l) o_i)`` with ``l = log(sum(exp(l_i)))``: the identity behind FlashAttention
(https://arxiv.org/abs/2205.14135) and split-KV decoding.
"""

from __future__ import annotations

import torch
from torch.nn import functional

_FLASH = getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None)


def attend(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output ``[KV, G, n, dv]`` and log-sum-exp ``[KV, G, n]`` of grouped-query attention.

    ``q [KV, G, n, hd]``, ``k [KV, m, hd]``, ``v [KV, m, dv]``, dv <= hd; with ``causal`` query i
    sees keys 0..i. The keys of a group are shared by stride, not copied.
    """
    width = v.shape[-1]
    k, v = (part.unsqueeze(1).expand(-1, q.shape[1], -1, -1) for part in (k, v))
    if _FLASH is not None:
        v = functional.pad(v, (0, q.shape[-1] - width))  # the kernel wants one width for all
        out, lse = _FLASH(q, k, v, 0.0, causal, scale=scale)
        return out[..., :width], lse
    return attend_plainly(q, k, v, causal=causal, scale=scale)


def attend_plainly(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same by its definition, for a torch without the fused kernel; all ``[KV, G, ., .]``."""
    scores = (q @ k.transpose(-1, -2)).float() * scale
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores.masked_fill_(hidden, -torch.inf)
    lse = torch.logsumexp(scores, dim=-1)
    return (scores - lse[..., None]).exp().to(v.dtype) @ v, lse


def merge(
    first: tuple[torch.Tensor, torch.Tensor], second: tuple[torch.Tensor, torch.Tensor]
) -> torch.Tensor:
    """Join the outputs ``[..., dv]`` of two parts of the keys by their log-sum-exp ``[...]``."""
    share = torch.sigmoid(first[1] - second[1])[..., None]
    return torch.lerp(second[0].float(), first[0].float(), share)
