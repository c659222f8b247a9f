"""Refreshing: who is asked, what is kept, what changed, and that no key is found anywhere after."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from data_sources.public.hosts import SOURCES, Source
from data_sources.store.engine import close_current_store, current_store
from data_sources.store.observations import find_body, list_observations
from jobs import public_data
from jobs.public_asked import Keys, Refreshed, Wanted, known_as, refreshed_json
from jobs.public_refresh import refresh
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError
from settings import Settings, using
from tests.data_sources.public.bodies import (
    body,
    csv_row,
    edinet_csv,
    edinet_list,
    edinet_row,
    estat,
    fact,
    zipped,
)
from tests.data_sources.public.server import HTML, JSON, Reply, Stand, standing

CANARY = "canary5e1f0cafe5e1f0cafe5e1f0cafe0123456"
SECRET = SecretStr(CANARY)
KEYS = Keys(sec_contact="me@example.org", fred=SECRET, edinet=SECRET, estat=SECRET)
NO_KEYS = Keys()
CSV = "/graph/fredgraph.csv"
FACTS = "/api/xbrl/companyfacts/CIK0000000007.json"
LIST = "/api/v2/documents.json"
ESTAT = "/rest/3.0/app/json/"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    with using(Settings(data_dir=tmp_path)):
        yield tmp_path
        close_current_store()


@pytest.fixture
def stand() -> Iterator[Stand]:
    with standing() as made:
        yield made


def asked(stand: Stand, source: Any, keys: Keys = KEYS, **wanted: Any) -> Refreshed:
    with stand.web() as web:
        (found,) = refresh([source], Wanted(**wanted), keys, web=web)
    return found


def reasons(found: Refreshed) -> list[str]:
    return [failure.message.id for failure in found.failures]


def chart(value: str) -> Reply:
    return Reply(f"observation_date,X\n2026-06-01,{value}\n2026-07-01,.\n".encode(),
                 content_type="text/csv")  # fmt: skip


def test_without_a_key_freds_chart_is_read_and_kept(stand: Stand) -> None:
    stand.at(CSV, chart("3.8"))
    found = asked(stand, "fred", NO_KEYS, series=("x",))
    assert (found.asked, len(found.new), found.failures) == (1, 2, [])
    kept = find_body(current_store(), "https://fred.stlouisfed.org/graph/fredgraph.csv?id=X", None)
    assert kept is not None
    assert kept.content.startswith(b"observation_date")
    figures = public_data.series("X").figures
    assert [(f.value, f.marker) for f in figures] == [(Decimal("3.8"), ""), (None, ".")]
    assert figures[0].origin == "fetched"
    assert figures[0].link == "https://fred.stlouisfed.org/series/X"


def test_within_a_day_nobody_is_asked_again_unless_told_to(stand: Stand) -> None:
    stand.at(CSV, chart("3.8"), chart("3.7"))
    asked(stand, "fred", NO_KEYS, series=("X",))
    again = asked(stand, "fred", NO_KEYS, series=("X",))
    assert (again.asked, again.reused, again.unchanged) == (0, 1, 2)
    forced = asked(stand, "fred", NO_KEYS, series=("X",), force=True)
    (change,) = forced.changed
    assert change.before is not None
    assert (change.before.value, change.after.value) == (Decimal("3.8"), Decimal("3.7"))
    data = refreshed_json([forced], lambda message: say("en", message))
    row = data["sources"][0]["changed"][0]
    assert (row["before"], row["value"], row["series"]) == ("3.8", "3.7", "X")


def test_with_a_key_freds_vintages_are_kept(stand: Stand) -> None:
    info = {"seriess": [{"id": "X", "units": "percent", "frequency_short": "M"}]}
    rows = [{"date": "2026-06-01", "realtime_start": since, "value": value}
            for since, value in (("2026-07-15", "3.8"), ("2026-08-15", "3.7"))]  # fmt: skip
    stand.at("/fred/series", Reply(body(info).content))
    stand.at(
        "/fred/series/observations",
        Reply(body({"count": 2, "offset": 0, "limit": 1, "observations": rows[:1]}).content),
        Reply(body({"count": 2, "offset": 1, "limit": 1, "observations": rows[1:]}).content),
    )
    found = asked(stand, "fred", series=("X",), all_vintages=True)
    assert found.failures == []
    assert stand.seen[1].query["realtime_start"] == ["1776-07-04"]
    assert stand.seen[2].query["offset"] == ["1"]
    (then,) = public_data.series("X", on=date(2026, 7, 15)).figures
    assert then.value == Decimal("3.8")


FACTS_BODY = {
    "cik": 7,
    "entityName": "MADE UP",
    "facts": {"us-gaap": {
        "Revenues": {"units": {"USD": [
            fact("2026-01-01", "2026-03-31", 100, "2026-05-01"),
            fact("2026-01-01", "2026-03-31", 101, "2026-08-01", accn="b"),
            fact("2025-01-01", "2025-12-31", 300, "2026-02-01", form="10-K"),
        ]}},
        "GrossProfit": {"units": {"USD": [fact("2026-01-01", "2026-03-31", 50, "2026-05-01")]}},
    }},
}  # fmt: skip


def test_a_companys_filings_become_quarters_margins_and_years(stand: Stand) -> None:
    stand.at(FACTS, Reply(body(FACTS_BODY).content))
    found = asked(stand, "sec", companies=("7",))
    assert found.failures == []
    (quarter,) = public_data.filings("0000000007", "revenue")
    assert (quarter.value, quarter.first, quarter.restated) == (101, 100, True)
    assert quarter.link == "https://www.sec.gov/Archives/edgar/data/7/b/"
    (then,) = public_data.filings("0000000007", "revenue", on=date(2026, 6, 1))
    assert then.value == 100
    ((_, margin),) = public_data.margin("0000000007", "gross_margin")
    assert margin.denominator == 101
    (year,) = public_data.filings("0000000007", "revenue", span="year")
    assert year.value == 300
    assert public_data.filings("0000000007", "revenue", on=date(2020, 1, 1)) == ()
    assert public_data.companies()[-1].id == "0000000007"
    assert public_data.gaps("0000000007", "revenue") == []


def test_fetched_quarters_stand_beside_the_bundled_ones(stand: Stand) -> None:
    nvidia = {**FACTS_BODY, "cik": 1045810}
    stand.at("/api/xbrl/companyfacts/CIK0001045810.json", Reply(body(nvidia).content))
    before = public_data.filings("0001045810", "revenue")
    assert {figure.origin for figure in before} == {"snapshot"}
    asked(stand, "sec", companies=("NVDA",))
    after = public_data.filings("0001045810", "revenue")
    assert len(after) == len(before) + 1
    assert [f.origin for f in after if f.end == date(2026, 3, 31)] == ["fetched"]


def test_one_company_that_is_not_there_stops_no_other(stand: Stand) -> None:
    stand.at(FACTS, Reply(body(FACTS_BODY).content))
    stand.at("/api/xbrl/companyfacts/CIK0000000008.json",
             Reply(b"<Error><Code>NoSuchKey</Code></Error>", 404, "application/xml"))  # fmt: skip
    tickers = {"0": {"cik_str": 9, "ticker": "OTHER"}}
    stand.at("/files/company_tickers.json", Reply(body(tickers).content))
    found = asked(stand, "sec", companies=("8", "7", "rubbish"))
    assert [failure.what for failure in found.failures] == ["8", "RUBBISH"]
    assert reasons(found) == ["public.not_found", "public.bad_cik"]
    assert found.new


def test_a_ticker_that_is_not_bundled_is_looked_up_at_the_sec(stand: Stand) -> None:
    tickers = {"0": {"cik_str": 7, "ticker": "MADE"}}
    stand.at("/files/company_tickers.json", Reply(body(tickers).content))
    stand.at(FACTS, Reply(body(FACTS_BODY).content))
    found = asked(stand, "sec", companies=("made",))
    assert found.failures == []
    assert [one.host for one in stand.seen] == ["www.sec.gov", "data.sec.gov"]


@pytest.mark.parametrize(
    ("cik", "least"), [("0001045810", 12), ("0001652044", 11)], ids=["NVIDIA", "Alphabet"]
)
def test_quarters_out_of_recorded_filings_are_the_bundled_ones(
    stand: Stand, reference_data: Path, cik: str, least: int
) -> None:
    """Year-to-date sums, changed tags and fourth quarters included."""
    recorded = reference_data / "facts" / "public" / "samples"
    raw = (recorded / f"sec_companyfacts_CIK{cik}_trimmed.json").read_bytes()
    stand.at(f"/api/xbrl/companyfacts/CIK{cik}.json", Reply(raw))
    metrics = ("revenue", "gross_profit", "operating_income", "net_income", "capex")
    before = {m: {f.end: f.value for f in public_data.filings(cik, m)} for m in metrics}
    assert asked(stand, "sec", companies=(cik,)).failures == []
    for metric in metrics:
        after = {f.end: f for f in public_data.filings(cik, metric)}
        assert {end: after[end].value for end in before[metric]} == before[metric]
        assert sum(f.origin == "fetched" for f in after.values()) >= least


def test_without_a_contact_the_sec_is_not_asked_at_all(stand: Stand) -> None:
    assert reasons(asked(stand, "sec", NO_KEYS)) == ["public.needs_contact"]
    assert stand.seen == []


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_that_cannot_be_reached_is_left_after_its_first_item(
    stand: Stand, source: Source
) -> None:
    port, stand.port = stand.port, 1
    found = asked(stand, source)
    stand.port = port
    assert reasons(found) == ["public.no_connection"]


@pytest.mark.parametrize("status", [403, 429])
def test_a_source_that_wants_no_more_is_left_in_peace(stand: Stand, status: int) -> None:
    for cik in ("0000000007", "0000000008"):
        stand.at(f"/api/xbrl/companyfacts/CIK{cik}.json", Reply(b"", status))
    assert len(reasons(asked(stand, "sec", companies=("7", "8")))) == 1
    assert {one.path for one in stand.seen} == {FACTS}


@pytest.mark.parametrize("source", ["edinet", "estat"])
def test_without_a_key_these_are_not_asked(stand: Stand, source: str) -> None:
    assert reasons(asked(stand, source, NO_KEYS)) == ["public.needs_key"]
    assert stand.seen == []


def edinet_stand(stand: Stand) -> None:
    table = edinet_csv(csv_row("jpigp_cor:RevenueIFRS", "1000"))
    figures = zipped({"XBRL_TO_CSV/a.csv": table.encode("utf-16")})
    words = zipped({"XBRL/PublicDoc/a_ixbrl.htm": "<p>ＧＰＵと推論、推論。</p>".encode()})
    row = edinet_row("S100TEST", edinetCode="E35948")
    stand.at(LIST, Reply(body(edinet_list()).content), Reply(body(edinet_list(row)).content))
    stand.at("/api/v2/documents/S100TEST", Reply(figures, content_type="application/octet-stream"),
             Reply(words, content_type="application/octet-stream"))  # fmt: skip


DAYS = {"first": date(2026, 6, 21), "last": date(2026, 6, 22), "companies": ("285A",)}


def test_an_annual_report_gives_figures_and_words(stand: Stand) -> None:
    edinet_stand(stand)
    found = asked(stand, "edinet", **DAYS)
    assert found.failures == []
    assert [one.query.get("date") for one in stand.seen[:2]] == [["2026-06-21"], ["2026-06-22"]]
    assert [one.query["type"] for one in stand.seen[2:]] == [["5"], ["1"]]
    (year,) = [f for f in public_data.filings("E35948", "revenue", span="year")
               if f.origin == "fetched"]  # fmt: skip
    assert (year.value, year.currency, year.document) == (1_000, "JPY", "S100TEST")
    counts = {o.series: o.value for o in list_observations(current_store(), entity="E35948")}
    assert counts["words:推論"] == 2
    assert counts["words:GPU"] == 1
    assert counts["words:生成AI"] == 0


def test_a_document_that_was_read_is_never_asked_for_again(stand: Stand) -> None:
    edinet_stand(stand)
    asked(stand, "edinet", **DAYS)
    again = asked(stand, "edinet", **DAYS)
    assert (again.asked, again.reused) == (0, 4)


def test_a_refused_key_ends_the_days_at_once_and_is_not_kept_as_an_answer(stand: Stand) -> None:
    stand.at(LIST, Reply(b'{"StatusCode": 401, "message": "Access denied"}'))
    found = asked(stand, "edinet", **DAYS)
    assert reasons(found) == ["public.bad_key"]
    assert len(stand.seen) == 1
    assert asked(stand, "edinet", **DAYS).reused == 0


def test_days_in_the_wrong_order_are_refused(stand: Stand) -> None:
    with pytest.raises(InputError):
        asked(stand, "edinet", first=date(2026, 6, 22), last=date(2026, 6, 21))
    with pytest.raises(InputError):
        asked(stand, "edinet", first=date(2020, 1, 1), last=date(2026, 6, 21))


def estat_values(*values: str, code: str = "1", **result: Any) -> bytes:
    times = [{"@code": str(at), "@name": f"20260{at}"} for at in range(1, 4)]
    inner = {
        "RESULT_INF": {"TOTAL_NUMBER": 2, **result},
        "TABLE_INF": {"@id": "0004052177", "CYCLE": "月次", "UPDATED_DATE": "2026-06-03"},
        "CLASS_INF": {"CLASS_OBJ": {"@id": "time", "CLASS": times}},
        "DATA_INF": {"VALUE": [{"@cat01": code, "@time": str(at), "$": value}
                               for at, value in enumerate(values, start=1)]},
    }  # fmt: skip
    return body(estat("GET_STATS_DATA", STATISTICAL_DATA=inner)).content


def test_pages_of_a_table_are_read_to_the_end(stand: Stand) -> None:
    stand.at(ESTAT + "getStatsData", Reply(estat_values("1", NEXT_KEY=2)),
             Reply(estat_values("1", "X")))  # fmt: skip
    found = asked(stand, "estat", tables=("0004052177",))
    assert found.failures == []
    assert stand.seen[1].query["startPosition"] == ["2"]
    figures = public_data.series("0004052177:1").figures
    assert [(f.value, f.marker) for f in figures] == [(1, ""), (None, "X")]


def test_products_are_found_by_name_and_kept_under_ours(stand: Stand) -> None:
    table = {
        "@id": "0009999999",
        "TITLE": {"$": "品目別季節調整済指数 生産 2020年"},
        "CYCLE": "月次",
    }
    names = ["モス型IC（メモリ）", "モス型IC（ロジック）", "半導体製造装置"]
    classes = [{"@code": f"c{at}", "@name": name} for at, name in enumerate(names)]
    meta = {"CLASS_INF": {"CLASS_OBJ": {"@id": "cat01", "CLASS": classes}}}
    stand.at(
        ESTAT + "getStatsList",
        Reply(body(estat("GET_STATS_LIST", DATALIST_INF={"TABLE_INF": table})).content),
    )
    stand.at(ESTAT + "getMetaInfo",
             Reply(body(estat("GET_META_INFO", METADATA_INF=meta)).content))  # fmt: skip
    industry = Reply(estat_values("7", code="9"))
    product = Reply(estat_values("140.1", code="c0"))
    stand.at(ESTAT + "getStatsData", industry, industry, product)
    found = asked(stand, "estat")
    assert found.failures == []
    fetched = [f for f in public_data.series("mos_memory").figures if f.origin == "fetched"]
    assert [f.value for f in fetched] == [Decimal("140.1")]


def test_a_table_that_is_not_found_is_said(stand: Stand) -> None:
    stand.at(ESTAT + "getStatsData", Reply(estat_values("7")))
    stand.at(ESTAT + "getStatsList", Reply(body(estat("GET_STATS_LIST", 1)).content))
    assert reasons(asked(stand, "estat")) == ["public.not_one"]


def test_an_answer_that_repeats_the_key_is_kept_without_it(stand: Stand, folder: Path) -> None:
    echoed = estat_values("7").replace(b'"CYCLE"', f'"ASKED": "{CANARY}", "CYCLE"'.encode())
    stand.at(ESTAT + "getStatsData", Reply(echoed))
    assert asked(stand, "estat", tables=("0004052177",)).new
    url = next(one for one in list_observations(current_store())).url
    kept = find_body(current_store(), url, None)
    assert kept is not None
    assert b'"ASKED": "***"' in kept.content
    assert CANARY not in url


BROKEN = {
    "auth": Reply(body({"StatusCode": 401, "message": f"key {CANARY}"}).content),
    "estat": Reply(body(estat("GET_STATS_DATA", 100, f"appId {CANARY}")).content),
    "parameter": Reply(body(estat("GET_STATS_DATA", 101, f"appId {CANARY}")).content),
    "metadata": Reply(body({"metadata": {"status": "400", "message": CANARY}}).content),
    "html": Reply(f"<html>{CANARY}</html>".encode(), content_type=HTML),
    "half": Reply(body({"key": CANARY}).content, cut=20),
    "text": Reply(f"no json {CANARY}".encode(), content_type=JSON),
    "redirect": Reply(b"", 302, headers={"Location": f"https://evil.example/?k={CANARY}"}),
    "circle": Reply(b"", 302, headers={"Location": f"?api_key={CANARY}"}),
    **{str(status): Reply(body({"error_message": CANARY}).content, status)
       for status in (400, 401, 403, 404, 418, 429, 500, 503)},
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_no_key_is_found_in_messages_logs_results_or_the_ledger(
    stand: Stand, name: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for path in (CSV, FACTS, LIST, "/fred/series", "/fred/series/observations",
                 ESTAT + "getStatsData", ESTAT + "getStatsList"):  # fmt: skip
        stand.at(path, BROKEN[name])
    wanted = Wanted(companies=("7", "E35948"), series=("X",), tables=("0004052177",),
                    first=date(2026, 6, 22), last=date(2026, 6, 22))  # fmt: skip
    with caplog.at_level(logging.DEBUG), stand.web() as web:
        found = refresh(["sec", "fred", "edinet", "estat"], wanted, KEYS, web=web)
    assert all(one.failures for one in found)
    assert any(CANARY in str(one.query) or CANARY in one.headers.values() for one in stand.seen)
    said = [say(lang, f.message) for one in found for f in one.failures for lang in LANGUAGES]
    shown = [str(refreshed_json(found, lambda message: say("en", message))), repr(KEYS), *said]
    assert CANARY not in "".join(shown)
    assert CANARY not in caplog.text
    close_current_store()
    for path in folder.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes(), path


def test_nothing_was_fetched_until_somebody_asks() -> None:
    standing_ = public_data.standing()
    assert standing_.fetched == {}
    assert standing_.snapshot_day == date(2026, 11, 29)


def test_a_fetch_is_dated(stand: Stand) -> None:
    stand.at(CSV, chart("1"))
    asked(stand, "fred", NO_KEYS, series=("X",))
    age = datetime.now(UTC) - public_data.standing().fetched["fred"]
    assert timedelta() <= age < timedelta(minutes=5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("NVDA", ("sec", "0001045810")), ("285a", ("edinet", "E35948")), ("7", ("sec", "7")),
     ("e12345", ("edinet", "E12345")), ("0001045810", ("sec", "0001045810"))],
)  # fmt: skip
def test_companies_are_known_by_ticker_cik_and_edinet_code(
    text: str, expected: tuple[str, str]
) -> None:
    assert known_as(text) == expected
