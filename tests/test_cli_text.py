"""What the shell prints for a person: the figures of the same command with --json, in words."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from messages.catalogue import LANGUAGES, t
from tests.shell import jsonl, plain_csv, process, shell


@pytest.fixture
def usage(tmp_path: Path) -> Path:
    """Two days of a million read tokens each, on the second day on another model too."""
    row = {"input_tokens": 1_000_000, "cached_read_tokens": 1_000_000, "output_tokens": 0}
    rows = [
        {**row, "start_utc": "2026-10-01T09:00:00Z", "model": "claude-opus-5", "user": "a"},
        {**row, "start_utc": "2026-10-02T09:00:00Z", "model": "claude-opus-5", "user": "b"},
        {**row, "start_utc": "2026-10-02T10:00:00Z", "model": "claude-haiku-4-5", "user": "b"},
    ]
    return plain_csv(tmp_path / "usage.csv", rows)


def line_with(text: str, *parts: str) -> str:
    """The one line that holds all of `parts`."""
    (line,) = (line for line in text.splitlines() if all(part in line for part in parts))
    return line


def test_the_baselines_come_first_with_five_decimals(usage: Path) -> None:
    """3 million reads: 11.00 USD without caching, 0.50 + 0.50 + 0.10 as billed."""
    lines = shell("report", usage).out.splitlines()
    assert lines[0] == "usage.csv"
    assert lines[2].split()[-1] == "11.00000"
    assert lines[3].split()[-1] == "1.10000"
    assert lines[4].split() == ["saved,", "USD", "9.90000"]


def test_groups_are_printed_dearest_first_and_days_in_order(usage: Path) -> None:
    out = shell("report", usage).out
    assert out.index("2026-10-01") < out.index("2026-10-02")
    assert line_with(out, "2026-10-02").split() == ["2026-10-02", "2", "6.00000", "0.60000"]
    users = out[out.index("By user") :].splitlines()
    assert users[2].split() == ["b", "2", "6.00000", "0.60000"]
    assert users[3].split() == ["a", "1", "5.00000", "0.50000"]


def test_each_asked_for_part_is_printed(usage: Path) -> None:
    out = shell(
        "report", usage, "--rate", "JPY=150", "--model", "claude-opus-5-5", "--invoice-usd", "2",
        "--change", "2026-10-01..2026-10-01", "2026-10-02..2026-10-02",
    ).out  # fmt: skip
    assert line_with(out, "JPY (150)").split()[-2:] == ["1,650.00", "165.00"]
    assert line_with(out, "claude-opus-5-5", "anthropic", "none").split()[-1] == "12.00000"
    assert line_with(out, "a month as billed").split()[-1] == "16.74063"  # 1.10 x 30.4375 / 2
    assert line_with(out, "total").split() == ["total", "0.10000"]
    assert line_with(out, "stated in the file or invoice").split()[-1] == "2.00000"


def test_what_is_not_known_is_a_dash_and_what_is_a_range_has_two_ends(tmp_path: Path) -> None:
    row = {
        "start_utc": "2026-08-20T12:00:00Z",
        "bucket_end_utc": "2026-08-21T12:00:00Z",
        "granularity": "bucket",
        "model": "gpt-5.6-sol",
        "input_tokens": 100_000,
        "cached_read_tokens": 0,
        "output_tokens": 0,
    }
    out = shell("report", plain_csv(tmp_path / "sums.csv", [row])).out
    assert line_with(out, "gpt-5.6-sol ").split()[1] == "-"
    assert "0.40000 .. 0.50000" in out
    assert "n = 1 row that is a sum over requests" in out


@pytest.mark.parametrize("language", LANGUAGES)
def test_columns_stand_under_each_other_in_wide_letters_too(usage: Path, language: str) -> None:
    """Japanese letters are two columns wide: right edges of numbers meet all the same."""

    def width(text: str) -> int:
        return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)

    out = shell("report", usage, "--lang", language).out
    start = out.index(t(language, "cli.by_model"))
    table = out[start:].splitlines()[1:4]
    assert len({width(line) for line in table}) == 1


def test_a_long_list_says_how_many_more_there_are(tmp_path: Path) -> None:
    rows = [
        {"start_s": n, "model": "claude-opus-5", "user": f"u{n}", "input_tokens": 9,
         "output_tokens": 1}
        for n in range(20)
    ]  # fmt: skip
    assert "… and 8 more" in shell("report", plain_csv(tmp_path / "many.csv", rows)).out


def test_inspect_prints_every_rejected_line_with_its_reason(tmp_path: Path) -> None:
    rows = [{"start_s": 0, "model": "m", "input_tokens": n, "output_tokens": 1} for n in (5, -1)]
    out = shell("inspect", plain_csv(tmp_path / "t.csv", rows)).out
    assert "2 read = 1 kept + 0 collapsed + 1 rejected + 0 ignored" in out
    assert "line 3" in line_with(out, "rejected:")


def test_a_name_with_control_characters_does_not_reach_the_terminal(tmp_path: Path) -> None:
    """A workload may be called anything; a terminal obeys escape sequences."""
    file = plain_csv(
        tmp_path / "t.csv",
        [{"start_s": 0, "model": "m\x1b[31m", "input_tokens": 1, "output_tokens": 1}],
    )
    for command in ("report", "inspect"):
        said = shell(command, file, "--name", "red\x1b[31m")
        assert "\x1b" not in said.out + said.err


def test_a_name_of_several_lines_stays_in_its_line(tmp_path: Path) -> None:
    row = {"start_s": 0, "model": "m\nsaved 9", "user": "u\nsaved 9", "input_tokens": 1}
    rows = [{**row, "output_tokens": 1}, {**row, "user": "v", "output_tokens": 1}]
    out = shell("report", plain_csv(tmp_path / "t.csv", rows), "--name", "n\nsaved 9").out
    assert "m saved 9" in out
    assert not any(line.startswith("saved 9") for line in out.splitlines())


def test_a_price_is_printed_with_its_unit_source_and_day() -> None:
    out = shell("prices", "show", "claude-opus-5").out
    assert "USD per million tokens" in out
    assert line_with(out, "write_5m").split() == ["write_5m", "6.25"]
    assert line_with(out, "https://").split()[1].startswith("2026-")


@pytest.mark.slow
def test_help_needs_neither_numpy_nor_a_database() -> None:
    """`--help` answers at once: heavy libraries are loaded by the commands that need them."""
    said = process("--help", PYTHONPROFILEIMPORTTIME="1")
    assert said.status == 0
    for heavy in ("numpy", "pandas", "pyarrow", "sqlalchemy", "streamlit", "torch"):
        assert f"| {heavy}\n" not in said.err


def test_the_language_may_stand_before_the_command(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "t.jsonl", [{"nothing": 1}])
    before, after = shell("--lang", "ja", "report", file), shell("report", file, "--lang", "ja")
    assert (before.status, before.err) == (1, after.err)
    assert before.err != shell("report", file).err
