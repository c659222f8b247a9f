from __future__ import annotations

from kvcore.blocks.pool import BlockPool
from kvcore.blocks.trace import Recorder
from tests.kvcore.blocks.made import BLOCK_TOKENS, named, run_of


def test_a_step_through_tells_a_shared_prefix_from_beginning_to_eviction() -> None:
    recorder = Recorder(BlockPool(4, BLOCK_TOKENS))
    hashes, tokens = named([*run_of(0, 2), 9])
    assert recorder.admit("first", hashes, tokens, 8) == 0
    recorder.compute("first")
    assert recorder.admit("second", hashes, tokens, 8) == 2
    other_hashes, other_tokens = named(run_of(100, 3))
    assert recorder.admit("third", other_hashes, other_tokens, 11) is None
    recorder.release("first")
    recorder.release("second")
    assert recorder.admit("third", other_hashes, other_tokens, 11) == 0
    events = [(step.event, step.owner) for step in recorder.steps]
    assert events == [
        ("start", ""), ("hit", "first"), ("computed", "first"), ("hit", "second"),
        ("refused", "third"), ("released", "first"), ("released", "second"), ("hit", "third"),
    ]  # fmt: skip
    shared = recorder.steps[3].blocks[0]
    assert (shared.state, shared.refs, shared.owners) == ("held findable", 2, ("first", "second"))
    assert shared.hash_prefix == bytes(hashes[0]).hex()[:8]
    assert recorder.steps[3].blocks[1].parent == 0
    assert {view.state for view in recorder.steps[6].blocks} == {"cached", "blank"}
    assert recorder.steps[7].evicted == (bytes(hashes[1]).hex()[:8],)
    assert [step.number for step in recorder.steps] == list(range(8))
    assert [step.free_blocks for step in recorder.steps] == [4, 1, 1, 0, 0, 1, 4, 1]


def test_snapshots_never_change_afterwards() -> None:
    recorder = Recorder(BlockPool(2, BLOCK_TOKENS))
    before = recorder.steps[0]
    hashes, tokens = named(run_of(0, 1))
    recorder.admit("one", hashes, tokens, 3)
    recorder.compute("one")
    assert {view.state for view in before.blocks} == {"blank"}
    assert recorder.steps[2].blocks[0].state == "held findable"
