"""Workloads without a file: a few shapes of use, each five numbers, as kvledger's own CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

MOST_REQUESTS = 100_000
MOST_TOKENS = 10_000_000
HEADER = "start_s,response_s,shared_prefix_tokens,fresh_tokens,output_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """`requests` calls, one every `gap_s` seconds, each answered before the next: a prefix that all
    share, tokens of their own, and the answer. `id` names its words."""

    id: str
    requests: int
    shared_tokens: int
    fresh_tokens: int
    output_tokens: int
    gap_s: int

    @property
    def prompt_tokens(self) -> int:
        """The whole prompt of one call."""
        return self.shared_tokens + self.fresh_tokens

    @property
    def most_hits(self) -> float:
        """The largest share of all prompt tokens that can be read from a cache: every call but the
        first reads what is shared. 0..1."""
        total = self.requests * self.prompt_tokens
        return float(Fraction((self.requests - 1) * self.shared_tokens, total)) if total else 0.0


PRESETS = (
    Preset(id="contract", requests=100, shared_tokens=100_000, fresh_tokens=0,
           output_tokens=0, gap_s=10),
    Preset(id="agent_75", requests=400, shared_tokens=18_000, fresh_tokens=6_000,
           output_tokens=600, gap_s=20),
    Preset(id="agent_85", requests=400, shared_tokens=20_400, fresh_tokens=3_600,
           output_tokens=600, gap_s=20),
    Preset(id="agent_95", requests=400, shared_tokens=22_800, fresh_tokens=1_200,
           output_tokens=600, gap_s=20),
    Preset(id="long", requests=50, shared_tokens=0, fresh_tokens=100_000,
           output_tokens=10_000, gap_s=120),
    Preset(id="rag_chat", requests=1_000, shared_tokens=2_000, fresh_tokens=6_000,
           output_tokens=400, gap_s=15),
)  # fmt: skip
"""A contract that 100 questions are asked about (the document alone, as in the article's sum), an
agent with shared instructions at 75, 85 and 95 percent, a long text rewritten, a chat on passages.
"""


def as_csv(preset: Preset) -> str:
    """The preset as kvledger's plain CSV. ValueError for counts outside the limits."""
    counts = (preset.shared_tokens, preset.fresh_tokens, preset.output_tokens)
    if not 1 <= preset.requests <= MOST_REQUESTS or not 1 <= preset.prompt_tokens <= MOST_TOKENS:
        raise ValueError("a workload needs requests and prompt tokens within the limits")
    if any(not 0 <= count <= MOST_TOKENS for count in counts) or preset.gap_s < 0:
        raise ValueError("counts and gaps are not negative")
    return "\n".join([HEADER, *_rows(preset), ""])


def _rows(preset: Preset) -> Iterator[str]:
    cells = f"{preset.shared_tokens},{preset.fresh_tokens},{preset.output_tokens}"
    for number in range(preset.requests):
        yield f"{number * preset.gap_s},0,{cells}"
