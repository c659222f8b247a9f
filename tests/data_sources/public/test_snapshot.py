"""The bundled figures: dated, sourced, and those that can be checked are right."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from data_sources.public import snapshot as module
from data_sources.public.snapshot import BundledFigure, snapshot
from econ.filing_quarters import span_of
from messages.errors import DataError

STATUSES = {"copy", "filing", "release", "press", "article"}


def of(entity: str, series: str, span: str = "quarter") -> dict[date, BundledFigure]:
    return {
        one.observation.end: one
        for one in snapshot().figures
        if (one.observation.entity, one.observation.series, one.span) == (entity, series, span)
    }


def value(entity: str, series: str, end: str, span: str = "quarter") -> Decimal:
    found = of(entity, series, span)[date.fromisoformat(end)].observation.value
    assert found is not None
    return found


def test_every_figure_has_a_source_with_a_standing_and_a_date() -> None:
    bundled = snapshot()
    assert bundled.as_of == date(2026, 11, 29)
    assert len(bundled.figures) > 900
    for one in bundled.figures:
        assert one.reference.status in STATUSES
        assert one.reference.what
        seen = one.observation
        assert seen.end <= bundled.as_of or seen.series.endswith("_outlook")
        assert seen.vintage is None or seen.vintage <= bundled.as_of
        assert seen.start is None or seen.start <= seen.end
        assert seen.unit
        assert seen.url.startswith("https://") or one.reference.status == "article"


def test_no_figure_stands_twice() -> None:
    keys = Counter(
        (one.observation.key, one.span, one.observation.vintage) for one in snapshot().figures
    )
    assert [key for key, times in keys.items() if times > 1] == []


def test_spans_are_what_their_days_say() -> None:
    for one in snapshot().figures:
        if one.span in ("quarter", "half", "year") and one.observation.start is not None:
            assert span_of(one.observation.start, one.observation.end) == one.span


def test_every_figure_of_a_company_is_of_a_known_one() -> None:
    names = {company.id for company in snapshot().companies} | {""}
    assert {one.observation.entity for one in snapshot().figures} <= names


@pytest.mark.parametrize(
    ("entity", "series", "end", "expected"),
    [
        ("0000723125", "revenue", "2026-05-28", 41_456_000_000),
        ("0000723125", "gross_profit", "2026-05-28", 35_056_000_000),
        ("0000723125", "operating_income", "2026-05-28", 33_318_000_000),
        ("0001045810", "revenue", "2026-07-26", 96_221_000_000),
        ("0001045810", "gross_profit", "2026-07-26", 72_142_000_000),
        ("0001045810", "capex", "2025-10-26", 1_636_000_000),
        ("0000002488", "revenue", "2026-06-27", 11_536_000_000),
        ("0001769628", "revenue", "2026-06-30", 2_575_000_000),
        ("0001769628", "operating_income", "2026-06-30", -49_000_000),
        ("skhynix", "revenue", "2026-06-30", 79_300_000_000_000),
        ("skhynix", "operating_income", "2026-06-30", 60_500_000_000_000),
    ],
)
def test_the_makers_quarters_are_those_that_were_filed(
    entity: str, series: str, end: str, expected: int
) -> None:
    assert value(entity, series, end) == expected


def test_what_only_the_article_has_says_so() -> None:
    loss = of("0001769628", "operating_income")[date(2026, 6, 30)]
    assert loss.reference.status == "article"
    assert of("0001769628", "revenue")[date(2026, 6, 30)].reference.status == "release"


def test_four_quarters_add_up_to_their_year() -> None:
    """Where all four are bundled; each may be rounded to the million."""
    checked = 0
    for company in snapshot().companies:
        for series in ("revenue", "net_income", "capex"):
            by_end = of(company.id, series)
            for end, year in of(company.id, series, "year").items():
                start = year.observation.start
                inside = [q for e, q in by_end.items() if start and start < e <= end]
                if len(inside) == 4:
                    total = sum(q.observation.value or Decimal(0) for q in inside)
                    assert abs(total - (year.observation.value or 0)) <= 4_000_000, (company, end)
                    checked += 1
    assert checked >= 20


def test_gross_profit_is_revenue_less_cost() -> None:
    for company in snapshot().companies:
        cost, profit = of(company.id, "cost_of_revenue"), of(company.id, "gross_profit")
        for end, revenue in of(company.id, "revenue").items():
            if end in cost and end in profit:
                parts = [
                    x.observation.value or Decimal(0) for x in (revenue, cost[end], profit[end])
                ]
                assert parts[0] - parts[1] == parts[2], (company.id, end)


def test_quarters_follow_one_another_where_they_do() -> None:
    for company in snapshot().companies:
        ends = sorted(of(company.id, "revenue").items())
        for (before, _), (_, after) in pairwise(ends):
            if after.observation.start is not None:
                assert after.observation.start > before


def test_both_prints_of_a_month_are_bundled() -> None:
    july = [
        one.observation
        for one in snapshot().figures
        if one.observation.series == "PCU334413334413" and one.observation.end == date(2026, 7, 31)
    ]
    assert {(str(o.vintage), str(o.value)) for o in july} == {
        ("2026-09-03", "28.987"),
        ("2026-10-03", "29.058"),
    }


def test_every_series_has_figures_and_every_figure_of_statistics_a_series() -> None:
    known = {info.id for info in snapshot().series}
    used = {
        one.observation.series
        for one in snapshot().figures
        if one.observation.source in ("fred", "estat")
    }
    assert known == used


def test_a_broken_row_names_file_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in module.FOLDER.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    lines = (tmp_path / "estat.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    lines[3] = lines[3].replace("2026-03-31", "soon")
    (tmp_path / "estat.csv").write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(DataError) as caught:
        snapshot.__wrapped__()
    assert caught.value.message.values == {"file": "estat.csv", "line": 4}


def test_the_files_have_the_documented_columns() -> None:
    for name in module.FILES:
        with (module.FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert tuple(next(csv.reader(file))) == module.COLUMNS
