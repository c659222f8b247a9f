"""An article's rounded figures beside ours, and why they differ."""

from __future__ import annotations

from collections.abc import Sequence

from econ.article_speed import ArticleRow
from jobs import accuracy
from ui import components, folds, table_csv, tables
from ui.numerals import count
from ui.tables import Column, Table
from ui.time_lines import duration
from ui.words import t


def beside() -> None:
    """The table, and the two figures that need more than a column."""
    found = accuracy.articles()
    heading = t("accuracy_page.article")

    def show() -> None:
        components.beneath(t("accuracy_page.article_unit"), heading)
        made = _table(found)
        tables.show(made, "article")
        with components.tools("article"):
            table_csv.button(made, "accuracy_article")
        dense = accuracy.dense_floor()
        components.note(
            t(
                "accuracy_page.article_floor",
                n=count(dense.n),
                tokens=count(accuracy.dense_context_tokens()),
                low=f"{dense.low_ratio:.1f}",
                high=f"{dense.high_ratio:.1f}",
            )
        )
        components.note(t("accuracy_page.article_apart"))

    folds.section("article", heading, show)


def _table(found: Sequence[ArticleRow]) -> Table:
    columns = (
        Column(title=t("accuracy_page.case"), values=[_case(row) for row in found]),
        Column(title=t("accuracy_page.printed"), values=[_printed(row) for row in found]),
        Column(title=t("accuracy_page.ours"), values=[_ours(row) for row in found]),
        Column(
            title=t("accuracy_page.why"),
            values=[t(f"accuracy_page.why_{row.why}") for row in found],
        ),
    )
    return Table(columns=columns, alt=t("accuracy_page.article"))


def _case(row: ArticleRow) -> str:
    return t(
        f"accuracy_page.quantity_{row.quantity}",
        tokens=count(row.context_tokens),
        n=count(row.sequences),
    )


def _printed(row: ArticleRow) -> str:
    """The article's figure with the digits that it has."""
    if row.printed is None:
        return t("accuracy_page.not_discussed")
    if row.quantity in ("each", "total"):
        return _value(row, row.printed, digits=0)
    if row.quantity == "step":
        return t("engine_page.time_ms", value=f"{row.printed * 1e3:.1f}")
    return t("accuracy_page.about_s", value=f"{row.printed:g}")


def _ours(row: ArticleRow) -> str:
    shown = _value(row, row.ours)
    if row.fits is None:
        return shown
    return t("accuracy_page.fits" if row.fits else "accuracy_page.fits_not", size=shown)


def _value(row: ArticleRow, value: float, digits: int = 1) -> str:
    if row.quantity == "each":
        return t("accuracy_page.tokens_s", value=f"{value:,.{digits}f}")
    if row.quantity == "total":
        return t("accuracy_page.gb", value=f"{value / 1e9:,.{digits}f}")
    return duration(value)
