"""The Overview's line on other models: the cheapest of those that are charted, once it is known."""

from __future__ import annotations

import pytest

from econ.report import ReportParams
from jobs import costing, flows
from jobs.costing import Costing
from tests.pages.test_pages import opened, plain
from ui import cost_view, elsewhere


def test_the_cheapest_of_the_charted_models_is_named_with_its_cost() -> None:
    workload, asked = flows.example_id(), ReportParams()
    costing.start_costs(workload, asked, elsewhere.USUAL, "elsewhere")
    costs = costing.api_costs(workload, asked, elsewhere.USUAL, "elsewhere")
    assert costs is not None
    found = elsewhere.cheapest(costs)
    assert found is not None
    model, usd, compared = found
    rows = [one.row for one in cost_view.charted(costs)]
    assert compared == len(rows)
    assert model == "gpt-5.6-luna"
    assert usd.high_e13 == min(row.usd.high_e13 for row in rows if row.usd is not None)

    said = [plain(m.value) for m in opened("overview").markdown]
    assert any(line.startswith("**Cheapest elsewhere:** gpt-5.6-luna, $") for line in said)


def test_without_the_costs_the_line_says_where_they_are_and_computes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nobody_asked = Costing(lifetime="mixed", placement="bound", mode="batch")
    monkeypatch.setattr(elsewhere, "USUAL", nobody_asked)
    at = opened("overview")
    said = [plain(m.value) for m in at.markdown]
    assert any(line.startswith("**Elsewhere:**") for line in said)
    assert not at.exception
