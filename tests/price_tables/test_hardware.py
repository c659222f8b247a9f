"""models.yaml and devices.yaml against the collected facts, and what the loader refuses."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from messages.catalogue import LANGUAGES, say
from messages.errors import DataError
from price_tables.hardware import DeviceSpec, KvGroup, ModelSpec
from price_tables.hardware_load import DEVICES_FILE, MODELS_FILE, load_hardware
from price_tables.load import FOLDER

HARDWARE = load_hardware()
TFLOPS, TB_S = 10**12, 10**12
TYPES = ("fp32", "fp16", "fp8", "fp4", "int8")
GROUP_NAMES = {
    "k_dim": "key_dim", "v_dim": "value_dim", "window": "window_tokens", "ratio": "ratio_tokens",
    "entry_elems": "entry_elements",
}  # fmt: skip


@pytest.fixture(scope="module")
def facts(reference_data: Path) -> dict[str, dict[str, Any]]:
    """The facts' models by id."""
    path = reference_data / "facts" / "public" / "models.yaml"
    return {row["id"]: row for row in yaml.safe_load(path.read_text("utf-8"))["models"]}


@pytest.fixture(scope="module")
def hbm(reference_data: Path) -> dict[str, Any]:
    """The facts on devices and their prices."""
    path = reference_data / "facts" / "public" / "hbm.yaml"
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


def test_there_are_54_models_and_23_devices_each_with_source_and_day() -> None:
    assert len(HARDWARE.models) == 54
    assert len(HARDWARE.devices) == 23
    for row in (*HARDWARE.models.values(), *HARDWARE.devices.values()):
        assert row.source
        assert row.as_of == "2026-11-29"


def test_every_model_is_the_one_of_the_facts(facts: dict[str, dict[str, Any]]) -> None:
    assert list(HARDWARE.models) == list(facts)
    differing = [name for name, row in facts.items() if _of(HARDWARE.models[name]) != _facts(row)]
    assert differing == []


def _of(model: ModelSpec) -> dict[str, Any]:
    return {
        "total": model.parameters_total,
        "active": model.parameters_active,
        "repository": model.repository,
        "shape": (model.hidden, model.layers, model.query_heads),
        "context": model.max_context_tokens,
        "dtype": model.checkpoint_dtype,
        "attention": model.attention,
        "groups": sorted(map(_group, model.groups)),
    }


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    groups = []
    for given in row["groups"]:
        named = {GROUP_NAMES.get(key, key): value for key, value in given.items() if key != "note"}
        groups.append(_group(KvGroup(**named)))
    return {
        "total": _parameters(row["params_total_b"]),
        "active": _parameters(row["params_active_b"]),
        "repository": row.get("hf_repo"),
        "shape": (row["hidden"], row["layers"], row["q_heads"]),
        "context": row["max_context"],
        "dtype": row["checkpoint_dtype"],
        "attention": row["attention"],
        "groups": sorted(groups),
    }


def _parameters(billions: float | None) -> int | None:
    return None if billions is None else int(Decimal(str(billions)) * 10**9)


def _group(group: KvGroup) -> tuple[Any, ...]:
    """What decides the bytes; the widths that MLA keeps for comparison only are left out."""
    own = () if group.kind == "mla" else (group.key_dim, group.value_dim)
    return (
        group.kind, group.layers, group.kv_heads, group.window_tokens, group.latent, group.rope,
        group.bytes_per_token, group.state_bytes, group.conv_bytes, group.ratio_tokens,
        group.entry_elements, group.indexer_bytes_per_entry, *own,
    )  # fmt: skip


def test_every_device_is_the_one_of_the_facts(hbm: dict[str, Any]) -> None:
    rows = {row["id"]: row for row in hbm["gpus"]}
    assert list(HARDWARE.devices) == list(rows)
    for name, row in rows.items():
        device = HARDWARE.devices[name]
        assert (device.name, device.vendor) == (row["name"], row["vendor"])
        assert device.label_gb == row["mem_gb"]
        assert device.usable_bytes == row.get("usable_bytes")
        assert device.bandwidth_bytes_per_s == _times(row["bw_tbs"], TB_S)
        assert device.tdp_w == row["tdp_w"]
        assert device.dense_ops_per_s == _rates(row), name


def _times(value: float | None, unit: int) -> int | None:
    return None if value is None else int(Decimal(str(value)) * unit)


