"""SEC EDGAR: recorded answers, made-up ones, and every refusal."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from data_sources.public import sec
from econ.filing_quarters import instants, quarters
from messages.errors import DataError, InputError, KvledgerError, NotFoundError, SourceError
from tests.data_sources.public.bodies import body, companyfacts, fact
from tests.data_sources.public.server import HTML, Reply, Stand

CONTACT = "someone@example.org"
FACTS = "/api/xbrl/companyfacts/CIK0001045810.json"
NO_SUCH_KEY = b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>"


def refused(stand: Stand, reply: Reply) -> KvledgerError:
    stand.at(FACTS, reply)
    with stand.web() as web, pytest.raises(KvledgerError) as caught:
        sec.read_facts(web.get(sec.facts_ask("1045810", CONTACT)))
    return caught.value


def test_the_contact_travels_in_the_user_agent_and_the_cik_has_ten_digits(stand: Stand) -> None:
    stand.at(FACTS, Reply(companyfacts({"Revenues": []}).content))
    with stand.web() as web:
        assert sec.read_facts(web.get(sec.facts_ask("1045810", CONTACT))) == []
    headers = stand.seen[0].headers
    assert headers["User-Agent"] == f"kvledger/0.1 {CONTACT}"
    assert headers["Accept-Encoding"] == "gzip, deflate"
    assert stand.seen[0].host == "data.sec.gov"


@pytest.mark.parametrize("contact", ["", "nobody", "a@b", "a@b.c\r\nHost: x", "あ@b.c", "@x.org"])
def test_without_a_contact_the_sec_is_not_asked(contact: str) -> None:
    with pytest.raises(InputError):
        sec.facts_ask("7", contact)


@pytest.mark.parametrize("cik", ["", "NVDA", "12345678901", "-1", "1/../2", "１２"])
def test_a_cik_is_up_to_ten_digits(cik: str) -> None:
    with pytest.raises(InputError):
        sec.facts_ask(cik, CONTACT)


def test_the_four_addresses_are_those_of_the_documentation() -> None:
    asks = [
        sec.concept_ask("CIK7", "Revenues", CONTACT),
        sec.frame_ask("InventoryNet", "USD", "CY2026Q1I", CONTACT),
        sec.frame_ask("EarningsPerShareBasic", "USD/shares", "CY2025", CONTACT),
        sec.submissions_ask("7", CONTACT),
        sec.tickers_ask(CONTACT),
    ]
    assert [ask.url for ask in asks] == [
        "https://data.sec.gov/api/xbrl/companyconcept/CIK0000000007/us-gaap/Revenues.json",
        "https://data.sec.gov/api/xbrl/frames/us-gaap/InventoryNet/USD/CY2026Q1I.json",
        "https://data.sec.gov/api/xbrl/frames/us-gaap/EarningsPerShareBasic/USD-per-shares/CY2025.json",
        "https://data.sec.gov/submissions/CIK0000000007.json",
        "https://www.sec.gov/files/company_tickers.json",
    ]
    with pytest.raises(InputError):
        sec.concept_ask("7", "../x", CONTACT)


def test_403_as_a_page_names_the_user_agent_and_the_pause(stand: Stand) -> None:
    page = b"<html><body>Your Request Originates from an Undeclared Automated Tool</body></html>"
    error = refused(stand, Reply(page, status=403, content_type=HTML))
    assert isinstance(error, SourceError)
    assert error.message.id == "public.sec_refused"
    assert len(stand.seen) == 1


def test_404_as_xml_is_not_found_not_an_empty_list(stand: Stand) -> None:
    error = refused(stand, Reply(NO_SUCH_KEY, status=404, content_type="application/xml"))
    assert isinstance(error, NotFoundError)


@pytest.mark.parametrize(
    "content",
    [b"<html>maintenance</html>", b'{"cik": 7, "facts": {"us-gaap"', b"[]", b"null", b"",
     b'{"cik": 7}', b'{"facts": {}}', b"\xff\xfe", b"[" * 100_000],
)  # fmt: skip
def test_other_bodies_with_status_200_are_refused(stand: Stand, content: bytes) -> None:
    assert isinstance(refused(stand, Reply(content)), DataError)


def test_values_are_exact_and_units_give_the_currency() -> None:
    found = sec.read_facts(
        body('{"cik": 7, "facts": {"us-gaap": {"Revenues": {"units": {"USD/shares": [{"end":'
             '"2026-03-31", "val": 1.10, "filed": "2026-05-01", "form": "10-Q", "accn": "a"},'
             '{"end": "2026-03-31", "val": null, "filed": "2026-05-01"},'
             '{"end": "bad", "val": 1}]}}}}}')
    )  # fmt: skip
    assert [(o.value, o.currency, o.marker) for o in found] == [
        (Decimal("1.10"), "USD", ""),
        (None, "USD", "None"),
    ]


def test_a_frame_has_one_fact_a_company_and_no_day_of_filing() -> None:
    found = sec.read_frame(
        body({"taxonomy": "us-gaap", "tag": "InventoryNet", "ccp": "CY2026Q1I", "uom": "USD",
              "pts": 1, "data": [{"accn": "a", "cik": 7, "entityName": "X", "loc": "US-CA",
                                  "end": "2026-03-31", "val": 5}]})
    )  # fmt: skip
    assert [(o.entity, o.start, o.end, o.value, o.vintage) for o in found] == [
        ("0000000007", None, date(2026, 3, 31), Decimal(5), None)
    ]


def test_the_filing_index_is_turned_from_columns_into_rows() -> None:
    columns = {
        "accessionNumber": ["a", "b"], "form": ["10-Q", "8-K"],
        "filingDate": ["2026-05-20", "2026-05-21"], "reportDate": ["2026-04-26", ""],
        "primaryDocument": ["q.htm", "k.htm"],
    }  # fmt: skip
    rows = sec.read_submissions(body({"filings": {"recent": columns, "files": []}}))
    assert rows[0].report_day == date(2026, 4, 26)
    assert rows[1].report_day is None
    columns["form"].pop()
    with pytest.raises(DataError):
        sec.read_submissions(body({"filings": {"recent": columns}}))


def test_tickers_give_ciks() -> None:
    rows = {"0": {"cik_str": 1652044, "ticker": "GOOGL", "title": "Alphabet"},
            "1": {"cik_str": 1652044, "ticker": "GOOG", "title": "Alphabet"}}  # fmt: skip
    assert set(sec.read_tickers(body(rows)).values()) == {"0001652044"}


def test_proxy_statements_are_kept_but_make_no_quarter() -> None:
    rows = [
        fact("2026-01-01", "2026-03-31", 100, "2026-05-01"),
        fact("2026-01-01", "2026-03-31", 100_000, "2026-06-01", form="DEF 14A", fy=None, fp=None),
    ]
    found = sec.read_facts(companyfacts({"NetIncomeLoss": rows}))
    assert len(found) == 2
    (quarter,) = quarters(found, sec.METRICS["net_income"])
    assert quarter.value == 100
    assert not quarter.restated


def test_nvidia_as_recorded(stand: Stand, samples: Path) -> None:
    """Capex of nine months is no quarter's; the abandoned tags do not end the series."""
    stand.at(FACTS, Reply((samples / "sec_companyfacts_CIK0001045810_trimmed.json").read_bytes()))
    with stand.web() as web:
        found = sec.read_facts(web.get(sec.facts_ask("1045810", CONTACT)))
    capex = {q.end: q for q in quarters(found, sec.METRICS["capex"])}
    third = capex[date(2025, 10, 26)]
    assert (third.value, third.derived) == (1_636_000_000, "year_to_date")
    assert capex[date(2026, 4, 26)].derived == ""
    fourth = capex[date(2026, 1, 25)]
    assert (fourth.value, fourth.derived) == (1_284_000_000, "year_less_nine_months")
    revenue = {q.end: q for q in quarters(found, sec.METRICS["revenue"])}
    assert revenue[date(2026, 4, 26)].value == 81_615_000_000
    assert revenue[date(2026, 1, 25)].value == 68_127_000_000
    assert revenue[date(2026, 1, 25)].fourth
    stock = {o.end: o.value for o in instants(found, sec.METRICS["inventory"])}
    assert stock[date(2026, 4, 26)] == 25_797_000_000
    income = {q.end: q.value for q in quarters(found, sec.METRICS["net_income"])}
    assert income[date(2026, 4, 26)] == 58_321_000_000


