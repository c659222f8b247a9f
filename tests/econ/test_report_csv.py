"""The CSV: opens in a spreadsheet, runs nothing there, survives an audit."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from econ.csv_safe import csv_bytes, restored, safe_text
from econ.receipt import Receipt, Rejection
from econ.report import Amount, CostReport, Rate, ReportParams
from econ.report_build import build_report
from econ.report_csv import report_csv
from messages.catalogue import sayer
from messages.errors import Message
from price_tables.load import load_book
from tests.econ.hand import table

YEN = Rate(currency="JPY", per_usd=Decimal(150), date=date(2026, 11, 1), source="entered by you")
EURO = Rate(currency="EUR", per_usd=Decimal("0.85"), date=None, source="entered by you")
RECEIPT = Receipt(
    files=(),
    rows_read=2,
    rows_kept=1,
    rows_rejected=1,
    rejected=(Rejection(file="-a.csv", line=2, reason=Message("report.parts_exceed_total")),),
)


def d39(**params: Any) -> CostReport:
    """One claude-opus-5 request under the user's own name '=1+1'."""
    row = {
        "model": "=1+1",
        "arrival_utc": "2026-10-01",
        "input_tokens": 100_000,
        "cached_read_tokens": 90_000,
        "output_tokens": 1_000,
    }
    names = {"=1+1": "claude-opus-5"}
    return build_report(
        table([row]), RECEIPT, load_book(), ReportParams(model_names=names, **params)
    )


def lines(
    report: CostReport,
    name: str = "契約書レビュー",
    rates: Sequence[Rate] = (),
    language: str = "ja",
) -> list[dict[str, str]]:
    """The file as Python's csv reads it."""
    data = report_csv(report, name, sayer(language), rates)
    assert data.startswith(b"\xef\xbb\xbf")
    text = data[3:].decode("utf-8")
    assert re.search(r"(?<!\r)\n", text) is None
    return list(csv.DictReader(io.StringIO(text, newline="")))


def section(rows: list[dict[str, str]], name: str) -> list[dict[str, str]]:
    """The lines of one section."""
    return [row for row in rows if row["section"] == name]


def test_d39_the_file_has_a_mark_raw_numbers_dollars_and_yen() -> None:
    rows = lines(d39(rates=(YEN,)))
    as_billed = next(r for r in section(rows, "row") if r["policy"] == "as-billed")
    assert Decimal(as_billed["usd"]) == Decimal("0.12")
    assert Decimal(as_billed["jpy"]) == Decimal("18.0")
    assert (as_billed["jpy_per_usd"], as_billed["jpy_rate_date"]) == ("150", "2026-11-01")
    buckets = {
        r["bucket"]: Decimal(r["usd"])
        for r in section(rows, "row_bucket")
        if r["policy"] == "as-billed"
    }
    assert buckets == {
        "uncached": Decimal("0.05"), "read": Decimal("0.045"), "output": Decimal("0.025")
    }  # fmt: skip
    assert sum(buckets.values()) == Decimal("0.12")
    tokens = {r["bucket"]: r["tokens"] for r in section(rows, "row_bucket")[:3]}
    assert tokens == {"uncached": "10000", "read": "90000", "output": "1000"}


def test_d39_a_name_that_a_spreadsheet_would_run_is_text() -> None:
    rows = lines(d39())
    alias = next(r for r in section(rows, "group") if r["by"] == "model")
    assert alias["key"] == "'=1+1"
    assert all(row["workload_name"] == "契約書レビュー" for row in rows)
    hostile = lines(d39(), name="@SUM(1)")
    assert {row["workload_name"] for row in hostile} == {"'@SUM(1)"}
    rejected = next(r for r in section(rows, "receipt") if r["item"] == "rejected")
    assert rejected["key"] == "'-a.csv:2"


def test_every_line_carries_the_report_the_prices_and_the_workload() -> None:
    report = d39()
    for row in lines(report):
        assert row["report_id"] == report.report_id
        assert row["price_book_version"] == report.price_book_version
        assert row["workload_sha256"] == report.workload_sha256


def test_yen_have_a_column_that_stays_empty_until_a_rate_is_known() -> None:
    rows = lines(d39())
    assert all(row["jpy"] == row["jpy_per_usd"] == row["jpy_rate_date"] == "" for row in rows)


def test_further_currencies_have_columns_of_their_own() -> None:
    rows = lines(d39(rates=(YEN,)), rates=(EURO, replace(YEN, per_usd=Decimal(160))))
    as_billed = section(rows, "row")[0]
    assert Decimal(as_billed["eur"]) == Decimal("0.102")
    assert as_billed["eur_rate_date"] == ""
    assert Decimal(as_billed["jpy"]) == Decimal("19.2")


