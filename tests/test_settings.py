"""Settings: one table, in step with its page, and clear about bad values."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import settings as settings_module
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError
from settings import Settings, allowed, read_settings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "settings.md"


def page_rows() -> dict[str, list[str]]:
    rows = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `KVLEDGER_"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            rows[cells[0].strip("`")] = cells
    return rows


def test_docs_mention_every_setting_with_its_range_and_help() -> None:
    rows = page_rows()
    fields = {"KVLEDGER_" + name.upper(): (name, f) for name, f in Settings.model_fields.items()}
    assert list(rows) == list(fields)
    for variable, (name, field) in fields.items():
        _, default, range_, help_ = rows[variable]
        assert help_ == field.description, variable
        if isinstance(field.default, int):
            assert default == str(field.default), variable
        bounds = allowed(name)
        if bounds.id == "settings.between":
            assert range_ == f"{bounds.values['low']} to {bounds.values['high']}", variable
        if bounds.id == "settings.one_of":
            assert range_ == bounds.values["choices"], variable


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("KVLEDGER_MAX_UPLOAD_MB", "0", "a whole number from 1 to 65,536"),
        ("KVLEDGER_WORKER_COUNT", "two", "a whole number from 1 to 256"),
        ("KVLEDGER_SESSION_TTL_S", "59", "a whole number from 60 to 31,536,000"),
        ("KVLEDGER_LANGUAGE", "fr", "one of en, ja"),
        ("KVLEDGER_LOG_LEVEL", "loud", "one of DEBUG, INFO, WARNING, ERROR"),
    ],
)
def test_a_bad_value_names_the_variable_the_value_and_the_range(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputError) as caught:
        read_settings()
    words = say("en", caught.value.message)
    assert all(part in words for part in (variable, value, expected)), words
    assert variable in say("ja", caught.value.message)


def test_a_password_in_a_database_url_is_never_repeated() -> None:
    with pytest.raises(InputError) as caught:
        read_settings(database_url="mysql://me:hunter2@host/x")
    assert "hunter2" not in "".join(say(lang, caught.value.message) for lang in LANGUAGES)
    assert "hunter2" not in str(caught.value)
    good = read_settings(database_url="postgresql://me:hunter2@host/x")
    assert "hunter2" not in repr(good)
    assert good.store_url == "postgresql://me:hunter2@host/x"


def test_the_folder_is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KVLEDGER_DATA_DIR", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_settings().data_dir == tmp_path / ".kvledger"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert read_settings().data_dir == tmp_path / "share" / "kvledger"
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    assert read_settings().data_dir == tmp_path / ".kvledger"


@pytest.mark.parametrize("home", ["", None])
def test_no_home_is_no_problem(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    monkeypatch.delenv("KVLEDGER_DATA_DIR", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    folder = read_settings().data_dir
    assert folder.is_absolute()
    assert folder != Path("/.kvledger")


def test_the_languages_are_those_of_the_catalogue() -> None:
    assert get_args(settings_module.LanguageCode) == LANGUAGES


def test_settings_are_read_once_and_tests_may_use_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = settings_module.current()
    monkeypatch.setenv("KVLEDGER_MAX_ROWS", "5")
    assert settings_module.current() is before
    with settings_module.using(Settings(data_dir=tmp_path)) as mine:
        assert settings_module.current() is mine
        assert mine.max_rows == 5
    assert settings_module.current() is before
