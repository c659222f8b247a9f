"""Own hardware and less KV on a sheet of paper: a side of its own behind the bill, A4."""

from __future__ import annotations

from collections.abc import Callable

from econ.own_tables import OwnTable, tables_of
from econ.own_words import figure, number, row_name, with_band
from econ.report_own import OwnPart, sources_of
from econ.sheet_tables import table
from econ.sheet_text import Say, escaped, percent
from econ.svg import INK, MUTED, WIDTH, SheetBar, bars
from messages.errors import Message, Value

BAR_HEIGHT, LABEL = 16, 15
MOST_BARS = 5
PARTS = (
    ("weights_bytes", MUTED, 0.75), ("overhead_bytes", "#9AA5AE", 0.6),
    ("kv_bytes", "#0B6299", 1.0), ("held_back_bytes", MUTED, 0.25),
)  # fmt: skip
CHAR = 6.6


def own_section(own: OwnPart | None, say: Say, spoken: Callable[[str], str] = str) -> str:
    """One sentence where the report has no such figures, else a whole side."""
    if own is None:
        return f"<p class='quiet'>{_say(say, 'not_seen')}</p>"
    made = tables_of(own, say)
    wide = "".join(_drawn(one) for one in made if one.wide)
    narrow = "".join(_drawn(one) for one in made if not one.wide)
    return (
        f'<section class="back own"><h1>{_say(say, "heading")}</h1>'
        f"<p class='quiet'>{escaped(machine(own, say))}</p>"
        f"{_three(own, say)}{_memory(own, say)}{_less(own, say)}{wide}"
        f"<div class='tables'>{narrow}</div>{_rests_on(own, say, spoken)}</section>"
    )


def machine(own: OwnPart, say: Say) -> str:
    """'Llama 3.1 70B on 2 × H200 SXM a replica, weights fp8, KV fp8'."""
    if "fleet.model" not in own.choice:
        return say(Message("own_report.less_only", {"model": own.model, "device": own.device}))
    weights: Value = own.choice["fleet.quantization"] or Message("own_report.as_checkpoint")
    values: dict[str, Value] = {
        "model": own.model, "device": own.device, "weights": weights,
        "tp": own.choice["fleet.tensor_parallel"], "kv": own.choice["fleet.kv_dtype"],
    }  # fmt: skip
    return say(Message("own_report.machine", values))


def three_figures(own: OwnPart, say: Say) -> list[tuple[str, str, str]]:
    """Label, value and what stands beneath: sequences, times, a million output tokens. Empty
    without a fleet."""
    if own.line("kv_bytes") is None:
        return []
    return [_sequences(own, say), _times(own, say), _million(own, say)]


def _sequences(own: OwnPart, say: Say) -> tuple[str, str, str]:
    label = say(Message("own_report.sequences"))
    blocks = own.line("kv_tokens")
    if blocks is not None and not blocks.value:
        return label, say(Message("own_report.does_not_fit")), ""
    names = ("context_p50_tokens", "sequences_p95", "context_p95_tokens")
    p50, fits, p95 = (figure(own.line(name), say) for name in names)
    beneath = Message("own_report.sequences_beneath", {"p50": p50, "fits": fits, "p95": p95})
    return label, figure(own.line("sequences_p50"), say), say(beneath)


def _times(own: OwnPart, say: Say) -> tuple[str, str, str]:
    level = own.choice["fleet.percentile"]
    label = say(Message("own_report.latency", {"level": level}))
    kind = own.choice["fleet.speed"]
    kinds = [line.key for line in own.section("speed")]
    kind = kind if kind in kinds else kinds[-1] if kinds else ""
    lines = [own.line(f"{name}_p{level}_s", kind) for name in ("ttft", "tpot")]
    if not any(lines):
        return label, say(Message("own_report.no_figure")), ""
    value = " · ".join(figure(line, say) for line in lines)
    load = own.line("utilisation", kind)
    ranges = " · ".join(with_band(line, say) for line in lines)
    beneath = Message("own_report.latency_beneath", {"load": figure(load, say)})
    return label, value, f"{ranges}; {say(beneath)}"


def _million(own: OwnPart, say: Say) -> tuple[str, str, str]:
    label = say(Message("own_report.reserved"))
    if own.line("reserved_usd") is None:
        return label, say(Message("own_report.no_figure")), ""
    values: dict[str, Value] = {
        "uncached": figure(own.line("usd_per_mtok_uncached_input"), say),
        "cached": figure(own.line("usd_per_mtok_cached_input"), say),
        "usd": figure(own.line("reserved_usd"), say),
        "hours": figure(own.line("reserved_gpu_hours"), say),
    }
    beneath = say(Message("own_report.reserved_beneath", values))
    return label, figure(own.line("usd_per_mtok_output"), say), beneath


def _say(say: Say, key: str, n: int | None = None, /, **values: Value) -> str:
    return escaped(say(Message(f"own_report.{key}", values, n)))


def _three(own: OwnPart, say: Say) -> str:
    made = "".join(
        f"<div>{escaped(label)}<b>{escaped(value)}</b>"
        f"<span class='quiet'>{escaped(beneath)}</span></div>"
        for label, value, beneath in three_figures(own, say)
    )
    return f"<section class='three'>{made}</section>" if made else ""


