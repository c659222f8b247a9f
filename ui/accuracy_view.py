"""What the Accuracy page says: how far off, where, and what nobody has tried."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from econ.speed_features import Metric
from jobs import accuracy
from jobs.accuracy import Rows
from price_tables.speed_fit import ALL, RANGES, FamilyFit, GroupErrors
from ui import accuracy_charts, components, controls, downloads, folds, table_csv, tables
from ui.accuracy_charts import best
from ui.components import Explanation
from ui.numerals import count, percent
from ui.tables import Column, Table
from ui.words import t

METRICS: tuple[Metric, ...] = ("tpot", "ttft")
DISAGGREGATED = "mla-disaggregated"
FAMILIES = ("dense", "moe", "mla", DISAGGREGATED)


def switches() -> tuple[Metric, str]:
    """Which metric and which family; the URL holds both."""
    with st.container(horizontal=True, gap="large", key="controls_accuracy"):
        metric = controls.choice(
            t("accuracy_page.metric"), METRICS, "metric", lambda m: t(f"accuracy_page.{m}")
        )
        family = controls.choice(
            t("accuracy_page.family"), FAMILIES, "family", lambda f: t(f"accuracy_page.family_{f}")
        )
    return ("ttft" if metric == "ttft" else "tpot"), family


def chosen(found: Sequence[FamilyFit], name: str) -> FamilyFit | None:
    """The family of that name among those that have rows."""
    family, serving = name.removesuffix("-disaggregated"), "aggregated"
    if name == DISAGGREGATED:
        serving = "disaggregated"
    return next((f for f in found if (f.family, f.serving) == (family, serving)), None)


def first_screen(every: GroupErrors, name: str, metric: Metric) -> None:
    """The one number: how far an estimate is off on a device that the fit has not seen."""
    ours = best(every)
    kind = "hero" if "left_out" in every.errors else "hero_in_sample"
    beneath = t(
        "accuracy_page.hero_beneath",
        median=percent(ours.median_ratio),
        n=count(ours.n),
        low=f"{ours.low_ratio:.2f}",
        high=f"{ours.high_ratio:.2f}",
        family=t(f"accuracy_page.family_{name}"),
        mark=components.mark("published"),
    )
    label = t(f"accuracy_page.{kind}", metric=t(f"accuracy_page.{metric}"))
    components.hero(label, percent(ours.mean_ratio), beneath)


def sentence(every: GroupErrors, metric: Metric) -> None:
    """What a bare data sheet would have said, and what other pages do with this."""
    components.sentence(
        t(
            "accuracy_page.sentence",
            floor=percent(every.errors["roofline"].mean_ratio, 0),
            share=percent(1 - every.errors["roofline"].median_ratio, 0),
            metric=t(f"accuracy_page.{metric}"),
        )
    )


def no_such_rows() -> None:
    """Rows that were brought may have none of the chosen family."""
    components.sentence(t("accuracy_page.no_such_rows"))


def how(family: FamilyFit, metric: Metric, rows: Rows | None) -> None:
    """Formula, coefficients, both definitions of speed of light, and the rows."""
    fit = accuracy.fit()
    weights = ", ".join(f"{name} {value:g}" for name, value in family.coefficients[metric].items())
    sums = (
        t("accuracy_page.how_error"),
        t("accuracy_page.how_left_out"),
        t("accuracy_page.how_floor"),
        t("accuracy_page.how_69", **_dense()),
        t("accuracy_page.how_weights", weights=weights),
    )
    key = "how_uploaded" if rows is not None and not rows.same else "how_shipped"
    sources = (
        ("published", t("accuracy_page.how_source", package=fit.package, version=fit.version,
                        file=fit.file, rows=count(fit.rows), source=fit.source)),
        ("computed", t(f"accuracy_page.{key}", date=fit.fitted)),
    )  # fmt: skip
    components.how(
        Explanation(
            formula=t(f"accuracy_page.formula_{metric}"),
            sums=sums,
            why_range=t("accuracy_page.how_band"),
            sources=sources,
        ),
        "how_accuracy",
    )


def _dense() -> dict[str, str]:
    """How far the data sheet is off in TPOT on the dense rows of the shipped fit."""
    dense = accuracy.dense_floor()
    return {"n": count(dense.n), "ours": percent(dense.mean_ratio)}


def by_device(family: FamilyFit, metric: Metric, names: dict[str, str]) -> None:
    """Our error and the data sheet's, device by device."""
    groups = [g for g in family.groups if g.metric == metric and g.device != ALL]
    groups.sort(key=lambda g: -g.errors["fitted"].n)
    worst = max(groups, key=lambda g: best(g).mean_ratio)
    named = [(names.get(g.device, g.device), g) for g in groups]
    heading = t(
        "accuracy_page.device_heading",
        best(worst).n,
        device=names.get(worst.device, worst.device),
        ratio=percent(best(worst).mean_ratio, 0),
    )
    with components.rule("devices"):
        made = accuracy_charts.error_bars(named, t("accuracy_page.device_alt"))
        components.chart_block(heading, t("accuracy_page.device_unit"), made, "by-device")
        components.note(t("accuracy_page.cells"))
        every = [(t("accuracy_page.all"), family.group(ALL, metric)), *named]
        listed = [(name, group) for name, group in every if group is not None]
        cells = accuracy_charts.error_cells(listed, t("accuracy_page.device_alt"))
        tables.show(cells, "device-errors")
        _why(family, metric)


