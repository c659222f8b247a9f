"""A DeviceProfile as JSON: writing, and reading with one clear sentence for what is wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeVar, get_args

from kvcore.profile import (
    PROFILE_VERSION,
    CaseResult,
    DeviceInfo,
    DeviceKind,
    DeviceProfile,
    KeyPosition,
    Limits,
    ModelInfo,
    Param,
)

T = TypeVar("T")

MAX_CASES = 10_000
MAX_BYTES = 16_000_000


class ProfileError(ValueError):
    """A profile that cannot be read: where in it, what was expected, what was found."""

    message_id = "engine.error.profile"

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__(f"{place}: expected {expected}, found {found}.")
        self.place, self.expected, self.found = place, expected, found
        self.values = {"place": place, "expected": expected, "found": found}

    def __reduce__(self) -> tuple[type[ProfileError], tuple[str, str, str]]:
        return type(self), (self.place, self.expected, self.found)


def to_json(profile: DeviceProfile) -> dict[str, Any]:
    """The profile as plain JSON values, keys in the order of the documented shape."""
    values = asdict(profile)
    order = ("name", "created_utc", "device", "versions", "model", "limits", "cases")
    return {"profile_version": profile.profile_version, **{key: values[key] for key in order}}


def dumps(profile: DeviceProfile) -> str:
    """Indented JSON text with a newline at its end."""
    return json.dumps(to_json(profile), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def loads(text: str | bytes) -> DeviceProfile:
    """The profile in ``text``; raises ProfileError (place, what was expected, what was found)."""
    if len(text) > MAX_BYTES:
        raise ProfileError("profile", f"at most {MAX_BYTES:,} bytes", f"{len(text):,}")
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except ProfileError:
        raise
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise ProfileError(f"line {line}", "JSON", "something else") from None
    return from_json(value)


def from_json(value: object) -> DeviceProfile:
    """The profile held by decoded JSON; every field is checked; unknown fields are refused."""
    root = _object(value, "profile", DeviceProfile)
    version = _count(root["profile_version"], "profile_version")
    if version != PROFILE_VERSION:
        raise ProfileError("profile_version", str(PROFILE_VERSION), str(version))
    cases = root["cases"]
    if not isinstance(cases, list) or len(cases) > MAX_CASES:
        raise ProfileError("cases", f"a list of at most {MAX_CASES:,} cases", _shown(cases))
    return DeviceProfile(
        profile_version=version,
        name=_text(root["name"], "name"),
        created_utc=_moment(root["created_utc"], "created_utc"),
        device=_device(root["device"]),
        versions=_mapping(root["versions"], "versions", _text),
        model=_model(root["model"]),
        limits=_limits(root["limits"]),
        cases=tuple(_case(case, f"cases[{i}]") for i, case in enumerate(cases)),
    )


def _device(value: object) -> DeviceInfo:
    row = _object(value, "device", DeviceInfo)
    return DeviceInfo(
        kind=_one_of(row["kind"], "device.kind", get_args(DeviceKind)),
        name=_text(row["name"], "device.name"),
        memory_bytes=_or_none(row["memory_bytes"], "device.memory_bytes", _count),
        threads=_count(row["threads"], "device.threads"),
    )


def _model(value: object) -> ModelInfo:
    row = _object(value, "model", ModelInfo)
    counts = ("layers", "kv_heads", "head_dim", "weights_bytes", "kv_bytes_per_token")
    texts = ("name", "source", "weight_dtype", "kv_dtype")
    checked: dict[str, Any] = {key: _count(row[key], f"model.{key}") for key in counts}
    checked |= {key: _text(row[key], f"model.{key}") for key in texts}
    return ModelInfo(
        **checked,
        keys=_one_of(row["keys"], "model.keys", get_args(KeyPosition)),
    )


def _limits(value: object) -> Limits:
    row = _object(value, "limits", Limits)
    rates = [key for key in row if key != "matmul_flop_per_s"]
    return Limits(
        matmul_flop_per_s=_mapping(row["matmul_flop_per_s"], "limits.matmul_flop_per_s", _number),
        **{key: _or_none(row[key], f"limits.{key}", _number) for key in rates},
    )


def _case(value: object, place: str) -> CaseResult:
    row = _object(value, place, CaseResult)
    share = _or_none(row["cpu_share"], f"{place}.cpu_share", _number)
    contended = row["contended"]
    if contended is not None and not isinstance(contended, bool):
        raise ProfileError(f"{place}.contended", "true, false or null", _shown(contended))
    case = CaseResult(
        case=_text(row["case"], f"{place}.case"),
        params=_mapping(row["params"], f"{place}.params", _param),
        unit=_text(row["unit"], f"{place}.unit"),
        median=_or_none(row["median"], f"{place}.median", _number),
        spread=_or_none(row["spread"], f"{place}.spread", _number),
        n=_count(row["n"], f"{place}.n"),
        cpu_share=share,
        contended=contended,
    )
    if (case.median is None) != (case.n == 0):
        raise ProfileError(f"{place}.n", "0 exactly where median is null", str(case.n))
    return case


def _object(value: object, place: str, shape: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProfileError(place, "an object", _shown(value))
    names = list(shape.__dataclass_fields__)
    for name in names:
        if name not in value:
            raise ProfileError(place, f"the field {name}", "none")
    for name in value:
        if name not in names:
            raise ProfileError(place, f"only {', '.join(names)}", str(name)[:80])
    return value


def _mapping(value: object, place: str, check: Callable[[object, str], T]) -> Mapping[str, T]:
    if not isinstance(value, dict):
        raise ProfileError(place, "an object", _shown(value))
    return {key: check(item, f"{place}.{key[:80]}") for key, item in value.items()}


def _or_none(value: object, place: str, check: Callable[[object, str], T]) -> T | None:
    return None if value is None else check(value, place)


def _text(value: object, place: str) -> str:
    if isinstance(value, str) and 0 < len(value) <= 1000:
        return value
    raise ProfileError(place, "a text of 1 to 1,000 characters", _shown(value))


def _one_of(value: object, place: str, choices: tuple[Any, ...]) -> Any:
    if value in choices and isinstance(value, str):
        return value
    raise ProfileError(place, " or ".join(choices), _shown(value))


def _count(value: object, place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    raise ProfileError(place, "a whole number of at least 0", _shown(value))


def _number(value: object, place: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) < 1e300 else math.inf
        if math.isfinite(number) and number >= 0:
            return number
    raise ProfileError(place, "a number of at least 0", _shown(value))


def _param(value: object, place: str) -> Param:
    if isinstance(value, bool) or (isinstance(value, str) and len(value) <= 1000):
        return value
    if isinstance(value, int | float) and abs(value) < 1e300:
        return value
    raise ProfileError(place, "a text, a number, true or false", _shown(value))


def _moment(value: object, place: str) -> str:
    text = _text(value, place)
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007  the Z is in the pattern
    except ValueError:
        raise ProfileError(place, "a time as 2026-01-31T12:00:00Z", _shown(value)) from None
    return text


def _no_constant(name: str) -> float:
    raise ProfileError("profile", "finite numbers", name)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
