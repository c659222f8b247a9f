"""How the shell refuses: 1 for what is given, 2 for how it is asked; one sentence, no output."""

from __future__ import annotations

import gzip
import json
import os
import zipfile
from pathlib import Path

import pytest

from messages.catalogue import LANGUAGES
from tests.shell import Said, plain_csv, report, shell

HEADER = "start_utc,model,input_tokens,output_tokens\n"
ROW = "2026-10-01T09:00:00Z,claude-opus-5,1000,10\n"


@pytest.fixture
def usage(tmp_path: Path) -> Path:
    file = tmp_path / "usage.csv"
    file.write_text(HEADER + ROW, encoding="utf-8")
    return file


def refused(said: Said, *named: object) -> str:
    """One sentence on standard error that names what is `named`; status 1."""
    assert said.status == 1
    for word in named:
        assert str(word) in said.sentence
    return said.sentence


REFUSED_FILES = {
    "missing": None,
    "empty": b"",
    "binary": bytes(range(256)) * 20,
    "prose": b"Once upon a time there was a cache.\nIt was full.\n",
    "cut json": b'{"model": "claude-opus-5", "usage": {"input_tok',
    "other table": b"colour,size\nred,3\nblue,4\n",
    "header alone": HEADER.encode(),
    "cut gzip": gzip.compress(HEADER.encode() * 50)[:30],
    "picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
}