def _why(family: FamilyFit, metric: Metric) -> None:
    """What makes two groups of the shipped rows hard to estimate."""
    if (family.family, family.rows) == ("dense", _shipped_rows("dense")):
        components.note(t("accuracy_page.why_gb200"))
    elif (family.serving, metric) == ("disaggregated", "ttft"):
        components.note(t("accuracy_page.why_apart"))


def _shipped_rows(name: str) -> int | None:
    family = accuracy.fit().family(name)
    return None if family is None else family.rows


def by_family(found: Sequence[FamilyFit], metric: Metric) -> None:
    """Our error and the data sheet's, family by family, and every error as a file."""
    named = [
        (t(f"accuracy_page.family_{name}"), group)
        for name in FAMILIES
        if (family := chosen(found, name)) is not None
        and (group := family.group(ALL, metric)) is not None
    ]
    ratios = [best(group).mean_ratio for _, group in named]
    heading = t(
        "accuracy_page.family_heading",
        low=percent(min(ratios), 0),
        high=percent(max(ratios), 0),
        metric=t(f"accuracy_page.{metric}"),
    )
    with components.rule("families"):
        made = accuracy_charts.error_bars(named, t("accuracy_page.family_alt"))
        components.chart_block(heading, t("accuracy_page.device_unit"), made, "by-family")
        downloads.csv_button(
            t("accuracy_page.download"),
            lambda: accuracy.errors_csv(found),
            "kvledger-accuracy.csv",
            "download_accuracy",
        )


def outside(found: Sequence[FamilyFit], names: dict[str, str]) -> None:
    """What was tried, in ranges; and which rows of the file were left aside, and why."""
    fit = accuracy.fit()
    heading = t("accuracy_page.outside")

    def show() -> None:
        components.beneath(t("accuracy_page.outside_unit"), heading)
        made = _ranges(found, names)
        tables.show(made, "ranges")
        with components.tools("ranges"):
            table_csv.button(made, "accuracy_ranges")
        listed = "  \n".join(
            f"{count(n)}: {t(f'accuracy_page.aside_{reason}')}"
            for reason, n in fit.left_aside.items()
        )
        used = sum(family.rows for family in fit.families)
        components.note(
            t("accuracy_page.aside", used=count(used), rows=count(fit.rows)) + "  \n" + listed
        )

    folds.section("outside", heading, show)


def _ranges(found: Sequence[FamilyFit], names: dict[str, str]) -> Table:
    listed = [(name, family) for name in FAMILIES if (family := chosen(found, name)) is not None]
    columns = [
        Column(
            title=t("accuracy_page.family"),
            values=[t(f"accuracy_page.family_{name}") for name, _ in listed],
        ),
        Column(
            title=t("accuracy_page.rows"), values=[family.rows for _, family in listed],
            kind="count",
        ),
    ]  # fmt: skip
    columns += [
        Column(
            title=t(f"accuracy_page.range_{name}"),
            values=[" – ".join(map(count, family.ranges[name])) for _, family in listed],
        )
        for name in RANGES
    ]
    devices = [", ".join(names.get(d, d) for d in family.devices) for _, family in listed]
    models = [", ".join(family.models) for _, family in listed]
    columns += [
        Column(title=t("accuracy_page.devices"), values=devices),
        Column(title=t("accuracy_page.models"), values=models),
    ]
    return Table(columns=tuple(columns), alt=t("accuracy_page.outside"))
