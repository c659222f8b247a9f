"""The tables that come with kvledger, and what the loader refuses."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messages.catalogue import LANGUAGES, say, translations
from messages.errors import DataError, Message
from price_tables.book import BUCKETS, EXTRA_PRICES
from price_tables.load import FOLDER, check_tables, load_book, read_table_file
from price_tables.yaml_loader import MAX_BYTES
from tests.price_tables import digests

VERSION_RULE = (
    "a released table changed: raise `version` in book.yaml, then run "
    "`python -m tests.price_tables.digests`"
)


def test_the_book_has_16_providers_and_225_models_of_their_own() -> None:
    book = load_book()
    own = [m for t in book.tables.values() for m in t.models if m.inherited_from is None]
    assert len(book.tables) == 16
    assert len(own) == 225
    assert book.version == "2026-11-29"
    assert book.as_of == datetime(2026, 11, 29, tzinfo=UTC)


def test_inherited_rows_are_resolved_and_name_both_sources() -> None:
    book = load_book()
    azure = {m.id: m for m in book.tables["azure-openai"].models}
    vertex = {m.id: m for m in book.tables["vertex"].models}
    assert len(azure) == len(book.tables["openai"].models)
    assert azure["gpt-5.6-sol"].inherited_from is None
    terra = azure["gpt-5.6-terra"]
    assert terra.inherited_from == "openai"
    assert terra.periods[-1].source == "https://developers.openai.com/api/docs/pricing"
    assert terra.periods[-1].second_source == (
        "https://azure.microsoft.com/en-us/pricing/details/azure-openai/"
    )
    assert "write_12h" not in terra.periods[-1].usd_per_mtok
    assert "write_30m" in terra.periods[-1].usd_per_mtok
    assert all("write_12h" not in prices for _, prices in terra.periods[-1].tiers)
    assert vertex["claude-opus-5"].inherited_from == "anthropic"
    assert vertex["gemini-4-argon"].inherited_from == "google"
    assert vertex["claude-opus-4-6"].inherited_from is None


def test_every_price_row_and_every_rule_says_where_and_when_it_was_read() -> None:
    for table in load_book().tables.values():
        rows = [p for m in table.models for p in m.periods]
        rules = [r for rules in table.cache_rules.values() for r in rules.values()]
        for entry in (*rows, *rules, *table.usage):
            assert entry.source
            assert entry.as_of
            assert not entry.source.startswith("http://")
        assert all(page.startswith("https://") for page in table.pages.values())


def test_books_are_read_once_a_folder(tmp_path: Path) -> None:
    assert load_book() is load_book(FOLDER)
    shutil.copytree(FOLDER, tmp_path / "book")
    assert load_book(tmp_path / "book") is not load_book()
    assert load_book(tmp_path / "book") == load_book()


def test_no_released_file_has_changed_under_its_version() -> None:
    assert digests.FILES.read_text(encoding="utf-8").splitlines() == digests.file_lines(), (
        VERSION_RULE
    )


def test_no_released_price_row_was_ever_altered() -> None:
    released = digests.ROWS.read_text(encoding="utf-8").splitlines()
    assert len(released) == 258
    missing = set(released) - set(digests.row_lines())
    assert not missing, f"dated rows are added, never rewritten: {sorted(missing)}"


def test_a_folder_without_a_book_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_book(tmp_path / "nothing")
    for language in LANGUAGES:
        words = say(language, caught.value.message)
        assert "book.yaml" in words
        assert "{" not in words


def test_a_file_of_more_than_256_kb_is_refused(folder: Path) -> None:
    big = folder / "groq.yaml"
    big.write_text(big.read_text(encoding="utf-8") + "#" * MAX_BYTES, encoding="utf-8")
    with pytest.raises(DataError, match="size"):
        load_book(folder)


def test_a_check_lists_the_broken_table_and_reads_the_others(folder: Path) -> None:
    (folder / "groq.yaml").write_text("format: 2\n", encoding="utf-8")
    found = {row.provider: row for row in check_tables(folder)}
    assert found["groq"].error is not None
    assert found["groq"].table is None
    assert sum(row.table is not None for row in found.values()) == 15


def test_an_error_names_file_model_period_and_field(folder: Path) -> None:
    path = folder / "groq.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("uncached: 0.15,", "uncached: 1e-1,", 1), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_book(folder)
    values = caught.value.message.values
    assert values["file"] == "groq.yaml"
    assert (
        values["place"] == "models > openai/gpt-oss-120b > periods > [1] > usd_per_mtok > uncached"
    )
    assert values["found"] == "1e-1"
    assert say("en", caught.value.message) == (
        "groq.yaml, models > openai/gpt-oss-120b > periods > [1] > usd_per_mtok > uncached: "
        "expected a plain decimal price with at most 9 decimals, such as 0.075, found 1e-1. "
        "Correct this place in the file and load again."
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped tables that a test may spoil."""
    target = tmp_path / "tables"
    target.mkdir()
    for path in FOLDER.glob("*.yaml"):
        shutil.copy(path, target)
    return target


