"""Text to ids and back, as llama.cpp and transformers cut it, and the model's own chat prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvcore.errors import KvcoreError
from kvcore.model.tokenizer import Tokenizer, folder_tokenizer
from tests.kvcore.model.models import smollm2

#: Ids that transformers' own reader of the same GGUF gives.
MIXED = "Hello 12345 world!\n\tdef f(x): return x²  日本語 <|im_start|>user"
MIXED_IDS = (
    "19556 216 33 34 35 36 37 905 17 198 197 1604 275 24 104 727 1003 1792 19133 216 17097 241 "
    "115 40993 179 120 248 216 1 4093"
)
CHAT = (
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
    "<|im_end|>\n<|im_start|>user\nWhat is the capital of France?<|im_end|>\n"
    "<|im_start|>assistant\n"
)


def tokenizer() -> Tokenizer:
    pytest.importorskip("tokenizers")
    found = smollm2().tokenizer
    assert found is not None
    return found


def test_ids_are_those_of_transformers() -> None:
    assert tokenizer().encode(MIXED) == [int(word) for word in MIXED_IDS.split()]


def test_sizes_and_ends_are_those_of_the_file() -> None:
    assert tokenizer().size == 49152
    assert (tokenizer().bos_id, tokenizer().eos_id) == (1, 2)
    assert not tokenizer().adds_bos


def test_digits_stand_alone() -> None:
    assert len(tokenizer().encode("90210")) == 5


WRITTEN = st.characters(max_codepoint=0x3FFFF, exclude_categories=("Cc", "Cs"))


@given(st.text(WRITTEN | st.sampled_from("\t\n\r\x00"), max_size=60))
def test_any_text_comes_back(text: str) -> None:
    assert tokenizer().decode(tokenizer().encode(text)) == text


def test_bytes_that_the_vocabulary_lacks_are_left_out() -> None:
    assert tokenizer().decode(tokenizer().encode("a\x06b")) == "ab"


@given(st.lists(st.integers(17, 49151), max_size=20))
def test_ids_are_inside_the_vocabulary_after_a_round(ids: list[int]) -> None:
    again = tokenizer().encode(tokenizer().decode(ids))
    assert all(0 <= token < 49152 for token in again)


def test_the_chat_prompt_is_the_templates() -> None:
    pytest.importorskip("jinja2")
    messages = [{"role": "user", "content": "What is the capital of France?"}]
    assert tokenizer().chat(messages) == CHAT
    assert tokenizer().encode(CHAT)[:3] == [1, 9690, 198]


def saved(folder: Path, **settings: object) -> Path:
    tokenizer().backend.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def test_a_folders_tokenizer_is_read_with_its_settings(tmp_path: Path) -> None:
    folder = saved(
        tmp_path, bos_token="<|im_start|>", eos_token={"content": "<|im_end|>"}, add_bos_token=True
    )
    found, problem = folder_tokenizer(folder)
    assert found is not None
    assert problem == ""
    assert (found.bos_id, found.eos_id) == (1, 2)
    assert found.encode("Hello") == [1, 19556]


def test_a_template_beside_the_settings_is_found(tmp_path: Path) -> None:
    saved(tmp_path)
    (tmp_path / "chat_template.jinja").write_text("{{ messages[0].content }}", encoding="utf-8")
    found, _ = folder_tokenizer(tmp_path)
    assert found is not None
    assert found.chat([{"role": "user", "content": "hi"}]) == "hi"


def test_a_damaged_tokenizer_says_so(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    found, problem = folder_tokenizer(tmp_path)
    assert found is None
    assert problem.startswith("tokenizer.json cannot be read")


def test_a_template_cannot_reach_into_python(tmp_path: Path) -> None:
    saved(tmp_path, chat_template="{{ ''.__class__.__mro__ }}")
    found, _ = folder_tokenizer(tmp_path)
    assert found is not None
    with pytest.raises(KvcoreError, match="refuses these messages"):
        found.chat([{"role": "user", "content": "hi"}])


def test_a_model_without_template_says_so(tmp_path: Path) -> None:
    found, _ = folder_tokenizer(saved(tmp_path))
    assert found is not None
    with pytest.raises(KvcoreError, match="no chat template"):
        found.chat([])
