"""Whose turn it is: batches, chunks, admission, pre-emption, forks, hits."""

from __future__ import annotations

from kvcore.serve.request import Request, Sampling
from tests.kvcore.serve.tiny import BLOCK_TOKENS, CONTEXT, Ticks, alone, engine, prompt


def test_all_that_run_are_decoded_together() -> None:
    requests = [Request(id=str(n), tokens=prompt(5, n), max_new_tokens=9) for n in range(6)]
    with engine(chunk_tokens=64) as one:
        done = one.run_all(requests)
        assert max(one.runner.batches) == 6
    assert [each.tokens for each in done] == [alone(request) for request in requests]


def test_a_long_prompt_is_cut_into_chunks_that_end_with_a_block() -> None:
    request = Request(id="a", tokens=prompt(75), max_new_tokens=3)
    with engine(chunk_tokens=30) as one:
        done = one.run_all([request])
        assert one.runner.prefilled == [28, 28, 19]
    assert done[0].tokens == alone(request)


def test_others_are_decoded_while_a_long_prompt_is_computed() -> None:
    with engine(chunk_tokens=16) as one:
        one.submit(Request(id="short", tokens=prompt(4), max_new_tokens=30))
        one.step()
        one.submit(Request(id="long", tokens=prompt(100, 1), max_new_tokens=2))
        reports = [one.step() for _ in range(5)]
    assert all(report.decoded == 1 and 0 < report.prompt_tokens <= 15 for report in reports)


def test_a_prompt_goes_on_by_a_block_even_where_decodes_fill_the_budget() -> None:
    requests = [Request(id=str(n), tokens=prompt(4, n), max_new_tokens=40) for n in range(4)]
    with engine(chunk_tokens=4, max_batch=5) as one:
        for request in requests:
            one.submit(request)
        for _ in range(6):
            one.step()
        one.submit(Request(id="late", tokens=prompt(40, 9), max_new_tokens=1))
        assert one.step().prompt_tokens == BLOCK_TOKENS
        assert one.result("late").tokens == alone(
            Request(id="late", tokens=prompt(40, 9), max_new_tokens=1)
        )


def test_no_more_run_than_the_batch_holds() -> None:
    requests = [Request(id=str(n), tokens=prompt(3, n), max_new_tokens=5) for n in range(9)]
    with engine(max_batch=2) as one:
        one.run_all(requests)
        assert max(one.runner.batches) == 2


def test_the_last_come_is_pre_empted_and_still_answers_the_same() -> None:
    requests = [Request(id=str(n), tokens=prompt(12, n), max_new_tokens=30) for n in range(3)]
    with engine(blocks=20) as one:
        done = one.run_all(requests)
        assert one.pool.free_blocks == 20
    assert [each.tokens for each in done] == [alone(request) for request in requests]
    counts = [each.report.preemptions for each in done]
    assert counts[0] == 0
    assert counts[2] >= 1


def test_a_pre_empted_request_waits_at_its_old_place() -> None:
    ended: list[str] = []
    with engine(blocks=16, max_batch=2) as one:
        for name in ("first", "second", "third"):
            one.submit(Request(id=name, tokens=prompt(12, len(name)), max_new_tokens=30))
        while one.step().busy:
            gone = (n for n in ("first", "second", "third") if one._desk.find(n) is None)
            ended.extend(name for name in gone if name not in ended)
        assert one.result("second").report.preemptions == 1
    assert ended == ["first", "second"]


def test_what_a_pre_empted_request_published_is_found_again_and_is_no_hit() -> None:
    requests = [Request(id=str(n), tokens=prompt(12, n), max_new_tokens=30) for n in range(2)]
    with engine(blocks=16) as one:
        done = one.run_all(requests)
    last = done[1].report
    assert last.preemptions == 1
    assert last.hit_tokens == 0
    assert last.found_again_tokens > 0
    assert last.computed_tokens < 12 + 29 + 12 + 29  # less than all of it twice