Break = Callable[[dict[str, Any]], None]


def _period(table: dict[str, Any]) -> dict[str, Any]:
    return table["models"][0]["periods"][-1]  # type: ignore[no-any-return]


def _set(key: str, value: object) -> Break:
    return lambda table: _period(table).__setitem__(key, value)


def _price(value: str) -> Break:
    return lambda table: _period(table)["usd_per_mtok"].__setitem__("read", value)


def _overlap(table: dict[str, Any]) -> None:
    later = copy.deepcopy(_period(table))
    later["valid_from"] = "2026-11-20"
    table["models"][0]["periods"].append(later)


def _gap(table: dict[str, Any]) -> None:
    first = _period(table)
    first["valid_to"] = "2027-01-01"
    later = copy.deepcopy(first)
    del later["valid_to"]
    later.pop("note", None)
    later["valid_from"] = "2027-02-01"
    table["models"][0]["periods"].append(later)


def _tier_without_read(table: dict[str, Any]) -> None:
    prices = {k: v for k, v in _period(table)["usd_per_mtok"].items() if k != "read"}
    _period(table)["tiers"] = [{"above_tokens": "1000", "usd_per_mtok": prices}]


def _falling_tiers(table: dict[str, Any]) -> None:
    prices = _period(table)["usd_per_mtok"]
    tiers = [{"above_tokens": n, "usd_per_mtok": prices} for n in ("2000", "1000")]
    _period(table)["tiers"] = tiers


BREAKS: dict[str, Break] = {
    "unknown key at the top": lambda t: t.__setitem__("colour", "red"),
    "unknown key in a model": lambda t: t["models"][0].__setitem__("colour", "red"),
    "unknown key in a period": _set("colour", "red"),
    "no source": lambda t: _period(t).pop("source"),
    "no as_of": lambda t: _period(t).pop("as_of"),
    "no start": lambda t: _period(t).pop("valid_from"),
    "no status": lambda t: _period(t).pop("status"),
    "no prices": lambda t: _period(t).pop("usd_per_mtok"),
    "no output price": lambda t: _period(t)["usd_per_mtok"].pop("output"),
    "no periods": lambda t: t["models"][0].__setitem__("periods", []),
    "no rules": lambda t: t.pop("cache_rules"),
    "another format": lambda t: t.__setitem__("format", "2"),
    "another provider": lambda t: t.__setitem__("provider", "elsewhere"),
    "source that is no page": _set("source", "pricng"),
    "source without https": _set("source", "http://example.org"),
    "page that is no address": lambda t: t["pages"].__setitem__("pricing", "ftp://example.org"),
    "day that does not exist": _set("valid_from", "2026-02-30"),
    "day in another order": _set("valid_from", "24-07-2026"),
    "end before start": lambda t: _period(t).update(valid_from="2026-01-02", valid_to="2026-01-01"),
    "end at the start": lambda t: _period(t).update(valid_from="2026-01-01", valid_to="2026-01-01"),
    "status of our own": _set("status", "probably"),
    "overlapping periods": _overlap,
    "gap without a note": _gap,
    "price with an exponent": _price("1e-3"),
    "negative price": _price("-1"),
    "price with ten decimals": _price("0.0000000001"),
    "price that is no number": _price("nan"),
    "endless price": _price(".inf"),
    "price with a comma": _price("1,5"),
    "price of nothing": lambda t: _period(t)["usd_per_mtok"].__setitem__("read", None),
    "free output": lambda t: _period(t)["usd_per_mtok"].__setitem__("output", "0"),
    "unknown bucket": lambda t: _period(t)["usd_per_mtok"].__setitem__("write_7m", "1"),
    "tier without a bucket": _tier_without_read,
    "tiers out of order": _falling_tiers,
    "tier without a threshold": _set("tiers", [{"usd_per_mtok": {"uncached": "1", "output": "1"}}]),
    "unknown mode": _set("modes", {"turbo": {"multiplier": "2"}}),
    "mode without a factor": _set("modes", {"batch": {"note": "half"}}),
    "mode with factor and prices": _set(
        "modes", {"batch": {"multiplier": "2", "usd_per_mtok": {"uncached": "1"}}}
    ),
    "factor zero": _set("modes", {"batch": {"multiplier": "0"}}),
    "unknown schedule": _set("schedule", "lunch"),
    "id used twice": lambda t: t["models"].append(copy.deepcopy(t["models"][0])),
    "alias of another model": lambda t: t["models"][0]["aliases"].append(
        t["models"][1]["id"].upper()
    ),
    "flag in other words": lambda t: t.__setitem__("maker", "yes"),
    "control character in a name": lambda t: t["models"][0].__setitem__("id", "a\x07b"),
    "list instead of a mapping": _set("usd_per_mtok", ["1"]),
    "text instead of a list": lambda t: t.__setitem__("models", "none"),
}
TABLES = ("anthropic", "openai", "google", "deepseek", "groq", "xai", "bedrock")


