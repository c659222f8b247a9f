"""The whole report: its parts, its id, its JSON, its stored form."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from econ.method import METHOD_VERSION
from econ.receipt import Ignored, Receipt, Rejection, SourceFile
from econ.report import Adjustment, BestRef, CostReport, Period, Rate, ReportParams
from econ.report_build import build_report
from econ.report_id import canonical, report_id
from econ.report_json import report_to_json
from econ.report_store import params_to_store, report_from_store, report_to_store
from econ.workload import Workload
from messages.catalogue import sayer
from messages.errors import DataError, InputError, Message
from price_tables.book import PriceBook
from price_tables.load import load_book
from tests.econ.hand import table

SAY = sayer("en")
RECEIPT = Receipt(
    files=(SourceFile(path="a.csv", sha256="0" * 64, format="kvledger_csv", encoding="utf-8"),),
    rows_read=7,
    rows_kept=4,
    rows_collapsed=1,
    rows_rejected=1,
    rows_ignored=1,
    rejected=(Rejection(file="=a.csv", line=3, reason=Message("report.no_token_counts")),),
    rejected_by_reason={"report.no_token_counts": 1},
    ignored=(Ignored(reason=Message("report.nothing_priced"), rows=1),),
    assumptions=(Message("report.month_entered"),),
    collapsed_cost_e13=5 * 10**12,
)


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_book()


def observed() -> Workload:
    """Four rows with everything: dates, sessions, teams, stated costs, an unknown model."""
    one = {"output_tokens": 1_000, "input_tokens": 100_000, "session_id": "s1", "team": "search"}
    return table(
        [
            {
                **one,
                "model": "claude-opus-5",
                "arrival_utc": "2026-10-01T00:00:00",
                "cached_read_tokens": 90_000,
                "observed_cost_e13": 12 * 10**11,
            },
            {
                **one,
                "model": "claude-opus-5",
                "arrival_utc": "2026-10-03T12:00:00",
                "cache_write_1h_tokens": 50_000,
                "team": None,
            },
            {**one, "model": "claude-opus-55", "arrival_utc": "2026-10-03T12:00:01"},
            {**one, "model": "gpt-5.6-sol", "arrival_utc": "2026-08-01T00:00:00", "failed": 1},
        ],
        name="契約書レビュー",
    )


def report(book: PriceBook, workload: Workload | None = None, **params: Any) -> CostReport:
    """The report of a workload under these parameters."""
    return build_report(workload or observed(), RECEIPT, book, ReportParams(**params))


FULL: dict[str, Any] = {
    "models": ("claude-opus-5", "deepseek-flash"),
    "at": None,
    "rates": (Rate(currency="JPY", per_usd=Decimal(150), date=date(2026, 11, 1), source="you"),),
    "tz": "Asia/Tokyo",
    "adjustments": {"anthropic": Adjustment(discount_ratio=Decimal("0.1"))},
    "change": (
        Period(since=date(2026, 10, 1), until=date(2026, 10, 1)),
        Period(since=date(2026, 10, 2), until=date(2026, 10, 4)),
    ),
}


def test_an_observed_workload_is_one_row_as_billed_and_one_without_caching(
    book: PriceBook,
) -> None:
    found = report(book)
    assert [(r.policy, r.model, r.usd and r.usd.to_json()) for r in found.rows] == [
        ("as-billed", None, "0.895"),
        ("none", None, "1.05"),
    ]
    assert found.saving.earned is not None
    assert found.saving.earned.to_json() == "0.155"
    assert [(u.model, u.rows) for u in found.unpriced] == [("claude-opus-55", 1)]
    assert (found.workload.rows, found.baselines.rows, found.workload.days_utc) == (4, 2, 3)
    assert found.best is not None
    assert (found.best.policy, found.best.model) == ("as-billed", "claude-opus-5")
    assert found.baselines.best_reachable is not None
    assert found.baselines.best_reachable.high_usd == Decimal("0.895")
    assert found.workload.first_utc == datetime(2026, 8, 1, tzinfo=UTC)


def test_chosen_models_are_rows_beside_it_sorted_by_cost_and_unpriced_last(
    book: PriceBook,
) -> None:
    found = report(book, models=("claude-opus-5", "deepseek-flash", "nobody-knows"))
    costs = [row.usd.high_e13 for row in found.rows if row.usd is not None]
    assert costs == sorted(costs)
    assert [row.status for row in found.rows][-1] == "unpriced"
    assert {row.model for row in found.rows} == {
        None, "claude-opus-5", "deepseek-flash", "nobody-knows"
    }  # fmt: skip
    as_opus = next(row for row in found.rows if row.model == "claude-opus-5")
    assert as_opus.usd is not None
    assert as_opus.usd.to_json() == "1.575"  # three rows that did not fail


def test_a_workload_without_a_model_is_shown_under_every_model(book: PriceBook) -> None:
    nameless = table([{"input_tokens": 1_000_000, "output_tokens": 0}])
    found = report(book, nameless)
    assert found.baselines.no_cache is not None
    assert found.baselines.no_cache.to_json() == "5"
    assert found.baselines.billed is None
    assert [m.id for m in found.assumptions][1:3] == ["report.assume_at", "report.assume_model"]
    assert len(found.rows) == sum(len(t.models) for t in book.tables.values())
    assert {row.policy for row in found.rows} == {"none"}
    assert {row.model for row in found.break_even} == {"claude-opus-5"}


def test_a_chosen_model_is_the_headline_of_a_workload_without_one(book: PriceBook) -> None:
    nameless = table([{"input_tokens": 1_000_000, "output_tokens": 0}])
    found = report(
        book, nameless, models=("claude-sonnet-4-6",), providers=("bedrock",), surface="in-region"
    )
    assert found.baselines.no_cache is not None
    assert found.baselines.no_cache.to_json() == "3.3"
    batch = report(book, nameless, models=("claude-opus-5",), mode="batch")
    assert batch.baselines.no_cache is not None
    assert batch.baselines.no_cache.to_json() == "2.5"


def test_a_named_workload_without_cache_columns_keeps_its_own_row(book: PriceBook) -> None:
    named = table([{"model": "claude-opus-5", "input_tokens": 1_000_000, "output_tokens": 0}])
    found = report(book, named, models=("claude-opus-5",))
    assert [(row.model, row.policy) for row in found.rows] == [
        (None, "none"), ("claude-opus-5", "none")
    ]  # fmt: skip


def test_a_period_bills_its_days_alone(book: PriceBook) -> None:
    found = report(book, since=date(2026, 10, 1), until=date(2026, 10, 1))
    assert found.workload.rows == 1
    assert found.baselines.billed is not None
    assert found.baselines.billed.to_json() == "0.12"
    empty = report(book, since=date(2030, 1, 1))
    assert empty.baselines.no_cache is None
    assert empty.baselines.reasons["billed_usd"].id == "report.no_rows"
    assert (empty.groups, empty.rows, empty.unpriced) == ((), (), ())


def test_each_figure_can_be_opened_with_formula_inputs_and_dated_sources(book: PriceBook) -> None:
    found = report(book, **FULL)
    assert set(found.figures) == {
        "no_cache", "billed", "best_reachable", "earned", "not_cacheable", "token_hit",
        "request_hit", "usd_weighted_hit", "month", "observed_cost", "reconciliation", "change",
        "break_even",
        "bucket.uncached", "bucket.read", "bucket.write_1h", "bucket.output",
    }  # fmt: skip
    read = found.figures["bucket.read"]
    assert read.inputs == {"read": "90000"}
    assert [str(source.prices["read"]) for source in read.sources] == ["0.5"]
    assert read.sources[0].source.startswith("https://")
    for provenance in found.figures.values():
        assert SAY(provenance.formula) != provenance.formula.id


def test_the_reconciliation_and_the_change_are_in_the_report(book: PriceBook) -> None:
    found = report(book, **FULL)
    assert found.reconciliation is not None
    parts = {name: part.to_json() for name, part in found.reconciliation.parts.items()}
    # The row states 0.12, exactly what it costs; a tenth off would explain a lower statement.
    assert parts == {"duplicates": "0.5", "discount": "-0.012", "unexplained": "0.012"}
    assert found.change is not None
    assert found.change.total.to_json() == "0.655"


def test_json_has_the_shape_of_the_shell(book: PriceBook) -> None:
    found = report_to_json(report(book, **FULL), SAY)
    assert list(found) == [
        "report_id", "method_version", "price_book_version", "workload_sha256", "assumptions",
        "workload", "baselines", "best", "saving", "not_cacheable_usd", "ratios", "groups",
        "reconciliation", "change", "month", "rates", "break_even", "unpriced",
        "observed_cost_usd", "rows", "invoices", "adjusted", "own_hardware",
    ]  # fmt: skip
    assert list(found["workload"]) == [
        "name", "requests", "rows", "first_utc", "last_utc", "days_utc"
    ]  # fmt: skip
    assert list(found["baselines"]) == [
        "no_cache_usd", "billed_usd", "best_reachable_usd", "reasons"
    ]  # fmt: skip
    assert list(found["rows"][0]) == [
        "provider", "surface", "model", "mode", "policy", "placement", "status", "reason", "usd",
        "saving_usd", "tokens", "usd_by_bucket", "hit_ratio", "pings", "storage_mtok_hours",
        "assumptions", "source", "as_of",
    ]  # fmt: skip
    assert list(found["change"]) == [
        "from", "to", "volume_usd", "mix_usd", "caching_usd", "price_usd", "total_usd"
    ]  # fmt: skip
    assert list(found["month"]) == ["factor", "source", "billed_usd", "reachable_usd"]
    assert list(found["groups"][0]) == [
        "by", "key", "requests", "tokens", "no_cache_usd", "billed_usd"
    ]  # fmt: skip
    assert found["rates"] == [
        {"currency": "JPY", "per_usd": "150", "date": "2026-11-01", "source": "you"}
    ]
    assert found["workload"]["first_utc"] == "2026-08-01T00:00:00Z"
    assert found["change"]["from"] == "2026-10-01/2026-10-01"
    assert found["ratios"] == {
        "token_hit": 0.45, "request_hit": 0.5, "usd_weighted_hit": 0.45, "n": 2
    }  # fmt: skip
    json.dumps(found, allow_nan=False)


def test_json_prints_a_range_with_a_null_value_and_both_ends(book: PriceBook) -> None:
    day = {
        "model": "deepseek-flash",
        "input_tokens": 1_000_000,
        "output_tokens": 0,
        "cached_read_tokens": 500_000,
        "n_requests": 9,
        "arrival_utc": "2026-11-27",
        "bucket_end_utc": "2026-11-28",
    }
    found = report_to_json(report(book, table([day], granularity="bucket")), SAY)
    billed = found["baselines"]["billed_usd"]
    assert billed["value"] is None
    assert Decimal(billed["high"]) == 2 * Decimal(billed["low"])
    assert set(found["rows"][0]["usd_by_bucket"]) == {"low", "high"}
    assert found["rows"][0]["hit_ratio"] == 0.5


def test_what_is_unknown_is_null(book: PriceBook) -> None:
    bare = report_to_json(report(book, table([{"input_tokens": 5, "output_tokens": 1}])), SAY)
    for key in ("best", "change", "month"):
        assert bare[key] is None
    assert bare["baselines"]["billed_usd"] is None
    assert "Not in this file" in bare["baselines"]["reasons"]["billed_usd"]
    assert bare["saving"] == {"earned_usd": None, "earned_ratio": None, "reachable_usd": None}
    assert bare["ratios"] == {
        "token_hit": None, "request_hit": None, "usd_weighted_hit": None, "n": 0
    }  # fmt: skip


def test_a_stored_report_reopens_to_the_same_numbers_and_the_same_id(book: PriceBook) -> None:
    for found in (
        report(book, **FULL),
        report(book, table([{"input_tokens": 5, "output_tokens": 1}])),
    ):
        text = json.dumps(report_to_store(found), allow_nan=False)
        again = report_from_store(json.loads(text))
        assert again == found
        assert report_to_json(again, SAY) == report_to_json(found, SAY)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"store_version": 999, "report": {}},
        {"store_version": 1},
        {"store_version": 1, "report": {"Amount": {"low_e13": 1, "high_e13": 2}}},
        {"store_version": 1, "report": {"Popen": {"args": "x"}}},
        {"store_version": 1, "report": {"CostReport": {"report_id": "x"}}},
        {"store_version": 1, "report": {"a": 1, "b": 2}},
        {"store_version": 1, "report": {"decimal": "not a number"}},
    ],
)
def test_a_damaged_stored_report_is_refused_in_one_sentence(broken: dict[str, Any]) -> None:
    with pytest.raises(DataError) as caught:
        report_from_store(broken)
    assert SAY(caught.value.message) != caught.value.message.id


def test_only_the_parts_of_a_report_can_be_stored(book: PriceBook) -> None:
    with pytest.raises(AssertionError):
        report_to_store(replace(report(book), best=object()))  # type: ignore[arg-type]


def test_equal_inputs_give_an_equal_id_whatever_their_order(book: PriceBook) -> None:
    names = {"a": "claude-opus-5", "b": "gpt-5.6-sol"}
    one = report(book, models=("claude-opus-5", "gpt-5.6-sol"), model_names=names)
    other = report(
        book,
        replace(observed(), name="another name"),
        models=("gpt-5.6-sol", "claude-opus-5"),
        model_names=dict(reversed(names.items())),
    )
    assert one.report_id == other.report_id
    assert len(one.report_id) == 64


@pytest.mark.parametrize(
    "params",
    [
        {"at": datetime(2026, 1, 1, tzinfo=UTC)},
        {"include_failed": True},
        {"tz": "Asia/Tokyo"},
        {"models": ("claude-opus-5",)},
        {"month_factor": Decimal("1.5")},
        {"since": date(2026, 10, 1)},
    ],
)
def test_another_parameter_is_another_report(book: PriceBook, params: dict[str, Any]) -> None:
    assert report(book).report_id != report(book, **params).report_id


def test_other_tokens_are_another_report_and_renamed_sessions_are_not(book: PriceBook) -> None:
    renamed = observed()
    more = replace(
        renamed, columns={**renamed.columns, "output_tokens": renamed.ints("output_tokens") + 1}
    )
    assert report(book, more).report_id != report(book).report_id
    session = renamed.text("session_id")
    other = replace(session, values=("quite another",))
    assert (
        report(book, replace(renamed, columns={**renamed.columns, "session_id": other})).report_id
        == report(book).report_id
    )


def test_the_id_sees_duplicates_and_the_method(
    book: PriceBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = report(book).rows[0].sources
    base = report_id("0", None, ReportParams(), sources)
    assert base == report_id("0", None, ReportParams(), tuple(reversed(sources)))
    assert base != report_id("0", 1, ReportParams(), sources)
    assert base != report_id("0", None, ReportParams(), sources[:0])
    dearer = replace(sources[0], prices={**sources[0].prices, "read": Decimal(9)})
    assert base != report_id("0", None, ReportParams(), (dearer, *sources[1:]))
    monkeypatch.setattr("econ.report_id.METHOD_VERSION", METHOD_VERSION + 1)
    assert base != report_id("0", None, ReportParams(), sources)


def test_the_same_value_written_differently_is_the_same_in_the_id() -> None:
    tokyo = datetime.fromisoformat("2026-01-01T09:00:00+09:00")
    assert canonical(tokyo) == canonical(datetime(2026, 1, 1, tzinfo=UTC))
    assert canonical(tokyo.replace(tzinfo=None, hour=0)) == canonical(tokyo)
    assert canonical(Decimal("1.50")) == canonical(Decimal("1.5"))
    assert canonical((2, 1)) == [2, 1]


def test_a_zone_and_a_group_that_do_not_exist_are_refused(book: PriceBook) -> None:
    for params in ({"tz": "Mars/Olympus"}, {"by": ("planet",)}, {"providers": ("nobody",)}):
        with pytest.raises(InputError) as caught:
            report(book, **params)
        assert SAY(caught.value.message) != caught.value.message.id


def test_every_sentence_of_a_report_has_words_in_both_languages(book: PriceBook) -> None:
    found = report(book, **FULL)
    said = [*found.assumptions, *found.baselines.reasons.values()]
    said += [row.reason for row in found.unpriced]
    for language in ("en", "ja"):
        for message in said:
            words = sayer(language)(message)
            assert message.id not in words
            assert "{" not in words


def test_a_month_factor_is_exact(book: PriceBook) -> None:
    found = report(book)
    assert found.month is not None
    assert found.month.factor == Fraction("30.4375") / 3


def test_the_best_policy_has_its_place_in_json_and_what_is_not_stated_is_null(
    book: PriceBook,
) -> None:
    best = BestRef(
        provider="anthropic", surface="global", model="claude-opus-5", policy="1h", placement="end"
    )
    found = report_to_json(replace(report(book), best=best), SAY)
    assert found["best"] == {
        "provider": "anthropic", "surface": "global", "model": "claude-opus-5",
        "policy": "1h", "placement": "end",
    }  # fmt: skip
    unstated = build_report(
        table([{"input_tokens": 5, "output_tokens": 1}]),
        Receipt(files=(), rows_read=1, rows_kept=1),
        book,
        ReportParams(),
    )
    assert report_to_json(unstated, SAY)["reconciliation"] is None


def test_parameters_alone_can_be_stored_and_equal_ones_are_equal() -> None:
    one, other = params_to_store(ReportParams(**FULL)), params_to_store(ReportParams(**FULL))
    assert json.dumps(one) == json.dumps(other)
    assert one != params_to_store(ReportParams())
