"""How the next token is drawn."""

from __future__ import annotations

import pytest
import torch

from kvcore.serve.request import Sampling
from kvcore.serve.sampling import Drawer, draw_all, nucleus

LOGITS = torch.log(torch.tensor([0.05, 0.5, 0.15, 0.3]))


def test_temperature_zero_takes_the_highest_logit() -> None:
    assert Drawer(Sampling(), 0).draw(LOGITS) == 1


@pytest.mark.parametrize(
    ("top_p", "ids"),
    [(0.01, [1]), (0.5, [1]), (0.51, [1, 3]), (0.9, [1, 3, 2]), (1.0, [1, 3, 2, 0])],
)
def test_top_p_keeps_the_fewest_tokens_that_reach_it(top_p: float, ids: list[int]) -> None:
    chances, kept = nucleus(LOGITS, Sampling(temperature=1.0, top_p=top_p))
    assert kept.tolist() == ids
    assert chances.tolist() == pytest.approx([float(LOGITS[one].exp()) for one in ids])


def test_a_higher_temperature_flattens() -> None:
    chances, _ = nucleus(LOGITS, Sampling(temperature=2.0))
    roots = LOGITS.exp().sqrt()
    assert chances.tolist() == pytest.approx(sorted((roots / roots.sum()).tolist())[::-1])


def test_draws_follow_the_probabilities() -> None:
    drawer = Drawer(Sampling(temperature=1.0, seed=5), 0)
    drawn = torch.bincount(torch.tensor([drawer.draw(LOGITS) for _ in range(4000)]), minlength=4)
    assert (drawn / 4000).tolist() == pytest.approx(LOGITS.exp().tolist(), abs=0.03)


def test_the_same_seed_and_sample_draw_the_same() -> None:
    sampling = Sampling(temperature=1.0, seed=9)

    def drawn(sample: int) -> list[int]:
        drawer = Drawer(sampling, sample)
        return [drawer.draw(LOGITS) for _ in range(40)]

    assert drawn(1) == drawn(1)
    assert drawn(0) != drawn(1)


def test_rows_of_a_batch_are_drawn_as_if_alone() -> None:
    logits = torch.randn(3, 20, generator=torch.Generator().manual_seed(1))
    samplings = [Sampling(), Sampling(temperature=1.5, seed=3), Sampling(temperature=0.5, seed=4)]
    together = draw_all([Drawer(one, 0) for one in samplings], logits)
    assert together == [
        Drawer(one, 0).draw(row) for one, row in zip(samplings, logits, strict=True)
    ]
