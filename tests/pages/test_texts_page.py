"""A file of text on the pages: its amounts are said to rest on an estimate, with the band."""

from __future__ import annotations

import json

import pytest

from messages.catalogue import LANGUAGES
from tests.pages.test_pages import calm, dropped, opened, plain, words
from tests.shell import shell

CHAT = json.dumps(
    {
        "id": "a",
        "conversations": [
            {"from": "human", "value": "Why is the sky blue? " * 400},
            {"from": "gpt", "value": "Because short waves scatter more. " * 400},
            {"from": "human", "value": "And at night?"},
            {"from": "gpt", "value": "Then there is no light to scatter."},
        ],
    }
)
SAID = {"en": "estimated from the text", "ja": "推定"}


def test_the_workload_says_that_its_tokens_are_estimates() -> None:
    at = dropped(opened("workload"), "chats.jsonl", CHAT + "\n")
    calm(at)
    assert "chats.jsonl" in plain(at.metric[0].label)
    shown = plain(words(at))
    assert "estimated from text: the real amount is likely between" in shown
    assert "kvledger text rule" in shown, "the receipt names the estimator"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shell_says_so_in_text_and_json(
    language: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("texts") / "chats.jsonl"
    path.write_text(CHAT + "\n", "utf-8")
    assert SAID[language] in shell("report", path, "--lang", language).out
    found = shell("report", path, "--json", "--lang", language).json
    assert any(SAID[language] in str(said) for said in found["assumptions"])


def test_a_saved_report_of_texts_keeps_the_band(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("texts") / "chats.jsonl"
    path.write_text(CHAT + "\n", "utf-8")
    made = shell("report", path, "--json", "--save").json
    again = shell("reports", "show", made["report_id"], "--json").json
    assert again["assumptions"] == made["assumptions"]
    assert again["baselines"] == made["baselines"]


def test_a_tokenizer_named_in_the_shell_counts(tmp_path_factory: pytest.TempPathFactory) -> None:
    from tests.data_sources.traces.test_texts import words_tokenizer

    folder = tmp_path_factory.mktemp("texts")
    (folder / "chats.jsonl").write_text(CHAT + "\n", "utf-8")
    (folder / "tokenizer.json").write_text(words_tokenizer(), "utf-8")
    chats, own = folder / "chats.jsonl", folder / "tokenizer.json"
    stats = shell("inspect", chats, "--tokenizer", own, "--json").json["stats"]
    assert stats["total_output_tokens"] == 5 * 400 + 7
