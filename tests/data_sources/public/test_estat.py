"""e-Stat: failures inside status 200, lists of one, surrogate times, markers."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from data_sources.public import estat, estat_items
from messages.errors import DataError, InputError, KvledgerError, SourceError
from tests.data_sources.public.bodies import body
from tests.data_sources.public.bodies import estat as answer
from tests.data_sources.public.server import HTML, Reply, Stand

KEY = SecretStr("a" * 40)
DATA = "/rest/3.0/app/json/getStatsData"
TABLE = {"@id": "0004052177", "TITLE": "業種別", "CYCLE": "月次", "UPDATED_DATE": "2026-06-03"}
TIMES = {
    "@id": "time",
    "CLASS": [
        {"@code": "0100100", "@name": "ウエイト"},
        {"@code": "0519700", "@name": "202603"},
    ],
}


def data(values: Any, **more: Any) -> dict[str, Any]:
    """getStatsData with the values of one table."""
    inner = {
        "RESULT_INF": {"TOTAL_NUMBER": 1},
        "TABLE_INF": TABLE,
        "CLASS_INF": {"CLASS_OBJ": TIMES},
        "DATA_INF": {"VALUE": values},
    }
    return answer("GET_STATS_DATA", STATISTICAL_DATA=inner | more)


def refused(stand: Stand, content: bytes, content_type: str = "application/json") -> KvledgerError:
    stand.at(DATA, Reply(content, content_type=content_type))
    with stand.web() as web, pytest.raises(KvledgerError) as caught:
        estat.read_data(web.get(estat.data_ask("0004052177", KEY)))
    assert KEY.get_secret_value() not in str(caught.value)
    return caught.value


def test_the_question_keeps_markers_and_asks_for_the_codes_names(stand: Stand) -> None:
    stand.at(DATA, Reply(body(data([])).content))
    with stand.web() as web:
        found = web.get(estat.data_ask("0004052177", KEY, cat01="0001000,0046000", start=7))
    query = stand.seen[0].query
    assert query["replaceSpChars"] == ["0"]
    assert query["metaGetFlg"] == ["Y"]
    assert query["cdCat01"] == ["0001000,0046000"]
    assert query["startPosition"] == ["7"]
    assert query["appId"] == [KEY.get_secret_value()]
    assert "appId" not in found.url


@pytest.mark.parametrize("table", ["", "123", "00040521770", "000405217x", "../0000000"])
def test_a_table_has_ten_digits(table: str) -> None:
    with pytest.raises(InputError):
        estat.data_ask(table, KEY)


@pytest.mark.parametrize(
    ("status", "message"),
    [(100, "public.bad_key"), (101, "public.refused"), (150, "public.refused"),
     (200, "public.failed"), (300, "public.failed")],
)  # fmt: skip
def test_a_status_of_100_and_above_is_an_error(stand: Stand, status: int, message: str) -> None:
    said = answer("GET_STATS_DATA", status, "パラメータが不正です")
    error = refused(stand, body(said).content)
    assert isinstance(error, SourceError)
    assert error.message.id == message


@pytest.mark.parametrize(
    "content",
    [b"<html>maintenance</html>", b"<?xml version='1.0'?><x/>", b'{"GET_STATS_DATA": {"RES',
     b"{}", b'{"GET_STATS_DATA": {}}', b'{"GET_STATS_DATA": {"RESULT": {"STATUS": "x"}}}',
     b'{"GET_META_INFO": {"RESULT": {"STATUS": 0}}}'],
)  # fmt: skip
def test_other_bodies_with_status_200_are_refused(stand: Stand, content: bytes) -> None:
    assert isinstance(refused(stand, content, HTML), DataError)


def test_a_refused_key_is_told_under_whatever_root_it_comes(stand: Stand) -> None:
    said = answer("GET_STATS_LIST", 100, "認証に失敗しました。")
    assert refused(stand, body(said).content).message.id == "public.bad_key"


def test_no_matching_data_is_an_empty_answer_not_an_error() -> None:
    assert (
        estat.read_data(body(answer("GET_STATS_DATA", 1, "該当データはありませんでした。"))) == []
    )


def test_a_list_of_one_is_sent_as_its_member() -> None:
    found = estat.read_data(body(data({"@cat01": "1", "@time": "0519700", "$": "101.2"})))
    assert [(o.series, o.value, o.end) for o in found] == [
        ("0004052177:1", Decimal("101.2"), date(2026, 3, 31))
    ]
    assert found[0].vintage == date(2026, 6, 3)


@pytest.mark.parametrize("marker", ["-", "***", "X", "x", "…", "...", "－", "", "＊＊＊"])
def test_a_marker_is_kept_and_is_never_zero(marker: str) -> None:
    (one,) = estat.read_data(body(data([{"@cat01": "1", "@time": "0519700", "$": marker}])))
    assert one.value is None
    assert one.marker == marker


def test_weights_share_the_column_and_are_left_out() -> None:
    rows = [{"@cat01": "1", "@time": "0100100", "$": "10000.0"},
            {"@cat01": "1", "@time": "0519700", "$": "0"}]  # fmt: skip
    assert [o.value for o in estat.read_data(body(data(rows)))] == [Decimal(0)]


@pytest.mark.parametrize(
    ("name", "code", "first", "last"),
    [
        ("202603", "0519700", date(2026, 3, 1), date(2026, 3, 31)),
        ("2026年3月", "x", date(2026, 3, 1), date(2026, 3, 31)),
        ("2025年", "x", date(2025, 1, 1), date(2025, 12, 31)),
        ("", "202602", date(2026, 2, 1), date(2026, 2, 28)),
        ("", "2026000103", date(2026, 1, 1), date(2026, 3, 31)),
        ("", "2025000000", date(2025, 1, 1), date(2025, 12, 31)),
    ],
)
def test_times_of_six_and_ten_digits_and_names_are_periods(
    name: str, code: str, first: date, last: date
) -> None:
    assert estat.period(name, code) == (first, last)


@pytest.mark.parametrize(("name", "code"), [("ウエイト", ""), ("", "0519700"), ("202613", ""),
                                            ("", "2026001399"), ("", "0000000000")])  # fmt: skip
def test_what_is_no_period_is_none(name: str, code: str) -> None:
    assert estat.period(name, code) is None


def test_more_rows_are_announced_by_next_key() -> None:
    more = {"RESULT_INF": {"TOTAL_NUMBER": 9, "NEXT_KEY": 7}}
    assert estat.next_start(body(data([], **more))) == 7
    assert estat.next_start(body(data([]))) is None
    assert estat.next_start(body(answer("GET_STATS_DATA", 1))) is None


def test_the_single_table_as_recorded(samples: Path) -> None:
    raw = (samples / "estat_getStatsList_single.json").read_bytes()
    (table,) = estat.read_list(body(raw))
    assert table.id == "0003288322"
    assert table.title == "（推計値） 定年制の状況"
    assert estat.next_start(body(raw)) == 2


def test_the_shape_of_a_whole_answer(samples: Path) -> None:
    raw = (samples / "estat_getStatsData_SYNTHETIC.json").read_bytes()
    found = estat.read_data(body(raw))
    assert [(o.end.month, o.value, o.marker) for o in found] == [
        (2, Decimal("101.1"), ""), (3, Decimal("102.2"), ""), (2, None, "***"), (3, None, "X"),
    ]  # fmt: skip
    with pytest.raises(SourceError):
        estat.read_data(body((samples / "estat_auth_error_SYNTHETIC.json").read_bytes()))
    assert estat.read_data(body((samples / "estat_no_data_SYNTHETIC.json").read_bytes())) == []


def a_table(title: str, cycle: str = "月次") -> estat.Table:
    return estat.Table(id="1" * 10, title=title, cycle=cycle, updated=None)


def test_the_product_table_is_found_by_its_title() -> None:
    wanted = a_table("品目別季節調整済指数【月次】 生産 2020年＝100")
    others = [
        a_table("業種別季節調整済指数 生産 2020年"),
        a_table("品目別季節調整済指数 生産 ２０１５年"),
        a_table("品目別季節調整済指数 出荷 ２０２０年"),
        a_table("品目別季節調整済指数 生産 2020年", "年次"),
    ]
    assert estat_items.candidates([*others, wanted]) == [wanted]


def code(number: str, name: str, dimension: str = "cat01") -> estat.Code:
    return estat.Code(dimension=dimension, code=number, name=name, unit="")


def test_products_are_found_by_name_and_two_that_fit_are_an_error() -> None:
    codes = [
        code("1", "1105 モス型ＩＣ（メモリ）"), code("2", "モス型IC(ロジック)"),
        code("3", "半導体製造装置"), code("4", "テレビ"), code("9", "モス型メモリ", "tab"),
    ]  # fmt: skip
    assert estat_items.matching(codes) == {
        "mos_memory": "1", "mos_logic": "2", "semiconductor_equipment": "3",
    }  # fmt: skip
    with pytest.raises(DataError):
        estat_items.matching([*codes, code("5", "半導体・液晶製造装置")])
