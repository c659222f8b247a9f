"""The one module that asks: waits, caps, redirects, keys, and every way in which answers fail."""

from __future__ import annotations

import gzip
import logging
import traceback
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpcore
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from data_sources.public import addresses
from data_sources.public.addresses import (
    CheckedBackend,
    NotAllowed,
    check_url,
    checked_transport,
    is_public,
)
from data_sources.public.decode import Damaged, TooLarge, Unpacker
from data_sources.public.hosts import HOSTS, PACES
from data_sources.public.pace import Pacer
from data_sources.public.web import LONGEST_WAIT_S, TRIES, Ask, Web
from messages.catalogue import LANGUAGES, say
from messages.errors import DataError, KvledgerError, NotFoundError, SourceError
from tests.data_sources.public.server import HTML, Reply, Stand

CANARY = "canary0123456789canary0123456789"
PATH = "/fred/series"
ASK = Ask(
    host="api.stlouisfed.org",
    path=PATH,
    params={"series_id": "X"},
    key=("api_key", SecretStr(CANARY)),
)
SEC_ASK = Ask(host="data.sec.gov", path=PATH)


def refused(stand: Stand, ask: Ask = ASK, **changes: float) -> KvledgerError:
    with stand.web(**changes) as web, pytest.raises(KvledgerError) as caught:
        web.get(ask)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert all(CANARY not in say(lang, caught.value.message) for lang in LANGUAGES)
    return caught.value


def test_an_answer_carries_its_address_without_the_key(stand: Stand) -> None:
    stand.at(PATH, Reply(b'{"a": 1}'))
    with stand.web() as web:
        body = web.get(ASK)
    assert body.content == b'{"a": 1}'
    assert body.content_type == "application/json"
    assert body.url == "https://api.stlouisfed.org/fred/series?series_id=X"
    assert stand.seen[0].query == {"series_id": ["X"], "api_key": [CANARY]}
    assert stand.seen[0].host == "api.stlouisfed.org"


def test_nothing_of_a_request_is_logged(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    stand.at(PATH, Reply(b"{}"))
    with caplog.at_level(logging.INFO), stand.web() as web:
        web.get(ASK)
    assert CANARY not in caplog.text
    assert "stlouisfed" not in caplog.text


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_passing_failures_are_tried_three_times_with_growing_waits(
    stand: Stand, status: int
) -> None:
    stand.at(PATH, Reply(b"", status=status))
    error = refused(stand)
    assert isinstance(error, SourceError)
    assert len(stand.seen) == TRIES
    first, second = [wait for wait in stand.waits if wait < 100]
    assert 0.5 <= first <= 1.5
    assert 1.0 <= second <= 3.0


@pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 418])
def test_final_refusals_are_not_tried_again(stand: Stand, status: int) -> None:
    stand.at(PATH, Reply(b"{}" if status != 304 else b"", status=status))
    error = refused(stand)
    assert isinstance(error, NotFoundError if status == 404 else SourceError)
    assert len(stand.seen) == 1


def test_a_second_try_that_answers_is_the_answer(stand: Stand) -> None:
    stand.at(PATH, Reply(b"", status=503), Reply(b"[1]"))
    with stand.web() as web:
        assert web.get(ASK).content == b"[1]"


@pytest.mark.parametrize("form", ["seconds", "moment"])
def test_retry_after_is_obeyed(stand: Stand, form: str) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=7), usegmt=True)
    stand.at(
        PATH,
        Reply(b"", status=429, headers={"Retry-After": "7" if form == "seconds" else later}),
        Reply(b"{}"),
    )
    with stand.web() as web:
        web.get(ASK)
    assert any(5 <= wait <= 7 for wait in stand.waits)


def test_a_long_retry_after_is_said_instead_of_waited_for(stand: Stand) -> None:
    stand.at(PATH, Reply(b"", status=429, headers={"Retry-After": "600"}))
    error = refused(stand)
    assert error.message.id == "public.too_many"
    assert error.message.values["seconds"] == 600
    assert all(wait <= LONGEST_WAIT_S for wait in stand.waits)
    assert len(stand.seen) == 1


def test_half_a_body_is_tried_again_and_never_kept(stand: Stand) -> None:
    half = Reply(b'{"a": "0123456789"}', cut=8)
    stand.at(PATH, half)
    error = refused(stand)
    assert error.message.id == "public.broken_off"
    assert len(stand.seen) == TRIES
    stand.at(PATH, half, Reply(b'{"a": 1}'))
    with stand.web() as web:
        assert web.get(ASK).content == b'{"a": 1}'