def test_without_a_prefix_cache_a_pre_empted_request_computes_all_again() -> None:
    requests = [Request(id=str(n), tokens=prompt(12, n), max_new_tokens=30) for n in range(2)]
    with engine(blocks=16, prefix_cache=False) as one:
        done = one.run_all(requests)
        assert one.pool.resident_blocks == 0
    assert done[1].report.found_again_tokens == 0
    assert done[1].report.preemptions == 1
    assert [each.tokens for each in done] == [alone(request) for request in requests]


def test_one_that_waits_long_is_not_overtaken_for_ever() -> None:
    big = Request(id="big", tokens=prompt(70), max_new_tokens=5)
    with engine(blocks=20, max_batch=4) as one:
        for n in range(4):
            one.submit(Request(id=f"first{n}", tokens=prompt(4, n), max_new_tokens=8))
        one.step()
        one.submit(big)
        ended = None
        for step in range(60):
            one.submit(Request(id=f"small{step}", tokens=prompt(4, step), max_new_tokens=8))
            one.step()
            if not one._desk.find("big"):
                ended = step
                break
    assert ended is not None
    assert ended < 30


def test_a_known_prefix_is_not_computed_again() -> None:
    first = Request(id="a", tokens=prompt(41), max_new_tokens=1)
    second = Request(id="b", tokens=(*prompt(41)[:30], *prompt(9, 5)), max_new_tokens=4)
    with engine(chunk_tokens=64) as one:
        one.run_all([first])
        done = one.run_all([second])[0]
        assert one.runner.prefilled == [41, 39 - 28]
    assert done.tokens == alone(second)
    assert done.report.hit_tokens == 28  # whole blocks of 4 within 30
    assert done.report.computed_tokens == 39 - 28 + 3


def test_on_a_full_hit_one_token_is_computed_again() -> None:
    request = Request(id="a", tokens=prompt(32), max_new_tokens=4)
    with engine(chunk_tokens=64) as one:
        one.run_all([request])
        done = one.run_all([request])[0]
        assert one.runner.prefilled == [32]
    assert done.tokens == alone(request)
    assert done.report.hit_tokens == 28  # one token must be left: seven whole blocks
    assert done.report.computed_tokens == 1 + 3


def test_on_a_full_hit_of_blocks_in_use_the_last_one_is_copied() -> None:
    request = Request(id="a", tokens=prompt(32), max_new_tokens=20)
    same = Request(id="b", tokens=prompt(32), max_new_tokens=20)
    with engine(chunk_tokens=64) as one:
        one.submit(request)
        one.step()
        done = one.run_all([same])[0]
        assert one.runner.prefilled == [32]
        assert one.result("a").tokens == alone(request)
    assert done.tokens == alone(request)
    assert done.report.computed_tokens == 1 + 19


def test_answers_can_be_found_as_part_of_the_next_prompt() -> None:
    first = Request(id="a", tokens=prompt(10), max_new_tokens=15)
    with engine() as one:
        answer = one.run_all([first])[0].tokens
        turn = Request(id="b", tokens=(*first.tokens, *answer, 1, 2), max_new_tokens=2)
        done = one.run_all([turn])[0]
    assert done.report.hit_tokens == 24  # the last generated token was never computed
    assert done.tokens == alone(turn)


def test_another_salt_finds_nothing() -> None:
    tokens = prompt(40)
    with engine() as one:
        reports = [
            one.run_all([Request(id=salt, tokens=tokens, salt=salt, max_new_tokens=2)])[0].report
            for salt in ("", "red", "blue")
        ]
        again = one.run_all([Request(id="x", tokens=tokens, salt="red", max_new_tokens=2)])[0]
    assert [report.hit_tokens for report in reports] == [0, 0, 0]
    assert again.report.hit_tokens == 36


