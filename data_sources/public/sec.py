"""SEC EDGAR: what companies filed as XBRL facts. No key, but a contact in the User-Agent.

https://www.sec.gov/search-filings/edgar-application-programming-interfaces
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from data_sources.public.failures import as_json, unexpected
from data_sources.public.hosts import SEC_DATA, SEC_FILES
from data_sources.public.numbers import currency_of, day, number
from data_sources.public.web import PRODUCT, Ask, Body
from econ.observation import Observation
from messages.errors import input_error

SOURCE = "sec"
TAXONOMY = "us-gaap"
CIK_DIGITS = 10

# Tried in order for every period, not once a company: filers change their tags.
METRICS: Mapping[str, tuple[str, ...]] = {
    "revenue": (
        "Revenues",
        "RevenueFromContractWithCustomerExcludingAssessedTax",
        "RevenueFromContractWithCustomerIncludingAssessedTax",
        "SalesRevenueNet",
    ),
    "cost_of_revenue": ("CostOfRevenue", "CostOfGoodsAndServicesSold", "CostOfGoodsSold"),
    "gross_profit": ("GrossProfit",),
    "operating_income": ("OperatingIncomeLoss",),
    "net_income": ("NetIncomeLoss", "ProfitLoss"),
    "research_and_development": ("ResearchAndDevelopmentExpense",),
    "inventory": ("InventoryNet",),
    "capex": (
        "PaymentsToAcquirePropertyPlantAndEquipment",
        "PaymentsToAcquireProductiveAssets",
        "PaymentsToAcquireOtherPropertyPlantAndEquipment",
    ),
    "operating_cash_flow": ("NetCashProvidedByUsedInOperatingActivities",),
    "total_assets": ("Assets",),
}
INSTANTS = frozenset({"inventory", "total_assets"})
TAGS = frozenset(tag for tags in METRICS.values() for tag in tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """One row of a company's filing index. `report_day` is the end of its period, if any."""

    accession: str
    form: str
    filed: date
    report_day: date | None
    document: str


def cik10(text: str) -> str:
    """Ten digits of a CIK written with or without zeros or 'CIK'. InputError otherwise."""
    digits = text.strip().upper().removeprefix("CIK")
    if not digits.isascii() or not digits.isdigit() or not int(digits) < 10**CIK_DIGITS:
        raise input_error("public.bad_cik", found=text[:40])
    return digits.zfill(CIK_DIGITS)


def facts_ask(cik: str, contact: str) -> Ask:
    """All facts of a company."""
    path = f"/api/xbrl/companyfacts/CIK{cik10(cik)}.json"
    return Ask(host=SEC_DATA, path=path, headers=agent(contact))


def concept_ask(cik: str, concept: str, contact: str) -> Ask:
    """One concept of a company; 404 where it never used it."""
    path = f"/api/xbrl/companyconcept/CIK{cik10(cik)}/{TAXONOMY}/{_tag(concept)}.json"
    return Ask(host=SEC_DATA, path=path, headers=agent(contact))


def frame_ask(concept: str, unit: str, frame: str, contact: str) -> Ask:
    """One concept over all companies in a calendar frame: CY2025, CY2026Q1 or CY2026Q1I."""
    named = unit.replace("/", "-per-")
    path = f"/api/xbrl/frames/{TAXONOMY}/{_tag(concept)}/{_tag(named)}/{_tag(frame)}.json"
    return Ask(host=SEC_DATA, path=path, headers=agent(contact))


def submissions_ask(cik: str, contact: str) -> Ask:
    """The newest filings of a company."""
    return Ask(host=SEC_DATA, path=f"/submissions/CIK{cik10(cik)}.json", headers=agent(contact))


def tickers_ask(contact: str) -> Ask:
    """Which CIK a ticker stands for now."""
    return Ask(host=SEC_FILES, path="/files/company_tickers.json", headers=agent(contact))


def agent(contact: str) -> dict[str, str]:
    """The User-Agent that the SEC asks for. InputError without an e-mail address."""
    name, at_sign, domain = contact.strip().partition("@")
    plain = contact.isascii() and contact.isprintable()
    if not (plain and name and at_sign and "." in domain):
        raise input_error("public.needs_contact")
    return {"User-Agent": f"{PRODUCT} {contact.strip()}"}


def _tag(text: str) -> str:
    if not text.isascii() or not text.replace("-", "").isalnum():
        raise input_error("public.bad_series", found=text[:40])
    return text


