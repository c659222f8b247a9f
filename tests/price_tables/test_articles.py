"""articles.yaml is read strictly: a wrong row is refused with file and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from messages.catalogue import LANGUAGES, say
from messages.errors import DataError
from price_tables.articles_load import load_articles
from price_tables.load import FOLDER


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("value: 512, ", "", "guide_mha_token"),
        ('unit: "KiB"', 'unit: "parsec"', "guide_mha_token"),
        ("marks: [K6]", "marks: [K99]", "marks"),
        ("article: A", "article: Z", "article"),
        ("id: guide_gqa_token", "id: guide_mha_token", "guide_mha_token"),
        ("id: guide_mha_token", "id: 'Guide MHA'", "id"),
        ("value: 512,", "value: 0,", "value"),
        ("source: guide", "source: hearsay", "source"),
        ("subject: size", "subject: taste", "subject"),
    ],
)
def test_a_wrong_figure_is_refused_in_both_languages(
    tmp_path: Path, old: str, new: str, place: str
) -> None:
    text = (FOLDER / "articles.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "articles.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError) as refused:
        load_articles(tmp_path)
    assert place in str(refused.value.message.values["place"])
    for language in LANGUAGES:
        assert "prices.expected" not in say(language, refused.value.message)


def test_a_figure_is_found_by_its_id() -> None:
    facts = load_articles()
    assert facts.figure("radix").printed == "up to 6.4 ×"
    with pytest.raises(KeyError):
        facts.figure("nothing")