def test_alphabet_as_recorded_changes_its_tag_inside_a_year(samples: Path) -> None:
    raw = (samples / "sec_companyfacts_CIK0001652044_trimmed.json").read_bytes()
    found = {q.end: q for q in quarters(sec.read_facts(body(raw)), sec.METRICS["revenue"])}
    assert found[date(2025, 3, 31)].value == 90_234_000_000
    assert found[date(2025, 12, 31)].value == 113_828_000_000
    assert found[date(2025, 12, 31)].fourth


def test_companyconcept_has_the_same_rows_as_companyfacts(samples: Path) -> None:
    facts = sec.read_facts(
        body((samples / "sec_companyfacts_CIK0001045810_trimmed.json").read_bytes()), {"Revenues"}
    )
    raw = (samples / "sec_companyconcept_NVDA_Revenues_trimmed.json").read_bytes()
    concept = sec.read_concept(body(raw))
    assert json.loads(raw)["tag"] == "Revenues"
    keys = {(o.start, o.end, o.value, o.document) for o in facts}
    assert concept
    assert {(o.start, o.end, o.value, o.document) for o in concept} <= keys


def test_a_filing_has_a_page() -> None:
    assert sec.filing_url("0001045810", "0001045810-26-000052") == (
        "https://www.sec.gov/Archives/edgar/data/1045810/000104581026000052/"
    )
