"""Five questions: a form over the current scenario, each answer followed by what it means."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal

import streamlit as st

from econ.fleet_memory import DEFAULT_FRACTION
from econ.guide_sizes import kept_bytes
from econ.kv_capacity import room
from econ.kv_formats import KvFormat
from econ.kv_memory import per_sequence, reserved_per_token
from econ.layout import can_split, valid_ranks
from econ.roofline import DecodeStep, decode_step
from econ.speed_features import datasheet_speeds, weights_of
from jobs import guide_facts
from jobs.fleet_flows import EXAMPLE_FLEET
from messages.errors import Value
from price_tables.hardware import DeviceSpec, ModelSpec
from ui import components, controls, doors, guide_inputs, scenario_form, state, typed
from ui import scenario as scenario_of_all
from ui.byte_words import both, size
from ui.components import mark
from ui.numerals import SPACE, count
from ui.time_lines import duration
from ui.words import t

MARK = "hw_"
CHECKPOINT = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "float8_e4m3fn": "fp8"}
BLOCK_TOKENS = 16


def show() -> None:
    """The five questions, and the way on."""
    model, dtype = _stored()
    tokens = _each(model, dtype)
    place = _where(model, dtype, tokens)
    _when()
    _limits(model, dtype, place, tokens)
    _end()


def _ask(number: int, name: str) -> AbstractContextManager[object]:
    """Heading and text at the left; controls and answer stand inside, at the right."""
    box = components.rule(f"question_{name}")
    with box:
        left, right = st.columns([5, 6], gap="large")
        with left:
            heading = f"{number}.{SPACE}{t(f'five_questions.{name}.heading')}"
            components.answer(heading, t(f"five_questions.{name}.text"))
    return right


def _stored() -> tuple[ModelSpec, KvFormat]:
    models = guide_facts.hardware().models
    scenario_of_all.adopt()
    right = _ask(1, "stored")
    with right, st.container(horizontal=True, key="controls_q_stored"):
        chosen = scenario_form.pick("hw_model", tuple(models), EXAMPLE_FLEET.model)
        kv = scenario_form.pick("hw_kv", scenario_form.kv_types(), EXAMPLE_FLEET.kv_dtype)
    model, dtype = models[chosen], guide_inputs.format_of(kv)
    groups = ", ".join(
        t("five_questions.stored.group", layers=group.layers, kind=t(f"guide.kind.{group.kind}"))
        for group in model.groups
    )
    with right:
        components.sentence(t("five_questions.stored.answer", groups=groups, format=dtype.name))
    return model, dtype


def _each(model: ModelSpec, dtype: KvFormat) -> int:
    right = _ask(2, "each")
    with right:
        tokens = guide_inputs.tokens("q_tokens", 8_192, "five_questions.tokens")
        each = reserved_per_token(model, dtype)
        components.sentence(
            t("five_questions.each.answer", size=size(each, "gib"), tokens=tokens,
              context=size(kept_bytes(model, tokens, dtype), "gib"))
        )  # fmt: skip
        if state_bytes := per_sequence(model):
            components.sentence(t("five_questions.each.state", state=size(state_bytes, "gib")))
        components.note(f"{mark('computed')}. {both(each)}")
    return tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where it lies: `devices` of one kind, the weights' bytes (None: unknown), and how many
    sequences of the asked length fit beside them."""

    device: DeviceSpec
    devices: int
    weights_bytes: float | None
    sequences: int


