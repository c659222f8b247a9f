"""What each policy costs on each model, to the cent, and what is best reachable."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_sources.traces.base import ReadOptions
from econ.example import example_receipt, example_workload
from econ.receipt import Receipt
from econ.report import CostReport, PolicyRow, ReportParams
from econ.report_build import build_report
from econ.workload import Text, Workload
from jobs.reading import read_paths
from price_tables.book import PriceBook
from price_tables.load import load_book

NO_FILES = Receipt(files=(), rows_read=0, rows_kept=0)


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_book()


def trace(seconds: list[float], shared: int, fresh: int, output: int, **columns: Any) -> Workload:
    """Requests at these seconds after 2026-11-01T00:00Z, as the plain CSV has them."""
    rows = len(seconds)
    start = np.datetime64("2026-11-01", "us")
    moments = [start + np.timedelta64(round(s), "s") for s in seconds]
    return Workload(
        name="trace",
        format="kvledger_csv",
        rows=rows,
        columns={
            "arrival_s": np.array(seconds, dtype=np.float64),
            "arrival_utc": np.array(moments),
            "input_tokens": np.full(rows, shared + fresh, dtype=np.int64),
            "shared_prefix_tokens": np.full(rows, shared, dtype=np.int64),
            "output_tokens": np.full(rows, output, dtype=np.int64),
            **columns,
        },
    )


def report(book: PriceBook, workload: Workload, **params: Any) -> CostReport:
    return build_report(workload, NO_FILES, book, ReportParams(**params))


def row(found: CostReport, model: str, policy: str, placement: str | None = None) -> PolicyRow:
    (one,) = (
        r for r in found.rows if (r.model, r.policy, r.placement) == (model, policy, placement)
    )
    return one


def usd(one: PolicyRow) -> str | tuple[str, str]:
    assert one.usd is not None
    shown = one.usd.to_json()
    return shown if isinstance(shown, str) else (str(shown["low"]), str(shown["high"]))


D19 = ("claude-opus-5", "gpt-5.6-sol", "gemini-3.1-pro-preview")
D19_USD = [
    ("claude-opus-5", "none", None, "0.345"),
    ("claude-opus-5", "5m", "shared", "0.305"),
    ("claude-opus-5", "1h", "shared", "0.265"),
    ("claude-opus-5", "automatic", "end", "0.421875"),
    ("claude-opus-5", "keep-alive", "shared", ("0.21", "0.34")),
    ("gpt-5.6-sol", "none", None, "0.276"),
    ("gpt-5.6-sol", "30m", "shared", "0.152"),
    ("gpt-5.6-sol", "automatic", "end", "0.3375"),
    ("gemini-3.1-pro-preview", "none", None, "0.141"),
    ("gemini-3.1-pro-preview", "implicit", None, ("0.069", "0.141")),
]


@pytest.mark.parametrize(("model", "policy", "placement", "expected"), D19_USD)
def test_d19_the_same_trace_under_every_vendors_own_rules(
    book: PriceBook, model: str, policy: str, placement: str | None, expected: Any
) -> None:
    found = report(book, trace([0, 200, 900], 20_000, 500, 500), models=D19)
    assert usd(row(found, model, policy, placement)) == expected


def test_d19_an_explicit_object_is_billed_once_as_input_and_then_by_the_hour(
    book: PriceBook,
) -> None:
    """2 USD in, 0.20 read, 4.50 an hour: 0.04 + 3 reads + 900 s of 20,000 tokens + the rest."""
    found = report(book, trace([0, 200, 900], 20_000, 500, 500), models=D19)
    one = row(found, D19[2], "explicit", "shared")
    rest = Decimal("0.04") + 3 * Decimal("0.004") + Decimal("0.021")
    by_the_hour = Decimal("0.02") * Decimal("4.5")
    assert usd(one) == (str(rest + by_the_hour / 4), str(rest + by_the_hour))


def test_a_hundred_questions_on_one_contract(book: PriceBook) -> None:
    contract = trace([2.0 * n for n in range(100)], 100_000, 0, 0)
    found = report(book, contract, models=("claude-opus-5",))
    assert usd(row(found, "claude-opus-5", "none")) == "50"
    assert usd(row(found, "claude-opus-5", "5m", "shared")) == "5.575"
    assert usd(row(found, "claude-opus-5", "1h", "shared")) == "5.95"
    assert found.baselines.best_reachable is not None
    assert found.baselines.best_reachable.to_json() == "5.575"


def test_d12_hits_in_a_batch_are_a_range_from_all_to_none_with_every_write_paid(
    book: PriceBook,
) -> None:
    batch = trace([2.0 * n for n in range(100)], 10_000, 0, 0)
    found = report(book, batch, models=("claude-opus-5",), mode="batch")
    assert usd(row(found, "claude-opus-5", "none")) == "2.5"
    assert usd(row(found, "claude-opus-5", "5m", "shared")) == ("0.27875", "3.125")
    assert usd(row(found, "claude-opus-5", "5m", "bound")) == ("0.27875", "2.5")


def two_sessions(**columns: Any) -> Workload:
    """D17: A writes 100,000 tokens for an hour, B for five minutes; both resend after 20 min."""
    names = Text.of(["A", "B", "A", "B"])
    ttl = Text.of(["1h", "5m", "1h", "5m"])
    model = Text.constant("claude-opus-5", 4)
    return trace(
        [0, 0, 1200, 1200], 100_000, 0, 0,
        prefix_id=names, session_id=names, ttl=ttl, model=model, **columns,
    )  # fmt: skip


def test_d17_each_row_keeps_its_own_lifetime(book: PriceBook) -> None:
    found = report(book, two_sessions(), models=("claude-opus-5",))
    assert usd(row(found, "claude-opus-5", "own")) == "2.3"
    assert usd(row(found, "claude-opus-5", "5m", "shared")) == "2.5"
    assert usd(row(found, "claude-opus-5", "1h", "shared")) == "2.1"
    assert found.baselines.best_reachable is not None
    assert found.baselines.best_reachable.to_json() == "2"


def test_d17_observed_tokens_alone_reach_the_same(book: PriceBook) -> None:
    workload = two_sessions(
        cached_read_tokens=np.array([0, 0, 100_000, 0]),
        cache_write_1h_tokens=np.array([100_000, 0, 0, 0]),
        cache_write_5m_tokens=np.array([0, 100_000, 0, 100_000]),
    )
    kept = {n: c for n, c in workload.columns.items() if n not in ("shared_prefix_tokens", "ttl")}
    bare = Workload(name="log", format="log", rows=4, columns=kept)
    found = report(book, bare)
    base, saving = found.baselines, found.saving
    assert base.billed is not None
    assert base.best_reachable is not None
    assert (base.billed.to_json(), base.best_reachable.to_json()) == ("2.3", "2")
    assert saving.reachable is not None
    assert saving.reachable.to_json() == "0.3"


def test_observed_tokens_and_structure_are_simulated_beside_the_bill(book: PriceBook) -> None:
    workload = two_sessions(
        cached_read_tokens=np.array([0, 0, 100_000, 0]),
        cache_write_1h_tokens=np.array([100_000, 0, 0, 0]),
        cache_write_5m_tokens=np.array([0, 100_000, 0, 100_000]),
    )
    found = report(book, workload)
    assert found.baselines.billed is not None
    assert found.baselines.billed.to_json() == "2.3"
    (gap,) = (m for m in found.assumptions if m.id == "policies.simulator_gap")
    assert gap.values["usd"] == "0"


def test_the_bundled_example_is_simulated_as_it_was_made(book: PriceBook) -> None:
    workload = example_workload()
    found = build_report(workload, example_receipt(workload), book, ReportParams())
    (gap,) = (m for m in found.assumptions if m.id == "policies.simulator_gap")
    assert gap.values["usd"] == "0"
    base, saving = found.baselines, found.saving
    assert base.billed is not None
    assert base.best_reachable is not None
    assert base.best_reachable.high_e13 < base.billed.low_e13
    assert saving.reachable == base.billed.less(base.best_reachable)
    assert found.month is not None
    assert found.month.reachable is not None
    assert set(found.figures["best_reachable"].inputs) == {
        "anthropic claude-haiku-4-5", "anthropic claude-opus-5",
        "anthropic claude-opus-5-5", "anthropic claude-sonnet-5",
    }  # fmt: skip


def test_a_file_that_says_nothing_of_prefixes_sessions_or_cache_has_no_best(
    book: PriceBook,
) -> None:
    columns = {"input_tokens": np.array([1_000]), "output_tokens": np.array([1])}
    found = report(book, Workload(name="bare", format="t", rows=1, columns=columns))
    assert found.baselines.best_reachable is None
    assert found.baselines.reasons["best_reachable_usd"].id == "report.best_needs_structure"


def test_a_chat_log_without_prefixes_has_two_bounds(book: PriceBook) -> None:
    """Turns of 10,000 and 21,000 tokens with an answer of 1,000: 10,000 can be read, or nothing."""
    workload = Workload(
        name="chat",
        format="t",
        rows=2,
        columns={
            "session_id": Text.of(["s", "s"]),
            "arrival_s": np.array([0.0, 60.0]),
            "input_tokens": np.array([10_000, 21_000]),
            "output_tokens": np.array([1_000, 0]),
        },
    )
    found = report(book, workload, models=("claude-opus-5", "gemini-3.1-pro-preview"))
    assert usd(row(found, "claude-opus-5", "none")) == "0.18"
    # low: 10,000 + 11,000 written, 10,000 read; high: 31,000 written
    assert usd(row(found, "claude-opus-5", "5m", "end")) == ("0.16125", "0.21875")
    assert usd(row(found, "gemini-3.1-pro-preview", "implicit")) == ("0.056", "0.074")


def test_only_the_asked_policies_and_placements_are_simulated_and_are_part_of_the_id(
    book: PriceBook,
) -> None:
    workload = trace([0, 200, 900], 20_000, 500, 500)
    whole = report(book, workload, models=("claude-opus-5",))
    found = report(book, workload, models=("claude-opus-5",), policies=("1h",), placements=("end",))
    assert [(r.policy, r.placement) for r in found.rows] == [("1h", "end")]
    assert found.report_id != whole.report_id


def test_workspaces_do_not_see_each_others_entries_where_the_provider_parts_them(
    book: PriceBook,
) -> None:
    workload = trace([0, 10], 20_000, 0, 0, workspace=Text.of(["one", "two"]))
    found = report(book, workload, models=("claude-opus-5", "gpt-5.6-sol"))
    assert usd(row(found, "claude-opus-5", "5m", "shared")) == "0.25"
    assert usd(row(found, "gpt-5.6-sol", "30m", "shared")) == "0.108"


def test_mooncake_on_every_provider(reference_data: Path, book: PriceBook) -> None:
    path = reference_data / "traces/serving_prefix/mooncake/conversation_trace.jsonl"
    read = read_paths([path], ReadOptions(), lambda *_: None)
    found = build_report(read.workload, read.receipt, book, ReportParams(providers=()))
    assert {r.provider for r in found.rows} == set(book.tables)
    google = report(book, read.workload, providers=("google",))
    low, high = usd(row(google, "gemini-3.1-pro-preview", "implicit"))
    assert (round(Decimal(low), 2), round(Decimal(high), 2)) == (
        Decimal("254.33"),
        Decimal("339.05"),
    )
    assert found.best is not None
    assert (found.best.policy, found.best.placement) == ("5m", "shared")
    priced = {r.provider for r in found.rows if r.policy != "none"}
    assert priced >= {"anthropic", "openai", "google", "bedrock", "deepseek", "alibaba"}


def test_the_real_claude_session_could_not_have_been_cheaper(
    reference_data: Path, book: PriceBook
) -> None:
    path = reference_data / "traces/agent_logs/claude_code/tracelab_claude_session.jsonl"
    read = read_paths([path], ReadOptions(), lambda *_: None)
    found = build_report(read.workload, read.receipt, book, ReportParams())
    best = found.baselines.best_reachable
    assert best is not None
    assert best.exact
    assert round(best.low_usd, 5) == Decimal("0.57959")


def test_prices_are_those_of_the_day_that_was_asked_for(book: PriceBook) -> None:
    workload = trace([0, 200], 20_000, 0, 0)
    at = datetime(2026, 8, 20, tzinfo=UTC)
    found = report(book, workload, models=("gpt-5.6-sol",), at=at)
    assert usd(row(found, "gpt-5.6-sol", "30m", "shared")) == "0.135"


def test_a_large_trace_is_simulated_only_where_something_is_named(book: PriceBook) -> None:
    rows = 200_001
    workload = Workload(
        name="large",
        format="t",
        rows=rows,
        columns={
            "arrival_s": np.arange(rows, dtype=np.float64),
            "input_tokens": np.full(rows, 2_000),
            "shared_prefix_tokens": np.full(rows, 1_500),
            "output_tokens": np.zeros(rows, dtype=np.int64),
        },
    )
    whole = report(book, workload)
    assert {r.policy for r in whole.rows} == {"none"}
    assert "policies.large_workload" in [m.id for m in whole.assumptions]
    assert whole.best is not None
    assert (whole.best.policy, whole.best.placement) == ("5m", "shared")
    named = report(book, workload, models=("claude-opus-5",), policies=("5m",))
    assert {r.policy for r in named.rows} == {"5m"}
