"""What the Model size page says: one model's bytes, models side by side, and what fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from econ.kv_formats import KvFormat
from econ.kv_memory import GroupBytes, growth
from econ.size_study import CONTEXTS, Fit, Place, SizeRow, curve, fits
from messages.errors import Value
from price_tables.hardware import DeviceSpec, KvGroup, ModelSpec
from ui import components, device_choice, folds, model_size_charts, plain_table, table_csv
from ui.byte_words import Unit, both, other, size
from ui.charts import Chart
from ui.components import Explanation, mark
from ui.model_size_charts import Drawn
from ui.numerals import count, foreign, md, percent
from ui.plain_table import Cell, cell
from ui.spoken import spoken
from ui.words import t

MOST_LINES = 6
LAST_TOKENS = 1_048_576


def first_screen(row: SizeRow, unit: Unit) -> None:
    """The first model's bytes of one sequence, both units, least and reserved."""
    kept = row.kept
    beneath = t(
        "model_size.hero_beneath",
        other=size(kept.bytes_min, other(unit)),
        tokens=kept.context_tokens,
        dtype=kept.dtype,
        mark=mark("computed"),
    )
    name = foreign(row.spec.name, 40)
    components.hero(t("model_size.hero", name=name), size(kept.bytes_min, unit), beneath)


def sentence(row: SizeRow, fit: Fit, device: DeviceSpec, place: Place, unit: Unit) -> None:
    """What a token takes, what engines set aside, and how many fit."""
    kept = row.kept
    parts = [
        t(
            "model_size.sentence_token",
            size=size(kept.bytes_per_token, unit),
            attention=md(row.spec.attention),
        )
    ]
    if row.has_two_sizes:
        parts.append(t("model_size.sentence_reserved", size=size(kept.bytes_reserved, unit)))
    parts.append(_fit_sentence(fit, device, place, unit))
    components.sentence(" ".join(parts))
    limit = row.spec.max_context_tokens
    if limit is not None and kept.context_tokens > limit:
        components.note(t("model_size.beyond_limit", tokens=limit))


def _fit_sentence(fit: Fit, device: DeviceSpec, place: Place, unit: Unit) -> str:
    values: dict[str, Value] = {"device": md(device.name), "ranks": place.tensor_parallel}
    if not fit.splits:
        return t("model_size.fit_no_split", **values)
    if fit.sequences is None or fit.weights_bytes is None:
        return t("model_size.fit_unknown", **values)
    values["weights"] = size(fit.weights_bytes, unit)
    if not fit.weights_fit:
        return t("model_size.fit_weights", **values)
    if fit.sequences == 0:
        return t("model_size.fit_none", **values)
    return t("model_size.fit", fit.sequences, **values)


def how(row: SizeRow, fit: Fit, device: DeviceSpec, place: Place, dtype: KvFormat) -> None:
    """The formula of every group, what is reserved, what fits, and where the figures are from."""
    kept = row.kept
    sums = [_group_sum(g, s, dtype) for g, s in zip(row.spec.groups, kept.groups, strict=True)]
    sums.append(t("model_size.how_least", bytes=both(kept.bytes_min), tokens=kept.context_tokens))
    sums.append(t("model_size.how_reserved", bytes=both(kept.bytes_reserved)))
    if kept.bytes_mha_style is not None:
        sums.append(t("model_size.how_mha", bytes=both(kept.bytes_mha_style)))
    if fit.free_bytes is not None and fit.weights_bytes is not None:
        sums.append(
            t(
                "model_size.how_fit",
                device=count(device.memory_bytes),
                fraction=percent(float(place.fraction), 0),
                weights=count(fit.weights_bytes),
                ranks=place.tensor_parallel,
                free=count(fit.free_bytes),
                each=count(fit.bytes_per_rank),
                n=fit.sequences,
            )
        )
        sums.append(t(f"model_size.weights_{fit.weights_from}", dtype=row.spec.checkpoint_dtype))
    sums.append(t("model_size.not_counted"))
    explanation = Explanation(
        formula=t("model_size.how_formula"),
        sums=tuple(f"- {line}" for line in sums),
        sources=(_model_source(row.spec), device_choice.source(device)),
    )
    components.how(explanation, "how_model_size")