def test_a_loss_stays_a_number() -> None:
    row = {
        "model": "claude-opus-5",
        "arrival_utc": "2026-10-01",
        "input_tokens": 100_000,
        "cache_write_1h_tokens": 100_000,
        "output_tokens": 0,
    }
    report = build_report(table([row]), RECEIPT, load_book(), ReportParams())
    found = lines(report, rates=(YEN,))
    earned = next(r for r in section(found, "baseline") if r["item"] == "earned_usd")
    assert earned["usd"] == "-0.5"
    assert earned["jpy"] == "-75"
    assert section(found, "row")[0]["saving_usd"] in {"-0.5", "0"}


def test_a_range_has_both_ends_and_no_value() -> None:
    day = {
        "model": "deepseek-flash",
        "input_tokens": 1_000_000,
        "output_tokens": 0,
        "n_requests": 9,
        "arrival_utc": "2026-11-27",
        "bucket_end_utc": "2026-11-28",
    }
    report = build_report(table([day]), RECEIPT, load_book(), ReportParams(rates=(YEN,)))
    base = next(r for r in section(lines(report), "baseline") if r["item"] == "no_cache_usd")
    assert base["usd"] == base["jpy"] == ""
    assert Decimal(base["usd_high"]) == 2 * Decimal(base["usd_low"])
    assert Decimal(base["jpy_low"]) == 150 * Decimal(base["usd_low"])


def test_tokens_that_are_a_range_are_left_out_of_the_one_number_columns() -> None:
    report = d39()
    row = replace(
        report.rows[0],
        tokens_high={"uncached": 1, "output": 1_000},
        usd_by_bucket={"uncached": Amount(low_e13=0, high_e13=1)},
        hit_ratio_high=1.0,
    )
    found = lines(replace(report, rows=(row,)))
    assert section(found, "row")[0]["uncached_tokens"] == ""
    assert section(found, "row")[0]["hit_ratio"] == ""
    assert section(found, "row_bucket")[0]["tokens"] == ""


def test_what_is_unpriced_rejected_and_assumed_is_in_the_file_in_words() -> None:
    row = {"model": "claude-opus-55", "input_tokens": 100, "output_tokens": 7}
    report = build_report(table([row]), RECEIPT, load_book(), ReportParams(models=("nope",)))
    for language in ("en", "ja"):
        found = lines(report, language=language)
        (unpriced,) = section(found, "unpriced")
        assert (unpriced["model"], unpriced["rows"], unpriced["tokens"]) == (
            "claude-opus-55", "1", "107"
        )  # fmt: skip
        assert unpriced["usd"] == ""
        assert "claude-opus-55" in unpriced["reason"]
        candidate = next(r for r in section(found, "row") if r["model"] == "nope")
        assert (candidate["status"], candidate["usd"]) == ("unpriced", "")
        receipt = {r["item"]: r["rows"] for r in section(found, "receipt")}
        assert (receipt["rows_read"], receipt["rows_rejected"]) == ("2", "1")
        assert all(r["text"] for r in section(found, "assumption"))


def test_a_value_without_a_column_and_a_number_that_is_none_are_refused() -> None:
    with pytest.raises(ValueError, match="no such column"):
        csv_bytes(["a"], [{"b": 1}])
    for value in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(ValueError, match="NaN"):
            csv_bytes(["a"], [{"a": value}])


def test_half_a_surrogate_pair_is_replaced_not_refused() -> None:
    assert csv_bytes(["a"], [{"a": "\ud800"}]).decode("utf-8-sig") == "a\r\n?\r\n"


@pytest.mark.parametrize("text", ["plain", "", "3 - 2", "a=b", "'quoted'", "''", "' ", "1-1"])
def test_harmless_text_is_left_alone(text: str) -> None:
    assert safe_text(text) == text
    assert restored(text) == text


def test_an_apostrophe_of_the_users_own_survives_the_round_trip() -> None:
    assert safe_text("'=1") == "''=1"
    assert restored("''=1") == "'=1"


def test_ratios_have_six_digits_here_and_in_json() -> None:
    row = {
        "model": "claude-opus-5",
        "input_tokens": 3,
        "output_tokens": 0,
        "cached_read_tokens": 1,
        "team": "a",
    }
    found = lines(build_report(table([row]), RECEIPT, load_book(), ReportParams()))
    billed = next(r for r in section(found, "row") if r["policy"] == "as-billed")
    team = next(r for r in section(found, "group") if r["by"] == "team")
    assert (billed["hit_ratio"], team["hit_ratio"]) == ("0.333333", "0.333333")
