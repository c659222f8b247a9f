"""EDINET: failures inside status 200, lists, ZIPs of strangers, and the figures in the CSV."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import SecretStr

from data_sources.public import archive, edinet, edinet_csv
from data_sources.public.archive import members, text_of
from messages.errors import DataError, InputError, KvledgerError, NotFoundError, SourceError
from tests.data_sources.public.bodies import (
    body,
    csv_row,
    edinet_list,
    edinet_row,
    zipped,
)
from tests.data_sources.public.bodies import edinet_csv as table
from tests.data_sources.public.server import HTML, Reply, Stand

KEY = SecretStr("edinetkey0123456789")
LIST = "/api/v2/documents.json"
DAY = date(2026, 6, 22)
DOCUMENT = "/api/v2/documents/S100TEST"
REVENUE = "jpigp_cor:RevenueIFRS"
INCOME = "jpigp_cor:OperatingProfitLossIFRS"


def refused(stand: Stand, reply: Reply) -> KvledgerError:
    stand.at(LIST, reply)
    with stand.web() as web, pytest.raises(KvledgerError) as caught:
        edinet.read_list(web.get(edinet.list_ask(DAY, KEY)))
    return caught.value


def a_document(**changes: str | None) -> edinet.Document:
    (found,) = edinet.read_list(body(edinet_list(edinet_row("S100TEST", **changes))))
    return found


def figures(content: bytes, **changes: str | None) -> dict[str, Decimal | None]:
    found = edinet_csv.figures(body(content), a_document(**changes))
    return {one.series: one.value for one in found}


def csv_zip(text: str, encoding: str = "utf-16") -> bytes:
    return zipped({"XBRL_TO_CSV/jpcrp030000-asr-001_E00001.csv": text.encode(encoding)})


def test_the_key_is_in_a_header_and_the_day_in_the_question(stand: Stand) -> None:
    stand.at(LIST, Reply(body(edinet_list()).content))
    with stand.web() as web:
        found = web.get(edinet.list_ask(DAY, KEY))
    assert edinet.read_list(found) == []
    assert stand.seen[0].query == {"date": ["2026-06-22"], "type": ["2"]}
    assert stand.seen[0].headers["Ocp-Apim-Subscription-Key"] == KEY.get_secret_value()
    assert KEY.get_secret_value() not in found.url


AUTH = (b'{"StatusCode": 401,"message": "Access denied due to invalid subscription key.Make sure '
        b'to provide a valid key for an active subscription."}')  # fmt: skip


def meta(status: str, message: str) -> bytes:
    return json.dumps({"metadata": {"title": "t", "status": status, "message": message}}).encode()


@pytest.mark.parametrize(
    ("said", "kind", "message"),
    [
        (AUTH, SourceError, "public.bad_key"),
        (b'{"statusCode": 401, "message": "x"}', SourceError, "public.bad_key"),
        (meta("400", "Bad Request"), SourceError, "public.refused"),
        (meta("404", "Not Found"), NotFoundError, "public.not_found"),
        (meta("429", "Too Many"), SourceError, "public.too_many_now"),
        (meta("500", "Internal"), SourceError, "public.failed"),
        (b"<!DOCTYPE html><html>moved</html>", DataError, "public.unexpected"),
        (b'{"metadata": {"status": "200"}, "resu', DataError, "public.unexpected"),
        (b"{}", DataError, "public.unexpected"),
        (b'{"metadata": {"status": "200"}}', DataError, "public.unexpected"),
    ],
)
def test_failures_inside_status_200_are_failures(
    stand: Stand, said: bytes, kind: type[KvledgerError], message: str
) -> None:
    error = refused(stand, Reply(said))
    assert isinstance(error, kind)
    assert error.message.id == message
    assert len(stand.seen) == 1


@pytest.mark.parametrize(
    ("status", "message"),
    [(429, "public.too_many_now"), (503, "public.failed"), (401, "public.bad_key")],
)
def test_true_http_failures_are_told_too(stand: Stand, status: int, message: str) -> None:
    assert refused(stand, Reply(b"", status=status)).message.id == message


def test_the_recorded_failures_are_understood(stand: Stand, samples: Path) -> None:
    found = {
        name: refused(stand, Reply((samples / f"edinet_{name}.json").read_bytes())).message.id
        for name in ("auth_error", "bad_request", "not_found")
    }
    assert found == {
        "auth_error": "public.bad_key",
        "bad_request": "public.refused",
        "not_found": "public.not_found",
    }


def test_the_recorded_list_has_letters_in_codes_and_nulls_in_periods(samples: Path) -> None:
    raw = (samples / "edinet_documents_success.json").read_bytes()
    first, second = edinet.read_list(body(raw))
    assert (first.sec_code, first.period_end, first.submitted) == ("330A0", None, date(2025, 6, 27))
    assert (second.doc_type, second.parent, second.readable) == ("130", "S100W3X3", True)


def test_amendments_replace_and_withdrawn_rows_do_not_count() -> None:
    documents = edinet.read_list(
        body(
            edinet_list(
                edinet_row("S100AAA1"),
                edinet_row("S100AAA2", docTypeCode="130", parentDocID="S100AAA1",
                           submitDateTime="2026-07-01 09:00"),
                edinet_row("S100AAA3", withdrawalStatus="1"),
                edinet_row("S100AAA4", legalStatus="0"),
                edinet_row("S100AAA5", edinetCode="E00002"),
                edinet_row("S100AAA6", docTypeCode="180"),
            )
        )
    )  # fmt: skip
    found = edinet.newest(documents, "E00001", ("120", "130"))
    assert [one.doc_id for one in found] == ["S100AAA2"]


@pytest.mark.parametrize("text", ["", "S100", "../S100AAAA", "s100aaaa", "S100AAAA?x"])
def test_a_document_id_has_its_shape(text: str) -> None:
    with pytest.raises(InputError):
        edinet.document_ask(text, 5, KEY)


def test_json_where_a_zip_was_asked_for_is_its_error(stand: Stand) -> None:
    stand.at(DOCUMENT, Reply(meta("404", "Not Found")))
    with stand.web() as web:
        found = web.get(edinet.document_ask("S100TEST", 5, KEY))
    assert stand.seen[0].query == {"type": ["5"]}
    with pytest.raises(NotFoundError):
        edinet.check_zip(found)
    with pytest.raises(DataError):
        edinet.check_zip(body("<html></html>", HTML))
    with pytest.raises(SourceError):
        edinet.check_zip(body(AUTH))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp932"])
def test_the_csv_is_read_in_every_encoding_it_comes_in(encoding: str) -> None:
    text = table(csv_row(REVENUE, "2337600000000"), csv_row(INCOME, "－"))
    if encoding == "cp932":
        text = text.replace("－", "-")
    assert figures(csv_zip(text, encoding)) == {
        "revenue": Decimal(2_337_600_000_000),
        "operating_income": None,
    }


def test_only_the_whole_group_in_the_current_year_counts() -> None:
    text = table(
        csv_row(REVENUE, "1", "CurrentYearDuration_SomeReportableSegmentsMember"),
        csv_row(REVENUE, "2", "Prior1YearDuration"),
        csv_row(REVENUE, "3", "CurrentYearDuration_NonConsolidatedMember"),
        csv_row(REVENUE, "4"),
    )
    assert figures(csv_zip(text)) == {"revenue": Decimal(4)}


def test_the_parent_alone_stands_in_where_there_is_no_group() -> None:
    text = table(csv_row("jppfs_cor:NetSales", "3", "CurrentYearDuration_NonConsolidatedMember"))
    assert figures(csv_zip(text)) == {"revenue": Decimal(3)}


def test_a_companys_own_element_is_found_by_its_name() -> None:
    own = csv_row("jpcrp030000-asr_E00001-000:SalesOfUs", "9", name="売上収益、連結損益計算書")
    assert figures(csv_zip(table(own))) == {"revenue": Decimal(9)}


def test_what_is_not_stated_is_not_there() -> None:
    assert figures(csv_zip(table())) == {}
    assert figures(csv_zip(table(csv_row(REVENUE, "4"))), periodEnd=None) == {}


def test_text_blocks_with_line_ends_and_the_auditors_file_do_no_harm() -> None:
    text = table(csv_row("jpcrp_cor:TextBlock", "一行目\r\n二行目\tタブ"), csv_row(REVENUE, "5"))
    content = zipped(
        {
            "XBRL_TO_CSV/jpaud-aai-cc-001.csv": b"not a table",
            "XBRL_TO_CSV/jpcrp030000-asr-001.csv": text.encode("utf-16"),
        }
    )
    assert figures(content) == {"revenue": Decimal(5)}


def test_a_cell_may_hold_a_chapter_and_other_readers_keep_their_limit() -> None:
    before = csv.field_size_limit()
    text = table(csv_row("jpcrp_cor:TextBlock", "章" * 200_000), csv_row(REVENUE, "6"))
    assert figures(csv_zip(text)) == {"revenue": Decimal(6)}
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("text", ["a\tb\r\n", "", "要素ID,項目名\r\n", table() + "x\ty\r\n"])
def test_another_table_is_refused_with_its_name(text: str) -> None:
    with pytest.raises(DataError) as caught:
        figures(csv_zip(text))
    assert "jpcrp030000" in str(caught.value.message.values["name"])


def test_figures_carry_document_period_unit_and_day() -> None:
    (one,) = edinet_csv.figures(body(csv_zip(table(csv_row(REVENUE, "7")))), a_document())
    assert (one.entity, one.document, one.currency) == ("E00001", "S100TEST", "JPY")
    assert (one.start, one.end) == (date(2025, 4, 1), date(2026, 3, 31))
    assert one.vintage == DAY


def test_a_damaged_zip_is_one_sentence() -> None:
    good = zipped({"a.csv": b"x" * 1_000})
    for bad in (b"PK", good[:40], good.replace(b"a.csv", b"b.csv", 1), b""):
        with pytest.raises(DataError):
            list(members(bad, "S100TEST", lambda name: True))


def test_a_zip_bomb_stops_at_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_PLAIN_BYTES", 1_000_000)
    bomb = zipped({f"{at}.csv": b"\0" * 400_000 for at in range(5)})
    assert len(bomb) < 10_000
    with pytest.raises(DataError) as caught:
        list(members(bomb, "S100TEST", lambda name: True))
    assert caught.value.message.id == "public.zip_too_large"


def test_a_size_that_lies_does_not_help_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_ONE_BYTES", 1_000)
    bomb = zipped({"a.csv": b"\0" * 100_000})
    lying = bomb.replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(DataError):
        list(members(lying, "S100TEST", lambda name: True))


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_FILES", 3)
    with pytest.raises(DataError):
        list(members(zipped({str(at): b"" for at in range(4)}), "x", lambda name: True))


def test_an_encrypted_file_is_refused() -> None:
    content = bytearray(zipped({"a.csv": b"x" * 10}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    assert zipfile.ZipFile(io.BytesIO(bytes(content))).infolist()[0].flag_bits & 1
    with pytest.raises(DataError):
        list(members(bytes(content), "x", lambda name: True))


def test_text_in_no_known_encoding_is_marked_not_fatal() -> None:
    assert "�" in text_of(b"ok\x81")
