"""FRED: by key and without one, recorded answers and every refusal."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import SecretStr

from data_sources.public import fred
from data_sources.public.web import Body
from econ.observation import as_of, first_published, latest
from messages.errors import DataError, InputError, KvledgerError, NotFoundError, SourceError
from tests.data_sources.public.bodies import body
from tests.data_sources.public.server import HTML, Reply, Stand

KEY = SecretStr("0123456789abcdef0123456789abcdef")
PATH = "/fred/series/observations"


def printed(day: str, value: str, since: str) -> dict[str, str]:
    """One vintage of one month."""
    return {"realtime_start": since, "realtime_end": "9999-12-31", "date": day, "value": value}


ROWS = [
    printed("2026-06-01", "3.8", "2026-07-15"),
    printed("2026-06-01", "3.7", "2026-08-15"),
    printed("2026-07-01", ".", "2026-08-15"),
]


def refused(stand: Stand, status: int, said: bytes) -> KvledgerError:
    stand.at(PATH, Reply(said, status=status))
    with stand.web() as web, pytest.raises(KvledgerError) as caught:
        fred.read_observations(web.get(fred.observations_ask("X", KEY)), "X", "Index")
    return caught.value


def test_the_question_names_json_and_the_key(stand: Stand) -> None:
    stand.at(PATH, Reply(body({"observations": []}).content))
    with stand.web() as web:
        assert fred.read_observations(web.get(fred.observations_ask("x", KEY)), "X", "") == []
    query = stand.seen[0].query
    assert query["file_type"] == ["json"]
    assert query["series_id"] == ["X"]
    assert query["api_key"] == [KEY.get_secret_value()]


@pytest.mark.parametrize("text", ["", "a b", "x;y", "IPG&api_key=1", "é", "X" * 41, "a,b"])
def test_a_series_id_is_letters_and_digits(text: str) -> None:
    with pytest.raises(InputError):
        fred.csv_ask(text)


def test_a_month_asked_as_of_the_first_day_is_its_first_print() -> None:
    found = fred.read_observations(body({"observations": ROWS}), "X", "percent")
    june = date(2026, 6, 30)
    assert {o.end for o in found} == {june, date(2026, 7, 31)}
    assert [o.value for o in as_of(found, date(2026, 7, 20)) if o.end == june] == [Decimal("3.8")]
    assert [o.vintage for o in as_of(found, date(2026, 7, 20))] == [date(2026, 7, 15)]
    assert next(o.value for o in latest(found) if o.end == june) == Decimal("3.7")
    assert next(o.value for o in first_published(found) if o.end == june) == Decimal("3.8")
    assert as_of(found, date(2026, 7, 14)) == []


def test_a_point_is_missing_and_not_zero() -> None:
    found = fred.read_observations(body({"observations": ROWS}), "X", "percent")
    assert [(o.value, o.marker) for o in found if o.end.month == 7] == [(None, ".")]


def test_the_unknown_series_of_the_api_is_not_found(stand: Stand, samples: Path) -> None:
    error = refused(stand, 400, (samples / "fred_error_400.json").read_bytes())
    assert isinstance(error, NotFoundError)
    assert len(stand.seen) == 1


@pytest.mark.parametrize(
    ("status", "said", "kind", "message"),
    [
        (400, "Bad Request.  The series does not exist.", NotFoundError, "public.not_found"),
        (400, "Bad Request. Variable api_key is not set. Read https://x", SourceError,
         "public.bad_key"),
        (400, "Bad Request. The value for variable api_key is not registered.", SourceError,
         "public.bad_key"),
        (400, "Bad Request. The series does not exist in ALFRED but may exist in FRED.",
         SourceError, "public.refused"),
        (404, "Not Found", NotFoundError, "public.not_found"),
        (429, "Too Many Requests. Exceeded Rate Limit", SourceError, "public.too_many_now"),
        (500, "Internal Server Error", SourceError, "public.failed"),
    ],
)  # fmt: skip
def test_every_refusal_has_its_own_meaning(
    stand: Stand, status: int, said: str, kind: type[KvledgerError], message: str
) -> None:
    error = refused(stand, status, body({"error_code": status, "error_message": said}).content)
    assert isinstance(error, kind)
    assert error.message.id == message


def test_an_error_inside_status_200_is_an_error() -> None:
    with pytest.raises(SourceError):
        fred.read_observations(body({"error_code": 400, "error_message": "x"}), "X", "")


@pytest.mark.parametrize(
    "content",
    [b"<?xml version='1.0'?><observations/>", b'{"observations": [{"date": "2026-', b"{}",
     b'{"observations": {}}', b'{"observations": [1]}',
     b'{"observations": [{"date": "2026-06-01", "value": "abc"}]}',
     b'{"observations": [{"date": "soon", "value": "1"}]}'],
)  # fmt: skip
def test_other_bodies_are_refused(content: bytes) -> None:
    with pytest.raises(DataError):
        fred.read_observations(body(content), "X", "")


def test_series_info_gives_units_and_frequency() -> None:
    info = fred.read_info(
        body({"seriess": [{"id": "X", "title": "T", "units": "Index 2017=100",
                           "frequency_short": "Q", "seasonal_adjustment_short": "SA",
                           "last_updated": "2026-10-16 08:15:00-05"}]})
    )  # fmt: skip
    assert (info.units, info.months, info.seasonal_adjustment) == ("Index 2017=100", 3, "SA")
    with pytest.raises(DataError):
        fred.read_info(body({"series": []}))


def test_long_answers_go_on_at_their_offset() -> None:
    assert fred.next_offset(body({"count": 5, "offset": 0, "limit": 3})) == 3
    assert fred.next_offset(body({"count": 5, "offset": 3, "limit": 3})) is None
    assert fred.next_offset(body({})) is None


def table(text: str, content_type: str = "text/csv") -> Body:
    return body(text, content_type)


@pytest.mark.parametrize("head", ["observation_date", "DATE"])
def test_the_csv_needs_no_key_and_is_as_of_its_fetch(stand: Stand, head: str) -> None:
    stand.at(
        "/graph/fredgraph.csv",
        Reply(f"{head},X\n2026-01-01,1.5\n2026-02-01,.\n2026-03-01,\n".encode(),
              content_type="application/csv"),
    )  # fmt: skip
    with stand.web() as web:
        found = fred.read_csv(web.get(fred.csv_ask("X")), "X", "Index")
    assert [o.value for o in found] == [Decimal("1.5"), None, None]
    assert found[0].end == date(2026, 1, 31)
    assert found[0].vintage == found[0].fetched_utc.date()
    assert stand.seen[0].query == {"id": ["X"]}


def test_the_csv_answers_an_unknown_id_with_a_page() -> None:
    with pytest.raises(NotFoundError):
        fred.read_csv(table("<!DOCTYPE html><html></html>", HTML), "X", "")
    with pytest.raises(NotFoundError):
        fred.read_csv(table("\n  <html>", "text/csv"), "X", "")


@pytest.mark.parametrize(
    "text", ["", "a,b\n", "observation_date,Y\n2026-01-01,1\n", "observation_date,X\n2026-01-01\n",
             "observation_date,X\n2026-01-01,abc\n", 'observation_date,X\n"2026-01-01'],
)  # fmt: skip
def test_other_tables_are_refused(text: str) -> None:
    with pytest.raises(DataError):
        fred.read_csv(table(text), "X", "")


def test_the_recorded_series_reads_as_published(samples: Path) -> None:
    raw = (samples / "fred_observations_PCU518210518210.json").read_bytes()
    found = fred.read_observations(body(raw), "PCU518210518210", "Index Dec 2000=100")
    values = {o.end: o.value for o in found}
    assert values[date(2026, 7, 31)] == Decimal("125.345")
    assert values[date(2025, 7, 31)] == Decimal("126.753")


def test_daily_series_keep_their_days() -> None:
    found = fred.read_csv(table("DATE,X\n2026-06-25,1\n2026-06-26,2\n"), "X", "")
    assert [(o.start, o.end) for o in found] == [(date(2026, 6, d),) * 2 for d in (25, 26)]
