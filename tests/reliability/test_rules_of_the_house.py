"""Rules that no single room can keep: cached functions take ids, errors cross processes."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.progress import Cancelled, TimedOut
from messages import errors
from messages.errors import KvledgerError, Message

ROOT = Path(__file__).resolve().parents[2]
CACHES = {"cache_data", "cache_resource"}
BIG = (
    "DataFrame",
    "Series",
    "ndarray",
    "NDArray",
    "IntArray",
    "FloatArray",
    "TimeArray",
    "Workload",
    "Prefix",
    "Table",
    "Text",
    "Column",
    "Report",
    "bytes",
)


def cached_functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions under st.cache_data or st.cache_resource, however the decorator is written."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named = {ast.unparse(d).split("(")[0].split(".")[-1] for d in node.decorator_list}
            if named & CACHES:
                yield node


def offending_parameters(source: str) -> list[str]:
    """Parameters that Streamlit would hash by sample: frames and arrays without an underscore, and
    parameters whose type is not said at all."""
    found = []
    for function in cached_functions(source):
        given = function.args
        for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            type_ = ast.unparse(parameter.annotation) if parameter.annotation else ""
            names = set(ast.walk(parameter.annotation)) if parameter.annotation else set()
            words = {n.id for n in names if isinstance(n, ast.Name)}
            words |= {n.attr for n in names if isinstance(n, ast.Attribute)}
            texts = {n.value for n in names if isinstance(n, ast.Constant)}
            words |= {word for text in texts for word in re.findall(r"\w+", str(text))}
            if not parameter.arg.startswith("_") and (not type_ or words & set(BIG)):
                found.append(f"{function.name}({parameter.arg}: {type_ or '?'})")
    return found


def test_cached_functions_take_ids_only() -> None:
    found = {
        str(path.relative_to(ROOT)): offending
        for room in ("ui", "pages", "jobs")
        for path in sorted((ROOT / room).rglob("*.py"))
        if (offending := offending_parameters(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("parameter", "caught"),
    [
        ("frame: pd.DataFrame", True),
        ("frame: 'Workload | None'", True),
        ("frame: Workload | None", True),
        ("frame: list[np.ndarray]", True),
        ("frame", True),
        ("_frame: pd.DataFrame", False),
        ("digest: str", False),
        ("*, at: date, frame: IntArray", True),
    ],
)
@pytest.mark.parametrize("decorator", ["@st.cache_data", "@cache_data(ttl=60)"])
def test_the_check_itself_finds_frames(parameter: str, caught: bool, decorator: str) -> None:
    source = f"{decorator}\ndef f({parameter}) -> None: ..."
    assert bool(offending_parameters(source)) == caught
    assert offending_parameters(f"def f({parameter}) -> None: ...") == []


def error_classes() -> list[type[KvledgerError]]:
    return [
        found
        for found in vars(errors).values()
        if isinstance(found, type) and issubclass(found, KvledgerError)
    ]


@pytest.mark.parametrize("error_class", error_classes())
def test_error_classes_survive_pickle(error_class: type[KvledgerError]) -> None:
    inner = Message("traces.x", {"n": 3}, 3)
    error = error_class(Message("store.locked", {"file": "ledger.sqlite", "why": inner}))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(again) is error_class
    assert again.message == error.message
    assert str(again) == str(error)


def test_every_branch_of_the_error_tree_is_there() -> None:
    names = {found.__name__ for found in error_classes()}
    assert names >= {"KvledgerError", "InputError", "NotFoundError", "SourceError", "DataError"}


@pytest.mark.parametrize("outcome", [Cancelled("a job"), TimedOut("a job")])
def test_outcomes_survive_pickle_and_are_no_errors(outcome: Exception) -> None:
    again = pickle.loads(pickle.dumps(outcome))  # noqa: S301
    assert (type(again), again.args) == (type(outcome), outcome.args)
    assert not isinstance(outcome, KvledgerError)
