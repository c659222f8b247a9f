"""What is kept of the last answers: made once, bounded, and no worse for a maker that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from jobs.shelf import LastUsed


def of(value: str) -> Callable[[], str]:
    return lambda: value


def never() -> str:
    raise AssertionError("made again")


def test_the_last_ones_are_kept_and_made_once() -> None:
    kept = LastUsed[str](2)
    assert [kept.get(key, of(key)) for key in "aba"] == ["a", "b", "a"]
    assert kept.get("c", of("c")) == "c"  # b was asked for longest ago
    assert [kept.get(key, never) for key in "ac"] == ["a", "c"]
    assert kept.get("b", of("again")) == "again"


def test_heavy_values_push_others_out_and_the_last_one_stays() -> None:
    kept = LastUsed[str](9, len, 5)
    for value in ("aa", "bbb", "cc"):
        kept.get(value, of(value))
    assert [kept.get(key, never) for key in ("bbb", "cc")] == ["bbb", "cc"]
    assert kept.get("x" * 50, of("heavier than all")) == "heavier than all"
    assert kept.get("x" * 50, never) == "heavier than all"
    assert kept.get("cc", of("gone")) == "gone"


def test_a_maker_that_fails_leaves_nothing_and_blocks_nobody() -> None:
    kept = LastUsed[str](2)
    for _ in range(2):
        with pytest.raises(AssertionError, match="made again"):
            kept.get("a", never)
    assert kept._making == {}
    assert kept.get("a", of("a")) == "a"


def test_two_that_ask_at_once_while_the_first_maker_fails_both_get_an_answer() -> None:
    kept, begun, go = LastUsed[str](2), threading.Event(), threading.Event()
    answers: list[str] = []

    def fail() -> str:
        begun.set()
        go.wait(10)
        raise ValueError("no")

    def first() -> None:
        with pytest.raises(ValueError, match="no"):
            kept.get("a", fail)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    assert begun.wait(10)
    threads.append(threading.Thread(target=lambda: answers.append(kept.get("a", of("a")))))
    threads[1].start()
    go.set()
    for thread in threads:
        thread.join(10)
    assert answers == ["a"]
    assert kept._making == {}


def test_what_is_forgotten_is_made_anew() -> None:
    kept = LastUsed[str](3)
    for key in "ab":
        kept.get(key, of(key))
    kept.forget(lambda key: key == "a")
    assert kept.get("b", never) == "b"
    assert kept.get("a", of("anew")) == "anew"
