"""What belongs to this browser session: its owner id, its workload, and what the URL carries."""

from __future__ import annotations

import re
import secrets
from collections.abc import Container, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

import streamlit as st

from econ.method import DEFAULT_MODEL
from econ.report_params import Rate, ReportParams
from ui import refused

_OWNER = "_owner"
_WORKLOAD = "_workload"
_NAME = "_workload_name"
_WAITING = "_waiting_for_file"
_OTHER = "_another_file"
_SHA256_OF_FILE = "_sha256_of_file"
URL_WORKLOAD = "w"
URL_FILE = "file"
URL_SHA256 = "sha"
URL_REPORT = "report"
URL_YEN = "jpy"
URL_MONTH, URL_ZONE, URL_RATE, URL_INVOICE = "month", "tz", "rate", "invoice"
CHOICES = (
    URL_WORKLOAD, URL_FILE, URL_SHA256, "since", "until", "model", "by", URL_YEN, "lang",
    URL_MONTH, URL_ZONE, URL_RATE, "hw_model", "hw_device", "hw_weights", "hw_kv", "hw_tp",
)  # fmt: skip
LEAST_YEN, MOST_YEN, MOST_MONTHS = Decimal("0.0001"), 100_000, 10_000
_CURRENCY = re.compile(r"[A-Z]{3}")
_MODEL = re.compile(r"[\w.:@/\[\]-]{1,100}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SHA256_START = re.compile(r"[0-9a-f]{8}")


def owner() -> str:
    """The id that unsaved work of this browser session is kept under. Random, never in a URL."""
    if _OWNER not in st.session_state:
        st.session_state[_OWNER] = secrets.token_hex(16)
    return str(st.session_state[_OWNER])


def chosen_workload() -> str | None:
    """The workload that is looked at: the URL's, then the session's. None = the example."""
    asked = sha256_of(st.query_params.get(URL_WORKLOAD))
    if asked is not None:
        st.session_state[_WORKLOAD] = asked
        st.session_state[_NAME] = st.query_params.get(URL_FILE, "")
        start = st.query_params.get(URL_SHA256, "")
        st.session_state[_SHA256_OF_FILE] = start if _SHA256_START.fullmatch(start) else ""
    return st.session_state.get(_WORKLOAD)


def asked_file() -> str:
    """The name of the file that the URL's workload was read from; '' where it does not say."""
    return str(st.session_state.get(_NAME) or "")


def asked_sha256() -> str:
    """The first eight hex digits of that file's own SHA-256; '' where the URL does not say."""
    return str(st.session_state.get(_SHA256_OF_FILE) or "")


def choose_workload(workload_id: str, name: str, file_sha256: str = "") -> None:
    """Look at this workload from now on; the URL says which, so that it can be reloaded.
    `file_sha256`: of the one file that it was read from.

    The period stays only if this is the workload that the URL had asked for.
    """
    if st.session_state.get(_WORKLOAD) != workload_id:
        choose_period(None, None)
        st.session_state.pop(f"_{URL_INVOICE}", None)  # it was for the bill of another workload
        st.query_params.pop(URL_INVOICE, None)
        st.session_state[_OTHER] = st.session_state.pop(_WAITING, None) is not None
    st.session_state.pop(_WAITING, None)
    st.session_state[_WORKLOAD] = workload_id
    st.session_state[_NAME] = name
    st.session_state[_SHA256_OF_FILE] = file_sha256[:8]
    _write({URL_WORKLOAD: None, URL_FILE: None, URL_SHA256: None, **in_url()})


def choose_example() -> None:
    """Look at the bundled example again."""
    st.session_state.pop(_WORKLOAD, None)
    for key in (_NAME, _OTHER, _SHA256_OF_FILE, "_since", "_until"):
        st.session_state.pop(key, None)
    _write(dict.fromkeys((URL_WORKLOAD, URL_FILE, URL_SHA256, "since", "until")))


def in_url() -> dict[str, str]:
    """What the URL carries of the browser's choices: workload, file, period, model, language…"""
    kept = {
        URL_WORKLOAD: st.session_state.get(_WORKLOAD),
        URL_FILE: st.session_state.get(_NAME),
        URL_SHA256: st.session_state.get(_SHA256_OF_FILE),
        "since": st.session_state.get("_since"),
        "until": st.session_state.get("_until"),
        "model": st.session_state.get("_model"),
        "by": st.session_state.get("_by"),
        URL_YEN: st.session_state.get("_jpy"),
        **{name: st.session_state.get(f"_{name}") for name in (URL_MONTH, URL_ZONE, URL_RATE)},
        "lang": st.query_params.get("lang"),
    }
    return {key: str(value) for key, value in kept.items() if value}


def wait_for_file() -> None:
    """The link's file is asked for: another one that is dropped instead is not the same."""
    st.session_state[_WAITING] = True


def is_another_file() -> bool:
    """The file that was dropped is not the one that the link had asked for."""
    return bool(st.session_state.get(_OTHER, False))


def for_links() -> dict[str, str]:
    """What a link to another page carries: the URL's choices, else the browser's own."""
    known = in_url()
    said = {key: st.query_params[key] for key in CHOICES if key in st.query_params}
    return {key: value for key, value in {**known, **said}.items() if value}


def keep_in_url() -> None:
    """Write the session's choices into the URL where they are not there already."""
    _write(dict(in_url()))


def take_from_url(models: Container[str]) -> bool:
    """Take the choices that the URL says. What cannot be understood is taken out of it; True where
    that was the workload, so that the page can say that another one is shown."""
    asked = st.query_params.get(URL_WORKLOAD)
    unknown = asked is not None and sha256_of(asked) is None
    gone = [URL_WORKLOAD, URL_FILE, URL_SHA256] if unknown else []
    gone += [
        name
        for name in ("since", "until")
        if name in st.query_params and _day_of(st.query_params[name]) is None
    ]
    for name in gone:
        if name in ("since", "until"):
            refused.day(name, "")
    _say_unread()
    model = st.query_params.get("model")
    if model is not None and model not in models:
        refused.value("model", DEFAULT_MODEL)
        gone.append("model")
    elif model is not None:
        st.session_state["_model"] = model
    _write(dict.fromkeys(gone))
    return unknown


def _say_unread() -> None:
    """Settings that stay in the URL and count as not said."""
    found = {
        URL_MONTH: month_factor(), URL_RATE: other_rate(), URL_YEN: yen_per_usd(),
        URL_ZONE: "UTC" if _said(URL_ZONE) == "UTC" else day_zone(),
    }  # fmt: skip
    for name, read in found.items():
        if read is None:
            refused.value(name, "UTC" if name == URL_ZONE else "")


def _write(changes: Mapping[str, str | None]) -> None:
    """Change the URL at once, so that it is one step for the browser's back button; nothing where
    it says all that already. None takes a parameter out."""
    before = st.query_params.to_dict()
    after = {k: v for k, v in {**before, **changes}.items() if v is not None}
    if after != before:
        st.query_params.from_dict(after)


def sha256_of(text: str | None) -> str | None:
    """`text` in small letters if it is a SHA-256 in hex, else None: a URL may say anything."""
    small = (text or "").strip().lower()
    return small if _SHA256.fullmatch(small) else None


def asked_report() -> str | None:
    """The saved report that the URL names, as it stands there; None where it names none."""
    return st.query_params.get(URL_REPORT)


def asked_day(name: str) -> date | None:
    """A day of the URL ('since', 'until'), else the session's; nonsense counts as not said."""
    text = st.query_params.get(name)
    if text is not None:
        st.session_state[f"_{name}"] = _day_of(text)
    return st.session_state.get(f"_{name}")


def choose_period(since: date | None, until: date | None) -> None:
    """Look at these UTC days only, both included; None = from the first, to the last."""
    for name, chosen in (("since", since), ("until", until)):
        st.session_state[f"_{name}"] = chosen
    _write({n: d.isoformat() if d else None for n, d in (("since", since), ("until", until))})


def params() -> ReportParams:
    """What the session and the URL say about prices and period."""
    since, until = asked_day("since"), asked_day("until")
    if since is not None and until is not None and since > until:
        since, until = until, since
    model = st.query_params.get("model") or st.session_state.get("_model")
    chosen = model if model and _MODEL.fullmatch(model) else DEFAULT_MODEL
    return ReportParams(
        since=since,
        until=until,
        default_model=chosen,
        month_factor=month_factor(),
        tz=day_zone(),
    )


def _said(name: str) -> str:
    """What the URL says under `name`, else the browser session; '' for neither."""
    return str(st.query_params.get(name) or st.session_state.get(f"_{name}") or "")


def say_in_url(name: str, value: str | None) -> None:
    """Keep a choice in the session and the URL; None takes it out of both."""
    st.session_state[f"_{name}"] = value
    _write({name: value})


def month_factor() -> Decimal | None:
    """The reader's own factor for a month; nonsense counts as not said."""
    return _decimal(_said(URL_MONTH), MOST_MONTHS)


def day_zone() -> str | None:
    """The zone of the days; None = UTC, and for a zone that does not exist."""
    name = _said(URL_ZONE)
    try:
        return ZoneInfo(name).key if name and name != "UTC" else None
    except (KeyError, ValueError, OSError):
        return None


def other_rate() -> Rate | None:
    """'EUR:0.9': a currency and its units for one USD, as the reader entered them."""
    currency, _, text = _said(URL_RATE).partition(":")
    per_usd = _decimal(text, MOST_YEN)
    if per_usd is None or not _CURRENCY.fullmatch(currency):
        return None
    return Rate(currency=currency, per_usd=per_usd, date=None, source="user")


def rates() -> tuple[Rate, ...]:
    """The currencies beside USD that the reader has entered a rate for."""
    per_usd, other = yen_per_usd(), other_rate()
    yen = None
    if per_usd is not None:
        yen = Rate(currency="JPY", per_usd=per_usd, date=None, source="user")
    return tuple(rate for rate in (yen, other) if rate is not None)


def yen_per_usd() -> Decimal | None:
    """The rate that the URL or the session says; nonsense counts as not said."""
    return _decimal(_said(URL_YEN), MOST_YEN)


def _decimal(text: str, most: int) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and LEAST_YEN <= value <= most else None


def choose_yen(per_usd: Decimal | None) -> None:
    """Show yen at this rate; None = no yen."""
    st.session_state["_jpy"] = str(per_usd) if per_usd else None
    if per_usd:
        st.query_params[URL_YEN] = str(per_usd)
    else:
        st.query_params.pop(URL_YEN, None)


def choose_model(model: str) -> None:
    """Price rows that name no model as this one."""
    st.session_state["_model"] = model
    st.query_params["model"] = model


def _day_of(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
