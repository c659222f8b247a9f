"""Every setting in one table: name, type, default, help. Read once from KVLEDGER_* variables.

A bad value stops the start with one sentence that names the variable and what is allowed. Tests and
worker processes hand in their own `Settings` with `use()`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

from messages.errors import InputError, Message, input_error

PREFIX = "KVLEDGER_"
URL_SCHEMES = ("sqlite", "postgresql")

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
LanguageCode = Literal["en", "ja"]


def default_data_dir() -> Path:
    """The user's own folder: $XDG_DATA_HOME/kvledger, else ~/.kvledger; works without a HOME."""
    data_home = Path(os.environ.get("XDG_DATA_HOME", ""))
    if data_home.is_absolute():
        return data_home / "kvledger"
    return _home() / ".kvledger"


def _home() -> Path:
    # An empty HOME expands to "/", where nobody may write: ask the password file instead.
    if os.environ.get("HOME") or os.name == "nt":
        return Path(os.path.expanduser("~"))
    import pwd  # not on Windows

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return Path(tempfile.gettempdir())


def _default_workers() -> int:
    return max(1, min(4, os.cpu_count() or 1))


class Settings(BaseSettings):
    """The table. Names are environment variables without the prefix KVLEDGER_."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", env_ignore_empty=True
    )

    data_dir: Path = Field(default_factory=default_data_dir, description="Folder for the ledger.")
    database_url: SecretStr | None = Field(
        None,
        description="SQLAlchemy URL of the store (sqlite or postgresql). Empty: a SQLite file.",
    )
    workloads_url: str | None = Field(
        None, description="Folder or fsspec URL for workload files. Empty: in the data folder."
    )
    max_upload_mb: int = Field(1024, ge=1, le=65_536, description="Largest file in the browser.")
    max_rows: int = Field(
        20_000_000, ge=1, le=1_000_000_000, description="Most rows of one workload in the browser."
    )
    worker_count: int = Field(
        default_factory=_default_workers, ge=1, le=256, description="Processes for long work."
    )
    worker_memory_mb: int = Field(
        16_384, ge=0, le=4_194_304, description="Address space of one worker in MB; 0 is no limit."
    )
    job_timeout_s: int = Field(
        3_600, ge=1, le=604_800, description="Seconds after which a job is stopped."
    )
    jobs_per_owner: int = Field(
        8, ge=1, le=10_000, description="Unfinished jobs that one browser session may have."
    )
    session_ttl_s: int = Field(
        86_400, ge=60, le=31_536_000, description="Seconds after which unsaved work is deleted."
    )
    language: LanguageCode = Field("en", description="Language of the first page: en or ja.")
    log_level: LogLevel = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    probe_key: SecretStr | None = Field(
        None, description="Key for the server that `probe` asks. Never printed or stored."
    )
    price_overrides: Path | None = Field(
        None, description="YAML file with your own prices, discounts and taxes."
    )
    sec_contact: str | None = Field(
        None, description="E-mail address that the SEC asks for in every request."
    )
    fred_key: SecretStr | None = Field(
        None, description="Key for FRED. Never printed or stored; without it FRED's CSV is read."
    )
    edinet_key: SecretStr | None = Field(
        None, description="Key for EDINET. Never printed or stored."
    )
    estat_key: SecretStr | None = Field(
        None, description="Key (appId) for e-Stat. Never printed or stored."
    )
    reference_data: Path | None = Field(
        None, description="Folder of published reference files. Used by tests alone."
    )

    @field_validator("data_dir", "reference_data", "price_overrides")
    @classmethod
    def _absolute(cls, path: Path | None) -> Path | None:
        return None if path is None else Path(os.path.abspath(path.expanduser()))

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: SecretStr | None) -> SecretStr | None:
        scheme = url.get_secret_value().partition("://")[0].partition("+")[0] if url else None
        if scheme is not None and scheme not in URL_SCHEMES:
            raise ValueError("unknown scheme")
        return url

    @property
    def sqlite_path(self) -> Path:
        """Where the SQLite file lies when no database_url is given."""
        return self.data_dir / "ledger.sqlite"

    @property
    def store_url(self) -> str:
        """The database to open. May hold a password: never print it."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{self.sqlite_path}"

    @property
    def files_url(self) -> str:
        """The folder or fsspec URL under which workload files are kept."""
        return self.workloads_url or str(self.data_dir / "workloads")


_current: Settings | None = None


def read_settings(**changes: Any) -> Settings:
    """Settings from the environment, `changes` on top. Raises InputError naming the variable."""
    try:
        return Settings(**changes)
    except ValidationError as error:
        raise _bad_value(error) from None  # the chain would print values, keys among them


def current() -> Settings:
    """The settings of this process, read from the environment at the first call."""
    global _current
    if _current is None:
        _current = read_settings()
    return _current


def use(settings: Settings | None) -> Settings | None:
    """Make `settings` current (None: read again at the next call). Returns what was current."""
    global _current
    before, _current = _current, settings
    return before


def start_language() -> str:
    """The language to say a start error in; English where that setting is the error."""
    try:
        return current().language
    except InputError:
        return "en"


@contextmanager
def using(settings: Settings) -> Iterator[Settings]:
    """`settings` are current inside the block."""
    before = use(settings)
    try:
        yield settings
    finally:
        use(before)


def unknown_names() -> list[str]:
    """KVLEDGER_* variables that are set but mean nothing: most likely typing errors."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)


def allowed(name: str) -> Message:
    """What the setting `name` accepts, as a message."""
    field = Settings.model_fields[name]
    bounds = _bounds(field)
    if bounds:
        return Message("settings.between", {"low": bounds[0], "high": bounds[1]})
    choices = get_args(field.annotation) if name in ("language", "log_level") else ()
    if choices:
        return Message("settings.one_of", {"choices": ", ".join(choices)})
    return Message("settings.database" if name == "database_url" else "settings.folder")


def _bounds(field: FieldInfo) -> tuple[int, int] | None:
    limits = {key: getattr(part, key) for part in field.metadata for key in ("ge", "le")
              if hasattr(part, key)}  # fmt: skip
    return (limits["ge"], limits["le"]) if len(limits) == 2 else None


def _bad_value(error: ValidationError) -> InputError:
    first = error.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0])
    # A database URL may hold a password, so its value is never repeated; nor is a key.
    found = "***" if name == "database_url" or name.endswith("_key") else str(first["input"])
    return input_error(
        "settings.bad_value", name=PREFIX + name.upper(), found=found, expected=allowed(name)
    )
