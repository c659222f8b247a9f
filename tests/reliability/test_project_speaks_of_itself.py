"""The repository holds the product and nothing else: no private paths, no leftovers, no secrets."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
THIS = Path(__file__).resolve().relative_to(ROOT).as_posix()
TEXT_SUFFIXES = {
    "",
    ".cfg",
    ".css",
    ".csv",
    ".html",
    ".ini",
    ".json",
    ".jsonl",
    ".mako",
    ".md",
    ".po",
    ".py",
    ".sh",
    ".svg",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
}
NEIGHBOUR_ALLOWED_IN = {".ci/run"}
BIGGEST_FILE_BYTES = 1_500_000


@cache
def tracked() -> tuple[str, ...]:
    """Names of all files under version control."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a git checkout: no list of tracked files")
    return tuple(name for name in done.stdout.decode().split("\0") if name)


def texts() -> list[tuple[str, str]]:
    """(name, text) of every tracked text file but this one."""
    found = []
    for name in tracked():
        path = ROOT / name
        if name != THIS and path.suffix.lower() in TEXT_SUFFIXES and path.is_file():
            found.append((name, path.read_text(encoding="utf-8", errors="replace")))
    return found


def places(
    pattern: str, *, flags: int = 0, but: frozenset[str] | set[str] = frozenset()
) -> list[str]:
    """file:line of every match."""
    compiled = re.compile(pattern, flags)
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts()
        if name not in but
        for number, line in enumerate(text.splitlines(), 1)
        if compiled.search(line)
    ]


def test_no_path_of_one_machine_is_written_down() -> None:
    made_up = "alice|bob|ann|me|someone|user|you"
    homes = rf"/(?:home|Users)/(?!(?:{made_up})/)[a-z]+/|[A-Z]:\\Users\\(?!(?:{made_up})\\)"
    assert places(rf"/work/|/tmp/kv(?:plan|ops)?/|/root/|{homes}") == []


def test_only_the_build_script_knows_its_neighbour() -> None:
    assert places(r"\.\./shared", but=NEIGHBOUR_ALLOWED_IN) == []


def test_nothing_is_left_for_later_in_the_code() -> None:
    assert places(r"\b(TODO|FIXME|XXX|HACK)\b|raise NotImplementedError") == []


def test_no_package_registry_is_named() -> None:
    hosts = r"pypi\.org|pythonhosted\.org|registry\.npmjs|download\.pytorch\.org"
    assert places(hosts, but={"NOTICE"}) == []


def test_no_keys_are_kept() -> None:
    vendors = r"sk-ant-[A-Za-z0-9]{8}|sk-[A-Za-z0-9]{32}|AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{30}"
    assert places(vendors + r"|-----BEGIN [A-Z ]*PRIVATE KEY") == []


def test_no_tracked_file_is_too_big() -> None:
    big = [
        n for n in tracked() if (p := ROOT / n).is_file() and p.stat().st_size > BIGGEST_FILE_BYTES
    ]
    assert big == []


def test_nothing_generated_is_tracked() -> None:
    generated = re.compile(
        r"(^|/)(__pycache__|\.venv|node_modules|\.hypothesis)/|\.pyc$|\.sqlite3?$|\.db$"
    )
    assert [name for name in tracked() if generated.search(name)] == []


def test_errors_are_not_swallowed() -> None:
    """`except Exception: pass` hides what happened; the tree of errors exists for a reason."""
    offenders = []
    for name, text in texts():
        if name.endswith(".py"):
            for match in re.finditer(r"except( Exception| BaseException)?:\s*\n\s*pass\b", text):
                offenders.append(f"{name}:{text[: match.start()].count(chr(10)) + 1}")
    assert offenders == []
