"""What the Own hardware page says: what fits, how fast it is, what it costs."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from econ.fleet import Latency
from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy, SpeedView
from econ.measured_device import is_measured
from econ.sheet_own import spoken_line
from econ.speed_fit import Band
from jobs import fleet_flows, profiling
from ui import components, hardware_charts, hardware_device
from ui.components import Explanation, mark
from ui.hardware_charts import Timed
from ui.numerals import compact, count, day, md, percent, range_words
from ui.spoken import spoken
from ui.time_lines import duration
from ui.words import say, t


def p(name: str, n: int | None = None, /, **values: object) -> str:
    """Words of this page."""
    return t(f"own_hardware_page.{name}", n, **values)  # type: ignore[arg-type]


def machine(asked: FleetAsked) -> str:
    """'2 × H200 SXM, tensor parallel 2, fp8 weights, fp8 KV'."""
    device = fleet_flows.name_of(asked.device)
    weights = asked.quantization or p("as_checkpoint")
    return p("machine", tp=asked.tensor_parallel, device=device, weights=weights, kv=asked.kv_dtype)


def hero(found: FleetStudy, asked: FleetAsked) -> None:
    """How many sequences fit at once; KV tokens where the file has no lengths."""
    p50, p95 = found.sequences
    about = md(machine(asked))
    if not found.memory.fits:
        components.hero_loss(p("hero_none"), p("does_not_fit"), about)
    elif p50 is None or p95 is None:
        components.hero(p("hero_tokens"), compact(found.memory.tokens), about)
    else:
        ends = range_words(count(min(p50, p95)), count(max(p50, p95)))
        label = p("hero", context=found.contexts[0] or 0)
        components.hero(label, count(p50), p("hero_beneath", range=ends, machine=about))


def sentence(found: FleetStudy, asked: FleetAsked) -> None:
    """Does the fleet keep up, and what would."""
    if found.results:
        components.sentence(" ".join(_kept_up(found, asked)))
    if found.said:
        components.note("  \n".join(md(say(message)) for message in found.said))


def _kept_up(found: FleetStudy, asked: FleetAsked) -> list[str]:
    first = found.results[0]
    load = "-" if first.utilisation is None else percent(first.utilisation, 0)
    if first.saturated:
        said = [p("saturated", first.replicas, load=load)]
    else:
        ttft, tpot = first.ttft.at(asked.percentile), first.tpot.at(asked.percentile)
        said = [p("keeps_up", first.replicas, load=load)]
        if ttft is not None:
            said.append(p("first_after", percentile=asked.percentile, ttft=duration(ttft)))
        if tpot:
            said.append(p("then", rate=f"{1 / tpot:,.0f}"))
    if asked.ttft_s is not None or asked.tpot_s is not None:
        said.append(_smallest_words(found, asked))
    return said


def _smallest_words(found: FleetStudy, asked: FleetAsked) -> str:
    promise = {
        "ttft": "-" if asked.ttft_s is None else duration(asked.ttft_s),
        "tpot": "-" if asked.tpot_s is None else duration(asked.tpot_s),
        "percentile": asked.percentile,
    }
    if found.smallest is None:
        return p("smallest_none", **promise)
    routing = p(f"routing_{found.smallest.routing}")
    return p("smallest", found.smallest.replicas, routing=routing, **promise)


def flags(asked: FleetAsked) -> None:
    """The fleet as a `vllm serve` line."""
    with st.popover(p("flags"), type="tertiary", icon=":material/content_copy:", key="hw_flags"):
        st.code(fleet_flows.line_of(asked), language="bash", wrap_lines=True)


def how(found: FleetStudy, asked: FleetAsked) -> None:
    """Formulas, sums and sources behind the numbers."""
    memory = found.memory
    sums = [
        p("how_blocks", kv=memory.kv_bytes, blocks=memory.blocks, tokens=memory.block_tokens,
          per_token=f"{float(memory.bytes_per_token):,g}", tp=memory.group_devices),
        p("how_overhead", source=p(f"overhead_{memory.overhead_source.replace(' ', '_')}"),
          bytes=memory.overhead_bytes // memory.tensor_parallel),
        p("how_queue"),
        p("how_prompt", prompt=found.prompt_p50 or 0),
        p("how_tpot"),
        p("how_load"),
        p("how_latency"),
    ]  # fmt: skip
    bands = [_basis(view) for view in found.speeds if view.tpot_band is not None]
    components.how(
        Explanation(
            formula=p("how_formula"), sums=tuple(sums), why_range=" ".join(bands),
            sources=tuple(
                (kind, md(spoken_line(text, spoken)))
                for kind, text in fleet_flows.sources_of(asked)
            ),
        ),
        "how_hardware",
    )  # fmt: skip


def _basis(view: SpeedView) -> str:
    band = view.tpot_band
    assert band is not None  # noqa: S101
    own = "how_limits" if band.method == "limits" else "how_runs"
    key = own if view.source_kind == "measured" else "how_band"
    words = p(key, mark=mark(view.source_kind), n=band.n, device=band.device, model=md(band.family),
              low=f"{band.low_ratio:.2f}", high=f"{band.high_ratio:.2f}")  # fmt: skip
    if not view.outside:
        return words
    names = ", ".join(p(f"outside_{name}") for name in view.outside)
    return f"{words} {p('how_outside', names=names)}"


def memory(found: FleetStudy, beside: Callable[[], None]) -> None:
    """The bar of one replica; `beside` its table stand further tools."""
    bar = found.memory
    p50 = found.sequences[0]
    kv_words = p("part_kv") if p50 is None else p("part_kv_sequences", p50)
    total = hardware_charts.gb(bar.device_bytes)
    components.chart_block(
        p("memory_heading", kv=hardware_charts.gb(bar.kv_bytes), total=total),
        p("memory_unit", blocks=bar.blocks, tokens=bar.block_tokens),
        hardware_charts.memory_bar(bar, kv_words), "hw-memory", beside=beside,
    )  # fmt: skip


def overhead_note(found: FleetStudy) -> str:
    """Where the overhead comes from, and what is left over."""
    bar = found.memory
    return p(
        f"overhead_note_{bar.overhead_source.replace(' ', '_')}",
        bytes=bar.overhead_bytes // bar.tensor_parallel,
        gib=f"{bar.overhead_bytes / bar.tensor_parallel / 2**30:.2f}", residual=bar.free_bytes,
    )  # fmt: skip


def speed(found: FleetStudy, asked: FleetAsked) -> None:
    """TTFT and TPOT of the first fleet, by each source, with bands."""
    if not found.speeds:
        components.note(p("tpot_none"))
        return
    level, chosen, first = asked.percentile, found.speeds[-1], found.results[0]
    ttft, tpot = chosen.ttft.at(level), chosen.tpot.at(level)
    heading = p("times_none") if ttft is None or not tpot else p(
        "times_heading", time=duration(ttft), rate=f"{1 / tpot:,.0f}",
    )  # fmt: skip
    unit = p("times_unit", percentile=p_words(first.ttft, level), n=first.ttft.n,
             hit=percent(first.token_hit_ratio or 0.0, 0))  # fmt: skip
    parts = [
        (p(f"{name}_part"), [_timed(view, name, level, asked) for view in found.speeds])
        for name in ("ttft", "tpot")
    ]
    components.chart_block(heading, unit, hardware_charts.times(parts, p("times_alt")), "hw-times")


def speed_notes(found: FleetStudy, asked: FleetAsked) -> None:
    """What the marks and bands mean, and where they end."""
    outside = sorted({name for view in found.speeds for name in view.outside})
    with st.container(gap=None):
        components.note(overhead_note(found))
        if outside:
            names = ", ".join(p(f"outside_{name}") for name in outside)
            components.note(p("outside", names=names))
        if is_measured(asked.device):
            components.note(hardware_device.about(asked.device))
        elif found.speeds:
            components.note(p("marks"))
            measured_here()


def p_words(latency: Latency, level: int) -> str:
    """'P95', or 'maximum' where there are too few requests for the 99th."""
    return p("maximum") if level == 99 and latency.p99 is None and latency.n else f"P{level}"


def _timed(view: SpeedView, name: str, level: int, asked: FleetAsked) -> Timed:
    kind = hardware_device.time_mark(asked.device, view.source_kind)
    latency: Latency = getattr(view, name)
    band: Band | None = getattr(view, f"{name}_band")
    seconds = latency.at(level)
    if seconds is None:
        return Timed(source_kind=kind, seconds=None,
                     note=p("no_latency" if view.saturated else "no_requests"))  # fmt: skip
    measured = view.source_kind == "measured"
    if band is None:
        note = p("one_run" if measured else "floor")
        return Timed(source_kind=kind, seconds=seconds, note=note)
    words = "own_runs" if measured else "band_n"
    if band.method == "limits":
        words = "own_limits"
    return Timed(
        source_kind=kind, seconds=seconds, low_s=seconds * band.low_ratio,
        high_s=seconds * band.high_ratio, note=p(words, n=band.n, model=band.family),
    )  # fmt: skip


def measured_here() -> None:
    """What this machine has measured: its own model, never mixed with the estimates."""
    own = profiling.this_machine()
    if own is None:
        components.note(p("here_none", mark=mark("measured")))
        return
    components.note(
        p("here", mark=mark("measured"), model=md(own.entry.model_name),
          device=md(own.entry.device_name), date=day(own.entry.measured_utc),
          tokens=own.pair.prompt_tokens, cold=duration(own.pair.cold_s),
          warm=duration(own.pair.warm_s))
    )  # fmt: skip