def test_high_priority_blocks_stay_when_room_is_needed() -> None:
    kept, lost = prompt(20, 1), prompt(20, 2)
    with engine(blocks=12, policy="priority") as one:
        one.run_all([Request(id="a", tokens=kept, priority=90, max_new_tokens=1)])
        one.run_all([Request(id="b", tokens=lost, priority=10, max_new_tokens=1)])
        done = one.run_all([Request(id="c", tokens=prompt(24, 3), max_new_tokens=1)])[0]
        assert done.report.evictions == 4
        again = [
            one.run_all([Request(id=name, tokens=tokens, max_new_tokens=1)])[0].report.hit_tokens
            for name, tokens in (("a", kept), ("b", lost))
        ]
    assert again == [16, 4]


def test_a_priority_that_has_ended_protects_no_more() -> None:
    clock = Ticks()
    dear, plain = prompt(20, 1), prompt(20, 2)
    with engine(blocks=12, policy="priority", clock=clock) as one:
        one.run_all([Request(id="a", tokens=dear, priority=90, keep_s=5, max_new_tokens=1)])
        one.run_all([Request(id="b", tokens=plain, priority=50, max_new_tokens=1)])
        clock.now_s = 6.0
        one.run_all([Request(id="c", tokens=prompt(24, 3), max_new_tokens=1)])
        again = one.run_all([Request(id="b2", tokens=plain, max_new_tokens=1)])[0]
    assert again.report.hit_tokens == 16


def test_samples_share_the_prompt_and_copy_what_they_write_to() -> None:
    greedy = Request(id="a", tokens=prompt(30), max_new_tokens=12, samples=3)
    with engine(chunk_tokens=64) as one:
        one.submit(greedy)
        one.step()
        one.step()
        assert one.pool.blocks_in_use == 7 + 3  # seven full blocks once, a tail each
        done = one.result("a")
        assert one.runner.prefilled == [30]
        assert one.pool.free_blocks == 64
    assert [sample.tokens for sample in done.samples] == [alone(greedy)] * 3
    assert done.report.output_tokens == 36
    assert done.report.computed_tokens == 30 + 3 * 11


def test_samples_draw_each_their_own_and_the_first_as_if_alone() -> None:
    hot = Sampling(temperature=1.0, seed=4)
    request = Request(id="a", tokens=prompt(21), max_new_tokens=10, sampling=hot, samples=4)
    lone = Request(id="a", tokens=prompt(21), max_new_tokens=10, sampling=hot)
    with engine() as one, engine(blocks=15, max_batch=4) as tight:
        wide = one.run_all([request])[0]
        assert tight.run_all([request])[0].samples == wide.samples
        assert one.run_all([lone])[0].tokens == wide.tokens
    assert len({sample.tokens for sample in wide.samples}) == 4


def test_a_stop_id_ends_the_answer_and_is_its_last_token() -> None:
    free = alone(Request(id="a", tokens=prompt(8), max_new_tokens=20))
    stop = free[6]
    request = Request(id="a", tokens=prompt(8), max_new_tokens=20, stop_ids=frozenset({stop}))
    with engine() as one:
        sample = one.run_all([request])[0].samples[0]
    assert sample.reason == "stop"
    assert sample.tokens == free[: free.index(stop) + 1]


def test_the_context_ends_an_answer() -> None:
    request = Request(id="a", tokens=prompt(CONTEXT - 5), max_new_tokens=50)
    with engine() as one:
        sample = one.run_all([request])[0].samples[0]
    assert sample.reason == "context"
    assert sample.tokens == alone(request)
    assert len(sample.tokens) == 5


def test_times_are_those_of_the_clock() -> None:
    clock = Ticks()
    with engine(clock=clock) as one:
        one.submit(Request(id="a", tokens=prompt(8), max_new_tokens=3))
        for now_s in (2.0, 2.5, 4.0):
            clock.now_s = now_s
            one.step()
        report = one.result("a").report
    assert (report.queue_s, report.ttft_s, report.tpot_s) == (2.0, 2.0, 1.0)
