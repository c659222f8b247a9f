"""Asking the public sources, only when a person says so, and what that changed.

Raw answers are kept with the moment of their fetch as soon as they could be read; an answer that is
no older than a day is read again instead of asked for again. One source's failure stops no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TypeVar

from pydantic import SecretStr

from data_sources.public import edinet, edinet_csv, estat, estat_items, filing_text, fred, sec
from data_sources.public.hosts import SOURCES as SOURCES
from data_sources.public.hosts import Source
from data_sources.public.snapshot import snapshot
from data_sources.public.web import Ask, Body
from data_sources.public.web import Web as Web
from data_sources.store import observations as rows
from data_sources.store.engine import Store, current_store
from econ.observation import Observation
from jobs.public_asked import Failure, Keys, Refreshed, Wanted, companies_of
from jobs.public_asked import keys_from_settings as keys_from_settings
from messages.errors import KvledgerError, Message, input_error

T = TypeVar("T")
Stage = Callable[[Source, str], None]
DAY = timedelta(days=1)
EDINET_DAYS = 31
MOST_EDINET_DAYS = 400
ANNUAL_TYPES = (edinet.ANNUAL, edinet.AMENDED_ANNUAL)
ESTAT_TABLES = ("0004052177", "0004052179")
ESTAT_CODES = "0001000,0046000"
LOST = ("public.bad_key", "public.no_connection", "public.slow", "public.needs_contact",
        "public.sec_refused", "public.too_many", "public.too_many_now")  # fmt: skip


def refresh(
    sources: Sequence[Source],
    wanted: Wanted,
    keys: Keys,
    stage: Stage = lambda source, what: None,
    web: Web | None = None,
) -> list[Refreshed]:
    """Ask the sources in their order and keep what they say. Nobody else is asked. Failures are
    part of the result, except that an unusable store stops it (SourceError)."""
    store = current_store()
    found = []
    with Web() if web is None else nullcontext(web) as client:
        for source in sources:
            run = _Run(source, store, client, wanted, keys, stage)
            run.all()
            found.append(run.result)
    return found


def expected(source: Source, wanted: Wanted) -> int:
    """How many steps a source is about to take, for showing how far it is."""
    steps = {
        "sec": len(companies_of("sec", wanted)),
        "fred": len(wanted.series or _known_series()),
        "edinet": EDINET_DAYS + 2 * len(companies_of("edinet", wanted)),
        "estat": len(wanted.tables or ESTAT_TABLES) + 1,
    }
    return steps[source]


def _known_series() -> list[str]:
    return [info.id for info in snapshot().series if info.source == "fred"]


class _Run:
    """One source's turn."""

    def __init__(
        self, source: Source, store: Store, web: Web, wanted: Wanted, keys: Keys, stage: Stage
    ) -> None:
        self.result = Refreshed(source=source)
        self._store, self._web, self._wanted, self._keys = store, web, wanted, keys
        self._stage = stage

    def all(self) -> None:
        """Every item of the source, each by itself."""
        steps = {"sec": self._sec, "fred": self._fred, "edinet": self._edinet,
                 "estat": self._estat}  # fmt: skip
        steps[self.result.source]()

    def _try(self, what: str, step: Callable[[], None]) -> bool:
        """Whether `step` went well; its refusal is noted under `what`."""
        self._stage(self.result.source, what)
        try:
            step()
        except KvledgerError as error:
            said = self._keys.hide(error.message)
            self.result.failures.append(Failure(what=what, message=said))
            return False
        return True

    def _read(self, ask: Ask, parse: Callable[[Body], T], most_age: timedelta | None = DAY) -> T:
        """The parsed answer, kept raw if it is new. `most_age` None: it never changes."""
        since = None if most_age is None else datetime.now(UTC) - most_age
        old = None if self._wanted.force else rows.find_body(self._store, ask.url, since)
        if old is not None:
            self.result.reused += 1
            return parse(Body(content=old.content, content_type=old.content_type, url=old.url,
                              fetched_utc=old.fetched_utc))  # fmt: skip
        self.result.asked += 1
        body = self._web.get(ask)
        parsed = parse(body)
        for secret in self._keys.secrets():  # in case an answer repeats the question
            if secret.encode() in body.content:
                body = replace(body, content=body.content.replace(secret.encode(), b"***"))
        kept = rows.KeptBody(
            source=self.result.source,
            url=body.url,
            content_type=body.content_type,
            fetched_utc=body.fetched_utc,
            content=body.content,
        )
        rows.keep_body(self._store, kept, body.sha256)
        return parsed

    def _keep(self, found: Sequence[Observation], *, repeats: bool) -> None:
        kept = rows.keep(self._store, found, repeats=repeats)
        self.result.new.extend(kept.new)
        self.result.changed.extend(kept.changed)
        self.result.unchanged += kept.unchanged

    def _sec(self) -> None:
        for company in companies_of("sec", self._wanted):
            if not self._try(company, partial(self._company, company)) and self._lost():
                return

    def _company(self, company: str) -> None:
        cik = company
        if not company.removeprefix("CIK").isdigit():
            tickers = self._read(sec.tickers_ask(self._keys.sec_contact), sec.read_tickers)
            cik = tickers.get(company, company)  # what is no ticker either is refused as a CIK
        found = self._read(sec.facts_ask(cik, self._keys.sec_contact), sec.read_facts)
        self._keep(found, repeats=True)

    def _fred(self) -> None:
        for series in self._wanted.series or _known_series():
            if not self._try(series, partial(self._fred_series, series)) and self._lost():
                return

    def _fred_series(self, series: str) -> None:
        series = fred.series_id(series)
        key = self._keys.fred
        if key is None:
            units = next((i.units for i in snapshot().series if i.id == series), "")
            ask = fred.csv_ask(series)
            found = self._read(ask, lambda body: fred.read_csv(body, series, units))
            self._keep(found, repeats=False)
            return
        info = self._read(fred.info_ask(series, key), fred.read_info)
        offset: int | None = 0
        while offset is not None:
            ask = fred.observations_ask(
                series, key, all_vintages=self._wanted.all_vintages, offset=offset
            )
            found, offset = self._read(
                ask,
                lambda body: (fred.read_observations(body, series, info.units),
                              fred.next_offset(body)),
            )  # fmt: skip
            self._keep(found, repeats=False)

    def _edinet(self) -> None:
        key = self._keys.edinet
        if key is None:
            self.result.failures.append(_needs_key("edinet", "KVLEDGER_EDINET_KEY"))
            return
        listed: list[edinet.Document] = []
        for on in self._days():
            done = self._try(on.isoformat(), partial(self._list, on, key, listed))
            if not done and self._lost():
                return
        for company in companies_of("edinet", self._wanted):
            for document in edinet.newest(listed, company, ANNUAL_TYPES):
                self._try(document.doc_id, partial(self._document, document, key))

    def _list(self, on: date, key: SecretStr, listed: list[edinet.Document]) -> None:
        # Rows are added to a day while it lasts.
        age = DAY if (datetime.now(UTC).date() - on).days < 2 else None
        listed.extend(self._read(edinet.list_ask(on, key), edinet.read_list, age))

    def _lost(self) -> bool:
        """The last failure is the source's own: its next item would fail for the same reason."""
        return self.result.failures[-1].message.id in LOST

    def _days(self) -> Iterator[date]:
        last = self._wanted.last or datetime.now(UTC).date()
        first = self._wanted.first or last - timedelta(days=EDINET_DAYS - 1)
        if not 0 <= (last - first).days < MOST_EDINET_DAYS:
            raise input_error("public.bad_days", most=MOST_EDINET_DAYS)
        for at in range((last - first).days + 1):
            yield first + timedelta(days=at)

    def _document(self, document: edinet.Document, key: SecretStr) -> None:
        if document.has_csv:
            self._keep(
                self._read(
                    edinet.document_ask(document.doc_id, 5, key),
                    lambda body: edinet_csv.figures(_zip(body), document),
                    None,
                ),
                repeats=True,
            )
        if document.has_xbrl:
            self._keep(
                self._read(
                    edinet.document_ask(document.doc_id, 1, key),
                    lambda body: _words(_zip(body), document),
                    None,
                ),
                repeats=True,
            )

    def _estat(self) -> None:
        key = self._keys.estat
        if key is None:
            self.result.failures.append(_needs_key("estat", "KVLEDGER_ESTAT_KEY"))
            return
        for table in self._wanted.tables or ESTAT_TABLES:
            codes = "" if self._wanted.tables else ESTAT_CODES
            done = self._try(table, partial(self._table, table, codes, key, {}))
            if not done and self._lost():
                return
        if not self._wanted.tables:
            self._try("items", partial(self._items, key))

    def _table(self, table: str, codes: str, key: SecretStr, names: dict[str, str]) -> None:
        start: int | None = 1
        while start is not None:
            ask = estat.data_ask(table, key, cat01=codes, start=start)
            found, start = self._read(
                ask, lambda body: (estat.read_data(body), estat.next_start(body))
            )
            self._keep([_named(one, names) for one in found], repeats=False)

    def _items(self, key: SecretStr) -> None:
        listing = estat.list_ask(estat_items.SURVEY, estat_items.WORDS, key)
        fitting = estat_items.candidates(self._read(listing, estat.read_list))
        if len(fitting) != 1:
            raise estat_items.not_one(estat_items.WORDS)
        table = fitting[0].id
        codes = estat_items.matching(self._read(estat.meta_ask(table, key), estat.read_codes))
        if set(codes) != set(estat_items.ITEMS):
            raise estat_items.not_one(table)
        names = {code: name for name, code in codes.items()}
        self._table(table, ",".join(names), key, names)


def _named(one: Observation, names: dict[str, str]) -> Observation:
    """Under our name where the table's code has one."""
    code = next((part for part in one.series.split(":")[1:] if part in names), None)
    return one if code is None else replace(one, series=names[code])


def _zip(body: Body) -> Body:
    edinet.check_zip(body)
    return body


def _words(body: Body, document: edinet.Document) -> list[Observation]:
    """How often the keywords stand in the document, as observations."""
    if document.period_end is None:
        return []
    text = filing_text.text_of_file(body.content, document.doc_id)
    return [
        Observation(
            source=edinet.SOURCE,
            series=f"words:{one.keyword}",
            entity=document.edinet_code,
            start=document.period_start,
            end=document.period_end,
            vintage=document.submitted,
            value=Decimal(one.count),
            unit="matches",
            document=document.doc_id,
            form=document.doc_type,
            url=body.url,
            fetched_utc=body.fetched_utc,
            body_sha256=body.sha256,
        )
        for one in filing_text.count_words(text)
    ]


def _needs_key(source: Source, name: str) -> Failure:
    return Failure(what=source, message=Message("public.needs_key", {"name": name}))
