"""What the Engine page folds of time: whole requests, throughput, what a salt hides."""

from __future__ import annotations

from collections.abc import Sequence

from econ.device_cases import is_share, series
from kvcore.profile import CaseResult, find
from ui import engine_charts, engine_parts
from ui.charts import Chart
from ui.engine_profiles import Shown, known_by
from ui.numerals import percent
from ui.time_lines import duration
from ui.words import t


def reply(shown: Shown) -> None:
    """Whole requests by reply length: re-use takes prefill away and nothing else."""
    rows = series(shown.profile, "reply", "reply_tokens")
    cold = [row for row in rows if not row.params.get("reused_tokens")]
    warm = [row for row in rows if row.params.get("reused_tokens")]
    if len(cold) < 2 or len(warm) < 2:
        return
    saved = [(a.median or 0.0) - (b.median or 0.0) for a, b in zip(cold, warm, strict=False)]
    plain = min(saved[0], saved[-1]) <= 0
    heading = t("engine_page.reply_plain") if plain else t(
        "engine_page.reply_heading", first=duration(saved[0]), last=duration(saved[-1])
    )  # fmt: skip
    unit = t("engine_page.reply_unit", known=known_by(shown, rows))
    engine_parts.folded(shown, heading, unit, lambda: _replies(cold, warm), "reply",
                        _reply_note(shown))  # fmt: skip


def _replies(cold: Sequence[CaseResult], warm: Sequence[CaseResult]) -> Chart:
    return engine_charts.replies(
        [(t("engine_page.cold"), "plain", cold), (t("engine_page.warm"), "ours", warm)]
    )


def _reply_note(shown: Shown) -> str:
    cold, warm = (_reply_decode(shown, reused) for reused in (False, True))
    if cold is None or warm is None:
        return ""
    return t("engine_page.reply_note", cold=duration(cold), warm=duration(warm))


def _reply_decode(shown: Shown, reused: bool) -> float | None:
    rows = [
        row
        for row in series(shown.profile, "reply_decode", "reply_tokens")
        if bool(row.params.get("reused_tokens")) == reused
    ]
    return rows[-1].median if rows else None


def throughput(shown: Shown) -> None:
    """Tokens served a second by the share of every prompt that is cached."""
    rows = [row for row in series(shown.profile, "throughput", "hit_ratio")
            if is_share(row.params["hit_ratio"])]  # fmt: skip
    if len(rows) < 2:  # one alone shows nothing of what hits do
        return
    labels = [percent(float(row.params["hit_ratio"]), 0) for row in rows]
    titles = (t("engine_page.hits"), t("engine_page.tokens_s"), t("engine_page.throughput_alt"))
    heading = t(
        "engine_page.throughput_heading",
        none=tokens_s(rows[0].median or 0.0),
        most=tokens_s(rows[-1].median or 0.0),
        ratio=labels[-1],
    )
    unit = t("engine_page.throughput_unit", known=known_by(shown, rows))
    engine_parts.folded(
        shown,
        heading,
        unit,
        lambda: engine_charts.case_columns(rows, labels, tokens_s, titles),
        "throughput",
    )


def tokens_s(value: float) -> str:
    """'1,234 tokens/s'."""
    return t("engine_page.tokens_a_second", value=f"{value:,.0f}")


def salt(shown: Shown) -> None:
    """What a stranger could learn from the time, with one salt and with another."""
    rows = {kind: find(shown.profile, "salt", salt=kind) for kind in ("same", "other")}
    if not rows["same"] or not rows["other"]:
        return
    same, other = rows["same"][0], rows["other"][0]
    named = [(t(f"engine_page.salt_{kind}"), row.median or 0.0, duration(row.median or 0.0), "",
              kind == "same") for kind, row in (("other", other), ("same", same))]  # fmt: skip
    heading = t("engine_page.salt_heading", same=named[1][2], other=named[0][2])
    unit = t("engine_page.salt_unit", known=known_by(shown, (same, other)))
    words = (t("engine_page.first_s"), t("engine_page.salt_alt"))
    engine_parts.folded(shown, heading, unit, lambda: engine_charts.bars(named, *words), "salt",
                        t("engine_page.salt_note"))  # fmt: skip
