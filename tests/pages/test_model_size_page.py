"""The Model size page: figures in both units, the reader's own models and devices, the articles."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from messages.catalogue import LANGUAGES, t
from tests.econ_hardware.headers import LLAMA, gguf
from tests.pages.test_pages import asked, calm, metrics, opened, words

NBSP = "\u00a0"
CONFIG = {
    "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32,
    "num_key_value_heads": 4,
}  # fmt: skip


SECTIONS = ("growth", "sizes", "guide", "real", "case")
BEFORE = {"hw_device": "b300-sxm", "hw_tp": "1", "hw_weights": "checkpoint", "hw_kv": "bf16"}
"""One device, nothing quantised: what the figures below were worked out for."""
OLD = {"kv_device": "hw_device", "kv_tp": "hw_tp", "kv_dtype": "hw_kv"}


def sized(**query: str) -> AppTest:
    """The page with every section open; earlier names count."""
    usual = {name: said for name, said in BEFORE.items()
             if name not in {OLD.get(one, one) for one in query}}  # fmt: skip
    return opened("model_size", **usual, **{f"open_{name}": "true" for name in SECTIONS}, **query)


@pytest.mark.parametrize("name", SECTIONS)
def test_the_address_of_a_section_opens_it_alone(name: str) -> None:
    at = opened("model_size", **{f"open_{name}": "true"})
    assert [box.proto.expanded for box in at.expander].count(True) == 1


def test_the_scenario_of_own_hardware_is_this_pages_too() -> None:
    at = opened("less_kv", hw_model="llama-3.1-8b", hw_device="h100-sxm", hw_kv="q8_0")
    at.switch_page("../pages/model_size.py").run()
    calm(at)
    assert "Llama 3.1 8B" in next(iter(metrics(at)))
    assert "fit on 2 × H100" in words(at).replace("\\", "")
    at.multiselect[0].set_value(["deepseek-v3"]).run()
    at.switch_page("../pages/less_kv.py").run()
    assert at.selectbox(key="hw_model").value == "deepseek-v3"


def tables(at: AppTest) -> str:
    """All tables of text, with what hovering says."""
    return "\n".join(str(block.proto.body) for block in at.get("html"))


def cells(at: AppTest, row: str) -> list[str]:
    """The cells of the first row that this name starts, below the table of what fits."""
    shown = tables(at)
    shown = shown[shown.index(t("en", "model_size.sizes_alt")) :]
    match = re.search(rf"<th scope=\"row\">{re.escape(row)}.*?</tr>", shown)
    assert match is not None, row
    found = re.findall(r"<td.*?</td>", match[0])
    return [re.sub(r"(?:<[^>]+>)+", " ", one).strip(" ") for one in found]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_model_stands_above_the_fold_in_both_units(language: str) -> None:
    at = sized(lang=language)
    assert at.title[0].value == t(language, "model_size.title")
    assert list(metrics(at).values()) == [f"42.95{NBSP}GB"]
    assert f"= 40{NBSP}GiB" in words(at)


def test_one_switch_changes_every_figure() -> None:
    decimal, binary = (sized(size_in=unit) for unit in ("gb", "gib"))
    assert list(metrics(binary).values()) == [f"40{NBSP}GiB"]
    assert f"= 42.95{NBSP}GB" in words(binary)
    assert cells(decimal, "DeepSeek V3")[:2] == [f"70.27{NBSP}KB", f"9.21{NBSP}GB"]
    assert cells(binary, "DeepSeek V3")[:2] == [f"68.63{NBSP}KiB", f"8.58{NBSP}GiB"]


def test_hovering_a_figure_says_its_bytes_and_both_units() -> None:
    shown = tables(sized())
    assert f"9,210,691,584{NBSP}bytes = 9.21{NBSP}GB = 8.58{NBSP}GiB" in shown


def test_counting_mla_by_heads_is_struck_through() -> None:
    shown = tables(sized())
    assert f"<s>655{NBSP}GB</s>" in shown  # 4,997,120 bytes a token


def test_minimum_and_reserved_stand_beside_each_other() -> None:
    row = cells(sized(kv_length="8192"), "gpt-oss 120B")
    assert row[1:3] == [f"306.7{NBSP}MB", f"604{NBSP}MB"]


def test_what_does_not_fit_says_so_beside_what_does() -> None:
    at = sized(kv_models="llama-3.1-8b,llama-3.1-70b", kv_device="h100-sxm")
    shown = tables(at)
    fits = shown[shown.index("weights") :]
    assert "weights do not fit" in fits
    assert "leave no room" not in words(at)
    small = sized(kv_models="llama-3.1-8b", kv_device="own", kv_memory_gb="20")
    assert "does not fit" in tables(small)
    assert "no room for one sequence" in words(small)


def test_more_gpus_share_heads_and_weights() -> None:
    at = sized(kv_models="llama-3.1-70b", kv_device="h100-sxm", kv_tp="4")
    assert "sequences of this length fit on 4 × H100" in words(at).replace("\\", "")


def test_weights_that_the_reader_types_count_before_the_estimate() -> None:
    at = sized(kv_models="llama-3.1-70b", kv_weights_gb="70", kv_fraction="1")
    assert "5 sequences of this length" in words(at)
    four = sized(kv_models="llama-3.1-70b", kv_weights_gb="70")
    assert "4 sequences of this length" in words(four)


def test_a_device_of_the_tables_can_be_overridden() -> None:
    at = sized(kv_device="h100-sxm", kv_memory_gb="94")
    assert f"94,000,000,000{NBSP}bytes" in words(at).replace("\\", "")
    assert "typed in" in words(at)


def test_the_articles_figures_stand_beside_ours() -> None:
    at = sized()
    assert cells(at, "MQA") == [
        f"16.38{NBSP}KB printed: 16{NBSP}KiB",
        f"134.2{NBSP}MB printed: 0.125{NBSP}GiB",
        f"536.9{NBSP}MB printed: 0.5{NBSP}GiB",
        f"2.15{NBSP}GB printed: 2{NBSP}GiB",
    ]
    shown = tables(at)
    for text in ("4.5", "590", "512", "192", "8.8"):
        assert f"printed: {text}{NBSP}" in shown
    assert "hypothetical" in shown
    assert "3.5 GiB" in words(at)
    titles = "\n".join(box.label for box in at.expander)
    assert "5 sequences of 131,072 tokens fit on paper, 4 with a tenth kept back, 6" in titles


def test_the_address_remembers_models_format_and_length() -> None:
    at = sized()
    at.multiselect[0].set_value(["deepseek-v3", "llama-3.1-8b"]).run()
    calm(at)
    assert asked(at, "kv_models") == "deepseek-v3,llama-3.1-8b"
    at.selectbox(key="kv_dtype_widget").set_value("q8_0").run()
    assert asked(at, "hw_kv") == "q8_0"
    again = sized(kv_models="llama-3.1-8b", kv_dtype="q8_0/q4_0", kv_length="8192")
    assert list(metrics(again).values()) == [f"436.2{NBSP}MB"]  # (69,632 + 36,864) / 2 x 8,192


@pytest.mark.parametrize(
    "query",
    [
        {"kv_models": "<b>,nobody", "kv_dtype": "fp3", "kv_length": "9", "size_in": "GB"},
        {"kv_device": "toaster", "kv_memory_gb": "-1", "kv_fraction": "7", "kv_tp": "3"},
        {"kv_length": "own", "kv_context": "1e99", "kv_weights_gb": "NaN"},
    ],
)
def test_what_a_stranger_writes_into_the_address_does_no_harm(query: dict[str, str]) -> None:
    shown = "21.47" if "kv_dtype" in query else "42.95"
    assert list(metrics(sized(**query)).values()) == [f"{shown}{NBSP}GB"]


def test_a_length_of_the_readers_own() -> None:
    at = sized(kv_length="own", kv_context="1000")
    assert list(metrics(at).values()) == [f"327.7{NBSP}MB"]


def pasted(text: str, name: str = "mine") -> AppTest:
    at = sized()
    at.text_input(key="own_name").set_value(name)
    at.text_area(key="own_text").set_value(text)
    at.button(key="own_take").click().run()
    return at


def test_a_pasted_config_is_looked_at_first_with_its_assumptions() -> None:
    at = pasted(json.dumps(CONFIG))
    calm(at)
    assert "mine" in next(iter(metrics(at)))
    assert f"6.44{NBSP}GB" in metrics(at).values()  # 49,152 B x 131,072
    assert "does not say head" in words(at)
    at.button(key="own_forget").click().run()
    assert list(metrics(at).values()) == [f"42.95{NBSP}GB"]


def test_an_uploaded_header_is_read() -> None:
    at = sized()
    at.file_uploader[0].upload("tiny.gguf", gguf(LLAMA)).run()
    calm(at)
    assert f"17.18{NBSP}GB" in metrics(at).values()
    assert "Nothing had to be assumed" in words(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_damaged_config_is_one_sentence(language: str) -> None:
    at = sized(lang=language)
    at.text_area(key="own_text").set_value("{")
    at.button(key="own_take").click().run()
    assert not at.exception
    (box,) = at.error
    assert "config\\.json" in box.value


def test_a_model_without_known_weights_does_not_pretend() -> None:
    at = pasted(json.dumps(CONFIG))
    assert "is not known here" in words(at)
    assert "not known" in tables(at)


def test_every_number_opens_to_formula_inputs_source_and_date() -> None:
    shown = words(sized()).replace("\\", "")
    assert "80 layers, all tokens: 8 KV heads × (128 + 128) elements as bf16" in shown
    assert "2026-11-29" in shown
    assert "20 KDA" in shown or "state that does not grow" in shown


def test_a_length_beyond_the_models_limit_is_hypothetical() -> None:
    at = sized(kv_models="gpt3-175b")
    assert "this length is hypothetical" in words(at)
