"""Every figure of the articles that kvledger can compute, against values worked out by hand."""

from __future__ import annotations

import csv
import io
import re

import pytest

from econ.articles_checked import COMPUTED, Checked, check
from econ.articles_csv import articles_csv
from econ.articles_inputs import Inputs
from jobs import guide_facts
from messages.catalogue import LANGUAGES, translations
from price_tables.articles import ArticleFacts

GIB = 2.0**30
BY_HAND: dict[str, tuple[float, str]] = {
    "guide_mha_token": (2 * 32 * 32 * 128 * 2, "reproduced"),
    "guide_gqa_token": (2 * 32 * 8 * 128 * 2, "reproduced"),
    "guide_mqa_token": (2 * 32 * 128 * 2, "reproduced"),
    "guide_mha_8k": (4 * GIB, "reproduced"),
    "guide_gqa_8k": (1_073_741_824, "reproduced"),
    "guide_mqa_8k": (GIB / 8, "reproduced"),
    "guide_mha_32k": (16 * GIB, "reproduced"),
    "guide_gqa_32k": (4 * GIB, "reproduced"),
    "guide_mqa_32k": (GIB / 2, "reproduced"),
    "guide_mha_128k": (64 * GIB, "reproduced"),
    "guide_gqa_128k": (16 * GIB, "reproduced"),
    "guide_mqa_128k": (2 * GIB, "reproduced"),
    "mqa_share": (32, "reproduced"),
    "gpt3_token": (4_718_592, "differs"),
    "gpt3_128k": (618_475_290_624, "differs"),
    "llama2_token": (524_288, "differs"),
    "mistral_token": (131_072, "differs"),
    "mixtral_token": (131_072, "differs"),
    "llama31_token": (327_680, "differs"),
    "llama31_128k": (40 * GIB, "differs"),
    "qwen3_token": (192_512, "differs"),
    "deepseek_token": (70_272, "reproduced"),
    "deepseek_128k": (9_210_691_584, "differs"),
    "tenfold": (4_718_592 / 70_272, "reproduced"),
    "h100_memory": (80e9, "confirmed"),
    "b300_memory": (288e9, "confirmed"),
    "b300_bandwidth": (8e12, "confirmed"),
    "b300_fp8": (4.5e15, "confirmed"),
    "kv_8k_1": (2.5 * GIB, "differs"),
    "step_8k_1": ((70e9 + 2.5 * GIB) / 8e12, "reproduced"),
    "each_8k_1": (8e12 / (70e9 + 2.5 * GIB), "reproduced"),
    "kv_128k_1": (40 * GIB, "differs"),
    "step_128k_1": ((70e9 + 40 * GIB) / 8e12, "differs"),
    "each_128k_1": (8e12 / (70e9 + 40 * GIB), "differs"),
    "kv_128k_4": (160 * GIB, "differs"),
    "step_128k_4": ((70e9 + 160 * GIB) / 8e12, "differs"),
    "each_128k_4": (8e12 / (70e9 + 160 * GIB), "differs"),
    "kv_128k_6": (240 * GIB, "differs"),
    "all_128k_6": (70e9 + 240 * GIB, "differs"),
    "prefill_flop": (2 * 70e9 * 131_072, "reproduced"),
    "prefill_s": ((2 * 70e9 * 131_072 + 4 * 80 * 131_072**2 * 8192 / 2) / 4.5e15, "differs"),
    "cpx_planned": (128e9, "confirmed"),
    "rtx_memory": (96e9, "confirmed"),
    "write_5m": (1.25, "confirmed"),
    "write_1h": (2, "confirmed"),
    "read_opus": (0.1, "confirmed"),
    "fable_input": (10, "confirmed"),
    "fable_5m": (12.5, "confirmed"),
    "fable_1h": (20, "confirmed"),
    "fable_read": (0.25, "confirmed"),
    "fable_multiplier": (0.025, "confirmed"),
    "opus_input": (5, "confirmed"),
    "opus_5m": (6.25, "confirmed"),
    "opus_1h": (10, "confirmed"),
    "opus_read": (0.5, "confirmed"),
    "sonnet_read": (0.2, "confirmed"),
    "haiku_read": (0.1, "confirmed"),
    "min_low": (512, "confirmed"),
    "min_high": (4096, "confirmed"),
    "contract_write_1h": (1.0, "reproduced"),
    "breakpoints": (4, "confirmed"),
    "lookback": (20, "confirmed"),
    "openai_min": (1024, "confirmed"),
    "openai_write": (1.25, "confirmed"),
    "openai_read": (0.1, "confirmed"),
    "openai_lifetime": (12 * 3600, "differs"),
    "google_read": (0.1, "confirmed"),
    "google_storage": (4.5, "confirmed"),
    "contract_none": (50, "reproduced"),
    "contract_write_5m": (0.625, "reproduced"),
    "contract_reads": (4.95, "reproduced"),
    "contract_5m": (5.575, "reproduced"),
    "contract_1h": (5.95, "reproduced"),
    "contract_saving_5m": (0.8885, "reproduced"),
    "contract_saving_1h": (0.881, "reproduced"),
    "reads_most": (0.075 / 0.325, "differs"),
    "hynix_margin": (0.762926, "reproduced"),
    "micron_margin": (0.845619, "reproduced"),
    "nvidia_margin": (0.749753, "reproduced"),
    "sakura_growth": (0.123774, "reproduced"),
    "sakura_next_growth": (0.274788, "reproduced"),
    "kimi_saving": (20 / 27, "differs"),
    "kimi_gain": (6.239130, "differs"),
    "kimi_total": (48e9, "confirmed"),
    "kimi_active": (3e9, "confirmed"),
    "write_hybrid": (18.4, "reproduced"),
    "write_full": (114.8, "reproduced"),
    "power_gap": (67e9, "differs"),
    "weights_48b": (24e9, "reproduced"),
    "twice_ratio": (761.5, "reproduced"),
    "conversation_gib": (3_758_096_384, "reproduced"),
    "conversation_gb": (3_758_096_384, "reproduced"),
    "calibration": (512_000, "reproduced"),
    "switch_gain": (25.08993, "reproduced"),
    "mlp_gain": (0.368, "reproduced"),
}


