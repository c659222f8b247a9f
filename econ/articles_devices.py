"""What the articles say of devices and models, looked up in tables whose rows have sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from econ.articles_inputs import Inputs
from price_tables.hardware import DeviceSpec, ModelSpec

KIMI = "kimi-linear-48b-a3b"
GB = 1_000_000_000
Compute = Callable[[Inputs], float]


def _device(name: str, of: Callable[[DeviceSpec], float]) -> Compute:
    return lambda inputs: of(inputs.hardware.devices[name])


def _label(device: DeviceSpec) -> float:
    return float(device.label_gb) * GB


def _kimi(of: Callable[[ModelSpec], float | None]) -> Compute:
    def found(inputs: Inputs) -> float:
        value = of(inputs.hardware.models[KIMI])
        if value is None:
            raise ValueError(f"{KIMI} does not state it")
        return value

    return found


COMPUTED: Mapping[str, Compute] = {
    "h100_memory": _device("h100-sxm", _label),
    "b300_memory": _device("b300-sxm", _label),
    "b300_bandwidth": _device("b300-sxm", lambda d: float(d.bandwidth_bytes_per_s or 0)),
    "b300_fp8": _device("b300-sxm", lambda d: float(d.dense_ops_per_s["fp8"])),
    "cpx_planned": _device("rubin-cpx-original", _label),
    "rtx_memory": _device("rtx-pro-6000-server", _label),
    "kimi_total": _kimi(lambda model: model.parameters_total),
    "kimi_active": _kimi(lambda model: model.parameters_active),
    "weights_48b": _kimi(lambda model: (model.parameters_total or 0) / 2),
}
"""By the id of the figure."""