def _group_sum(group: KvGroup, kept: GroupBytes, dtype: KvFormat) -> str:
    values: dict[str, Value] = {
        "layers": group.layers, "heads": group.kv_heads, "key": group.key_dim,
        "value": group.value_dim, "window": group.window_tokens, "latent": group.latent,
        "rope": group.rope, "ratio": group.ratio_tokens, "entry": group.entry_elements,
        "dtype": dtype.name, "each": _exact(growth(group, dtype)), "state": kept.state_bytes,
        "index": group.bytes_per_token or group.indexer_bytes_per_entry,
        "token": _exact(_pair(group, dtype)),
    }  # fmt: skip
    return t(f"model_size.group_{group.kind}", **values)


def _pair(group: KvGroup, dtype: KvFormat) -> Fraction:
    """Bytes of one token in one layer of a windowed group while it is inside the window."""
    pair = dtype.key.vector_bytes(group.key_dim) + dtype.value.vector_bytes(group.value_dim)
    return group.layers * group.kv_heads * pair


def _exact(value: Fraction) -> str:
    return count(int(value)) if value.denominator == 1 else f"{float(value):,.3f}"


def bars(rows: Sequence[SizeRow], own: str, unit: Unit) -> None:
    """Bytes a token, the largest first."""
    most, least = rows[0], rows[-1]
    ratio = float(most.kept.bytes_per_token / (least.kept.bytes_per_token or 1))
    heading = t("model_size.bars_one", name=foreign(most.spec.name)) if len(rows) == 1 else t(
        "model_size.bars_heading", most=foreign(most.spec.name), least=foreign(least.spec.name),
        ratio=f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:,.1f}",
    )  # fmt: skip
    unit_line = t("model_size.bars_unit", dtype=most.kept.dtype, mark=mark("computed"))
    with components.rule("bars"):
        made = model_size_charts.bars(rows, own, unit)
        components.chart_block(
            md(heading), unit_line, made, "bars", source=t("model_size.bars_source"),
            beside=lambda: _chart_tools(made, "bars", [row.spec for row in rows]),
        )  # fmt: skip


def _chart_tools(made: Chart, name: str, models: Sequence[ModelSpec]) -> None:
    table_csv.button(made.table, f"model_size_{name}")
    components.sources([_model_source(model)[1] for model in models], name)


def growth_curve(
    models: Sequence[ModelSpec], devices: Sequence[DeviceSpec], dtype: KvFormat, context: int,
    unit: Unit,
) -> None:  # fmt: skip
    """Bytes of one sequence over its length, under the memory of devices."""
    last = max(LAST_TOKENS, context)
    heading = t("model_size.curve_heading")
    line = t("model_size.curve_unit", dtype=dtype.name, mark=mark("computed"))

    def show() -> None:
        drawn = [Drawn(model, curve(model, dtype, last)) for model in models[:MOST_LINES]]
        made = model_size_charts.curve(drawn, devices, min(max(context, 1024), last), unit)
        components.chart_block(
            heading, line, made, "growth", source=t("model_size.bars_source"), titled=False,
            beside=lambda: _chart_tools(made, "growth", models),
        )  # fmt: skip
        components.note(t("model_size.curve_note"))

    folds.section("growth", heading, show)


def sizes_table(rows: Sequence[SizeRow], dtype: KvFormat, unit: Unit) -> None:
    """Least beside reserved, and what counting by heads would say, struck through."""
    tokens = rows[0].kept.context_tokens
    head = ["", *(t(f"model_size.column_{name}") for name in ("token", "least", "reserved", "mha"))]
    lines = [
        [
            cell(foreign(row.spec.name, 40), below=row.spec.attention),
            _bytes(row.kept.bytes_per_token, unit),
            _bytes(row.kept.bytes_min, unit, bold=True),
            _bytes(row.kept.bytes_reserved, unit),
            _mha(row, unit),
        ]
        for row in rows
    ]
    heading = t("model_size.sizes_heading")

    def show() -> None:
        line = t("model_size.sizes_unit", tokens=tokens, dtype=rows[0].kept.dtype)
        components.beneath(line, heading)
        plain_table.show(head, lines, t("model_size.sizes_alt"), "sizes", wide=True)
        with components.tools("sizes"):
            table_csv.cells_button(head, lines, "model_size_sizes")
            _how_all(rows, dtype)

    folds.section("sizes", heading, show)


