"""The documents say what the program does: commands parse, examples print that, links lead on."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def documents() -> list[Path]:
    """README and everything in docs."""
    found = [ROOT / name for name in ("README.md", "CHANGELOG.md", "benchmarks/README.md")]
    return [*found, ROOT / "tests" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(text: str) -> list[list[str]]:
    """The arguments of every shell line `python cli.py …`, continued lines joined."""
    lines = text.replace("\\\n", " ").splitlines()
    calls = [re.match(r"^(?: {4}|\$ )?(?:\$ )?python cli\.py (.+)$", line) for line in lines]
    return [shlex.split(call.group(1), comments=True) for call in calls if call]


def test_every_setting_is_documented() -> None:
    from settings import PREFIX, Settings

    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    names = [f"`{PREFIX}{name.upper()}`" for name in Settings.model_fields]
    assert [name for name in names if name not in page] == []


def test_commands_in_the_documents_exist() -> None:
    """Every `python cli.py …` that a document shows parses, with every flag that it shows."""
    import cli

    shown = [line for page in documents() for line in commands(page.read_text(encoding="utf-8"))]
    assert shown
    parser = cli._parser("en")
    for words in shown:
        assert parser.parse_args(words).command, words


def test_examples_in_the_readme_print_what_it_says() -> None:
    """`python docs/make_examples.py` writes them anew."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from make_examples import BLOCK, run
    finally:
        sys.path.remove(str(ROOT / "docs"))
    blocks = list(BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8")))
    assert len(blocks) >= 3
    for block in blocks:
        assert block.group("output") == run(block.group("command")), block.group("command")


def test_links_in_the_documents_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in documents()
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_make_targets_in_the_documents_exist() -> None:
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in documents():
        for target in re.findall(r"(?m)(?:^ {4}|`)make ([a-z0-9-]+)", page.read_text("utf-8")):
            assert re.search(rf"(?m)^{target}:", rules), f"{page.name}: make {target}"


def test_files_named_in_the_documents_exist() -> None:
    """`econ/billing.py` in a document is a file; a pattern with * matches one."""
    named = re.compile(r"`((?:[a-z_0-9]+/)+[a-z_0-9*.]+\.[a-z]+)(?:::[a-z_0-9]+)?`")
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in documents()
        for name in named.findall(page.read_text(encoding="utf-8"))
        if (ROOT / name.split("/")[0]).is_dir() and not list(ROOT.glob(name))
    ]
    assert missing == []


def test_tests_named_in_the_documents_exist() -> None:
    page = (ROOT / "docs" / "articles.md").read_text(encoding="utf-8")
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    tests = "".join(path.read_text(encoding="utf-8") for path in files)
    for name in re.findall(r"(test_[a-z0-9_]+?)(?:_…)?`", page):
        if not name.endswith(".py"):
            assert f"def {name}" in tests, name


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE", "CHANGELOG.md", "docs/example.csv"])
def test_what_a_reader_looks_for_is_there(name: str) -> None:
    assert (ROOT / name).stat().st_size > 0
