"""Which profiles are looked at, where each comes from, and what can be done with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from econ.device_cases import decode_steps, pair_near
from jobs import profiling
from jobs.profiling import ProfileEntry
from kvcore.profile import CaseResult, DeviceProfile
from messages import catalogue
from messages.errors import KvledgerError
from ui import components, downloads, failures, state, table_csv, tables
from ui.components import MARKS
from ui.numerals import count, day, digest, foreign, md
from ui.tables import Column, Table
from ui.time_lines import duration
from ui.words import language, t

MOST = 4
URL = "profiles"
_CHOSEN = "_profiles"
TONES = {"measured": "blue", "imported": "gray", "reference": "gray"}
GLYPHS = {"measured": MARKS["measured"], "imported": MARKS["published"],
          "reference": MARKS["published"]}  # fmt: skip
SHORT_NAME = 28
NOTES = ("basis", "not_measured")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A profile with its figures."""

    entry: ProfileEntry
    profile: DeviceProfile

    @property
    def name(self) -> str:
        """Its name, short enough for a chart."""
        return foreign(self.entry.name, SHORT_NAME)


def chosen(entries: Sequence[ProfileEntry]) -> list[Shown]:
    """The profiles to look at: what the URL names, else the newest one of this machine, else the
    newest that there is; none where there is none."""
    known = {entry.id: entry for entry in entries}
    ids = [profile_id for profile_id in _asked(known) if profile_id in known]
    found = []
    for profile_id in (ids or _default(entries))[:MOST]:
        try:
            found.append(Shown(entry=known[profile_id], profile=profiling.profile(profile_id)))
        except KvledgerError as error:  # deleted by somebody meanwhile, or damaged
            failures.show(error)
    return found


def _default(entries: Sequence[ProfileEntry]) -> list[str]:
    """A whole run before one that was stopped, however new."""
    for wanted in ("measured", "reference", "imported"):
        ids = [entry.id for entry in entries if entry.origin == wanted]
        if ids:
            return [next((i for i in ids if not _partial(i)), ids[0])]
    return []


def _partial(profile_id: str) -> bool:
    try:
        return profiling.profile(profile_id).partial
    except KvledgerError:  # said where it is looked at
        return False


def look_at(profile_id: str) -> None:
    """Show this profile, and run the page again."""
    _write([profile_id])
    st.rerun()


def _asked(known: dict[str, ProfileEntry]) -> list[str]:
    text = st.query_params.get(URL)
    if text is None:
        return list(st.session_state.get(_CHOSEN, ()))
    starts = [part for part in text.split(",") if len(part) >= 8]
    return [i for start in starts[:MOST] for i in known if i.startswith(start)][:MOST]


def _write(ids: Sequence[str]) -> None:
    st.session_state[_CHOSEN] = list(ids)
    if not ids:
        st.query_params.pop(URL, None)
        return
    st.query_params[URL] = ",".join(profile_id[:12] for profile_id in ids)


def choice(entries: Sequence[ProfileEntry], found: Sequence[Shown]) -> None:
    """The control that chooses; up to four stand side by side."""
    names = {entry.id: _option(entry) for entry in entries}
    st.session_state["engine_profiles"] = [shown.entry.id for shown in found]
    st.multiselect(
        t("engine_page.choose"),
        list(names),
        format_func=names.__getitem__,
        key="engine_profiles",
        max_selections=MOST,
        on_change=lambda: _write(st.session_state["engine_profiles"]),
    )


def _option(entry: ProfileEntry) -> str:
    glyph = GLYPHS[entry.origin]
    return f"{glyph} {foreign(entry.name, SHORT_NAME)}, {entry.model_name}, {_day(entry)}"


def _day(entry: ProfileEntry) -> str:
    return day(entry.measured_utc)


def origin(entry: ProfileEntry) -> str:
    """'● measured here, 2026-11-29', in words, shape and colour; Markdown."""
    words = t(f"engine_page.origin_{entry.origin}", date=_day(entry))
    return f":{TONES[entry.origin]}[{GLYPHS[entry.origin]} {words}]"


def known_by(shown: Shown, rows: Sequence[CaseResult]) -> str:
    """Where figures come from, how often each was taken, and whether others disturbed them."""
    repeats = [row.n for row in rows if row.median is not None]
    words = origin(shown.entry)
    if repeats and max(repeats) > 1:
        ends = {min(repeats), max(repeats)}
        words += t("engine_page.repeats", n=" – ".join(map(count, sorted(ends))))
    if any(row.contended for row in rows):
        words += " :orange[" + t("engine_page.contended") + "]"
    return words


def facts(shown: Shown) -> None:
    """The trust strip: device, model, versions, and what is not in the profile."""
    profile = shown.profile
    disturbed = sum(1 for row in profile.cases if row.contended)
    versions = ", ".join(f"{name} {version}" for name, version in profile.versions.items())
    pairs = [
        (t("engine_page.device"), md(f"{profile.device.name}, {profile.device.kind}")),
        (t("engine_page.threads"), count(profile.device.threads)),
        (t("engine_page.model"), md(f"{profile.model.name}, {profile.model.weight_dtype}")),
        (t("engine_page.keys"), t(f"engine_page.keys_{profile.model.keys}")),
        (t("engine_page.figures"), count(sum(row.median is not None for row in profile.cases))),
        (t("engine_page.disturbed"), count(disturbed)),
        (t("engine_page.unmeasured"), count(len(profile.unmeasured))),
    ]
    components.strip(pairs)
    components.note(md(f"{profile.model.source}; {versions}"))


