"""Which layers of a GGUF file keep what: lists of KV heads, windows, recurrent states."""

from __future__ import annotations

from typing import Any

from econ.gguf_keys import Keys
from econ.kv_config_fields import refused

EVERY_NTH_FULL = {
    "gemma2": 2, "gemma3": 6, "gemma3n": 5, "gpt-oss": 2, "cohere2": 4, "exaone4": 4, "olmo2": 4,
}  # fmt: skip
"""Of architectures with a window: every n-th layer sees everything."""
EVERY_FOURTH_FULL = ("qwen3next", "qwen35", "qwen35moe")
"""Of architectures with recurrent layers and no list of them."""
EITHER_MIXER_OR_MLP = ("nemotron_h", "nemotron_h_moe")
FULL, SLIDING, LINEAR, NONE = "full_attention", "sliding_attention", "linear_attention", "mlp"


def layer_fields(keys: Keys, layers: int) -> dict[str, Any]:
    """`layer_types`, KV heads and the sizes of recurrent states, where the file says them."""
    heads = keys.per_layer("attention.head_count_kv")
    if heads is not None and len(heads) < layers:
        raise refused(keys.name, keys.key("attention.head_count_kv"), "every_layer", str(heads))
    kinds = _windows(keys, layers)
    if keys.arch in EVERY_FOURTH_FULL:
        every = keys.whole("full_attention_interval") or 4
        kinds = [FULL if (at + 1) % every == 0 else LINEAR for at in range(layers)]
    fields: dict[str, Any] = {}
    if heads is None:
        fields["num_key_value_heads"] = keys.whole("attention.head_count_kv")
    else:
        kinds = _without_heads(keys, heads[:layers], kinds)
        fields |= _kv_heads(keys, heads[:layers], kinds)
    if kinds is not None:
        shared = keys.whole("attention.shared_kv_layers") or 0
        kinds = [NONE if at >= layers - shared else kind for at, kind in enumerate(kinds)]
        if "block_configs" not in fields:
            fields["layer_types"] = kinds
        if LINEAR in kinds:
            fields |= _state(keys, kinds)
    return fields


def _windows(keys: Keys, layers: int) -> list[str] | None:
    """Which layers have the window; None where there is none, or nothing says which."""
    if keys.whole("attention.sliding_window") is None:
        return None
    pattern = keys.raw("attention.sliding_window_pattern")
    if isinstance(pattern, list):
        if len(pattern) < layers:
            field = keys.key("attention.sliding_window_pattern")
            raise refused(keys.name, field, "every_layer", str(pattern))
        return [SLIDING if flag else FULL for flag in pattern[:layers]]
    every = keys.whole("attention.sliding_window_pattern") or EVERY_NTH_FULL.get(keys.arch)
    if every is None:
        return None
    if pattern is None:
        keys.assume("gguf_pattern", arch=keys.arch, every=every)
    return [FULL if (at + 1) % every == 0 else SLIDING for at in range(layers)]


def _without_heads(keys: Keys, heads: list[int], kinds: list[str] | None) -> list[str] | None:
    """Layers with no KV head are recurrent, or nothing but a feed-forward part."""
    if all(heads):
        return kinds
    feed = keys.per_layer("feed_forward_length") or []
    found = []
    for at, number in enumerate(heads):
        kind = FULL if kinds is None else kinds[at]
        if number == 0:
            alone = keys.arch in EITHER_MIXER_OR_MLP and at < len(feed) and feed[at] > 0
            kind = NONE if alone or not _recurrent(keys) else LINEAR
        found.append(kind)
    return found


def _recurrent(keys: Keys) -> bool:
    """The architecture has layers with a state of their own."""
    names = ("ssm.conv_kernel", "ssm.state_size", "kda.head_dim", "shortconv.l_cache")
    return any(keys.raw(name) is not None for name in names)


def _kv_heads(keys: Keys, heads: list[int], kinds: list[str] | None) -> dict[str, Any]:
    """One number for all, one for windows and one for the others, or one a layer."""
    numbers = {number for number in heads if number}
    if len(numbers) <= 1:
        return {"num_key_value_heads": max(numbers, default=None)}
    if kinds is not None and SLIDING in kinds:
        of = {kind: {n for n, k in zip(heads, kinds, strict=True) if k == kind and n}
              for kind in (SLIDING, FULL)}  # fmt: skip
        if all(len(found) == 1 for found in of.values()):
            return {
                "swa_num_key_value_heads": of[SLIDING].pop(),
                "num_global_key_value_heads": of[FULL].pop(),
            }
    query = keys.needed("attention.head_count")
    field = keys.key("attention.head_count_kv")
    mixed = kinds is not None and (SLIDING in kinds or LINEAR in kinds)
    if mixed or any(query % number for number in numbers):
        raise refused(keys.name, field, "divisor", str(sorted(numbers)))
    return {
        "block_configs": [
            {"attention": {"n_heads_in_group": query // number} if number else {"no_op": True}}
            for number in heads
        ]
    }


def _state(keys: Keys, kinds: list[str]) -> dict[str, Any]:
    """Sizes of the recurrent state, under the names that a config.json has for them."""
    taps = keys.whole("ssm.conv_kernel")
    if keys.whole("kda.head_dim"):
        full = [at for at, kind in enumerate(kinds, 1) if kind == FULL]
        return {
            "linear_attn_config": {
                "num_heads": keys.needed("attention.head_count"),
                "head_dim": keys.needed("kda.head_dim"),
                "short_conv_kernel_size": taps,
                "full_attn_layers": full,
            }
        }
    if not all(map(keys.whole, ("ssm.group_count", "ssm.time_step_rank", "ssm.inner_size"))):
        raise refused(keys.name, keys.key("ssm"), "state", None)
    heads, groups = keys.needed("ssm.time_step_rank"), keys.needed("ssm.group_count")
    inner, state = keys.needed("ssm.inner_size"), keys.needed("ssm.state_size")
    if inner % heads:
        raise refused(keys.name, keys.key("ssm.inner_size"), "divisor", str(inner))
    if keys.arch in EVERY_FOURTH_FULL:  # gated delta rule
        return {
            "linear_num_value_heads": heads, "linear_num_key_heads": groups,
            "linear_key_head_dim": state, "linear_value_head_dim": inner // heads,
            "linear_conv_kernel_dim": taps,
        }  # fmt: skip
    return {
        "mamba_num_heads": heads, "mamba_head_dim": inner // heads, "ssm_state_size": state,
        "n_groups": groups, "conv_kernel": taps,
    }  # fmt: skip
