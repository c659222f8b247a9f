"""HBM, power, quality and switch facts: sourced, validated, equal to what other files say."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from econ.kv_formats import kv_format
from messages.catalogue import LANGUAGES, say
from messages.errors import DataError
from price_tables.facts_load import load_hbm, load_power, load_quality, load_switch
from price_tables.hardware_load import load_hardware
from price_tables.load import FOLDER
from price_tables.tiers_load import load_tiers

FILES: dict[str, Callable[[Path], object]] = {
    "hbm.yaml": load_hbm,
    "power.yaml": load_power,
    "kv_quality.yaml": load_quality,
    "model_switch.yaml": load_switch,
}


def test_the_price_of_hbm3e_is_the_one_that_the_tiers_have() -> None:
    price, tier = load_hbm().price_of("HBM3E"), load_tiers()["hbm"].usd_per_gb
    assert price is not None
    assert tier is not None
    assert (price.low, price.mid, price.high) == (tier.low, tier.mid, tier.high)


def test_gddr_has_no_price_of_a_gb() -> None:
    assert load_hbm().price_of("GDDR7") is None


def test_every_measured_format_is_one_that_can_be_chosen() -> None:
    for row in load_quality().measured:
        assert kv_format(row.format).name == row.format
        assert row.source.startswith("https://")


def test_quality_is_unknown_where_nobody_measured() -> None:
    assert load_quality().of("k8v4") == ()
    assert load_quality().of("fp8")[0].model == "WizardCoder 34B"


def test_93_percent_comes_with_its_baseline() -> None:
    reduction = load_quality().reduction
    assert (float(reduction.percent), reduction.baseline) == (93.3, "DeepSeek 67B")


def test_models_of_the_pairs_are_models_that_are_known() -> None:
    models = load_hardware().models
    named = [n for pair in load_switch().pairs for n in (pair.from_model, pair.to_model) if n]
    assert named == ["qwen3-14b", "qwen3-32b"]
    assert set(named) <= set(models)


@pytest.mark.parametrize(
    ("file", "old", "new", "place"),
    [
        ("hbm.yaml", "quarter: 2024Q4", "quarter: 2024Q5", "quarter"),
        ("hbm.yaml", "sk_hynix: 51,", "sk_hynix: 151,", "sk_hynix"),
        ("hbm.yaml", "bandwidth_tbs: 0.8192", "bandwidth_tbs: 0.9", "HBM3"),
        ("hbm.yaml", "low: 8.5, mid: 10.5", "low: 12, mid: 10.5", "usd_per_gb"),
        ("hbm.yaml", "source: ubs", "source: hearsay", "source"),
        ("power.yaml", "year: 2033", "year: 2025", "shipments"),
        ("power.yaml", "gw: 47", "gw: 0", "gw"),
        ("kv_quality.yaml", "after: 67.683", "after: much", "after"),
        ("kv_quality.yaml", "percent: 93.3", "percent: 193", "percent"),
        ("model_switch.yaml", "retention: 0.976", "retention: 1.2", "retention"),
        ("model_switch.yaml", "retention: 0.762, ", "", "ministral3-3b-8b"),
        ("model_switch.yaml", "key_r2: -0.20", "key_r2: -3", "key_r2"),
        ("model_switch.yaml", "id: unnamed-2", "id: unnamed-1", "unnamed-1"),
        ("model_switch.yaml", "device: h100-sxm", "device: h999", "calibration"),
    ],
)
def test_a_wrong_fact_is_refused_with_file_and_place_in_both_languages(
    tmp_path: Path, file: str, old: str, new: str, place: str
) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert old in text
    shutil.copy(FOLDER / "devices.yaml", tmp_path)
    (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError) as refused:
        FILES[file](tmp_path)
    assert refused.value.message.values["file"] == file
    assert place in str(refused.value.message.values["place"])
    for language in LANGUAGES:
        assert "prices.expected" not in say(language, refused.value.message)
