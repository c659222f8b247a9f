"""No page shows a word that is not in the catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "pages").glob("*.py"), *(ROOT / "ui").glob("*.py")])
NOT_SHOWN = {  # keyword arguments of widgets that hold no words
    "key",
    "type",
    "icon",
    "gap",
    "mime",
    "file_name",
    "language",
    "on_click",
    "on_change",
    "theme",
    "vertical_alignment",
    "format",
    "size",
    "horizontal_alignment",
    "width",
    "height",
    "position",
    "layout",
    "label_visibility",
    "page_icon",
    "page_title",
    "border",
    "url_path",
    "selection_mode",
    "text_alignment",
    "chart_type",
    "config",
    "bind",
    "persist_state",
    "icon_position",
    "initial_sidebar_state",
    "delta_color",
    "delta_arrow",
    "run_every",
}
WORDLESS_CALLS = {"columns", "grid", "space", "container", "fragment", "form", "html", "App"}
STATE = {"session_state", "query_params"}
NAME = re.compile(r"[a-z_-][a-z0-9_.:/-]*")  # a key, a mode, a file name: nothing a reader sees
LETTERS = re.compile(r"[^\W\d_]")


def shown_literals(path: Path) -> Iterator[str]:
    """Words inside calls of `st.…` and of our own pieces, each with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        root = node.func.value
        if isinstance(root, ast.Attribute) and root.attr in STATE:
            continue
        owner = root.id if isinstance(root, ast.Name) else ""
        strict = owner == "st" and node.func.attr not in WORDLESS_CALLS
        if owner not in {"st", "components", "sections", "tables", "downloads", "upload"}:
            continue
        shown = [*node.args, *(k.value for k in node.keywords if k.arg not in NOT_SHOWN)]
        for argument in shown:
            for text in _constants(argument):
                if LETTERS.search(text) and (strict or not NAME.fullmatch(text)):
                    yield f"{path.name}:{argument.lineno}: {text!r}"


def _constants(node: ast.expr) -> Iterator[str]:
    """String constants of the expression itself, f-strings included, calls inside it not."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.Constant):
                yield re.sub(r":(gray|blue|orange|red|small|material)\b", "", str(part.value))
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)
    elif isinstance(node, ast.BinOp):
        yield from _constants(node.left)
        yield from _constants(node.right)


def pages_and_pieces() -> list[Path]:
    """The files that draw; the router's page config names the product only."""
    return [path for path in FILES if path.name != "shell_text.py"]


@pytest.mark.parametrize("path", pages_and_pieces(), ids=lambda path: path.stem)
def test_no_words_stand_in_the_code(path: Path) -> None:
    assert list(shown_literals(path)) == []


def test_a_literal_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text(
        'st.title("Hello")\nst.button(label=f"Save {x}")\nst.markdown(a if b else "no")\n'
        'components.note("Two words")\nst.container(key="frame")\nst.title(t("ui.how"))\n',
        encoding="utf-8",
    )
    found = list(shown_literals(page))
    assert [text.split(":")[1] for text in found] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.stem)
def test_pages_do_no_arithmetic(path: Path) -> None:
    signs = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
    sums = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.BinOp) and isinstance(node.op, signs)
    ]
    assert sums == []