def _where(model: ModelSpec, dtype: KvFormat, tokens: int) -> Place:
    known = guide_facts.hardware().devices
    right = _ask(3, "where")
    with right, st.container(horizontal=True, key="controls_q_where"):
        chosen = scenario_form.pick("hw_device", tuple(known), EXAMPLE_FLEET.device)
        usual = EXAMPLE_FLEET.quantization or scenario_form.WEIGHTS[0]
        quantised = scenario_form.pick("hw_weights", scenario_form.WEIGHTS, usual)
        ranks = typed.number(
            "hw_tp", Decimal(EXAMPLE_FLEET.tensor_parallel), label=t("own_hardware_page.hw_tp"),
            low=1.0, high=64.0, step=1.0, form="%.0f",
        )  # fmt: skip
    device, devices = known[chosen], max(int(ranks or 1), 1)
    if not can_split(model, devices):
        with right:
            components.sentence(t("five_questions.where.no_split", model=model.name,
                                  devices=devices, expected=_splits(model)))  # fmt: skip
        return Place(device=device, devices=devices, weights_bytes=None, sequences=0)
    weights = _weights(model, quantised)
    if weights is None:
        with right:
            components.sentence(t("five_questions.where.unknown"))
        return Place(device=device, devices=devices, weights_bytes=None, sequences=0)
    found = room(  # on each device: its share of the weights, and what a rank keeps of a token
        int(device.memory_bytes * DEFAULT_FRACTION - int(weights) // devices),
        bytes_per_token=reserved_per_token(model, dtype, devices),
        sequence_bytes=-(-per_sequence(model) // devices),
        context_tokens=tokens,
        block_tokens=BLOCK_TOKENS,
    )
    said: dict[str, Value] = {
        "devices": devices, "device": device.name, "memory": size(device.memory_bytes, "gb"),
        "weights": size(weights / devices, "gb"), "free": size(max(found.free_bytes, 0), "gb"),
        "sequences": found.sequences, "tokens": tokens,
    }  # fmt: skip
    with right:
        key = "answer" if found.free_bytes > 0 else "none"
        components.sentence(t(f"five_questions.where.{key}", **said))
    return Place(device=device, devices=devices, weights_bytes=weights, sequences=found.sequences)


def _splits(model: ModelSpec) -> str:
    return ", ".join(map(str, valid_ranks(model)))


def _weights(model: ModelSpec, quantised: str) -> float | None:
    """Bytes of the weights as the checkpoint has them, or quantised; None where not known."""
    kind = CHECKPOINT.get(model.checkpoint_dtype, "bf16")
    try:
        return weights_of(model, kind if quantised == scenario_form.WEIGHTS[0] else quantised)
    except (ValueError, KeyError):
        return None


def _when() -> None:
    right = _ask(4, "when")
    with right:
        said = controls.choice(
            t("five_questions.caching"), ("on", "off"), "hw_prefix",
            lambda name: t(f"five_questions.caching_{name}"),
        )  # fmt: skip
        components.sentence(t(f"five_questions.when.{said}"))


def _limits(model: ModelSpec, dtype: KvFormat, place: Place, tokens: int) -> None:
    with _ask(5, "limits"):
        many = max(place.sequences, 1)
        steps = [_step(model, dtype, place, tokens, batch) for batch in (1, many)]
        one, full = steps
        if one is None or full is None:
            components.sentence(t("five_questions.limits.unknown"))
            return
        said = {
            "one": duration(one.step_s), "bound_one": t(f"guide.bound.{one.bound}"),
            "many": count(many), "step": duration(full.step_s),
            "bound": t(f"guide.bound.{full.bound}"),
        }  # fmt: skip
        components.sentence(t("five_questions.limits.answer", **said))
        components.note(f"{mark('computed')}. {t('five_questions.floor')}")


def _step(
    model: ModelSpec, dtype: KvFormat, place: Place, tokens: int, batch: int
) -> DecodeStep | None:
    if place.weights_bytes is None:
        return None
    try:
        speeds = datasheet_speeds(place.device, "bf16")
    except ValueError:
        return None
    return decode_step(
        model, speeds, dtype, weights_bytes=place.weights_bytes, context_tokens=tokens,
        batch=batch, tensor_parallel=place.devices,
    )  # fmt: skip


def _end() -> None:
    with components.rule("question_end"):
        components.answer(t("five_questions.end"), t("five_questions.end_unit"))
        st.page_link(
            doors.path_of("own_hardware"), label=t("ui.page.own_hardware"),
            icon=":material/arrow_forward:", query_params=scenario(),
        )  # fmt: skip


def scenario() -> dict[str, str]:
    """What the link to Own hardware carries: the scenario's parameters beside the usual ones."""
    said = {key: value for key, value in st.query_params.items() if key.startswith(MARK)}
    return {**state.for_links(), **said}
