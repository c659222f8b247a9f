"""The sizes that two articles print, beside what the formula gives, and why they differ."""

from __future__ import annotations

from collections.abc import Sequence

from econ.article_sizes import (
    B300_RESERVED_BYTES,
    CaseRow,
    Printed,
    at_128000,
    case_rows,
    conversation,
    guide_rows,
    real_rows,
)
from econ.size_study import CONTEXTS
from jobs import model_sizes
from ui import components, folds, plain_table, table_csv
from ui.byte_words import Unit, both, size
from ui.components import Explanation, mark
from ui.numerals import SPACE, count, md
from ui.plain_table import Cell, cell
from ui.spoken import spoken
from ui.words import t

CASE_MODEL = "llama-3.1-70b"
SHORTER = {"gpt3": "gpt3-175b", "llama": CASE_MODEL, "deepseek": "deepseek-v3"}
"""Models whose printed figure is sometimes counted at 128,000 tokens."""


def sections(unit: Unit) -> None:
    """All of them, each folded under its answer."""
    _guide(unit)
    _real(unit)
    _case(unit)


def _tools(name: str, head: Sequence[str], lines: Sequence[Sequence[Cell]]) -> None:
    with components.tools(f"articles_{name}"):
        table_csv.cells_button(head, lines, f"model_size_{name}")
        _how(name)


def _how(name: str) -> None:
    """The formula behind all of these tables, its inputs, and the sources."""
    models = model_sizes.hardware().models
    rows = real_rows(models)
    device = model_sizes.hardware().devices.get("b300-sxm")
    sources = [
        ("published", md(f"{row.model.name}: {spoken(row.model.source)}, {row.model.as_of}"))
        for row in rows
    ]
    if device is not None:
        sources.append(("datasheet", md(f"{device.name}: {spoken(device.source)}, {device.as_of}")))
    components.how(
        Explanation(
            formula=t("model_size.articles_formula"),
            sums=tuple(t(f"model_size.articles_{one}") for one in ("inputs", "mla", "printed")),
            sources=(("published", t("model_size.articles_source")), *sources),
        ),
        f"how_articles_{name}",
    )


def _guide(unit: Unit) -> None:
    rows = guide_rows()
    head = ["", t("model_size.column_token"), *(count(tokens) for tokens in CONTEXTS)]
    lines = [
        [
            cell(row.name, below=t("model_size.heads", row.kv_heads)),
            *(_beside(one, unit) for one in (row.per_token, *row.at)),
        ]
        for row in rows
    ]
    finding = t("model_size.guide")

    def show() -> None:
        components.beneath(t("model_size.guide_unit", mark=mark("computed")), finding)
        plain_table.show(head, lines, t("model_size.guide_alt"), "guide", wide=True)
        _tools("guide", head, lines)
        _conversation(unit)

    folds.section("guide", t("model_size.in_article", finding=finding), show)


def _real(unit: Unit) -> None:
    rows = real_rows(model_sizes.hardware().models)
    head = ["", t("model_size.column_token"), count(CONTEXTS[-1]), t("model_size.column_why")]
    lines = [
        [
            cell(row.model.name, below=row.model.attention),
            _beside(row.per_token, unit),
            _beside(row.at_131072, unit),
            cell(_reasons([row.per_token, row.at_131072], row.hypothetical), tone="words"),
        ]
        for row in rows
    ]
    heading = t("model_size.real", names=len(rows), sizes=len({row.model.groups for row in rows}))
    shorter = {
        name: size(at_128000(model_sizes.hardware().models[model]), "gb")
        for name, model in SHORTER.items()
        if model in model_sizes.hardware().models
    }

    def show() -> None:
        components.beneath(t("model_size.real_unit", mark=mark("computed")), heading)
        plain_table.show(head, lines, t("model_size.real_alt"), "real", wide=True)
        _tools("real", head, lines)
        if len(shorter) == len(SHORTER):
            components.note(t("model_size.real_note", **shorter))

    folds.section("real", t("model_size.in_article", finding=heading), show)


def _reasons(figures: Sequence[Printed], hypothetical: bool) -> str:
    named = [one.why for one in figures if one.why not in ("none", "edge") and one.text]
    words = [t(f"model_size.why_{why}") for why in dict.fromkeys(named)]
    if hypothetical:
        words.append(t("model_size.why_hypothetical"))
    return " ".join(words)


def _conversation(unit: Unit) -> None:
    one = conversation()
    components.answer(
        t("model_size.conversation", ours=size(one.ours_bytes, unit)),
        t("model_size.conversation_unit", printed=one.text or "", exact=both(one.ours_bytes)),
    )


def _case(unit: Unit) -> None:
    model = model_sizes.hardware().models.get(CASE_MODEL)
    if model is None:
        return
    head = [t("model_size.column_sequences"), t("model_size.column_kv"),
            t("model_size.column_all"), t("model_size.column_fits")]  # fmt: skip
    rows = case_rows(model)
    lines = [
        [
            cell(count(row.sequences)),
            _beside(row.kv, unit),
            cell(size(row.total_bytes, unit), both(row.total_bytes)),
            _case_fits(row),
        ]
        for row in rows
    ]
    heading = t(
        "model_size.case",
        paper=max(row.sequences for row in rows if row.fits),
        reserve=max(row.sequences for row in rows if row.fits_with_reserve),
        none=min(row.sequences for row in rows if not row.fits),
    )

    def show() -> None:
        components.beneath(t("model_size.case_unit", mark=mark("computed")), heading)
        plain_table.show(head, lines, t("model_size.case_alt"), "case", wide=True)
        _tools("case", head, lines)
        components.note(t("model_size.case_note", reserve=size(B300_RESERVED_BYTES, "gb")))

    folds.section("case", t("model_size.in_article", finding=heading), show)


def _case_fits(row: CaseRow) -> Cell:
    if not row.fits:
        return cell(t("model_size.does_not_fit"), tone="muted")
    return cell(t("model_size.fits_yes" if row.fits_with_reserve else "model_size.fits_edge"))


def _beside(one: Printed, unit: Unit) -> Cell:
    """Ours, and the article's own wording under it."""
    printed = (one.text or "").replace(" ", SPACE)
    below = t("model_size.printed", text=printed) if printed else ""
    return cell(size(one.ours_bytes, unit), both(one.ours_bytes), below=below)
