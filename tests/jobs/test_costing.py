"""API costs as a job: made once, kept beside the workload, and the same as without the job."""

from __future__ import annotations

from decimal import Decimal

from econ.report import ReportParams
from jobs import costing, flows
from jobs.costing import Costing

SHARED = Costing(lifetime="short", placement="shared", mode="standard")


def test_costs_are_none_until_their_job_has_run() -> None:
    params, owner = ReportParams(default_model="claude-haiku-4-5"), "costs"
    example = flows.example_id()
    assert costing.api_costs(example, params, SHARED, owner) is None
    job = flows.job(costing.start_costs(example, params, SHARED, owner), owner)
    assert job.state == "done"
    found = costing.api_costs(example, params, SHARED, owner)
    assert found is not None
    assert found.headline is not None
    assert {lever.kind for lever in found.levers} == {"cache", "batch", "smaller"}
    assert len(found.models) > 200
    smaller = costing.smaller_of(found.headline)
    assert smaller is not None
    assert smaller.model == "claude-sonnet-5"


def test_a_family_counts_before_its_maker_and_reaches_resellers() -> None:
    chosen = {"anthropic": Decimal("0.9"), "claude-from-opus-4-7": Decimal("1.3")}
    factors = costing.factors_of(chosen)
    assert factors["claude-opus-5"] == Decimal("1.3")
    assert factors["claude-opus-4-6"] == Decimal("0.9")
    assert factors["anthropic.claude-opus-5"] == Decimal("1.3")
    assert factors["anthropic.claude-opus-4-5-20251101-v1:0"] == Decimal("0.9")
    assert "gpt-5.6-sol" not in factors


def test_what_the_server_starts_ahead_is_there_for_the_first_visitor() -> None:
    flows.warm_jobs()
    assert costing.api_costs(flows.example_id(), ReportParams(), SHARED, "somebody") is not None
    assert flows.cache_study(flows.example_id(), flows.StudyParams(), "somebody") is not None