def test_chunks_without_their_end_are_half_a_body(stand: Stand) -> None:
    body = b'5\r\n{"a":\r\n'
    stand.at(PATH, Reply(body, headers={"Transfer-Encoding": "chunked"}, cut=len(body)))
    assert refused(stand).message.id == "public.broken_off"


def test_half_a_gzip_is_half_a_body(stand: Stand) -> None:
    packed = gzip.compress(b'{"a": 1}' * 100)[:-12]
    stand.at(PATH, Reply(packed, headers={"Content-Encoding": "gzip"}))
    assert refused(stand).message.id == "public.broken_off"


@pytest.mark.parametrize("kind", ["gzip", "deflate", "raw deflate"])
def test_packed_answers_are_unpacked(stand: Stand, kind: str) -> None:
    plain = b'{"a": 1}' * 50
    packer = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(plain[:200]) + gzip.compress(plain[200:]),
        "deflate": zlib.compress(plain),
        "raw deflate": packer.compress(plain) + packer.flush(),
    }[kind]
    stand.at(PATH, Reply(packed, headers={"Content-Encoding": kind.split()[-1]}))
    with stand.web() as web:
        assert web.get(ASK).content == plain


def test_a_gzip_bomb_stops_at_the_cap(stand: Stand) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    assert len(bomb) < 100_000
    stand.at(PATH, Reply(bomb, headers={"Content-Encoding": "gzip"}))
    small = Ask(host=ASK.host, path=PATH, most_bytes=1_000_000)
    error = refused(stand, small)
    assert isinstance(error, DataError)
    assert error.message.id == "public.too_large"
    assert len(stand.seen) == 1


def test_a_body_that_says_it_is_too_long_is_not_read(stand: Stand) -> None:
    stand.at(PATH, Reply(b"x" * 10, headers={"Content-Length": "99999999999"}, cut=10))
    assert refused(stand).message.id == "public.too_large"


def test_a_body_that_does_not_say_so_is_cut(stand: Stand) -> None:
    stand.at(PATH, Reply(b"x" * 200_000))
    error = refused(stand, Ask(host=ASK.host, path=PATH, most_bytes=100_000))
    assert error.message.id == "public.too_large"


def test_an_encoding_that_was_not_asked_for_is_refused(stand: Stand) -> None:
    stand.at(PATH, Reply(b"xxxx", headers={"Content-Encoding": "br"}))
    assert refused(stand).message.id == "public.broken_off"


def test_a_server_that_says_nothing_is_given_up(stand: Stand) -> None:
    stand.at(PATH, Reply(b"{}", hold_s=30))
    assert refused(stand, read_s=0.2).message.id == "public.slow"


def test_the_whole_time_is_limited(stand: Stand) -> None:
    stand.at(PATH, Reply(b"", status=503))
    refused(stand, total_s=0.0)
    assert len(stand.seen) == 1


def test_a_host_that_is_not_there_is_said(stand: Stand) -> None:
    port, stand.port = stand.port, 1
    error = refused(stand)
    stand.port = port
    assert error.message.id == "public.no_connection"


PRIVATE = [
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/",
    "https://[::ffff:127.0.0.1]/",
    "https://localhost/",
    "https://10.0.0.1/",
    "https://data.sec.gov.evil.example/",
    "https://data.sec.gov@evil.example/",
    "https://user:pw@data.sec.gov/",
    "https://data.sec.gov./",
    "https://data.sec.gov:8443/",
    "http://data.sec.gov/",
    "ftp://data.sec.gov/",
    "//evil.example/x",
    "https://disclosure.edinet-fsa.go.jp/",
]


@pytest.mark.parametrize("target", PRIVATE)
def test_redirects_leave_the_known_hosts_never(stand: Stand, target: str) -> None:
    stand.at(PATH, Reply(b"", status=302, headers={"Location": target}))
    error = refused(stand, SEC_ASK)
    assert error.message.id == "public.not_allowed"
    assert len(stand.seen) == 1


def test_redirects_inside_the_known_hosts_are_followed(stand: Stand) -> None:
    stand.at(PATH, Reply(b"", status=301, headers={"Location": "https://www.sec.gov/moved"}))
    stand.at("/moved", Reply(b"[2]"))
    with stand.web() as web:
        body = web.get(SEC_ASK)
    assert body.content == b"[2]"
    assert [one.host for one in stand.seen] == ["data.sec.gov", "www.sec.gov"]
    assert body.url == "https://data.sec.gov/fred/series"


