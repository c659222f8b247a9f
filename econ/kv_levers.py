"""Ways to keep less of a token, each as a change of the model's layers.

    mha      every query head keeps its own keys and values (the other direction: for comparison)
    gqa      `kv_heads` heads keep keys and values for all query heads
    mqa      one head keeps them for all
    mla      one latent vector and one position part a layer (512 and 64, as DeepSeek-V2 and V3)
    sliding  five layers of six see the last 1,024 tokens only (as Gemma 3)
    hybrid   20 layers of 27 keep a state that does not grow (as Kimi Linear, arXiv 2510.26692)

Bytes follow from the shape and are exact. No model becomes another one by this: each is a design
that has to be trained, and what it answers is another question.
"""

from __future__ import annotations

from dataclasses import replace

from price_tables.hardware import KvGroup, ModelSpec

LEVERS = ("mha", "gqa", "mqa", "mla", "sliding", "hybrid")
HEADED = frozenset({"full", "sliding", "chunked"})
LATENT, ROPE = 512, 64
WINDOW_TOKENS, WINDOWED_OF_SIX = 1_024, 5
LINEAR_OF_27, HYBRID_LAYERS = 20, 27
STATE_BYTES, CONV_BYTES = 2_097_152, 73_728
"""One layer of Kimi Linear: 32 heads x 128 x 128 in fp32, and its short convolutions."""


def with_lever(model: ModelSpec, lever: str, kv_heads: int = 8) -> ModelSpec | None:
    """`model` with that lever; None where it has nothing to change, so that no saving is claimed:
    the model is built that way already, or keeps no heads that could be shared."""
    if lever not in LEVERS:
        raise ValueError(f"no such lever: {lever}")
    if lever in ("sliding", "hybrid"):
        groups = _thinned(model, lever)
    elif lever == "mla":
        groups = tuple(_latent(group) for group in model.groups)
    else:
        heads = {"mha": model.query_heads, "gqa": kv_heads, "mqa": 1}[lever]
        groups = tuple(_headed(group, heads, fewer=lever != "mha") for group in model.groups)
    return None if groups == model.groups else replace(model, groups=groups)


def with_heads(model: ModelSpec, kv_heads: int) -> ModelSpec | None:
    """`model` with so many KV heads in every layer that keeps heads, fewer or more than it has;
    None where no layer keeps heads."""
    if not any(group.kind in HEADED for group in model.groups):
        return None
    groups = tuple(
        _headed(group, kv_heads, fewer=False) if group.kind in HEADED else group
        for group in model.groups
    )
    return replace(model, groups=groups)


def head_counts(model: ModelSpec) -> tuple[int, ...]:
    """KV heads that the model could have: the divisors of its query heads, from one (MQA) to all
    of them (MHA)."""
    return tuple(n for n in range(1, model.query_heads + 1) if model.query_heads % n == 0)


def own_heads(model: ModelSpec) -> int | None:
    """KV heads of its layers that keep heads, the most of them; None where none does."""
    return max((group.kv_heads for group in model.groups if group.kind in HEADED), default=None)


def _headed(group: KvGroup, heads: int, *, fewer: bool) -> KvGroup:
    """A group with `heads` KV heads. Latent layers only grow back into heads."""
    if group.kind == "mla":
        if fewer or not group.key_dim:
            return group
        return KvGroup(
            kind="full",
            layers=group.layers,
            kv_heads=heads,
            key_dim=group.key_dim,
            value_dim=group.value_dim,
        )
    if group.kind not in HEADED or (fewer and group.kv_heads <= heads):
        return group
    return replace(group, kv_heads=heads)


def _latent(group: KvGroup) -> KvGroup:
    """A group whose heads share one latent vector; one that keeps less already stays."""
    if group.kind != "full" or group.kv_heads * (group.key_dim + group.value_dim) <= LATENT + ROPE:
        return group
    return KvGroup(
        kind="mla",
        layers=group.layers,
        latent=LATENT,
        rope=ROPE,
        key_dim=group.key_dim,
        value_dim=group.value_dim,
    )


def _thinned(model: ModelSpec, lever: str) -> tuple[KvGroup, ...]:
    """Part of the layers that see everything give way; a model that has such layers already, or
    whose layers cannot have a window, stays."""
    kinds = {group.kind for group in model.groups}
    if kinds & {"sliding", "chunked", "linear_state", "compressed"}:
        return model.groups
    full = [group for group in model.groups if group.kind in ("full", "mla")]
    if not full or (lever == "sliding" and any(group.kind == "mla" for group in full)):
        return model.groups
    made: list[KvGroup] = []
    for group in model.groups:
        if group not in full:
            made.append(group)
            continue
        part, whole = (WINDOWED_OF_SIX, 6) if lever == "sliding" else (LINEAR_OF_27, HYBRID_LAYERS)
        thin = round(group.layers * part / whole)
        if thin == group.layers or not thin:
            return model.groups
        made.append(replace(group, layers=group.layers - thin))
        made.append(_thin(group, lever, thin))
    return tuple(made)


def _thin(group: KvGroup, lever: str, layers: int) -> KvGroup:
    if lever == "sliding":
        return replace(group, kind="sliding", layers=layers, window_tokens=WINDOW_TOKENS)
    return KvGroup(
        kind="linear_state", layers=layers, state_bytes=STATE_BYTES, conv_bytes=CONV_BYTES
    )
