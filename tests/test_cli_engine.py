"""`probe` and `profiles` through the shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_sources.store.engine import close_current_store
from jobs import probing, profiling
from kvcore import profile_json
from messages.catalogue import LANGUAGES
from settings import Settings, using
from tests.data_sources.probe.servers import Script, serving
from tests.econ.test_device_cases import LONG
from tests.shell import shell
from tests.shell_shapes import count, maybe, shape


def seconds(value: Any) -> None:
    assert type(value) is float
    assert value > 0


RUN = shape(
    first_token_s=seconds,
    total_s=seconds,
    prompt_tokens=maybe(count),
    cached_tokens=maybe(count),
    prompt_eval_s=maybe(seconds),
    load_s=maybe(seconds),
)


@pytest.fixture(autouse=True)
def _own_ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield
        close_current_store()


@pytest.fixture
def profile_file(tmp_path: Path) -> Path:
    path = tmp_path / "laptop.json"
    path.write_text(profile_json.dumps(LONG), encoding="utf-8")
    return path


def test_a_probe_prints_and_keeps_both_times() -> None:
    with serving(Script()) as script:
        said = shell("probe", script.url, "--model", "m", "--prompt-tokens", 200, "--json")
    assert said.status == 0, said.err
    found = said.json
    for run in ("cold", "warm"):
        RUN(found[run])
    assert found["api"] == "openai"
    assert found["kvcore"] is None
    (kept,) = probing.probes()
    assert (kept.cold_s, kept.warm_s) == (
        found["cold"]["first_token_s"],
        found["warm"]["first_token_s"],
    )
    assert kept.id == found["probe_id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_person_reads_both_times_beside_kvcores_own(language: str) -> None:
    profiling.keep(LONG, "measured", "ann")
    with serving(Script(kind="ollama")) as script:
        flags = ("--model", "m", "--prompt-tokens", 900, "--lang", language)
        said = shell("probe", script.url, *flags)
    assert said.status == 0, said.err
    assert "1.890" in said.out  # kvcore's pair at the nearest length
    assert "0.080" in said.out
    assert "SmolLM2-135M" in said.out
    assert "0.33.2" in said.out
    assert "{" not in said.out
    assert "cli." not in said.out


def test_kvcores_pair_is_of_this_machine_and_the_nearest_length() -> None:
    profiling.keep(LONG, "imported", "ann")
    assert probing.kvcore_pair(13_000) is None
    profiling.delete_profile(profiling.digest(LONG))
    profiling.keep(LONG, "measured", "ann")
    own = probing.kvcore_pair(13_000)
    assert own is not None
    assert (own["cold_s"], own["warm_s"], own["prompt_tokens"]) == (67.8, 0.204, 13_220)


def test_a_refused_probe_says_one_sentence_and_keeps_nothing() -> None:
    with serving(Script(answer=lambda handler, _: handler.json(500, {"error": "boom"}))) as script:
        said = shell("probe", script.url, "--model", "m")
    assert said.status == 1
    assert "boom" in said.sentence
    assert probing.probes() == []
    assert shell("probe", "ftp://host", "--model", "m").status == 1


@pytest.mark.parametrize(
    "flags",
    [(), ("--model", "m", "--api", "telnet"), ("--model", "m", "--prompt-tokens", "0")],
)
def test_wrong_usage_of_probe(flags: tuple[str, ...]) -> None:
    said = shell("probe", "http://localhost:1", *flags)
    assert (said.status, said.out) == (2, "")


def test_a_key_of_the_environment_is_sent_and_never_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with using(Settings(data_dir=tmp_path / "ledger", probe_key="canary-77")):
        with serving(Script()) as script:
            said = shell("probe", script.url, "--model", "m", "--prompt-tokens", 50, "--json")
        assert script.requests[0][2]["Authorization"] == "Bearer canary-77"
        assert "canary-77" not in said.out + said.err
        close_current_store()
    held = b"".join(path.read_bytes() for path in (tmp_path / "ledger").glob("ledger.sqlite*"))
    assert b"canary-77" not in held
    assert b"127.0.0.1" in held


def test_a_profile_is_imported_listed_shown_and_deleted(profile_file: Path) -> None:
    imported = shell("profiles", "import", profile_file, "--json").json["imported"]
    rows = [r for r in shell("profiles", "list", "--json").json["profiles"]
            if r["origin"] != "reference"]  # fmt: skip
    assert [(row["profile_id"], row["origin"]) for row in rows] == [(imported, "imported")]
    shown = shell("profiles", "show", imported[:8], "--json").json
    assert shown == json.loads(profile_file.read_text(encoding="utf-8"))
    assert shell("profiles", "delete", imported[:8], "--json").json == {"deleted": imported}
    assert shell("profiles", "show", imported).status == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_person_reads_profiles_as_tables(profile_file: Path, language: str) -> None:
    shell("profiles", "import", profile_file)
    listed = shell("profiles", "list", "--lang", language).out
    assert "laptop" in listed
    assert "2026-11-29" in listed
    start = profiling.digest(LONG)[:12]
    shown = shell("profiles", "show", start, "--lang", language).out
    assert "67.8" in shown
    assert "prompt_tokens 13220" in shown
    assert "cli." not in listed + shown


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "line 1"),
        (b"{", "line 1"),
        (b"[]", "profile"),
        (b"\xff\xfe\x00", "JSON"),
        (b'{"profile_version": 1}', "name"),
        (b"[" * 100_000, "line 1"),
    ],
)
def test_what_is_no_profile_is_refused_with_its_place(
    tmp_path: Path, content: bytes, named: str
) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    said = shell("profiles", "import", path)
    assert said.status == 1
    assert "odd.json" in said.sentence
    assert named in said.sentence


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("profiles", "show", "0123abcd"), "0123abcd"),
        (("profiles", "delete", "0123abcd"), "0123abcd"),
        (("profiles", "import", "none.json"), "none.json"),
        (("probe", "http://localhost:1", "--model", "m"), "localhost:1"),
        (("probe", "ftp://localhost", "--model", "m"), "http"),
    ],
    ids=lambda words: "" if isinstance(words, str) else " ".join(words[:2]),
)
def test_a_refusal_leaves_standard_output_empty_for_json_too(
    words: tuple[str, ...], named: str, language: str
) -> None:
    """A program that reads JSON gets none, the status 1, and a person gets one sentence."""
    said = shell(*words, "--json", "--lang", language)
    assert said.status == 1
    assert named in said.sentence
    assert "cli." not in said.sentence


def test_files_that_cannot_be_read_or_are_too_large_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile_file: Path
) -> None:
    assert "none.json" in shell("profiles", "import", tmp_path / "none.json").sentence
    monkeypatch.setattr(profile_json, "MAX_BYTES", 100)
    assert "100 bytes" in shell("profiles", "import", profile_file).sentence


def test_every_reference_profile_can_be_read_and_cannot_be_deleted() -> None:
    files = sorted(profiling.REFERENCE_DIR.glob("*.json"))
    assert len(profiling.references()) == len(files)
    for entry, found in profiling.references():
        assert found.cases
        said = shell("profiles", "delete", entry.id)
        assert said.status == 1
        assert entry.id[:12] in said.sentence