def _how_all(rows: Sequence[SizeRow], dtype: KvFormat) -> None:
    """Each model's sum, and where its shape is from."""
    sums = []
    for row in rows:
        groups = zip(row.spec.groups, row.kept.groups, strict=True)
        sums.append(f"**{md(row.spec.name)}**")
        sums += [f"- {_group_sum(group, kept, dtype)}" for group, kept in groups]
    explanation = Explanation(
        formula=t("model_size.how_formula"),
        sums=(*sums, t("model_size.not_counted")),
        sources=tuple(_model_source(row.spec) for row in rows),
    )
    components.how(explanation, "how_sizes")


def _model_source(model: ModelSpec) -> tuple[str, str]:
    note = f" ({spoken(model.note)})" if model.note else ""
    as_of = f", {model.as_of}" if model.as_of else ""
    return "published", md(f"{model.name}: {spoken(model.source)}{as_of}{note}")


def _bytes(value: int | Fraction, unit: Unit, *, bold: bool = False) -> Cell:
    return cell(size(value, unit), both(value), "bold" if bold else "plain")


def _mha(row: SizeRow, unit: Unit) -> Cell:
    value = row.kept.bytes_mha_style
    if value is None:
        return cell(t("model_size.not_known"), tone="muted")
    return cell(size(value, unit), both(value), "struck" if row.shares else "plain")


def device_table(
    models: Sequence[ModelSpec], dtype: KvFormat, device: DeviceSpec, place: Place, unit: Unit,
    csv: Callable[[], None],
) -> None:  # fmt: skip
    """Sequences that a device holds at three lengths, 'does not fit' included."""
    head = ["", t("model_size.column_weights"), *(count(tokens) for tokens in CONTEXTS)]
    lines = []
    for model in models:
        found = [fits(model, dtype, tokens, place) for tokens in CONTEXTS]
        lines.append(
            [
                cell(foreign(model.name, 40)),
                _weights(found[0], unit),
                *(_fit_cell(fit, place, unit) for fit in found),
            ]
        )
    with components.rule("fits"):
        components.answer(
            t("model_size.fits_heading", n=place.tensor_parallel, device=md(device.name)),
            t(
                "model_size.fits_unit",
                fraction=percent(float(place.fraction), 0),
                said=device_choice.said(device, unit),
            ),
        )
        plain_table.show(head, lines, t("model_size.fits_alt"), "fits", wide=True)
        with components.tools("fits"):
            csv()
            sources = [device_choice.source(device)[1], *(_model_source(m)[1] for m in models)]
            components.sources(sources, "fits")
        components.note(t("model_size.fits_note"))


def _weights(fit: Fit, unit: Unit) -> Cell:
    if fit.weights_bytes is None:
        return cell(t("model_size.not_known"), tone="muted")
    return cell(size(fit.weights_bytes, unit), both(fit.weights_bytes),
                below=t(f"model_size.weights_short_{fit.weights_from}"))  # fmt: skip


def _fit_cell(fit: Fit, place: Place, unit: Unit) -> Cell:
    if not fit.splits:
        return cell(t("model_size.no_split"), t("model_size.no_split_why"), "muted")
    each = t("model_size.each", size=both(fit.bytes_per_rank), ranks=place.tensor_parallel)
    if fit.sequences is None:
        return cell(t("model_size.not_known"), each, "muted")
    if not fit.weights_fit:
        return cell(t("model_size.weights_too_large"), each, "muted")
    if fit.sequences == 0:
        return cell(t("model_size.does_not_fit"), each, "muted")
    return cell(count(fit.sequences), each)
