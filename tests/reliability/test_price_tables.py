"""Hostile and careless YAML in price tables (RELIABILITY 11, test 9)."""

from __future__ import annotations

import pytest

from messages.errors import DataError
from price_tables.schema import ModelRow
from price_tables.yaml_loader import MAX_BYTES, parse_yaml

REFUSED = {
    "duplicate key": ("a: 1\na: 2\n", "unique_key"),
    "duplicate key deep inside": ("a: {b: {c: 1, c: 2}}\n", "unique_key"),
    "alias": ("a: &x [1]\nb: *x\n", "no_alias"),
    "anchor alone": ("a: &x 1\n", "no_alias"),
    "merge key": ("a: {<<: {b: 1}}\n", "no_merge"),
    "python tag": ("a: !!python/object/apply:os.system [ls]\n", "no_tag"),
    "standard tag": ("a: !!float 1\n", "no_tag"),
    "own tag": ("a: !price 1\n", "no_tag"),
    "two documents": ("a: 1\n---\na: 2\n", "one_document"),
    "list as a key": ("? [1, 2]\n: 3\n", "text_key"),
    "null as a key": ("null: 3\n", "text_key"),
    "three thousand brackets": ("[" * 3000 + "]" * 3000, None),
    "thirty levels": ("[" * 30 + "]" * 30, "depth"),
    "half a file": ("a: [1, 2", "yaml"),
    "tab as indent": ("a:\n\tb: 1\n", "yaml"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_yaml_duplicates_aliases_tags_nan_and_exponents_are_refused(name: str) -> None:
    text, expected = REFUSED[name]
    with pytest.raises(DataError) as caught:
        parse_yaml(text.encode(), "bad.yaml")
    if expected is not None:
        assert f"prices.expected.{expected}" in str(caught.value)


def test_the_alias_bomb_ends_at_its_first_line() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 20)]
    with pytest.raises(DataError, match="line 1"):
        parse_yaml("\n".join(lines).encode(), "bomb.yaml")


def test_words_that_yaml_would_turn_into_something_else_stay_words() -> None:
    text = "a: no\nb: 012\nc: 1e-3\nd: 12:30:45\ne: .nan\nf: 2026-11-29\ng: 'null'\nh: null\n"
    assert parse_yaml(text.encode(), "x") == {
        "a": "no",
        "b": "012",
        "c": "1e-3",
        "d": "12:30:45",
        "e": ".nan",
        "f": "2026-11-29",
        "g": "null",
        "h": None,
    }


@pytest.mark.parametrize(
    "price",
    [".nan", "nan", "NaN", ".inf", "-.inf", "1e-3", "0.1e400", "1_000", "0x10", "012", "-1", "+1",
     "1.", ".5", "1.0000000001", "1,5", "", " 1", "１", "1000000000"],
)  # fmt: skip
def test_a_price_is_a_plain_decimal_or_refused(price: str) -> None:
    row = {
        "id": "m",
        "aliases": [],
        "status": "current",
        "periods": [
            {
                "valid_from": "2026-01-01",
                "status": "current",
                "usd_per_mtok": {"uncached": price, "output": "1"},
                "source": "https://example.org",
                "as_of": "2026-01",
            }
        ],
    }
    with pytest.raises(ValueError, match="price"):
        ModelRow.model_validate(row)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DataError, match="utf8"):
        parse_yaml(b"a: \xff\xfe", "x.yaml")
    assert MAX_BYTES == 262_144