def _rates(row: dict[str, Any]) -> dict[str, int]:
    """Of a range that is only reported, the lower end."""
    given = {kind: row.get(kind) for kind in TYPES}
    single = {kind: v[0] if isinstance(v, list) else v for kind, v in given.items() if v}
    return {kind: int(Decimal(str(value)) * TFLOPS) for kind, value in single.items()}


def test_every_hourly_offer_is_in_the_facts_with_its_day(hbm: dict[str, Any]) -> None:
    wanted = sorted(
        (row["gpu"], row["provider"], Decimal(str(row["price"])), row.get("pricing", "on_demand"),
         row["tier"], row["as_of"])
        for row in hbm["cloud_prices_usd_per_gpu_hour"]
    )  # fmt: skip
    found = sorted(
        (device.id, offer.provider, offer.usd, offer.pricing, offer.tier, offer.as_of)
        for device in HARDWARE.devices.values()
        for offer in device.hourly
    )
    assert found == wanted


def test_owning_an_hour_and_buying_cost_what_the_facts_say(hbm: dict[str, Any]) -> None:
    for name, row in hbm["ownership_cost_usd_per_gpu_hour"].items():
        cost = HARDWARE.devices[name].ownership
        assert cost is not None
        for owner in ("hyperscaler", "neocloud", "rental_3y", "all_in_kw"):
            assert getattr(cost, owner) == Decimal(str(row[owner]))
    for row in hbm["gpus"]:
        price, given = HARDWARE.devices[row["id"]].purchase_usd, _bought(row)
        assert ((price.low, price.mid, price.high) if price else None) == given, row["id"]


def _bought(row: dict[str, Any]) -> tuple[Decimal | None, ...] | None:
    """USD of one device; of a rack, one of its devices to the dollar."""
    given = row.get("purchase_usd") or row.get("rack_usd")
    if given is None:
        return None
    whole = Decimal(row["rack_usd"]["gpus"]) if "rack_usd" in row else Decimal(1)
    parts = [given.get(name) for name in ("low", "mid", "high")]
    return tuple(None if usd is None else round(Decimal(usd) / whole) for usd in parts)


@pytest.mark.parametrize(
    ("device", "low", "median", "high"),
    [
        ("a100-80-sxm", "0.80", "1.49", "4.10"),
        ("h100-sxm", "1.99", "2.95", "12.29"),
        ("h200-sxm", "2.50", "4.80", "7.91"),
        ("l40s", "0.54", "0.80", "1.86"),
        ("mi300x", "2.39", "2.39", "2.39"),
    ],
)
def test_the_band_of_an_hour_is_taken_from_dated_offers(
    device: str, low: str, median: str, high: str
) -> None:
    band = HARDWARE.devices[device].hourly_band()
    assert band is not None
    shown = [f"{value:.2f}" for value in (band.low, band.median, band.high)]
    assert shown == [low, median, high]
    assert band.newest.startswith("2026-")


def test_a_device_that_nobody_offers_has_no_band() -> None:
    assert HARDWARE.devices["rubin-r200"].hourly_band() is None


def test_a_device_counts_what_a_program_finds_before_the_label() -> None:
    known, unknown = HARDWARE.devices["b300-sxm"], HARDWARE.devices["mi300x"]
    assert known.memory_bytes == known.usable_bytes == 288_400_343_040
    assert unknown.usable_bytes is None
    assert unknown.memory_bytes == 192_000_000_000


def test_hardware_is_read_once_a_folder(tmp_path: Path) -> None:
    assert load_hardware() is load_hardware(FOLDER)
    for name in (MODELS_FILE, DEVICES_FILE):
        shutil.copy(FOLDER / name, tmp_path)
    assert load_hardware(tmp_path) == load_hardware()


Change = Callable[[dict[str, Any]], None]


def put(path: str, value: Any) -> Change:
    """Set one place, 'models.0.layers', to `value`; None takes it away."""

    def change(table: dict[str, Any]) -> None:
        *steps, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        here: Any = table
        for step in steps:
            here = here[step]
        if value is None:
            del here[last]
        else:
            here[last] = value

    return change


