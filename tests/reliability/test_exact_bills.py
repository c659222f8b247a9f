"""Bills that must never be wrong: the reliability list, numbers 1, 2, 5, 6 and 7."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.billing import PRICED, BillingOptions, bill, bill_with
from econ.csv_safe import csv_bytes, restored
from econ.groups import GROUPS, group_rows
from econ.receipt import Receipt
from econ.report import ReportParams
from econ.report_build import build_report
from econ.usage import PROMPT_BUCKETS
from econ.workload import WRITE_COLUMNS, Workload
from price_tables.book import Segment
from price_tables.load import load_book
from tests.econ.hand import AS_OF, OPUS_5, PEAK, Cards, card, opus_5, segment, sol, table

STARTS = "=+-@＝＋－＠"


def contract(*first: str) -> Workload:
    """A hundred questions on one contract of 100,000 tokens; the first one writes it if told to."""
    row = {"model": "claude-opus-5", "input_tokens": 100_000, "output_tokens": 0}
    if not first:
        return table([row] * 100)
    written = {**row, first[0]: 100_000, "cached_read_tokens": 0}
    return table([written, *[{**row, "cached_read_tokens": 100_000}] * 99])


def test_contract_example_costs_50_5575_595() -> None:
    book, options = load_book(), BillingOptions()
    assert bill(contract(), book, options).no_cache.amount.to_json() == "50"
    five_minutes = bill(contract("cache_write_5m_tokens"), book, options)
    one_hour = bill(contract("cache_write_1h_tokens"), book, options)
    assert five_minutes.billed.amount.to_json() == "5.575"
    assert one_hour.billed.amount.to_json() == "5.95"
    for found, ratio in ((five_minutes, "0.8885"), (one_hour, "0.881")):
        assert found.saving.amount.low_usd / found.no_cache.amount.low_usd == Decimal(ratio)


MODELS = ("claude-opus-5", "gpt-5.6-sol", "tiered", "ds", "nobody-knows", None)
TIERED = card("tiered", segment(OPUS_5), segment({**OPUS_5, "output": "75"}, above_tokens=50_000))
CARDS = Cards(opus_5(), sol(), TIERED, card("ds", segment(OPUS_5, peak=PEAK)))
PARTS = st.integers(0, 100_000)


@st.composite
def usage_rows(draw: st.DrawFn) -> dict[str, Any]:
    """One row of an export: any of the columns may be empty."""
    parts = {column: draw(st.none() | PARTS) for column in ("cached_read_tokens", *WRITE_COLUMNS)}
    uncached = draw(PARTS)
    minute = draw(st.none() | st.integers(0, 400 * 24 * 60))
    start = None if minute is None else datetime(2026, 1, 1) + timedelta(minutes=minute)  # noqa: DTZ001
    requests = draw(st.none() | st.integers(1, 5))
    end = None
    if start is not None and requests:
        end = start + timedelta(hours=draw(st.integers(0, 72)))
    return {
        "model": draw(st.sampled_from(MODELS)),
        "input_tokens": uncached + sum(part or 0 for part in parts.values()),
        "output_tokens": draw(PARTS),
        "n_requests": requests,
        "arrival_utc": start and start.isoformat(),
        "bucket_end_utc": end and end.isoformat(),
        "long_context": draw(st.none() | st.integers(0, 1)),
        "failed": draw(st.none() | st.integers(0, 1)),
        "session_id": draw(st.none() | st.sampled_from("xyz")),
        "team": draw(st.none() | st.sampled_from("abc")),
        "tags": draw(st.none() | st.just("t")),
        **parts,
    }


@given(st.lists(usage_rows(), max_size=12), st.booleans())
def test_tokens_are_conserved_from_upload_to_invoice(
    rows: list[dict[str, Any]], include_failed: bool
) -> None:
    workload = table(rows)
    found = bill_with(workload, CARDS, BillingOptions(include_failed=include_failed), AS_OF)
    tokens = found.usage.tokens
    for i in range(workload.rows):
        assert sum(int(tokens[b][i]) for b in PROMPT_BUCKETS if b in tokens) == int(
            workload.ints("input_tokens")[i]
        )
    total = {bucket: int(counts.sum()) for bucket, counts in tokens.items()}
    low, high = found.billed.amount.low_e13, found.billed.amount.high_e13
    by_bucket = list(found.usd_by_bucket.values())
    assert sum(a.low_e13 for a in by_bucket) <= low
    assert sum(a.high_e13 for a in by_bucket) >= high
    if found.billed.amount.exact:
        assert sum(a.low_e13 for a in by_bucket) == low
    for name in GROUPS:
        groups = group_rows(workload, found, [name], None)
        assert sum(group.rows for group in groups) == workload.rows
        for bucket, count in total.items():
            assert sum(group.tokens[bucket] for group in groups) == count
        costs = [group.no_cache for group in groups if group.no_cache is not None]
        assert sum(c.low_e13 for c in costs) == found.no_cache.amount.low_e13
        assert sum(c.high_e13 for c in costs) == found.no_cache.amount.high_e13
        if found.observed:
            paid = [group.billed for group in groups if group.billed is not None]
            assert sum(c.low_e13 for c in paid) == low
            assert sum(c.high_e13 for c in paid) == high


@given(st.lists(usage_rows(), max_size=12))
def test_nothing_read_and_nothing_written_costs_the_same_as_no_caching(
    rows: list[dict[str, Any]],
) -> None:
    for row in rows:
        for column in WRITE_COLUMNS:
            row["input_tokens"] -= row[column] or 0
            row[column] = None
        row["cached_read_tokens"] = 0
    found = bill_with(table(rows), CARDS, BillingOptions(), AS_OF)
    assert found.billed.low.tolist() == found.no_cache.low.tolist()
    assert found.billed.high.tolist() == found.no_cache.high.tolist()
    assert not np.any(found.saving.low)


def later(rows: tuple[Segment, ...], change: datetime) -> tuple[Segment, ...]:
    """The segments with dearer prices from `change` on: old ones end there, nothing else moves."""
    ended = tuple(replace(s, valid_to=change) if s.valid_to is None else s for s in rows)
    fresh = tuple(
        replace(
            s,
            valid_from=change,
            usd_per_mtok={bucket: price * 3 for bucket, price in s.usd_per_mtok.items()},
        )
        for s in rows
        if s.valid_to is None
    )
    return ended + fresh


@given(st.lists(usage_rows(), max_size=12))
def test_old_invoices_do_not_change_when_prices_are_added(rows: list[dict[str, Any]]) -> None:
    change = datetime(2027, 3, 1, tzinfo=UTC)
    refreshed = Cards(*(replace(c, segments=later(c.segments, change)) for c in CARDS.cards))
    workload = table(rows)
    before = bill_with(workload, CARDS, BillingOptions(), AS_OF)
    after = bill_with(workload, refreshed, BillingOptions(), AS_OF)
    for name in ("billed", "no_cache", "saving"):
        assert getattr(before, name).low.tolist() == getattr(after, name).low.tolist()
        assert getattr(before, name).high.tolist() == getattr(after, name).high.tolist()
    assert before.status.tolist() == after.status.tolist()


def test_a_report_keeps_its_id_when_prices_are_added() -> None:
    book = load_book()
    anthropic = book.tables["anthropic"]
    change = datetime(2027, 1, 1, tzinfo=UTC)
    models = tuple(
        replace(
            model,
            periods=(
                *model.periods[:-1],
                replace(model.periods[-1], valid_to=change),
                replace(model.periods[-1], valid_from=change),
            ),
        )
        if model.id == "claude-opus-5"
        else model
        for model in anthropic.models
    )
    tables = {**book.tables, "anthropic": replace(anthropic, models=models)}
    refreshed = replace(book, tables=tables, version="2027-01-02", memo={})
    workload = contract("cache_write_5m_tokens")
    receipt = Receipt(files=(), rows_read=100, rows_kept=100)
    old = build_report(workload, receipt, book, ReportParams())
    new = build_report(workload, receipt, refreshed, ReportParams())
    assert old.report_id == new.report_id
    assert old.baselines == new.baselines
    assert (old.price_book_version, new.price_book_version) != ("2027-01-02", book.version)


@given(st.lists(usage_rows(), min_size=1, max_size=12))
def test_unpriced_model_is_listed_never_zero(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        row["failed"] = None
    workload = table(rows)
    found = bill_with(workload, CARDS, BillingOptions(), AS_OF)
    unknown = [row["model"] == "nobody-knows" for row in rows]
    for i, is_unknown in enumerate(unknown):
        if is_unknown:
            assert found.status[i] != PRICED
            assert found.reasons[int(found.reason_code[i])].id == "prices.unknown_model"
    groups = group_rows(workload, found, ["model"], None)
    for group in groups:
        assert (group.no_cache is None) == (group.unpriced_rows == group.rows)
        if group.key == "nobody-knows":
            assert group.no_cache is None


NUMBERS = st.one_of(
    st.integers(-(10**30), 10**30),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
)
TEXTS = st.one_of(
    st.text(),
    st.builds(lambda blank, sign, rest: blank + sign + rest, st.text(" \t\r\n\0'　"),
              st.sampled_from([*STARTS, "\t", "\r", "\n", "\0"]), st.text()),
)  # fmt: skip


@given(st.lists(st.tuples(TEXTS, NUMBERS), max_size=8), TEXTS)
def test_exported_text_never_starts_a_formula_and_numbers_stay_numbers(
    rows: list[tuple[str, Any]], header: str
) -> None:
    columns = [header, header + "2"]
    data = csv_bytes(columns, [{columns[0]: text, columns[1]: number} for text, number in rows])
    assert data[:3] == b"\xef\xbb\xbf"
    cells = list(csv.reader(io.StringIO(data[3:].decode("utf-8"), newline="")))
    assert len(cells) == len(rows) + 1
    for name, cell in zip(columns, cells[0], strict=True):
        assert harmless(cell)
        assert restored(cell) == printable(name)
    for (text, number), (text_cell, number_cell) in zip(rows, cells[1:], strict=True):
        assert harmless(text_cell)
        assert restored(text_cell) == printable(text)
        assert Decimal(number_cell) == Decimal(str(number))
        assert float(number_cell) == float(number)


def printable(text: str) -> str:
    """What UTF-8 can hold of a text: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", errors="replace").decode()


def harmless(cell: str) -> bool:
    """No spreadsheet would run this cell."""
    return not re.match("[ \u3000]*[=+@＝＋－＠\t\r\n\0-]", cell)


@pytest.mark.parametrize("sign", [*STARTS, "\t", "\r", "\n", "\0"])
def test_each_sign_that_starts_a_formula_is_neutralised_after_blanks_too(sign: str) -> None:
    for text in (f"{sign}1+1", f"  {sign}1", f"　{sign}1"):
        data = csv_bytes(["a"], [{"a": text}])[3:].decode()
        (_, (cell,)) = list(csv.reader(io.StringIO(data, newline="")))
        assert cell == f"'{text}"
        assert restored(cell) == text
