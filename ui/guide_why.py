"""Guide, chapter one: why there is a cache. A small transformer is watched at work."""

from __future__ import annotations

from econ import guide_attention as small
from econ.roofline import decode_step, prefill
from econ.speed_features import datasheet_speeds, weights_of
from ui import asked, components, guide_inputs
from ui.byte_words import size
from ui.guide_frame import head, section, table
from ui.numerals import count
from ui.plain_table import cell
from ui.time_lines import duration
from ui.words import t

PROMPT = (5, 17, 3, 44, 9, 28)
LATER = (61, 2, 33)
WRITTEN, TALKATIVE_SEED = 6, 4
"""With these weights it does not fall into repeating one token at once."""
MOST_STEPS = 24
KV_DTYPE = "bf16"


def show() -> None:
    """All sections of the chapter."""
    next_token()
    repeats()
    mask()
    kept()
    query()
    layers()
    phases()
    four()


def next_token() -> None:
    """The same prompt but for its first token: everything that is written may change."""
    weights = small.small_weights(TALKATIVE_SEED)
    with section("next"):
        first = asked.whole(
            "g_next", t("guide.next.slider"), 0, small.VOCABULARY - 1, PROMPT[0] + 1
        )
        rows = []
        for prompt in dict.fromkeys((PROMPT, (first, *PROMPT[1:]))):
            out = small.run(weights, prompt).out[-1]
            chances = small.next_scores(weights, out)
            best = int(chances.argmax())
            written = small.write(weights, prompt, WRITTEN)
            rows.append([" ".join(map(str, prompt)), f"{best}: {chances[best]:.1%}",
                         " ".join(map(str, written))])  # fmt: skip
        table("next", head("prompt", "likely", "written"), rows)
        components.note(t("guide.next.note"))


def repeats() -> None:
    """Projections by step, with and without a cache, counted while running."""
    weights = small.small_weights()
    with section("repeats"):
        steps = asked.whole("g_repeats", t("guide.repeats.slider"), 2, MOST_STEPS, 12)
        tokens = [(7 * n + 3) % small.VOCABULARY for n in range(steps)]
        naive = small.naive_projections(weights, tokens)
        kept_run = small.run_cached(weights, tokens).projections
        rows = [
            [t("guide.col.without"), count(naive[-1]), count(sum(naive))],
            [t("guide.col.with"), count(kept_run // steps), count(kept_run)],
        ]
        table("repeats", head("", "last_step", "all_steps"), rows)
        components.note(t("guide.repeats.note", times=f"{sum(naive) / kept_run:.1f}"))


def mask() -> None:
    """The bits of each position's keys and values, alone, with more behind, and unmasked."""
    weights = small.small_weights()
    more = PROMPT + LATER
    alone = small.names_of_bits(small.run(weights, PROMPT), len(PROMPT))
    longer = small.names_of_bits(small.run(weights, more), len(PROMPT))
    cached = small.names_of_bits(small.run_cached(weights, more), len(PROMPT))
    unmasked = small.names_of_bits(small.run(weights, more, masked=False), len(PROMPT))
    with section("mask", later=len(LATER)):
        rows = [
            [cell(count(n + 1)), cell(a), cell(b), cell(c), cell(d, tone="struck")]
            for n, (a, b, c, d) in enumerate(zip(alone, longer, cached, unmasked, strict=True))
        ]
        table("mask", head("position", "alone", "longer", "cached", "unmasked"), rows)
        components.note(t("guide.mask.equal" if alone == longer == cached else "guide.mask.differ"))


def kept() -> None:
    """What one step adds to what is kept."""
    weights = small.small_weights()
    with section("kept"):
        at = asked.whole("g_kept", t("guide.kept.slider"), 1, len(PROMPT), 3)
        found = small.run_cached(weights, PROMPT[:at])
        rows = [
            ["K", " × ".join(map(str, found.keys.shape)), count(found.keys.size)],
            ["V", " × ".join(map(str, found.values.shape)), count(found.values.size)],
        ]
        table("kept", head("", "shape", "numbers"), rows)
        components.note(t("guide.kept.note"))


def query() -> None:
    """How often each position's query, key and value are used."""
    used = small.reads(len(PROMPT))
    with section("query"):
        rows = [[count(n + 1), count(q), count(k), count(k)] for n, (q, k) in enumerate(used)]
        table("query", head("position", "uses_q", "uses_k", "uses_v"), rows)


def layers() -> None:
    """Each group of layers of a chosen model, in the logical shape."""
    with section("layers"):
        model = guide_inputs.model("g_layers")
        rows = [
            [t(f"guide.kind.{group.kind}"), count(group.layers),
             count(group.kv_heads) if group.kv_heads else "1",
             count(group.key_dim or group.latent + group.rope) if group.kind != "linear_state"
             else t("guide.constant")]
            for group in model.groups
        ]  # fmt: skip
        table("layers", head("", "layers", "kv_heads", "width"), rows)


def phases() -> None:
    """Prefill and decode of one model on one device: two floors, two limits."""
    model, device = guide_inputs.case()
    speeds = datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE)
    with section("phases", model=model.name, device=device.name):
        tokens = guide_inputs.tokens("g_phases")
        read = prefill(model, speeds, prompt_tokens=tokens)
        step = decode_step(
            model, speeds, guide_inputs.format_of(KV_DTYPE),
            weights_bytes=weights_of(model, guide_inputs.WEIGHTS_DTYPE),
            context_tokens=tokens, batch=1,
        )  # fmt: skip
        rows = [
            [t("guide.col.prefill"), count(tokens), duration(read.prefill_s),
             t("guide.bound.compute")],
            [t("guide.col.decode"), "1", duration(step.step_s), t(f"guide.bound.{step.bound}")],
        ]  # fmt: skip
        table("phases", head("", "new", "floor", "bound"), rows)
        components.note(t("guide.phases.note", kv=size(step.kv_bytes, "gb")))


def four() -> None:
    """One position's turn: three computed, two appended, all before it read."""
    with section("four"):
        at = asked.whole("g_four", t("guide.four.slider"), 1, 8, 4)
        one = small.steps(at)[-1]
        components.sentence(
            t("guide.four.event", position=one.position, computed=one.computed,
              appended=one.appended, read=one.keys_read)
        )  # fmt: skip
        rows = [
            [t("guide.four.position", n=n), *(_state(n, at, name) for name in ("q", "k", "v"))]
            for n in range(1, at + 1)
        ]
        table("four", ["", "q", "k", "v"], rows)


def _state(position: int, at: int, name: str) -> str:
    if position == at:
        return t("guide.four.computed" if name == "q" else "guide.four.appended")
    return "–" if name == "q" else t("guide.four.read")
