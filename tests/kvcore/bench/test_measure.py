"""Repeats, spread, budget and the share of the processors, without asserting any speed."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from kvcore.bench.measure import (
    ShareMeter,
    Timing,
    interquartile_range,
    measure,
)


def test_the_warm_up_is_run_and_not_counted() -> None:
    calls: list[str] = []
    timing = measure(
        lambda: calls.append("run"), repeats=3, warm_up=2, before=lambda: calls.append("before")
    )
    assert calls == ["before", "run"] * 5
    assert len(timing.seconds) == 3


def test_a_spent_budget_still_gives_one_figure() -> None:
    assert len(measure(lambda: None, repeats=9, budget_s=0.0).seconds) == 1


def test_the_device_is_waited_for_around_every_call() -> None:
    calls: list[str] = []
    measure(lambda: calls.append("run"), repeats=1, warm_up=0, sync=lambda: calls.append("wait"))
    assert calls == ["wait", "run", "wait"]


def test_the_spread_is_the_interquartile_range() -> None:
    assert interquartile_range((1.0, 2.0, 3.0, 4.0, 5.0)) == pytest.approx(2.0)
    assert interquartile_range((7.0,)) is None
    timing = Timing(seconds=(1.0, 9.0, 2.0), cpu_share=0.5)
    assert timing.median_s == 2.0


@pytest.mark.parametrize(("share", "mark"), [(0.89, True), (0.9, False), (None, None)])
def test_below_nine_tenths_of_its_processors_a_case_is_contended(
    share: float | None, mark: bool | None
) -> None:
    assert Timing(seconds=(1.0,), cpu_share=share).contended is mark


def test_the_share_is_a_ratio_of_what_was_got_to_what_was_wanted() -> None:
    meter = ShareMeter()
    with meter.running():
        sum(range(300_000))
    assert meter.share is not None
    assert 0.0 < meter.share <= 1.0
    assert ShareMeter().share is None
