"""The arithmetic of a request's report."""

from __future__ import annotations

import pytest

from kvcore.serve.request import Request, Tally, tpot_s


def test_tpot_is_last_less_first_over_the_tokens_between() -> None:
    assert tpot_s([[2.0, 2.1, 2.9, 3.5]]) == pytest.approx(0.5)


def test_tpot_of_samples_is_the_mean_over_those_with_two_tokens_or_more() -> None:
    assert tpot_s([[0.0, 1.0], [0.0, 2.0, 4.0], [7.0]]) == pytest.approx(1.5)


def test_tpot_of_one_token_is_not_measured() -> None:
    assert tpot_s([[5.0]]) is None
    assert tpot_s([]) is None


def test_a_report_takes_its_times_from_the_arrival() -> None:
    tally = Tally(arrival_s=10.0)
    tally.looked_up(32, now_s=12.5)
    for now_s in (13.0, 13.25, 14.0):
        tally.token_at(0, now_s)
    tally.token_at(1, 12.75)
    report = tally.report(Request(id="a", tokens=tuple(range(40)), samples=2))
    assert report.queue_s == pytest.approx(2.5)
    assert report.ttft_s == pytest.approx(2.75)
    assert report.tpot_s == pytest.approx(0.5)
    assert (report.prompt_tokens, report.hit_tokens, report.output_tokens) == (40, 32, 4)
    assert report.hit_ratio == pytest.approx(0.8)


def test_only_the_first_look_up_counts_as_hits() -> None:
    tally = Tally(arrival_s=0.0)
    tally.looked_up(0, now_s=1.0)
    tally.looked_up(48, now_s=5.0)
    report = tally.report(Request(id="a", tokens=tuple(range(50))))
    assert (report.hit_tokens, report.found_again_tokens) == (0, 48)
    assert report.queue_s == pytest.approx(1.0)


def test_a_request_that_never_ran_reports_no_times() -> None:
    report = Tally(arrival_s=3.0).report(Request(id="a", tokens=(1,)))
    assert (report.queue_s, report.ttft_s, report.tpot_s) == (None, None, None)
    assert report.output_tokens == 0