@pytest.fixture(scope="module")
def facts() -> ArticleFacts:
    return guide_facts.articles()


@pytest.fixture(scope="module")
def rows() -> dict[str, Checked]:
    return {row.figure.id: row for row in guide_facts.checked()}


@pytest.mark.parametrize("figure", sorted(BY_HAND))
def test_a_figure_is_what_was_worked_out_by_hand(rows: dict[str, Checked], figure: str) -> None:
    ours, verdict = BY_HAND[figure]
    assert rows[figure].ours == pytest.approx(ours, rel=1e-5)
    assert rows[figure].verdict == verdict


def test_the_paged_waste_of_the_example_is_under_what_is_printed(rows: dict[str, Checked]) -> None:
    found = rows["paged_waste"]
    assert found.ours is not None
    assert 0 < found.ours < 0.04


def test_every_figure_that_can_be_computed_is_and_no_other(facts: ArticleFacts) -> None:
    computed = {figure.id for figure in facts.figures if figure.status is None}
    assert computed == set(COMPUTED) == {*BY_HAND, "paged_waste"}


def test_what_differs_says_why(rows: dict[str, Checked]) -> None:
    assert [row.figure.id for row in rows.values() if row.verdict == "differs"
            and not row.figure.marks] == []  # fmt: skip


def test_every_mark_of_the_list_but_those_about_wording_stands_beside_a_figure(
    facts: ArticleFacts,
) -> None:
    used = {mark for figure in facts.figures for mark in figure.marks}
    assert used == {f"K{n}" for n in range(1, 33)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_subject_and_mark_has_words(facts: ArticleFacts, language: str) -> None:
    said = translations(language)
    keys = [f"articles.figure.{figure.id}" for figure in facts.figures]
    keys += [f"articles.subject.{figure.subject}" for figure in facts.figures]
    keys += [f"articles.by.{figure.by}" for figure in facts.figures if figure.by]
    keys += [f"articles.k.{mark}" for figure in facts.figures for mark in figure.marks]
    assert [key for key in keys if said.gettext(key) == key] == []


def test_the_csv_has_a_row_a_figure_and_raw_numbers(rows: dict[str, Checked]) -> None:
    text = articles_csv(list(rows.values())).decode("utf-8-sig")
    read = list(csv.DictReader(io.StringIO(text)))
    assert len(read) == len(rows)
    deepseek = next(row for row in read if row["id"] == "deepseek_128k")
    assert (deepseek["printed_value"], deepseek["ours"]) == ("8.8", "9.210691584")


def test_a_book_without_the_model_is_said(facts: ArticleFacts) -> None:
    inputs = guide_facts.inputs()
    empty = Inputs(
        hardware=inputs.hardware.__class__(models={}, devices={}), book=inputs.book,
        switch=inputs.switch, power=inputs.power, example_lengths=inputs.example_lengths,
    )  # fmt: skip
    with pytest.raises(KeyError, match="gpt3"):
        check(facts, empty)


def test_printed_words_are_the_files_own_and_have_japanese(facts: ArticleFacts) -> None:
    english, japanese = translations("en"), translations("ja")
    for figure in facts.figures:
        for kind, text in (("printed", figure.printed), ("found", figure.found or "")):
            key = f"articles.{kind}.{figure.id}"
            if english.gettext(key) != key:
                assert english.gettext(key) == text
            elif re.search(r"[a-z]{5,}", text.replace("tokens/s", "")):
                pytest.fail(f"{key} has no Japanese")
            assert japanese.gettext(key)
