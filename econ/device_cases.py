"""What a device profile says, in the series that are looked at: pure look-ups over its cases."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from econ.csv_safe import Cell, csv_bytes
from kvcore.profile import CaseResult, DeviceProfile, find

DECODE_BATCH = 1
HITS = (0.0, 0.5, 0.75, 0.95)
FORMAT_CASES = ("kv_format_bits", "kv_error_kl", "kv_error_top1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Time to the first token of one prompt, cold and with `reused_tokens` of it cached, in
    seconds; `cold` and `warm` are the rows behind them."""

    prompt_tokens: int
    reused_tokens: int
    cold: CaseResult
    warm: CaseResult

    @property
    def cold_s(self) -> float:
        """Median cold time to the first token."""
        return _median(self.cold)

    @property
    def warm_s(self) -> float:
        """Median warm time to the first token."""
        return _median(self.warm)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeStep:
    """One decode step at a context length, with the floor that bandwidth sets: (weights + KV of the
    context) / triad bandwidth of the same run. None where there is no floor or no time."""

    context_tokens: int
    step_s: float
    floor_s: float | None
    no_cache_s: float | None
    row: CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class KvFormat:
    """One stored format: bits per element with scales, and how far the answers move."""

    name: str
    bits: float | None
    kl_nats: float | None
    top1_ratio: float | None


def _median(row: CaseResult) -> float:
    if row.median is None:
        raise ValueError(f"case {row.case} has no figure")
    return row.median


def whole(row: CaseResult, name: str) -> int | None:
    """A parameter that counts something; None where the row has no such number."""
    value = row.params.get(name)
    good = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return int(value) if good and isinstance(value, int | float) else None


def pairs(profile: DeviceProfile) -> tuple[Pair, ...]:
    """Cold and warm of every prompt length that has both, shortest first; of several warm rows the
    one that reuses most."""
    cold = {tokens: row for row in _measured(profile, "ttft_cold")
            if (tokens := whole(row, "prompt_tokens"))}  # fmt: skip
    warm: dict[int, CaseResult] = {}
    for row in _measured(profile, "ttft_warm"):
        tokens = whole(row, "prompt_tokens")
        if not tokens:
            continue
        known = warm.get(tokens)
        if known is None or (whole(row, "reused_tokens") or 0) > (
            whole(known, "reused_tokens") or 0
        ):
            warm[tokens] = row
    return tuple(
        Pair(
            prompt_tokens=tokens,
            reused_tokens=whole(warm[tokens], "reused_tokens") or 0,
            cold=cold[tokens],
            warm=warm[tokens],
        )
        for tokens in sorted(cold.keys() & warm.keys())
    )


def pair_near(profile: DeviceProfile, prompt_tokens: int | None) -> Pair | None:
    """The pair whose prompt is nearest to `prompt_tokens` by ratio; None: the longest prompt."""
    found = pairs(profile)
    if not found or prompt_tokens is None:
        return found[-1] if found else None
    asked = math.log(max(prompt_tokens, 1))
    return min(found, key=lambda pair: abs(math.log(max(pair.prompt_tokens, 1)) - asked))


def decode_floor_s(profile: DeviceProfile, context_tokens: int, batch: int) -> float | None:
    """Least time of one step: every weight and every cached byte is read once, at the bandwidth
    that the same run measured (triad, else copy). None where neither was measured."""
    limits = profile.limits
    bandwidth = limits.triad_bytes_per_s or limits.copy_bytes_per_s
    if not bandwidth:
        return None
    kv_bytes = profile.model.kv_bytes_per_token * context_tokens * batch
    return (profile.model.weights_bytes + kv_bytes) / bandwidth


def decode_steps(profile: DeviceProfile, batch: int = DECODE_BATCH) -> tuple[DecodeStep, ...]:
    """Decode steps by context length, shortest first."""
    without = {whole(row, "context_tokens"): row.median
               for row in find(profile, "decode_no_cache")}  # fmt: skip
    found = {}
    for row in find(profile, "decode", batch=batch):
        context = whole(row, "context_tokens")
        if context and row.measured and row.median:
            found[context] = DecodeStep(
                context_tokens=context,
                step_s=_median(row),
                floor_s=decode_floor_s(profile, context, batch),
                no_cache_s=without.get(context),
                row=row,
            )
    return tuple(found[context] for context in sorted(found))


def _measured(profile: DeviceProfile, case: str) -> list[CaseResult]:
    """Rows that were taken on the device and took time: none takes none, and a log scale has no
    place for it."""
    return [row for row in find(profile, case) if row.measured and row.median]


def series(profile: DeviceProfile, case: str, over: str) -> tuple[CaseResult, ...]:
    """The rows of a case that have the number `over`, ascending by it."""
    rows = [row for row in find(profile, case) if _number(row, over) is not None]
    return tuple(sorted(rows, key=lambda row: _number(row, over) or 0.0))


def is_share(value: object) -> bool:
    """A number from 0 to 1: a file from elsewhere may say anything."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _number(row: CaseResult, name: str) -> float | None:
    value = row.params.get(name)
    good = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if good and isinstance(value, int | float) else None


def formats(profile: DeviceProfile) -> tuple[KvFormat, ...]:
    """KV formats, most bits first."""
    by_case = {
        case: {str(row.params.get("format", "")): row.median for row in find(profile, case)}
        for case in FORMAT_CASES
    }
    names = dict.fromkeys(name for case in FORMAT_CASES for name in by_case[case] if name)
    found = [
        KvFormat(
            name=name,
            bits=by_case["kv_format_bits"].get(name),
            kl_nats=by_case["kv_error_kl"].get(name),
            top1_ratio=top1 if is_share(top1 := by_case["kv_error_top1"].get(name)) else None,
        )
        for name in names
    ]
    return tuple(sorted(found, key=lambda row: -(row.bits or 0.0)))


SAID_APART = ("basis", "not_measured")
CSV_COLUMNS = (
    "profile_id",
    "profile_name",
    "created_utc",
    "device_kind",
    "device_name",
    "model",
    "weight_dtype",
    "kv_dtype",
    "case",
    "params",
    "unit",
    "median",
    "spread",
    "n",
    "cpu_share",
    "contended",
    "basis",
    "not_measured",
)


def cases_to_csv(profiles: Sequence[tuple[str, DeviceProfile]]) -> bytes:
    """Every case of the profiles, one a row: UTF-8 with BOM, raw numbers, safe text."""
    rows = (
        {**_head(profile_id, profile), **_cells(row)}
        for profile_id, profile in profiles
        for row in profile.cases
    )
    return csv_bytes(CSV_COLUMNS, rows)


def _head(profile_id: str, profile: DeviceProfile) -> dict[str, Cell]:
    return {
        "profile_id": profile_id,
        "profile_name": profile.name,
        "created_utc": profile.created_utc,
        "device_kind": profile.device.kind,
        "device_name": profile.device.name,
        "model": profile.model.name,
        "weight_dtype": profile.model.weight_dtype,
        "kv_dtype": profile.model.kv_dtype,
    }


def _cells(row: CaseResult) -> dict[str, Cell]:
    params = {name: value for name, value in row.params.items() if name not in SAID_APART}
    said = {name: str(row.params.get(name, "")) for name in SAID_APART}
    return {
        "case": row.case,
        "params": json.dumps(params, ensure_ascii=False, sort_keys=True),
        "unit": row.unit,
        "median": row.median,
        "spread": row.spread,
        "n": row.n,
        "cpu_share": row.cpu_share,
        "contended": None if row.contended is None else str(row.contended).lower(),
        **said,
    }