MLA = next(i for i, m in enumerate(HARDWARE.models.values()) if m.groups[0].kind == "mla")
FAULTS: list[tuple[str, Change, str]] = [
    (MODELS_FILE, put("format", 2), "format"),
    (MODELS_FILE, put("compiled", "yesterday"), "compiled"),
    (MODELS_FILE, put("models", []), "models"),
    (MODELS_FILE, put("models.0.layers", 3), "gpt3-175b > layers"),
    (MODELS_FILE, put("models.0.name", None), "gpt3-175b > name"),
    (MODELS_FILE, put("models.0.parameters.total", -1), "parameters > total"),
    (MODELS_FILE, put("models.0.parameters.active", 2 * 10**11), "parameters"),
    (MODELS_FILE, put("models.0.shape.hidden", 0), "shape > hidden"),
    (MODELS_FILE, put("models.0.shape.experts", "many"), "shape > experts"),
    (MODELS_FILE, put("models.0.max_context_tokens", 1.5), "max_context_tokens"),
    (MODELS_FILE, put("models.0.groups", []), "groups"),
    (MODELS_FILE, put("models.0.groups.0.kind", "window"), "groups"),
    (MODELS_FILE, put("models.0.groups.0.kv_heads", 0), "kv_heads"),
    (MODELS_FILE, put("models.0.groups.0.key_dim", None), "key_dim"),
    (MODELS_FILE, put("models.0.groups.0.window_tokens", 128), "window_tokens"),
    (MODELS_FILE, put(f"models.{MLA}.groups.0.latent", "x"), "latent"),
    (MODELS_FILE, put("models.0.source", "nowhere"), "source"),
    (MODELS_FILE, put("models.1.id", "gpt3-175b"), "gpt3-175b"),
    (DEVICES_FILE, put("devices.0.memory.label_gb", "0"), "label_gb"),
    (DEVICES_FILE, put("devices.0.memory.usable_bytes", "80 GB"), "usable_bytes"),
    (DEVICES_FILE, put("devices.0.bandwidth_bytes_per_s", 0), "bandwidth_bytes_per_s"),
    (DEVICES_FILE, put("devices.0.dense_ops_per_s.bf16", 1), "dense_ops_per_s"),
    (DEVICES_FILE, put("devices.0.dense_ops_per_s.fp8", 10**15), "a100-80-sxm"),
    (DEVICES_FILE, put("devices.0.status", "rumoured"), "status"),
    (DEVICES_FILE, put("devices.0.tdp_w", "hot"), "tdp_w"),
    (DEVICES_FILE, put("devices.0.purchase_usd.mid", None), "purchase_usd > mid"),
    (DEVICES_FILE, put("devices.0.purchase_usd.as_of", "soon"), "as_of"),
    (DEVICES_FILE, put("devices.0.tier_usd_per_hour.hyperscaler", [1.5]), "hyperscaler"),
    (DEVICES_FILE, put("devices.0.hourly_usd.0.usd", "free"), "usd"),
    (DEVICES_FILE, put("devices.0.hourly_usd.0.usd", 0), "usd"),
    (DEVICES_FILE, put("devices.0.hourly_usd.0.pricing", "reserved"), "pricing"),
    (DEVICES_FILE, put("devices.0.hourly_usd.0.tier", "friends"), "tier"),
    (DEVICES_FILE, put("devices.0.hourly_usd.0.as_of", None), "as_of"),
    (DEVICES_FILE, put("devices.1.id", "a100-80-sxm"), "a100-80-sxm"),
]


@pytest.mark.parametrize(("file", "change", "place"), FAULTS)
def test_a_fault_is_named_with_its_file_and_place(
    file: str, change: Change, place: str, tmp_path: Path
) -> None:
    for name in (MODELS_FILE, DEVICES_FILE):
        shutil.copy(FOLDER / name, tmp_path)
    table = copy.deepcopy(yaml.safe_load((FOLDER / file).read_text("utf-8")))
    change(table)
    text = yaml.safe_dump(table, sort_keys=False, allow_unicode=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_hardware(tmp_path)
    values = caught.value.message.values
    assert values["file"] == file
    assert place in str(values["place"])
    for language in LANGUAGES:
        words = say(language, caught.value.message)
        assert file in words
        assert "prices." not in words


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    shutil.copy(FOLDER / MODELS_FILE, tmp_path)
    with pytest.raises(DataError) as caught:
        load_hardware(tmp_path)
    assert DEVICES_FILE in say("en", caught.value.message)


def test_devices_without_a_price_still_have_their_memory() -> None:
    device = DeviceSpec(
        id="x", name="x", vendor="", status="sold", label_gb=Decimal(24), usable_bytes=None,
        memory_type="", bandwidth_bytes_per_s=None, dense_ops_per_s={}, tdp_w=None, source="",
        as_of="",
    )  # fmt: skip
    assert device.memory_bytes == 24_000_000_000
    assert device.hourly_band() is None
