"""What storing keys and values otherwise did to answers: measured, our own, and only said."""

from __future__ import annotations

from jobs.less_kv import LessKv
from ui import components, plain_table, table_csv
from ui.less_kv_charts import figure
from ui.less_kv_controls import format_word
from ui.numerals import md, percent, significant
from ui.plain_table import cell
from ui.spoken import spoken
from ui.words import t

WORD = "less_kv.column."


def measured(found: LessKv) -> None:
    """Published figures: each holds for its model and task alone."""
    rows = found.quality.measured
    head = [t(f"{WORD}{name}")
            for name in ("format", "task", "before", "after", "note", "source")]  # fmt: skip
    lines = [
        [
            cell(format_word(row.format), below=spoken(row.model)),
            cell(spoken(row.task), tone="words", below=spoken(row.metric)),
            cell(figure(row.before)),
            cell(figure(row.after)),
            cell(spoken(row.note) or "–", tone="words"),
            cell(spoken(row.source), tone="words", below=str(row.as_of)),
        ]
        for row in rows
    ]
    plain_table.show(head, lines, t("less_kv.quality_alt"), "quality", wide=True)
    with components.tools("quality"):
        table_csv.cells_button(head, lines, "less_kv_quality")
        components.sources(
            list(dict.fromkeys(f"{md(spoken(row.source))}, {row.as_of}" for row in rows)), "quality"
        )


def own(found: LessKv) -> None:
    """What the engine of this program measured."""
    rows = found.own_formats
    if not rows:
        components.note(t("less_kv.own_none"))
        return
    components.note(t("less_kv.own", len(rows)))
    head = [t(f"{WORD}{name}") for name in ("format", "kl", "top1", "profile", "as_of")]
    lines = [
        [
            cell(row.found.name, below=row.model),
            cell("–" if row.found.kl_nats is None else significant(row.found.kl_nats)),
            cell("–" if row.found.top1_ratio is None else percent(row.found.top1_ratio)),
            cell(row.profile, tone="words", below=row.device),
            cell(row.measured, tone="words"),
        ]
        for row in rows
    ]
    plain_table.show(head, lines, t("less_kv.own_alt"), "own_formats", wide=True)
    with components.tools("own_formats"):
        table_csv.cells_button(head, lines, "less_kv_own_formats")


def claims(found: LessKv) -> None:
    """What is said without model or task."""
    for claim in found.quality.claims:
        formats = ", ".join(format_word(name) for name in claim.formats)
        components.note(
            t("less_kv.claim", formats=formats, says=t(f"less_kv.claim.{claim.id}"),
              lacks=t(f"less_kv.claim_lacks.{claim.id}"), as_of=claim.as_of)
        )  # fmt: skip