@pytest.mark.parametrize("command", ["inspect", "report"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", REFUSED_FILES)
def test_a_file_that_cannot_be_used_is_named_in_one_sentence(
    kind: str, language: str, command: str, tmp_path: Path
) -> None:
    file, content = tmp_path / "usage.csv", REFUSED_FILES[kind]
    if content is not None:
        file.write_bytes(content)
    for words in ((), ("--json",)):
        refused(shell(command, file, *words, "--lang", language), file)


def test_a_file_whose_rows_are_all_rejected_names_the_first_line(tmp_path: Path) -> None:
    row = {"model": "m", "input_tokens": 10, "cached_read_tokens": 20, "output_tokens": 1}
    file = plain_csv(tmp_path / "bad.csv", [{"start_utc": "2026-10-01T09:00:00Z", **row}] * 2)
    sentence = refused(shell("report", file), file, "Line 2", "20", "10")
    assert "2 rejected" in sentence


def test_one_bad_file_among_good_ones_is_refused_by_its_name(usage: Path, tmp_path: Path) -> None:
    """Nobody gets a total in which a named file is missing."""
    bad = tmp_path / "bad.csv"
    bad.write_text("colour,size\nred,3\n", encoding="utf-8")
    sentence = refused(shell("report", usage, bad, "--json"), bad)
    assert "colour" in sentence


WRONG_USAGE = {
    "no command": (),
    "no such command": ("bake", "FILE"),
    "no file": ("report",),
    "no such flag": ("report", "FILE", "--colour"),
    "group": ("report", "FILE", "--by", "colour"),
    "date": ("report", "FILE", "--at", "yesterday"),
    "first day": ("report", "FILE", "--since", "2026-13-01"),
    "days the wrong way": ("report", "FILE", "--since", "2026-10-02", "--until", "2026-10-01"),
    "span": ("report", "FILE", "--change", "2026-10-01", "2026-10-02..2026-10-03"),
    "span the wrong way": (
        *("report", "FILE", "--change"),
        *("2026-10-02..2026-10-01", "2026-10-02..2026-10-03"),
    ),
    "one span": ("report", "FILE", "--change", "2026-10-01..2026-10-02"),
    "rate": ("report", "FILE", "--rate", "150"),
    "rate of nothing": ("report", "FILE", "--rate", "JPY=0"),
    "rate of a million digits": ("report", "FILE", "--rate", "JPY=1e-999999"),
    "moment before the calendar": ("report", "FILE", "--at", "0001-01-01T00:00+09:00"),
    "rate of no number": ("report", "FILE", "--rate", "JPY=nan"),
    "month": ("report", "FILE", "--month-factor", "many"),
    "invoice": ("report", "FILE", "--invoice-usd", "-3"),
    "zone": ("report", "FILE", "--tz", "Mars/Olympus"),
    "mapping": ("report", "FILE", "--map", "prompt"),
    "model name": ("report", "FILE", "--map-model", "=claude-opus-5"),
    "block size": ("inspect", "FILE", "--block-size", "0"),
    "prompt": ("prices", "show", "claude-opus-5", "--prompt-tokens", "many"),
    "price date": ("prices", "show", "claude-opus-5", "--at", "soon"),
    "quantisation": (
        *("fleet", "FILE", "--model", "llama-3.1-70b"),
        *("--device", "h200-sxm", "--quantization", "colour"),
    ),
    "KV format": (
        *("fleet", "FILE", "--model", "llama-3.1-70b"),
        *("--device", "h200-sxm", "--kv-cache-dtype", "colour"),
    ),
    "heads over three": (
        *("fleet", "FILE", "--model", "llama-3.1-70b"),
        *("--device", "h200-sxm", "--tp", "3"),
    ),
    "copies of attention": (
        *("roofline", "deepseek-v3", "--device", "h200-sxm", "--context", "4096"),
        *("--batch", "64", "--tp", "8", "--attention-copies", "3"),
    ),
    "language": ("report", "FILE", "--lang", "fr"),
    "no price command": ("prices",),
    "no report id": ("reports", "show"),
}


@pytest.mark.parametrize("kind", WRONG_USAGE)
def test_wrong_usage_ends_with_2_and_says_nothing_on_standard_output(
    kind: str, usage: Path
) -> None:
    words = [usage if word == "FILE" else word for word in WRONG_USAGE[kind]]
    said = shell(*words, "--json") if words else shell()
    assert (said.status, said.out) == (2, "")
    assert said.err


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_flag_is_named_with_what_was_expected_and_found(usage: Path, language: str) -> None:
    said = shell("report", usage, "--rate", "150", "--lang", language)
    for word in ("--rate", "JPY=150", "150"):
        assert word in said.sentence


def test_an_unknown_provider_is_refused(usage: Path) -> None:
    assert "nobody" in refused(shell("report", usage, "--provider", "nobody", "--json"))


@pytest.mark.parametrize("out", ["no-folder/report.csv", "."])
def test_a_path_that_cannot_be_written_is_named(usage: Path, tmp_path: Path, out: str) -> None:
    target = tmp_path / out
    refused(shell("report", usage, "--json", "--out", target), target)


def test_the_report_is_never_written_over_a_file_that_it_is_made_from(usage: Path) -> None:
    before = usage.read_bytes()
    said = shell("report", usage, "--out", usage)
    assert said.status == 2
    assert str(usage) in said.sentence
    assert usage.read_bytes() == before


def test_messages_go_to_standard_error_and_json_alone_to_standard_output(
    usage: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.csv"
    said = shell("report", usage, "--json", "--out", out)
    assert said.json["workload"]["requests"] == 1
    assert str(out) in said.err


def test_a_file_given_twice_counts_once_and_says_so(usage: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.csv"
    copy.write_bytes(usage.read_bytes())
    for words in ((usage, usage), (usage, copy)):
        found = report(*words)
        assert found["workload"]["requests"] == 1
        assert any(str(usage) in said for said in found["assumptions"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Usage in two sub-folders, one of them packed, beside a table, notes and an empty file."""
    home = tmp_path / "home"
    for name in ("a", "b", "c.jsonl"):
        (home / name).mkdir(parents=True)
    (home / "a" / "one.csv").write_text(HEADER + ROW, encoding="utf-8")
    other = HEADER + ROW.replace("1000", "2000")
    (home / "b" / "two.csv.gz").write_bytes(gzip.compress(other.encode()))
    with zipfile.ZipFile(home / "b" / "three.ZIP", "w") as packed:
        packed.writestr("three.csv", HEADER + ROW.replace("1000", "3000"))
    (home / "a" / "colours.csv").write_text("colour,size\nred,3\n", encoding="utf-8")
    (home / "a" / "empty.json").touch()
    (home / "a" / "notes.txt").write_text("not looked at", encoding="utf-8")
    return home


def test_a_folder_stands_for_the_usage_files_below_it(folder: Path) -> None:
    found = report(folder)
    assert found["workload"]["requests"] == 3
    assert found["workload"]["name"] == "home"
    tokens = [row["tokens"]["uncached"] for row in found["groups"] if row["by"] == "model"]
    assert tokens == [6000]


def test_what_a_folder_holds_besides_is_said_not_refused(folder: Path) -> None:
    said = " ".join(report(folder)["assumptions"])
    for name in ("colours.csv", "empty.json"):
        assert str(folder / "a" / name) in said
    assert "notes.txt" not in said


def test_a_bad_file_of_a_folder_does_not_take_its_like_with_it(folder: Path) -> None:
    """A table of the same format that cannot be cut into rows."""
    bad = folder / "a" / "bad.csv"
    bad.write_text(HEADER + '"2026', encoding="utf-8")
    found = report(folder)
    assert found["workload"]["requests"] == 3
    assert any(str(bad) in said for said in found["assumptions"])
    refused(shell("report", folder, bad), bad)


def test_a_file_that_is_named_is_refused_even_beside_its_folder(folder: Path) -> None:
    bad = folder / "a" / "colours.csv"
    refused(shell("report", folder, bad), bad)


def test_a_folder_without_any_usage_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    refused(shell("report", tmp_path), tmp_path, ".jsonl")
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(f"colour,size\nred,{name}\n", encoding="utf-8")
    refused(shell("report", tmp_path), tmp_path / "one.csv", "2 files")


@pytest.mark.skipif(os.name == "nt", reason="links to folders need rights there")
def test_a_link_to_a_folder_is_not_followed(folder: Path) -> None:
    (folder / "a" / "again").symlink_to(folder, target_is_directory=True)
    assert report(folder)["workload"]["requests"] == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_is_in_the_readers_language(language: str) -> None:
    commands = [("inspect",), ("report",), ("prices", "show"), ("prices", "check"),
                ("reports", "list"), ("reports", "show"), ("reports", "delete")]  # fmt: skip
    for words in ((), *commands):
        said = shell(*words, "--help", "--lang", language)
        assert (said.status, said.err) == (0, "")
        assert "cli." not in said.out
        assert any(ord(letter) > 0x3000 for letter in said.out) is (language == "ja")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_table_is_printed_in_the_readers_language(usage: Path, language: str) -> None:
    for words in (
        ("inspect", usage),
        ("report", usage, "--invoice-usd", "1"),
        ("prices", "show", "claude-opus-5"),
        ("prices", "show", "no-such-model"),
        ("prices", "check"),
        ("reports", "list"),
    ):
        said = shell(*words, "--lang", language)
        assert (said.status, said.err) == (0, "")
        assert "cli." not in said.out
        assert "report." not in said.out
    assert any(ord(letter) > 0x3000 for letter in said.out) is (language == "ja")


def test_words_follow_the_language_and_numbers_do_not(usage: Path) -> None:
    english = shell("report", usage, "--json", "--lang", "en").json
    japanese = shell("report", usage, "--json", "--lang", "ja").json
    reasons = [found["baselines"].pop("reasons") for found in (english, japanese)]
    assert reasons[0] != reasons[1]
    for key in ("report_id", "workload", "baselines", "saving", "ratios", "groups"):
        assert json.dumps(english[key]) == json.dumps(japanese[key])


def test_an_unset_file_name_is_not_the_current_folder() -> None:
    for command in ("inspect", "report"):
        said = shell(command, "")
        assert (said.status, said.out) == (2, "")


def test_each_number_flag_names_its_own_shape(tmp_path: Path) -> None:
    table = plain_csv(tmp_path / "t.csv", [{"start_s": 0, "input_tokens": 1, "output_tokens": 1}])
    assert "1234.56" in shell("report", table, "--invoice-usd", "abc").sentence
    assert "JPY=150" in shell("report", table, "--rate", "JPY=abc").sentence
    assert "30.4375" in shell("report", table, "--month-factor", "abc").sentence


SPLIT = {
    "kv": ("kv", "llama-3.1-70b", "--context", "8", "--tp", "3"),
    "roofline": ("roofline", "llama-3.1-70b", "--device", "h200-sxm", "--context", "8",
                 "--batch", "1", "--tp", "3"),
    "fleet": ("fleet", "FILE", "--model", "llama-3.1-70b", "--device", "h200-sxm", "--tp", "3"),
    "a line": ("fleet", "FILE", "--device", "h200-sxm", "--serve",
               "vllm serve meta-llama/Llama-3.1-70B --tensor-parallel-size 3"),
    "prefill": ("fleet", "FILE", "--model", "llama-3.1-70b", "--device", "h200-sxm", "--tp", "2",
                "--prefill-device", "h100-sxm", "--prefill-tp", "3"),
}  # fmt: skip


@pytest.mark.parametrize("command", SPLIT)
@pytest.mark.parametrize("language", LANGUAGES)
def test_heads_that_cannot_be_dealt_out_are_refused_with_what_can(
    command: str, language: str, usage: Path
) -> None:
    words = [usage if word == "FILE" else word for word in SPLIT[command]]
    said = shell(*words, "--lang", language)
    flag = "--prefill-tp" if command == "prefill" else "--tp"
    assert (said.status, said.out) == (2, "")
    for word in (flag, "64", "8", "1, 2, 4, 8, 16, 32, 64", "3"):
        assert word in said.sentence