def compare(found: Sequence[Shown]) -> None:
    """Key figures of several profiles, one a row; nothing for one profile."""
    if len(found) < 2:
        return
    with components.rule("compare"):
        components.answer(t("engine_page.compare", n=len(found)), t("engine_page.compare_unit"))
        table = _compared(found)
        tables.show(table, "compare")
        with components.tools("compare"):
            table_csv.button(table, "engine_compare")
        components.note("  \n".join(f"{md(shown.name)}: {origin(shown.entry)}" for shown in found))


def _compared(found: Sequence[Shown]) -> Table:
    pairs = [pair_near(shown.profile, None) for shown in found]
    steps = [next(iter(decode_steps(shown.profile)[-1:]), None) for shown in found]
    limits = [shown.profile.limits for shown in found]

    def column(key: str, values: Sequence[str]) -> Column:
        return Column(title=t(f"engine_page.{key}"), values=values)

    nothing = t("engine_page.unknown")
    columns = (
        column("profile", [_option(shown.entry) for shown in found]),
        column("axis_prompt", [nothing if p is None else count(p.prompt_tokens) for p in pairs]),
        column("cold", [nothing if p is None else duration(p.cold_s) for p in pairs]),
        column("warm", [nothing if p is None else duration(p.warm_s) for p in pairs]),
        column("axis_context", [nothing if s is None else count(s.context_tokens) for s in steps]),
        column("step", [nothing if s is None else duration(s.step_s) for s in steps]),
        column(
            "floor",
            [nothing if s is None or s.floor_s is None else duration(s.floor_s) for s in steps],
        ),
        column("copy", [rate(limit.copy_bytes_per_s) for limit in limits]),
    )
    return Table(columns=columns, alt=t("engine_page.compare_alt"))


def rate(bytes_per_s: float | None) -> str:
    """'31.1 GB/s'."""
    if bytes_per_s is None:
        return t("engine_page.unknown")
    return t("engine_page.rate", value=f"{bytes_per_s / 1e9:,.1f}")


def keep(found: Sequence[Shown]) -> None:
    """Every figure as CSV, a profile from a file, and deleting for good."""
    ids = tuple(shown.entry.id for shown in found)
    file_name = f"kvledger-profiles-{digest(ids[0])}.csv"
    with st.container(horizontal=True, key="controls_keep"):
        downloads.csv_button(
            t("engine_page.download"),
            lambda: profiling.cases_csv(ids),
            file_name,
            "download_profiles",
        )
        with st.popover(
            t("engine_page.all_figures"), icon=":material/table_rows:", key="all_figures"
        ):
            tables.show(_figures(found[0]), "all-figures")
        bring_in()
        first = found[0].entry
        if first.origin != "reference":
            with st.popover(
                t("engine_page.delete"), icon=":material/delete:", key="delete_profile"
            ):
                st.markdown(t("engine_page.delete_sure", name=md(first.name)))
                st.button(
                    t("engine_page.delete_now"),
                    key="delete_profile_sure",
                    on_click=_delete,
                    args=(first.id,),
                )


def _figures(shown: Shown) -> Table:
    rows = shown.profile.cases
    columns = (
        Column(title=t("engine_page.case"), values=[row.case for row in rows]),
        Column(title=t("engine_page.params"), values=[_params(row) for row in rows]),
        Column(title=t("engine_page.median"), values=[row.median for row in rows], kind="number"),
        Column(title=t("engine_page.spread"), values=[row.spread for row in rows], kind="number"),
        Column(title=t("engine_page.unit"), values=[row.unit for row in rows]),
        Column(title=t("engine_page.n"), values=[row.n for row in rows], kind="count"),
        Column(title=t("engine_page.note"), values=[_note(row) for row in rows]),
    )
    return Table(columns=columns, alt=t("engine_page.all_alt"))


def _params(row: CaseResult) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.params.items() if key not in NOTES)


def reason_in(words_of: str, said: str) -> str:
    """The engine's own reason in the words of a language; any other, from a file of whoever's
    making, as it is said there."""
    kind = re.sub(r"[^a-z]+", "_", re.sub(r"[\d,]+", "", said.lower())).strip("_")
    key, figure = f"engine_page.reason_{kind}", re.search(r"\d[\d,]*", said)
    words = catalogue.t(words_of, key, tokens=figure.group() if figure else "")
    # The catalogue answers with the key where it has no words.
    if words.startswith(key):
        return catalogue.t(words_of, "engine_page.reason_other", said=foreign(said))
    return words


def _note(row: CaseResult) -> str:
    said = [reason_in(language(), str(row.params[key])) for key in NOTES if key in row.params]
    return ", ".join([*said, *([t("engine_page.note_contended")] if row.contended else [])])


def bring_in() -> None:
    """A profile of another machine from its file."""
    with st.popover(t("engine_page.import"), icon=":material/upload_file:", key="import_profile"):
        given = st.file_uploader(
            t("engine_page.import_file"), type=["json"], key="profile_file", max_upload_size=16
        )
        components.note(t("engine_page.import_note"))
        if given is None or st.session_state.get("_imported") == given.file_id:
            return
        st.session_state["_imported"] = given.file_id
        try:
            made = profiling.import_profile(given.getvalue(), given.name, state.owner())
        except KvledgerError as error:
            failures.show(error)
            return
    look_at(made)


def _delete(profile_id: str) -> None:
    profiling.delete_profile(profile_id)
    st.session_state.pop(_CHOSEN, None)
    st.query_params.pop(URL, None)