def _memory(own: OwnPart, say: Say) -> str:
    lines = [own.line(name) for name, _, _ in PARTS]
    total, kv = own.line("device_bytes"), own.line("kv_bytes")
    sizes = [0.0 if line is None else max(float(line.value or 0), 0.0) for line in lines]
    if total is None or kv is None or not sum(sizes):
        return ""
    heading = _say(say, "memory_heading", kv=figure(kv, say), total=figure(total, say))
    drawn = _stacked(sizes, say, _say(say, "memory_alt"))
    unit = f"<p class='quiet'>{_say(say, 'memory_unit')}</p>"
    return f"<section><figure><h2>{heading}</h2>{unit}{drawn}</figure></section>"


def _stacked(sizes: list[float], say: Say, alt: str) -> str:
    """One bar in four parts; a legend below it, each with its size."""
    parts, x, at = [], 0.0, 0.0
    for (name, color, opacity), size in zip(PARTS, sizes, strict=True):
        width = size / sum(sizes) * (WIDTH - 1)
        parts.append(f'<rect x="{x:.2f}" y="0" width="{width:.2f}" height="{BAR_HEIGHT}"'
                     f' fill="{color}" fill-opacity="{opacity}"/>')  # fmt: skip
        x += width
        word = say(Message(f"own_hardware_page.part_{_PART_WORDS[name]}"))
        text = f"{word} {number(int(size), 'bytes', say)}"
        parts.append(
            f'<rect x="{at:.2f}" y="{BAR_HEIGHT + 7}" width="8" height="8" fill="{color}"'
            f' fill-opacity="{opacity}"/>'
            f'<text x="{at + 12:.2f}" y="{BAR_HEIGHT + LABEL}">{escaped(text)}</text>'
        )
        at += 28 + sum(CHAR * (1 if ord(char) < 0x2E80 else 1.85) for char in text)
    height = BAR_HEIGHT + LABEL + 5
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{alt}"'
        f' font-size="11" fill="{INK}">{"".join(parts)}</svg>'
    )


_PART_WORDS = {"weights_bytes": "weights", "overhead_bytes": "overhead", "kv_bytes": "kv",
               "held_back_bytes": "free"}  # fmt: skip


def _less(own: OwnPart, say: Say) -> str:
    """KV at the fullest moment by representation; what every query head would keep is many times
    as much and in the table alone."""
    lines = [line for line in own.section("less_kv") if line.item == "peak_bytes"]
    first = next((line for line in lines if line.key.startswith("as_is ")), None)
    shown = [line for line in lines if not line.key.startswith("mha ") and line.value]
    if first is None or not first.value or not shown:
        return ""
    own_choice = [line for line in shown if line.key.startswith("chosen ")]
    others = [line for line in shown if line not in (first, *own_choice)]
    least = sorted(others, key=lambda line: float(line.value or 0))[: MOST_BARS - 2]
    picked = sorted([first, *own_choice, *least], key=lambda line: -float(line.value or 0))
    rows = [
        SheetBar(
            name=row_name(line.key, say),
            value=float(line.value or 0),
            shown=figure(line, say),
            note=percent(float(line.value or 0) / float(first.value), 0),
        )
        for line in picked
    ]
    heading = _say(say, "less_heading")
    unit = f"<p class='quiet'>{_say(say, 'less_unit')}</p>"
    return f"<section><figure><h2>{heading}</h2>{unit}{bars(rows, heading)}</figure></section>"


def _drawn(one: OwnTable) -> str:
    note = f"<p class='quiet'>{escaped(one.note)}</p>" if one.note else ""
    return table(one.caption, one.head, one.rows) + note


def _rests_on(own: OwnPart, say: Say, spoken: Callable[[str], str]) -> str:
    """What could not be said, the assumptions, and the sources of what stands here."""
    missing = "".join(f"<li>{escaped(say(message))}</li>" for message in own.missing)
    items = "".join(f"<li>{escaped(say(message))}</li>" for message in own.assumptions)
    named = {text: spoken_line(text, spoken) for _, text in own.sources}
    charted = {(row.source or "", row.as_of or "") for row in own.short_rows}
    lines = {(line.source, line.as_of) for line in own.lines}
    for source, as_of in sources_of(own):
        known = any(source in text for text in named)
        if ((source, as_of) in charted or (source, as_of) in lines) and not known:
            line = f"{source}, {as_of}" if as_of else source
            named[line] = spoken_line(line, spoken)
    listed = "".join(f"<li>{escaped(text)}</li>" for text in named.values())
    parts = [("missing", missing), ("assumptions", items), ("sources", listed)]
    made = "".join(
        f"<h2>{_say(say, name)}</h2><ul class='quiet'>{inner}</ul>"
        for name, inner in parts
        if inner
    )
    return f"<section class='rests'>{made}</section>"


def spoken_line(text: str, spoken: Callable[[str], str]) -> str:
    """'source, day', 'Name: source, day' or 'source; source, day' with each source in words of its
    own; a source may have commas, colons and semicolons itself, so the whole is tried first."""
    where, comma, day = text.rpartition(", ")
    if not comma:
        where, day = text, ""
    about, colon, rest = where.partition(": ")
    said = spoken(where)
    if said == where and colon and spoken(rest) != rest:
        said = f"{about}{colon}{spoken(rest)}"
    elif said == where:
        said = "; ".join(spoken(part) for part in where.split("; "))
    return f"{said}{comma}{day}"
