"""Layers of a config whose cache is not one entry a token: recurrent states, compressed entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from econ.kv_config_fields import Config, count, optional_count, refused
from price_tables.hardware import KvGroup


def state_group(config: Config, layers: int) -> KvGroup:
    """Recurrent layers: a matrix a head in fp32, and the last inputs of a short convolution in
    two bytes."""
    fields = config.fields
    linear = fields.get("linear_attn_config")
    if isinstance(linear, Mapping):  # KDA: heads x dim x dim, three convolutions
        inner = Config(config.name, linear, config.assumptions)
        heads, dim = count(inner, "num_heads"), count(inner, "head_dim")
        taps = count(inner, "short_conv_kernel_size")
        return KvGroup(
            kind="linear_state", layers=layers, state_bytes=heads * dim * dim * 4,
            conv_bytes=3 * heads * dim * (taps - 1) * 2,
        )  # fmt: skip
    if "linear_num_value_heads" in fields:  # gated delta rule
        keys, values = (
            count(config, "linear_num_key_heads"),
            count(config, "linear_num_value_heads"),
        )
        key, value = count(config, "linear_key_head_dim"), count(config, "linear_value_head_dim")
        taps = count(config, "linear_conv_kernel_dim")
        return KvGroup(
            kind="linear_state", layers=layers, state_bytes=values * key * value * 4,
            conv_bytes=(2 * keys * key + values * value) * (taps - 1) * 2,
        )  # fmt: skip
    if "mamba_num_heads" in fields:  # Mamba 2
        heads, dim = count(config, "mamba_num_heads"), count(config, "mamba_head_dim")
        state, taps = count(config, "ssm_state_size"), count(config, "conv_kernel")
        wide = heads * dim + 2 * count(config, "n_groups") * state
        return KvGroup(
            kind="linear_state", layers=layers, state_bytes=heads * dim * state * 4,
            conv_bytes=wide * (taps - 1) * 2,
        )  # fmt: skip
    if "attn_type_list" in fields:  # lightning attention: no convolution
        heads = count(config, "num_attention_heads")
        dim = count(config, "head_dim")
        return KvGroup(kind="linear_state", layers=layers, state_bytes=heads * dim * dim * 4)
    raise refused(config.name, "linear_attn_config", "state", None)


def compressed_groups(config: Config) -> list[KvGroup] | None:
    """Layers that keep a window and one entry for every few tokens before it. Entries of layers
    that choose among them come with an index of half a byte an element."""
    ratios = config.fields.get("compress_ratios")
    if not isinstance(ratios, list) or not all(isinstance(r, int) and r >= 0 for r in ratios):
        return None
    ratios = ratios[: count(config, "num_hidden_layers")]  # what follows predicts further tokens
    window, entry = count(config, "sliding_window"), count(config, "head_dim")
    index = (optional_count(config, "index_head_dim") or 0) // 2
    small = min((ratio for ratio in ratios if ratio), default=0)
    return [
        KvGroup(
            kind="compressed", layers=number, ratio_tokens=ratio, entry_elements=entry,
            window_tokens=window, indexer_bytes_per_entry=index if ratio == small and ratio else 0,
        )
        for ratio, number in sorted(Counter(ratios).items())
    ]  # fmt: skip
