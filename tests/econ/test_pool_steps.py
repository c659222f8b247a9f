"""The step-through of the block pool: the engine's own pool, every event accounted for."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from econ.example import example_workload
from econ.pool_steps import BLANK, PoolStory, Step, record, story_from_json, story_to_json
from econ.workload import Prefix, Workload


@pytest.fixture(scope="module")
def story() -> PoolStory:
    return record(example_workload())


def made(
    ids: list[list[int]], block_tokens: int = 16, arrival_s: list[float] | None = None
) -> Workload:
    lengths = [len(row) for row in ids]
    return Workload(
        name="w",
        format="x",
        rows=len(ids),
        columns={
            "input_tokens": np.array([n * block_tokens for n in lengths]),
            "arrival_s": np.array(arrival_s or list(range(len(ids))), dtype=float),
        },
        prefix=Prefix(
            offsets=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            block_ids=np.array([i for row in ids for i in row], dtype=np.int64),
            block_tokens=block_tokens,
        ),
    )


def test_every_request_arrives_is_computed_and_ends_once(story: PoolStory) -> None:
    kinds = Counter((step.kind, step.request) for step in story.steps if step.kind != "wait")
    assert set(kinds.values()) == {1}
    assert Counter(kind for kind, _ in kinds) == {"arrive": 20, "publish": 20, "end": 20}


def test_the_bundled_story_shows_hits_waits_and_evictions(story: PoolStory) -> None:
    assert sum(step.hits for step in story.steps) > 0
    assert sum(step.evicted for step in story.steps) > 0
    assert any(step.kind == "wait" for step in story.steps)


def test_free_blocks_are_those_that_nobody_holds_at_every_step(story: PoolStory) -> None:
    for step in story.steps:
        assert len(step.state) == story.blocks
        assert step.free == sum(value <= 0 for value in step.state)
    assert all(value <= 0 for value in story.steps[-1].state)


def test_a_block_in_use_is_never_taken(story: PoolStory) -> None:
    """Holders of a block change by the request of the step alone, one at a time."""
    before: tuple[int, ...] = (BLANK,) * story.blocks
    for step in story.steps:
        changed = [i for i, (a, b) in enumerate(zip(before, step.state, strict=True)) if a != b]
        for block in changed:
            if before[block] > 0:
                assert abs(max(step.state[block], 0) - before[block]) == 1
                assert block in step.blocks
        before = step.state


def test_a_second_equal_prompt_finds_all_but_its_last_block() -> None:
    """At least one token is computed, so its last whole block is not a hit."""
    story = record(made([[1, 2, 3], [1, 2, 3]], arrival_s=[0.0, 100.0]), blocks=4)
    first, second = (step for step in story.steps if step.kind == "arrive")
    assert (first.hits, first.needs) == (0, 3)
    assert (second.hits, second.needs) == (2, 3)


def test_a_prompt_that_finds_no_room_waits_for_one_to_end() -> None:
    story = record(made([[1, 2, 3], [7, 8, 9]]), blocks=4)
    assert [(s.kind, s.request) for s in story.steps] == [
        ("arrive", 1),
        ("publish", 1),
        ("wait", 2),
        ("end", 1),
        ("arrive", 2),
        ("publish", 2),
        ("end", 2),
    ]
    assert story.steps[4].evicted == 2  # one blank block, two of the first prompt's


def test_blocks_grow_until_the_longest_prompt_fits() -> None:
    assert record(made([list(range(8))]), blocks=8).block_tokens == 16
    assert record(made([list(range(9))]), blocks=8).block_tokens == 32


def test_a_workload_without_blocks_has_no_story() -> None:
    plain = Workload(name="w", format="x", rows=1, columns={"input_tokens": np.array([5])})
    assert record(plain).steps == ()


def test_a_story_survives_json(story: PoolStory) -> None:
    assert story_from_json(json.loads(json.dumps(story_to_json(story)))) == story
    with pytest.raises((ValueError, KeyError, TypeError)):
        story_from_json({"steps": [{}]})
    assert isinstance(story.steps[0], Step)
