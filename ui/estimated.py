"""What a page says where token counts are estimates, and how far amounts may move with them."""

from __future__ import annotations

from data_sources.traces.registry import TEXTS
from econ.money import Amount
from econ.report import CostReport
from econ.text_tokens import ESTIMATED
from ui.numerals import amount_usd, md
from ui.words import t

NO_ANSWERS = "texts.no_answers"
PERCENT = 100


def band(report: CostReport) -> tuple[int, int] | None:
    """(percent fewer, percent more) that a tokenizer may give, the widest of the workload; None
    where nothing is estimated."""
    said = [m.values for m in report.assumptions if m.id == ESTIMATED]
    if not said:
        return None
    lows = [int(str(values["low_percent"])) for values in said]
    highs = [int(str(values["high_percent"])) for values in said]
    return max(lows), max(highs)


def sentence(report: CostReport, shown: Amount | None) -> str:
    """One more sentence, Markdown, after those about the amount `shown`; '' for counted tokens.
    Where only a part of the files is text, no range of the whole is given."""
    found = band(report)
    if found is None:
        return ""
    low, high = found
    words = t("texts.seen_no_amount", low_percent=low, high_percent=high)
    if shown is not None and all(file.format in TEXTS for file in report.receipt.files):
        bounds = {
            "low": md(amount_usd(_times(shown.low_e13, PERCENT - low))),
            "high": md(amount_usd(_times(shown.high_e13, PERCENT + high))),
        }
        words = t("texts.seen", **bounds)
    prompts = any(message.id == NO_ANSWERS for message in report.assumptions)
    return " ".join(["", *([t("texts.prompts_only")] if prompts else []), words])


def _times(e13: int, percent: int) -> Amount:
    return Amount.exactly(e13 * percent // PERCENT)
