"""The public measurements of aiconfigurator-core's `silicon_sample.csv`, installed or uploaded.

The rows are never shipped; only what was fitted to them is (`price_tables/speed_fit.yaml`).
https://github.com/ai-dynamo/aiconfigurator (Apache-2.0). What a column means: `batch_size` is the
requests at a time on one group of `tp_size` devices, of which there are `attention_dp_size` that
share experts; with prefill apart `decode_*` and `prefill_*` say the same of either side; no
precision given means the checkpoint's own 16 bits; times are milliseconds.
"""

from __future__ import annotations

import csv
import hashlib
import importlib.metadata
import importlib.util
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data_sources.results.values import positive, whole
from econ.accuracy import MeasuredRow
from econ.roofline import touched_share
from econ.speed_features import PrefillPool, SpeedCase
from econ.speed_fit import family_of
from messages.errors import input_error
from price_tables.hardware import Hardware, ModelSpec

PACKAGE, MODULE = "aiconfigurator-core", "aiconfigurator_core"
FILE = "silicon_sample.csv"
SOURCE = "https://github.com/ai-dynamo/aiconfigurator"
MAX_BYTES = 32 * 1024 * 1024
MOST_RANKS, MOST_COUNT, LEAST_SQUARE = 16, 10**9, 2
ALIASES = {
    "meta-llama/Llama-3.1-70B": "llama-3.1-70b",
    "meta-llama/Llama-3.1-8B-Instruct": "llama-3.1-8b",
    "Qwen/Qwen3-235B-A22B-FP8": "qwen3-235b-a22b",
    "zhipuai/GLM-5": "glm-5",
}
"""Names in the file that are not a repository of models.yaml."""
DEVICES = {"h100_sxm": "h100-sxm", "h200_sxm": "h200-sxm", "b200_sxm": "b200-sxm",
           "b300_sxm": "b300-sxm", "gb200": "gb200", "gb300": "gb300"}  # fmt: skip
DTYPES = {"": "bf16", "bf16": "bf16", "fp8": "fp8", "fp4": "fp4", "int4": "int4"}
COLUMNS = frozenset(
    {
        "model_path", "system", "precision", "mode", "isl", "osl", "batch_size", "tp_size",
        "attention_dp_size", "decode_batch_size", "decode_tp_size", "decode_attention_dp_size",
        "silicon_ttft_ms", "silicon_tpot_ms",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Silicon:
    """The file: how many rows, those that can be used, and the others counted by reason."""

    version: str | None
    sha256: str
    rows: int
    used: tuple[MeasuredRow, ...]
    left_aside: Mapping[str, int]


def installed() -> Path | None:
    """The file in the installed package; None where the package is not installed."""
    found = importlib.util.find_spec(MODULE)
    places = [] if found is None else list(found.submodule_search_locations or ())
    paths = [Path(place) / "systems" / FILE for place in places]
    return next((path for path in paths if path.is_file()), None)


def installed_version() -> str | None:
    """The installed package's version."""
    try:
        return importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None


def read_installed(hardware: Hardware) -> Silicon | None:
    """The installed file; None where the package is not there."""
    path = installed()
    return None if path is None else read(path.read_bytes(), FILE, hardware, installed_version())


def read(content: bytes, name: str, hardware: Hardware, version: str | None = None) -> Silicon:
    """The rows of the file's bytes. InputError where it is another file."""
    if len(content) > MAX_BYTES:
        raise input_error("results.too_large", file=name, limit=MAX_BYTES)
    try:
        table = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    except (UnicodeDecodeError, csv.Error):
        raise input_error("results.not_silicon", file=name) from None
    if not table or not table[0].keys() >= COLUMNS:
        raise input_error("results.not_silicon", file=name)
    names = {m.repository: m for m in hardware.models.values() if m.repository}
    names |= {theirs: hardware.models[ours] for theirs, ours in ALIASES.items()}
    used, aside = [], Counter[str]()
    for row in table:
        made = _row(row, names, hardware)
        if isinstance(made, str):
            aside[made] += 1
        else:
            used.append(made)
    return Silicon(
        version=version,
        sha256=hashlib.sha256(content).hexdigest(),
        rows=len(table),
        used=tuple(used),
        left_aside=dict(sorted(aside.items())),
    )


def _row(
    row: Mapping[str, str], names: Mapping[str, ModelSpec], hardware: Hardware
) -> MeasuredRow | str:
    """The row, or the reason why it is left aside."""
    model, device = names.get(row["model_path"]), DEVICES.get(row["system"])
    dtype = DTYPES.get(row["precision"])
    if model is None or device is None or dtype is None:
        return "other_model"
    apart = row["mode"] != "agg"
    prefix = "decode_" if apart else ""
    batch, ranks = _count(row[f"{prefix}batch_size"]), _count(row[f"{prefix}tp_size"])
    if batch is None or ranks is None:
        return "batch_not_stated"
    copies = _count(row[f"{prefix}attention_dp_size"]) or 1
    unclear = _unclear(row, prefix, model, ranks, copies)
    if unclear:
        return unclear
    family, pool = family_of(model), _pool(row, batch * copies) if apart else None
    if apart and family != "mla":
        return "few_disaggregated"
    if apart and pool is None:
        return "prefill_not_stated"
    times = [positive(row[f"silicon_{metric}_ms"]) for metric in ("tpot", "ttft")]
    tokens = [_count(row[column]) for column in ("isl", "osl")]
    if None in times or None in tokens:
        return "no_time"
    return MeasuredRow(
        case=SpeedCase(
            model=model,
            device=hardware.devices[device],
            weights_dtype=dtype,
            batch=batch * copies,
            input_tokens=tokens[0] or 1,
            output_tokens=tokens[1] or 1,
            tensor_parallel=ranks * copies,
            attention_copies=copies,
            prefill_pool=pool,
        ),
        family=family,
        serving="disaggregated" if apart else "aggregated",
        tpot_s=(times[0] or 0.0) / 1e3,
        ttft_s=(times[1] or 0.0) / 1e3,
    )


def _unclear(
    row: Mapping[str, str], prefix: str, model: ModelSpec, ranks: int, copies: int
) -> str | None:
    """Why the row leaves open on how many devices it ran; None where it does not.

    A square of expert groups (4 x 4, 8 x 8) counts the same devices twice: a third of those rows
    stand in the file once more, with the same times, on 4 or 8 devices.
    """
    sides = [_count(row.get(f"{prefix}moe_{kind}_size") or "") or 0 for kind in ("tp", "ep")]
    square = sides[0] * sides[1]
    if sides[0] == sides[1] > LEAST_SQUARE and ranks * copies == square:
        return "devices_twice"
    if copies > 1 and (ranks > 1 or copies != square or touched_share(model, 1) in (None, 1.0)):
        return "attention_copies"
    if ranks > MOST_RANKS:
        return "many_ranks"
    return None if model.query_heads % ranks == 0 else "no_such_layout"


def _pool(row: Mapping[str, str], requests: int) -> PrefillPool | None:
    """The machines that read prompts; `requests` at a time on one decode group."""
    names = ("prefill_num_workers", "prefill_tp_size", "decode_num_workers")
    workers, ranks, groups = (_count(row.get(name) or "") for name in names)
    if workers is None or ranks is None or groups is None:
        return None
    copies = _count(row.get("prefill_attention_dp_size") or "") or 1
    return PrefillPool(workers=workers, devices=ranks * copies, requests=requests * groups)


def _count(text: str) -> int | None:
    value = whole(text)
    return None if value is None or value > MOST_COUNT else value
