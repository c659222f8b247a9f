"""Whatever is submitted, stepped and cancelled in whatever order: no block is lost, and every
answer is that of a lone run."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kvcore.blocks.state import REFS
from kvcore.serve.request import Request
from tests.kvcore.serve.tiny import BLOCK_TOKENS, alone, engine, prompt

BLOCKS = 14


class EngineMachine(RuleBasedStateMachine):
    """Few blocks, so that requests wait, push each other out and find each other's prefixes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: dict[str, Request] = {}
        self.count = 0

    @initialize(policy=st.sampled_from(["lru-leaf", "priority", "lru"]))
    def open_engine(self, policy: str) -> None:
        self.engine = engine(blocks=BLOCKS, chunk_tokens=10, max_batch=4, policy=policy)

    @rule(
        length=st.integers(1, 26),
        tail=st.integers(0, 2),
        new=st.integers(1, 18),
        samples=st.integers(1, 3),
        salt=st.sampled_from(["", "red"]),
        priority=st.sampled_from([10, 35, 90]),
    )
    def submit(
        self, length: int, tail: int, new: int, samples: int, salt: str, priority: int
    ) -> None:
        self.count += 1
        name = str(self.count)
        tokens = (*prompt(26)[:length], *range(tail))
        request = Request(
            id=name,
            tokens=tokens,
            max_new_tokens=new,
            samples=samples,
            salt=salt,
            priority=priority,
        )
        self.engine.submit(request)
        self.open[name] = request

    @rule(steps=st.integers(1, 6))
    def step(self, steps: int) -> None:
        for _ in range(steps):
            self.engine.step()
        self._collect()

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.open)))
        self.engine.cancel(name)
        expected = alone(self.open.pop(name))
        for sample in self.engine.result(name).samples:
            assert sample.tokens == expected[: len(sample.tokens)]

    def _collect(self) -> None:
        for name in [name for name in self.open if self.engine._desk.find(name) is None]:
            self._is_right(name)

    def _is_right(self, name: str) -> None:
        request = self.open.pop(name)
        done = self.engine.result(name)
        assert [sample.tokens for sample in done.samples] == [alone(request)] * request.samples
        assert done.report.hit_tokens % BLOCK_TOKENS == 0
        assert done.report.hit_tokens < len(request.tokens)
        assert done.report.output_tokens == len(alone(request)) * request.samples

    @invariant()
    def every_block_is_held_by_those_that_run_or_free(self) -> None:
        held = [0] * BLOCKS
        for sequence in self.engine._scheduler.running:
            for block in sequence.table:
                held[block] += 1
        assert self.engine.pool.state.links[:BLOCKS, REFS].tolist() == held
        assert self.engine.pool.blocks_in_use == sum(1 for count in held if count)

    @invariant()
    def blocks_of_several_salts_are_never_shared(self) -> None:
        salt_of: dict[int, str] = {}
        for sequence in self.engine._scheduler.running:
            for block in sequence.table.tolist():
                assert salt_of.setdefault(block, sequence.request.salt) == sequence.request.salt

    def teardown(self) -> None:
        for name in list(self.open):
            while self.engine._desk.find(name) is not None:
                self.engine.step()
            self._is_right(name)
        assert self.engine.pool.blocks_in_use == 0
        self.engine.close()


EngineMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, derandomize=True
)
TestAnyOrder = EngineMachine.TestCase