@pytest.fixture(scope="module")
def sound_tables() -> dict[str, dict[str, Any]]:
    class Text(yaml.SafeLoader):
        """Everything stays as written."""

    Text.yaml_implicit_resolvers = {}
    tables = {}
    for name in TABLES:
        loaded = yaml.load((FOLDER / f"{name}.yaml").read_text("utf-8"), Text)  # noqa: S506
        tables[name] = _with_null(loaded)
    return tables


def _with_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_null(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_null(item) for item in value]
    return None if value == "null" else value


def _written(folder: Path, name: str, table: dict[str, Any]) -> None:
    text = yaml.safe_dump(table, default_style='"', allow_unicode=True, sort_keys=False)
    text = text.replace('!!null "null"', "null")
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def test_tables_survive_being_written_again(
    sound_tables: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    for name, table in sound_tables.items():
        _written(tmp_path, name, table)
        assert read_table_file(tmp_path, name) == read_table_file(FOLDER, name)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(TABLES), kind=st.sampled_from(sorted(BREAKS)))
def test_one_broken_thing_in_a_sound_table_is_a_data_error(
    sound_tables: dict[str, dict[str, Any]], tmp_path: Path, name: str, kind: str
) -> None:
    table = copy.deepcopy(sound_tables[name])
    BREAKS[kind](table)
    _written(tmp_path, name, table)
    with pytest.raises(DataError) as caught:
        read_table_file(tmp_path, name)
    assert caught.value.message.values["file"] == f"{name}.yaml"
    assert f"{name}.yaml" in say("ja", caught.value.message)


def _inner(message: Message) -> Iterator[Message]:
    yield message
    for value in message.values.values():
        if isinstance(value, Message):
            yield from _inner(value)


def test_each_way_of_breaking_a_table_is_refused_in_both_languages(
    sound_tables: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    for kind, spoil in BREAKS.items():
        table = copy.deepcopy(sound_tables["groq"])
        spoil(table)
        _written(tmp_path, "groq", table)
        try:
            read_table_file(tmp_path, "groq")
        except DataError as error:
            for message in _inner(error.message):
                for language in LANGUAGES:
                    assert translations(language).gettext(message.id) != message.id
        else:
            pytest.fail(f"{kind} was taken")


def test_inheriting_from_a_table_that_is_no_maker_is_refused(folder: Path) -> None:
    path = folder / "vertex.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("provider: google,", "provider: groq,"), encoding="utf-8")
    with pytest.raises(DataError, match="maker"):
        load_book(folder)


def test_price_names_are_buckets_or_named_extras() -> None:
    names = {
        name
        for table in load_book().tables.values()
        for model in table.models
        for period in model.periods
        for name in period.usd_per_mtok
    }
    assert names <= {*BUCKETS, *EXTRA_PRICES}


def test_prices_have_at_most_nine_decimals_and_are_finite() -> None:
    for table in load_book().tables.values():
        for model in table.models:
            for period in model.periods:
                for price in period.usd_per_mtok.values():
                    assert price.is_finite()
                    assert price > 0
                    assert price == price.quantize(Decimal("1e-9"))
