"""Public figures for pages and the shell: what was fetched, else what came with the program.

Nothing here asks the network. Each figure says its period, vintage, currency, unit and link, and
whether it was fetched or is of the bundled snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

from data_sources.public import sec
from data_sources.public.filing_text import KEYWORDS as KEYWORDS
from data_sources.public.filing_text import WordCount as WordCount
from data_sources.public.filing_text import count_words as _count_words
from data_sources.public.filing_text import text_of_file
from data_sources.public.snapshot import BundledFigure, Company, SeriesInfo, snapshot
from data_sources.public.snapshot import Reference as Reference
from data_sources.store.engine import current_store
from data_sources.store.observations import last_fetches, list_observations, names_kept
from econ.filing_quarters import instants, missing_between, quarters
from econ.observation import Observation, Ratio, as_of, by_key, first_published, latest, ratio
from jobs.public_figures import Figure as Figure
from jobs.public_figures import of_observation, of_quarter, to_json
from messages.errors import Message, NotFoundError

Vintage = Literal["latest", "first"]
NEAR_DAYS = 7
MARGINS: Mapping[str, tuple[str, str]] = {
    "gross_margin": ("gross_profit", "revenue"),
    "operating_margin": ("operating_income", "revenue"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A statistical series with its figures by period."""

    info: SeriesInfo
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How new everything is: the snapshot's day, and the last fetch of each source asked so far."""

    snapshot_day: date
    fetched: Mapping[str, datetime]


def standing() -> Standing:
    """What a page without network says about its figures' age."""
    return Standing(snapshot_day=snapshot().as_of, fetched=last_fetches(current_store()))


def companies() -> tuple[Company, ...]:
    """The companies known by name, in the order of the market page; then other ids that were
    fetched."""
    known = snapshot().companies
    names = {company.id for company in known}
    found = {(source, entity) for source, entity, _, _ in names_kept(current_store()) if entity}
    others = sorted(one for one in found if one[1] not in names)
    return known + tuple(_unnamed(source, entity) for source, entity in others)


def _unnamed(source: str, entity: str) -> Company:
    currency = "USD" if source == "sec" else "JPY"
    return Company(id=entity, source=source, name=entity, name_ja=entity, ticker="",
                   currency=currency, year_end="", weeks="", role="added")  # fmt: skip


def references() -> Mapping[str, Reference]:
    """Where the snapshot's figures were read, by id."""
    return snapshot().references


def series_list() -> tuple[SeriesInfo, ...]:
    """The statistical series known by name, then others that were fetched."""
    known = snapshot().series
    names = {info.id for info in known}
    found = {
        (source, series, unit)
        for source, _, series, unit in names_kept(current_store())
        if source in ("fred", "estat") and series not in names
    }
    return known + tuple(
        SeriesInfo(id=name, source=source, title=name, title_ja=name, units=unit, months=0,
                   adjusted="", agency="")
        for source, name, unit in sorted(found)
    )  # fmt: skip


def series(series_id: str, *, on: date | None = None, vintage: Vintage = "latest") -> Series:
    """A series by id, as published last or first, or as it could be read `on` a day. NotFoundError:
    no such series."""
    info = next((info for info in series_list() if info.id == series_id), None)
    if info is None:
        raise NotFoundError(Message("public.unknown_series", {"series": series_id[:60]}))
    bundled = [f for f in snapshot().figures if f.observation.series == series_id
               and f.observation.source == info.source]  # fmt: skip
    return Series(info=info, figures=tuple(_figures(info.source, series_id, bundled, on, vintage)))


def _figures(
    source: str,
    series_id: str,
    bundled: Sequence[BundledFigure],
    on: date | None,
    vintage: Vintage,
) -> list[Figure]:
    """All vintages of both origins together."""
    fetched = list_observations(current_store(), source=source, series=[series_id])
    newest = max(fetched, key=lambda one: one.fetched_utc, default=None)

    def alike(one: Observation) -> Observation:
        # The words of a unit differ by where it was read; they must not make two figures of one.
        return one if newest is None else replace(one, unit=newest.unit)

    about = {alike(b.observation): b for b in bundled}
    everything = [*map(alike, fetched), *about]
    firsts = {one.key: one.value for one in first_published(everything)}
    return [
        of_observation(one, about.get(one), first=firsts.get(one.key))
        for one in sorted(_chosen(everything, on, vintage), key=lambda one: one.end)
    ]


def _chosen(
    observations: Iterable[Observation], on: date | None, vintage: Vintage
) -> list[Observation]:
    found = list(observations)
    if on is not None:
        return as_of(found, on)
    if vintage == "latest":
        return latest(found)
    # A figure whose publication is not dated is its own first.
    dated = {one.key: one for one in first_published(found)}
    return [dated.get(key, vintages[0]) for key, vintages in by_key(found).items()]