def filing_url(cik: str, accession: str) -> str:
    """The page of a filing."""
    folder = accession.replace("-", "")
    return f"https://{SEC_FILES}/Archives/edgar/data/{int(cik)}/{folder}/"


def read_facts(body: Body, tags: Collection[str] = TAGS) -> list[Observation]:
    """The facts of companyfacts under `tags`. DataError where it is something else."""
    found = as_json(SEC_DATA, body.content)
    facts = found.get("facts")
    if not isinstance(facts, Mapping) or not isinstance(found.get("cik"), int | str):
        raise unexpected(SEC_DATA, "companyfacts", body.content)
    concepts = facts.get(TAXONOMY)
    if not isinstance(concepts, Mapping):
        return []  # a company without us-gaap facts
    return [
        one
        for tag, concept in concepts.items()
        if tag in tags
        for one in _rows(concept, tag, cik10(str(found["cik"])), body)
    ]


def read_concept(body: Body) -> list[Observation]:
    """The facts of companyconcept. DataError where it is something else."""
    found = as_json(SEC_DATA, body.content)
    tag = found.get("tag")
    if not isinstance(tag, str) or not isinstance(found.get("cik"), int | str):
        raise unexpected(SEC_DATA, "companyconcept", body.content)
    return list(_rows(found, tag, cik10(str(found["cik"])), body))


def read_frame(body: Body) -> list[Observation]:
    """The facts of a frame, one a company. A frame does not say when they were filed."""
    found = as_json(SEC_DATA, body.content)
    rows, tag, unit = found.get("data"), found.get("tag"), found.get("uom")
    if not isinstance(rows, list) or not isinstance(tag, str) or not isinstance(unit, str):
        raise unexpected(SEC_DATA, "frames", body.content)
    return [
        one
        for row in rows
        if isinstance(row, Mapping) and isinstance(row.get("cik"), int)
        and (one := _fact(row, tag, unit, cik10(str(row["cik"])), body))
    ]  # fmt: skip


def read_submissions(body: Body) -> list[Filing]:
    """The filing index, sent as parallel columns. DataError where their lengths differ."""
    filings = as_json(SEC_DATA, body.content).get("filings")
    recent = filings.get("recent") if isinstance(filings, Mapping) else None
    names = ("accessionNumber", "form", "filingDate", "reportDate", "primaryDocument")
    columns = [recent.get(name) for name in names] if isinstance(recent, Mapping) else []
    lists = [column for column in columns if isinstance(column, list)]
    if len(lists) != len(names) or len({len(column) for column in lists}) != 1:
        raise unexpected(SEC_DATA, "submissions", body.content)
    return [
        Filing(
            accession=str(accession),
            form=str(form),
            filed=filed_day,
            report_day=day(reported),
            document=str(document),
        )
        for accession, form, filed, reported, document in zip(*lists, strict=True)
        if (filed_day := day(filed)) is not None
    ]


def read_tickers(body: Body) -> dict[str, str]:
    """Ticker -> CIK of ten digits."""
    rows = as_json(SEC_FILES, body.content).values()
    return {
        str(row["ticker"]): cik10(str(row["cik_str"]))
        for row in rows
        if isinstance(row, Mapping) and "ticker" in row and "cik_str" in row
    }


def _rows(concept: Any, tag: str, cik: str, body: Body) -> Iterator[Observation]:
    units = concept.get("units") if isinstance(concept, Mapping) else None
    if not isinstance(units, Mapping):
        raise unexpected(SEC_DATA, "units", body.content)
    for unit, rows in units.items():
        for row in rows if isinstance(rows, list) else ():
            one = _fact(row, tag, unit, cik, body) if isinstance(row, Mapping) else None
            if one is not None:
                yield one


def _fact(row: Mapping[str, Any], tag: str, unit: str, cik: str, body: Body) -> Observation | None:
    """One fact; None where it has no end, because it then says nothing of any period."""
    end, raw = day(row.get("end")), row.get("val")
    if end is None:
        return None
    value = number(raw)
    return Observation(
        source=SOURCE,
        series=tag,
        entity=cik,
        start=day(row.get("start")),
        end=end,
        vintage=day(row.get("filed")),
        value=value,
        marker="" if value is not None else str(raw)[:40],
        unit=unit,
        currency=currency_of(unit),
        document=str(row.get("accn") or ""),
        form=str(row.get("form") or ""),
        url=body.url,
        fetched_utc=body.fetched_utc,
        body_sha256=body.sha256,
    )
