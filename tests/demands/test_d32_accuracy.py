"""D32: the error is published, per metric, on data that others can get; never one sentence."""

from __future__ import annotations

import pytest

from jobs import accuracy, speeds
from jobs.speeds import RooflineAsked
from price_tables.speed_fit import ALL, METHODS

FIT = accuracy.fit()


def test_the_data_are_named_with_version_rows_date_and_digest() -> None:
    assert (FIT.package, FIT.file, FIT.rows) == ("aiconfigurator-core", "silicon_sample.csv", 5221)
    assert FIT.version
    assert FIT.fitted.startswith("20")
    assert len(FIT.sha256) == 64


@pytest.mark.parametrize("metric", ["tpot", "ttft"])
@pytest.mark.parametrize("name", ["dense", "moe", "mla"])
def test_every_device_of_a_family_has_mean_and_median_of_every_method(
    name: str, metric: str
) -> None:
    family = FIT.family(name)
    assert family is not None
    for device in (ALL, *family.devices):
        group = family.group(device, metric)
        assert group is not None
        assert set(group.errors) == set(METHODS)
        assert all(errors.mean_ratio > 0 and errors.median_ratio > 0
                   for errors in group.errors.values())  # fmt: skip


@pytest.mark.parametrize("metric", ["tpot", "ttft"])
def test_a_fitted_line_is_clearly_better_than_the_speed_of_light(metric: str) -> None:
    for family in FIT.families:
        group = family.group(ALL, metric)
        if group is not None:
            assert group.errors["left_out"].mean_ratio < group.errors["roofline"].mean_ratio / 2


def test_the_errors_as_a_file_have_a_row_for_every_method_and_group() -> None:
    lines = accuracy.errors_csv(FIT.families).decode("utf-8-sig").splitlines()
    groups = sum(len(group.errors) for family in FIT.families for group in family.groups)
    assert len(lines) == 1 + groups
    assert lines[0].startswith("family,serving,device,metric,method,n,")


def test_outside_the_rows_it_is_said_and_no_band_is_given() -> None:
    asked = RooflineAsked(model="qwen3-32b", device="a100-80-sxm", contexts=(4096,), batches=(8,))
    answer, outside = speeds.roofline(asked)
    assert outside == ("device",)
    assert answer["points"][0]["band"] is None
