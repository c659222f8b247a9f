"""Tokens as they come, cancelled requests, several threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kvcore.errors import KvcoreError
from kvcore.serve.desk import KEPT_RESULTS, StreamedToken
from kvcore.serve.request import Request
from tests.kvcore.serve.tiny import alone, engine, prompt


def _request(name: str, new: int = 20) -> Request:
    return Request(id=name, tokens=prompt(12, len(name)), max_new_tokens=new)


def test_a_stream_gives_the_tokens_in_order_and_ends() -> None:
    with engine() as one:
        one.submit(_request("a"))
        pieces = list(one.stream("a"))
        assert not one.busy
        assert one.result("a").tokens == alone(_request("a"))
    assert pieces == [StreamedToken(0, token) for token in alone(_request("a"))]


def test_two_streams_read_in_turn_each_get_their_own() -> None:
    with engine() as one:
        one.submit(_request("a"))
        one.submit(_request("bb"))
        pairs = list(zip(one.stream("a"), one.stream("bb"), strict=True))
    assert tuple(left.token for left, _ in pairs) == alone(_request("a"))
    assert tuple(right.token for _, right in pairs) == alone(_request("bb"))


def test_samples_are_told_apart_in_a_stream() -> None:
    request = Request(id="a", tokens=prompt(9), max_new_tokens=6, samples=2)
    with engine() as one:
        one.submit(request)
        pieces = list(one.stream("a"))
    for sample in (0, 1):
        assert tuple(p.token for p in pieces if p.sample == sample) == alone(request)


def test_a_callback_hears_every_token_at_once() -> None:
    heard: list[int] = []
    with engine() as one:
        one.submit(_request("a", 3), on_token=lambda piece: heard.append(piece.token))
        one.step()
        assert len(heard) == 1
        one.step()
        assert len(heard) == 2
        one.result("a")
    assert tuple(heard) == alone(_request("a", 3))


def test_a_callback_that_fails_ends_its_own_request_only() -> None:
    def broken(piece: StreamedToken) -> None:
        raise RuntimeError("the reader is gone")

    with engine() as one:
        one.submit(_request("a"), on_token=broken)
        one.submit(_request("bb"))
        with pytest.raises(RuntimeError, match="reader is gone"):
            one.step()
        assert one.result("a").samples[0].reason == "cancelled"
        assert one.result("bb").tokens == alone(_request("bb"))
        one.submit(_request("a"), on_token=broken)
        with pytest.raises(RuntimeError, match="reader is gone"):
            one.result("a")
        assert one.pool.blocks_in_use == 0


def test_a_stream_that_is_left_cancels_its_request() -> None:
    with engine() as one:
        one.submit(_request("a"))
        stream = one.stream("a")
        first = next(stream)
        stream.close()
        assert not one.busy
        assert one.pool.blocks_in_use == 0
        done = one.result("a")
    assert done.samples[0].reason == "cancelled"
    assert done.tokens == (first.token,)


def test_cancelling_frees_the_blocks_at_any_moment() -> None:
    for steps in range(6):
        with engine(chunk_tokens=8) as one:
            one.submit(Request(id="a", tokens=prompt(20), max_new_tokens=9, samples=3))
            for _ in range(steps):
                one.step()
            assert one.cancel("a")
            assert one.pool.blocks_in_use == 0
            assert not one.cancel("a")
            samples = one.result("a").samples
        assert {sample.reason for sample in samples} == {"cancelled"}


def test_a_request_that_waits_can_be_cancelled() -> None:
    with engine(max_batch=1) as one:
        one.submit(_request("a"))
        one.submit(_request("bb"))
        one.step()
        assert one.cancel("bb")
        assert one.result("bb").report.queue_s is None
        assert one.result("a").tokens == alone(_request("a"))


def test_a_callback_may_cancel_and_submit() -> None:
    with engine() as one:

        def react(piece: StreamedToken) -> None:
            if one.cancel("bb"):
                one.submit(_request("ccc"))

        one.submit(_request("a"), on_token=react)
        one.submit(_request("bb"))
        one.result("a")
        assert one.result("bb").samples[0].reason == "cancelled"
        assert one.result("ccc").tokens == alone(_request("ccc"))


def test_what_nobody_knows_cannot_be_cancelled_or_read() -> None:
    with engine() as one:
        assert not one.cancel("ghost")
        for read in (one.stream, one.result):
            with pytest.raises(KvcoreError, match="ghost"):
                read("ghost")


def test_a_result_is_handed_out_once() -> None:
    with engine() as one:
        one.submit(_request("a"))
        one.result("a")
        with pytest.raises(KvcoreError, match="id a"):
            one.result("a")


def test_results_that_nobody_asks_for_do_not_pile_up() -> None:
    with engine() as one:
        for number in range(KEPT_RESULTS + 5):
            one.submit(Request(id=str(number), tokens=(1,), max_new_tokens=1))
        while one.step().busy:
            pass
        assert one.result("5").tokens == alone(Request(id="5", tokens=(1,), max_new_tokens=1))
        with pytest.raises(KvcoreError, match="id 4"):
            one.result("4")


def test_closing_ends_everything() -> None:
    one = engine()
    one.submit(_request("a"))
    one.submit(_request("bb"))
    stream = one.stream("a")
    next(stream)
    one.close()
    one.close()
    assert list(stream) == []
    assert one.pool.blocks_in_use == 0
    assert one.result("bb").samples[0].reason == "cancelled"


def test_a_model_that_fails_leaves_everything_as_it_was() -> None:
    with engine() as one:
        one.submit(_request("a"))
        one.step()
        one.runner.fails = True
        for _ in range(3):
            with pytest.raises(MemoryError):
                one.step()
        one.runner.fails = False
        assert one.result("a").tokens == alone(_request("a"))
        assert one.pool.blocks_in_use == 0


def test_many_threads_share_one_engine() -> None:
    with engine(blocks=40, max_batch=6) as one, ThreadPoolExecutor(8) as pool:

        def ask(number: int) -> bool:
            request = Request(id=str(number), tokens=prompt(10, number % 5), max_new_tokens=12)
            one.submit(request)
            if number % 4 == 3:
                stream = one.stream(request.id)
                next(stream)
                stream.close()
                return True
            return tuple(piece.token for piece in one.stream(request.id)) == alone(request)

        assert all(pool.map(ask, range(60)))
        assert not one.busy
        assert one.pool.blocks_in_use == 0


def test_cancelling_from_another_thread_ends_a_stream() -> None:
    with engine() as one:
        one.submit(Request(id="a", tokens=prompt(5), max_new_tokens=190))
        stream = one.stream("a")
        next(stream)
        other = threading.Thread(target=one.cancel, args=("a",))
        other.start()
        other.join()
        assert list(stream) == []
        assert one.pool.blocks_in_use == 0