def filings(
    company_id: str, metric: str, *, span: str = "quarter", on: date | None = None
) -> tuple[Figure, ...]:
    """A measure of a company by period: out of fetched filings where they state or imply it, else
    the snapshot's. `metric` is one of `sec.METRICS` or a series of the snapshot; `span` is
    'quarter', 'half', 'year' or 'instant'. `on`: as it could be read that day. What nobody states
    is not among it."""
    own = {figure.end: figure for figure in _fetched(company_id, metric, span, on)}
    if metric == "gross_profit":
        for figure in _less_cost(company_id, span, on):
            own.setdefault(figure.end, figure)
    for one in snapshot().figures:
        seen = one.observation
        if (seen.entity, seen.series, one.span) != (company_id, metric, span):
            continue
        if on is not None and (seen.vintage is None or seen.vintage > on):
            continue
        if not any(abs((end - seen.end).days) <= NEAR_DAYS for end in own):
            own[seen.end] = of_observation(seen, one, first=None)
    return tuple(own[end] for end in sorted(own))


def _less_cost(company_id: str, span: str, on: date | None) -> Iterator[Figure]:
    """Gross profit of those who do not state it: revenue less cost, of fetched filings."""
    costs = {one.end: one for one in _fetched(company_id, "cost_of_revenue", span, on)}
    for one in _fetched(company_id, "revenue", span, on):
        cost = costs.get(one.end)
        if cost is None or one.value is None or cost.value is None:
            continue
        yield replace(
            one,
            series="gross_profit",
            value=one.value - cost.value,
            first=one.first - cost.first
            if one.first is not None and cost.first is not None
            else None,
            vintage=max((d for d in (one.vintage, cost.vintage) if d), default=None),
            derived="revenue_less_cost",
            note=", ".join(dict.fromkeys((one.note, cost.note))),
        )


def gaps(company_id: str, metric: str) -> list[tuple[date, date]]:
    """Stretches between fetched quarters that no filing covers."""
    found = _observed(company_id, metric, None)
    return missing_between(quarters(found, sec.METRICS.get(metric, ())))


def _observed(company_id: str, metric: str, on: date | None) -> list[Observation]:
    if metric not in sec.METRICS:
        return []
    found = list_observations(
        current_store(), source=sec.SOURCE, entity=company_id, series=sec.METRICS[metric]
    )
    money = [one for one in found if one.currency == one.unit]  # not per share
    return [one for one in money if on is None or (one.vintage is not None and one.vintage <= on)]


def _fetched(company_id: str, metric: str, span: str, on: date | None) -> list[Figure]:
    if company_id.startswith("E"):
        found = list_observations(
            current_store(), source="edinet", entity=company_id, series=[metric]
        )
        chosen = _chosen(found, on, "latest") if span == "year" else []
        return [of_observation(one, None, first=None) for one in chosen]
    found = _observed(company_id, metric, on)
    tags = sec.METRICS.get(metric, ())
    if metric in sec.INSTANTS:
        return [of_observation(one, None, first=None) for one in instants(found, tags)]
    if span == "quarter":
        return [of_quarter(one, company_id, metric) for one in quarters(found, tags)]
    if span == "year":
        return [of_observation(one, None, first=None) for one in _years(found, tags)]
    return []


def _years(found: Sequence[Observation], tags: Sequence[str]) -> list[Observation]:
    by_end: dict[date, Observation] = {}
    for tag in reversed(tags):
        mine = [o for o in found if o.series == tag and o.form.startswith("10-K") and o.start]
        whole = [o for o in mine if 350 <= (o.end - (o.start or o.end)).days + 1 <= 380]
        by_end |= {one.end: one for one in latest(whole)}
    return [by_end[end] for end in sorted(by_end)]


def margin(company_id: str, name: str) -> list[tuple[Figure, Ratio]]:
    """A margin by quarter with both inputs: 'gross_margin' or 'operating_margin'. The figure is the
    numerator's; quarters without both are there with a missing value."""
    upper, lower = MARGINS[name]
    below = {figure.end: figure.value for figure in filings(company_id, lower)}
    return [
        (figure, ratio(figure.value, below.get(figure.end)))
        for figure in filings(company_id, upper)
    ]


def count_words(
    content: bytes, name: str, keywords: Mapping[str, Sequence[str]] = KEYWORDS
) -> tuple[WordCount, ...]:
    """Keywords in an EDINET ZIP or a text file, each with its sentences. DataError for a ZIP that
    cannot be read."""
    return _count_words(text_of_file(content, name), keywords)


def observations_json(source: str | None, entity: str | None, limit: int) -> dict[str, object]:
    """What `observations list --json` prints: every vintage of what was fetched, then the
    snapshot's figures."""
    fetched = list_observations(current_store(), source=source, entity=entity)
    rows = [to_json(of_observation(one, None, first=None)) for one in fetched]
    for one in snapshot().figures:
        seen = one.observation
        if source in (None, seen.source) and entity in (None, seen.entity):
            rows.append(to_json(of_observation(seen, one, first=None)))
    now = standing()
    return {
        "snapshot_day": now.snapshot_day.isoformat(),
        "fetched": {name: moment.isoformat() for name, moment in sorted(now.fetched.items())},
        "observations": rows[:limit],
        "left_out": max(0, len(rows) - limit),
    }
