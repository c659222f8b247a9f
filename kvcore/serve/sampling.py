"""From logits to the next token: greedy, temperature, top-p, each sequence with its own numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from kvcore.serve.request import Sampling


class Drawer:
    """Draws the tokens of one sequence: one uniform number a token from (seed, sample), so that
    neither batch mates nor a pre-emption change what is drawn."""

    def __init__(self, sampling: Sampling, sample: int) -> None:
        self.sampling = sampling
        self._numbers = np.random.default_rng((sampling.seed, sample))

    @property
    def is_greedy(self) -> bool:
        """Takes the highest logit."""
        return self.sampling.temperature == 0

    def draw(self, logits: Tensor) -> int:
        """The next token for logits [V]."""
        if self.is_greedy:
            return int(logits.argmax())
        kept, ids = nucleus(logits, self.sampling)
        sums = kept.cumsum(0)
        goal = torch.tensor(self._numbers.random() * float(sums[-1]), dtype=sums.dtype)
        place = int(torch.searchsorted(sums, goal, right=True))
        return int(ids[min(place, len(ids) - 1)])


def draw_all(drawers: Sequence[Drawer], logits: Tensor) -> list[int]:
    """The next token of each row of logits [B, V]: one look at the device for all greedy rows."""
    highest: list[int] = logits.argmax(-1).tolist()
    return [
        highest[row] if drawer.is_greedy else drawer.draw(logits[row])
        for row, drawer in enumerate(drawers)
    ]


def nucleus(logits: Tensor, sampling: Sampling) -> tuple[Tensor, Tensor]:
    """Probabilities and ids of the tokens that may be drawn, the likeliest first: the fewest whose
    probabilities at this temperature reach top_p."""
    chances = torch.softmax(logits.double().cpu() / sampling.temperature, dim=-1)
    ordered, ids = torch.sort(chances, descending=True, stable=True)
    before = ordered.cumsum(0) - ordered
    keep = max(int((before < sampling.top_p).sum()), 1)
    return ordered[:keep], ids[:keep]