def test_a_key_does_not_follow_to_another_host(stand: Stand) -> None:
    header = Ask(
        host="api.edinet-fsa.go.jp",
        path=PATH,
        key=("X-Key", SecretStr(CANARY)),
        key_in_header=True,
    )
    stand.at(PATH, Reply(b"", status=302, headers={"Location": "https://www.sec.gov/moved"}))
    stand.at("/moved", Reply(b"[2]"))
    with stand.web() as web:
        web.get(header)
    assert CANARY in stand.seen[0].headers.values()
    assert CANARY not in str(stand.seen[1])
    stand.at(
        PATH,
        Reply(b"", status=302, headers={"Location": f"https://www.sec.gov/moved?k={CANARY}"}),
    )
    assert refused(stand).message.id == "public.not_allowed"


def test_redirects_in_circles_end(stand: Stand) -> None:
    stand.at(PATH, Reply(b"", status=302, headers={"Location": PATH}))
    assert refused(stand).message.id == "public.redirects"


def test_what_a_server_says_is_repeated_without_the_key(stand: Stand) -> None:
    said = f'{{"error_message": "no such thing as {CANARY}\\u0007 here"}}'.encode()
    stand.at(PATH, Reply(said, status=400))
    error = refused(stand)
    assert "no such thing as *** here" in say("en", error.message)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
     "0.0.0.1", "224.0.0.1", "::1", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
     "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:a9fe:a9fe::", "not-an-address",
     "fe80::1%eth0", ""],
)  # fmt: skip
def test_private_addresses_are_known_in_every_disguise(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(NotAllowed):
        CheckedBackend(lambda host, port: [address]).connect_tcp("data.sec.gov", 443)


@pytest.mark.parametrize(
    "address", ["23.1.2.3", "2600:1400::1", "::ffff:23.1.2.3", "64:ff9b::1701:203"]
)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    backend = CheckedBackend(lambda host, port: ["23.1.2.3", "10.0.0.1"])
    with pytest.raises(NotAllowed):
        backend.connect_tcp("data.sec.gov", 443)


def test_a_name_without_address_is_no_connection() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(httpcore.ConnectError):
        CheckedBackend(resolve).connect_tcp("data.sec.gov", 443)


def test_a_known_name_that_leads_home_is_refused_on_the_way_out() -> None:
    transport = checked_transport(lambda host, port: ["127.0.0.1"])
    with Web(transport=transport) as web, pytest.raises(SourceError) as caught:
        web.get(SEC_ASK)
    assert caught.value.message.id == "public.not_allowed"


def test_the_checked_transport_connects_to_the_address_that_was_checked(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    stand.at(PATH, Reply(b"[3]"))
    transport = checked_transport(lambda host, port: ["127.0.0.1"])
    with httpx.Client(transport=transport, trust_env=False) as client:
        answer = client.get(f"http://data.sec.gov:{stand.port}{PATH}")
    assert answer.content == b"[3]"
    assert stand.seen[0].host == f"data.sec.gov:{stand.port}"


def test_the_known_hosts_are_six_and_each_has_a_pace() -> None:
    assert len(HOSTS) == 6
    assert set(PACES) == HOSTS
    for host in HOSTS:
        check_url(httpx.URL(f"https://{host}/x"))


def test_the_pacer_keeps_hosts_of_one_source_apart() -> None:
    now = [0.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    pacer = Pacer(clock=lambda: now[0])
    for host in ("data.sec.gov", "www.sec.gov", "data.sec.gov", "api.stlouisfed.org"):
        pacer.wait(host, sleep)
    assert slept == [0.125, 0.125]
    assert now[0] * 10 >= 2  # three SEC requests in a quarter of a second: 8 a second


@given(plain=st.binary(max_size=3_000), cut=st.integers(1, 50))
def test_unpacking_gives_what_was_packed_whatever_the_chunks(plain: bytes, cut: int) -> None:
    packed = gzip.compress(plain)
    unpacker = Unpacker("gzip", 3_000)
    for at in range(0, len(packed), cut):
        unpacker.feed(packed[at : at + cut])
    assert unpacker.close() == plain


@given(packed=st.binary(max_size=300))
def test_unpacking_rubbish_ends_in_one_of_two_ways(packed: bytes) -> None:
    unpacker = Unpacker("gzip", 1_000)
    try:
        unpacker.feed(packed)
        assert len(unpacker.close()) <= 1_000
    except (Damaged, TooLarge):
        pass


def test_html_errors_are_not_read_out(stand: Stand) -> None:
    stand.at(PATH, Reply(b"<html>blocked</html>", status=418, content_type=HTML))
    assert "blocked" not in say("en", refused(stand).message)
