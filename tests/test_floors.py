"""The floors hold: import-linter's contracts, the three files it cannot see, and torch."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "pages",
    "ui",
    "jobs",
    "data_sources",
    "econ",
    "kvcore",
    "price_tables",
    "messages",
    "settings",
    "app",
    "cli",
}
ALLOWED = {
    "app.py": {"ui", "jobs", "settings", "messages"},
    "cli.py": {"ui", "jobs", "settings", "messages"},
    "settings.py": {"messages"},
}


def imported_rooms(path: Path) -> set[str]:
    """Rooms of the house that the file imports, anywhere in it."""
    return {name.split(".")[0] for name in imported_names(path)} & ROOMS


def imported_names(path: Path) -> set[str]:
    """Every module name in an import statement of the file, nested ones included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


def python_files(*rooms: str) -> list[Path]:
    """The source files of the rooms, tests not among them."""
    return sorted(path for room in rooms for path in (ROOT / room).rglob("*.py"))


def test_layer_contracts_are_kept() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    if not linter.exists():
        pytest.skip("import-linter is not installed beside this Python")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_single_files_import_only_lower_floors(name: str) -> None:
    assert imported_rooms(ROOT / name) <= ALLOWED[name]


def test_doors_do_no_work_of_their_own() -> None:
    heavy = {"pandas", "numpy", "pyarrow", "sqlalchemy", "yaml", "httpx", "plotly"}
    for name in ("app.py", "cli.py"):
        tops = {module.split(".")[0] for module in imported_names(ROOT / name)}
        assert not tops & heavy, name


def test_no_room_but_the_engine_imports_torch() -> None:
    rooms = ("pages", "ui", "jobs", "data_sources", "econ", "price_tables", "messages")
    files = [*python_files(*rooms), *(ROOT / name for name in ALLOWED)]
    offenders = [
        str(path.relative_to(ROOT))
        for path in files
        if any(name.split(".")[0] == "torch" for name in imported_names(path))
    ]
    assert offenders == []


def test_engine_stands_alone() -> None:
    for path in python_files("kvcore"):
        assert imported_rooms(path) <= {"kvcore"}, path


def test_no_source_file_grows_beyond_its_job() -> None:
    long_files = {
        str(path.relative_to(ROOT)): lines
        for path in python_files(*(ROOMS - {"app", "cli", "settings"}))
        if (lines := len(path.read_text(encoding="utf-8").splitlines()))
        > (120 if path.parent.name == "pages" else 300)
    }
    assert long_files == {}


def test_no_module_name_hides_an_installed_package() -> None:
    forbidden = {"calendar", "queue", "platform", "h2", "h11", "secrets", "types", "select"}
    assert not {path.stem for path in ROOT.glob("*.py")} & forbidden
