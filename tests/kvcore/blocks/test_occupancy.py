"""Contiguous regions against paging, counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.traces.base import ReadOptions
from jobs.reading import read_paths
from kvcore.blocks.contiguous import ContiguousMemory
from kvcore.blocks.memories import Blocks, Regions
from kvcore.blocks.occupancy import serve
from kvcore.errors import KvcoreError

AZURE = Path("traces", "serving_plain", "azure2023", "AzureLLMInferenceTrace_conv.csv")
PLACES = 65_536


@pytest.fixture(scope="module")
def azure(reference_data: Path) -> tuple[np.ndarray, np.ndarray]:
    workload = read_paths(
        [reference_data / AZURE], ReadOptions(), lambda part, stage: None
    ).workload
    return workload.counts("input_tokens"), workload.counts("output_tokens")


def test_free_pieces_that_together_would_do_are_too_small_singly() -> None:
    memory = ContiguousMemory(12)
    starts = [memory.reserve(4) for _ in range(3)]
    assert starts == [0, 4, 8]
    memory.free(0)
    memory.free(8)
    assert (memory.free_places, memory.largest_hole) == (8, 4)
    assert memory.reserve(5) is None
    memory.free(4)
    assert memory.largest_hole == 12


def test_the_first_hole_that_fits_is_taken() -> None:
    memory = ContiguousMemory(10)
    for places in (3, 1, 2, 1):
        memory.reserve(places)
    memory.free(0)
    memory.free(4)
    assert memory.reserve(2) == 0
    assert memory.reserve(2) == 4


def test_regions_are_freed_once_and_are_never_empty() -> None:
    memory = ContiguousMemory(4)
    memory.reserve(2)
    memory.free(0)
    with pytest.raises(KvcoreError, match="No region starts at place 0"):
        memory.free(0)
    with pytest.raises(KvcoreError, match="at least one place"):
        memory.reserve(0)


@given(st.lists(st.integers(1, 9), max_size=40), st.randoms(use_true_random=False))
def test_regions_never_overlap_and_holes_grow_together(sizes: list[int], chance) -> None:
    memory, taken = ContiguousMemory(30), {}
    for size in sizes:
        if taken and chance.random() < 0.5:
            start = chance.choice(sorted(taken))
            del taken[start]
            memory.free(start)
        start = memory.reserve(size)
        if start is not None:
            taken[start] = size
        places = [at for begin, length in taken.items() for at in range(begin, begin + length)]
        assert len(set(places)) == len(places) == memory.reserved_places
        free = "".join(" " if at in places else "x" for at in range(30))
        assert memory.largest_hole == max(map(len, free.split()), default=0)


def test_four_equal_requests_waste_what_a_hand_counts() -> None:
    found = serve(Regions(40, 20), [5] * 4, [5] * 4)
    assert (found.steps, found.most_running, found.mean_running) == (10, 2, 2.0)
    assert found.waste_at_end == 0.5
    assert found.mean_waste == pytest.approx(1 - 7 / 20)  # 5, 6, 7, 8, 9 of 20 places
    paged = serve(Blocks(40, 4), [5] * 4, [5] * 4)
    assert (paged.waste_at_end, paged.most_running, paged.refused) == (pytest.approx(1 / 6), 4, 0)


def test_what_can_never_fit_is_refused_and_the_rest_is_served() -> None:
    for memory in (Regions(40, 10), Regions(40, None), Blocks(40, 4)):
        found = serve(memory, [50, 4], [1, 4])
        assert (found.refused, found.most_running) == (1, 1)
        assert memory.free_places == memory.places


def test_a_full_pool_pre_empts_the_last_and_still_serves_all() -> None:
    memory = Blocks(8, 2)
    found = serve(memory, [1, 1, 1], [6, 6, 6])
    assert found.preemptions > 0
    assert found.refused == 0
    assert memory.pool.free_blocks == memory.pool.blocks


def test_scattered_places_are_counted_as_stranded() -> None:
    found = serve(Regions(12, None), [3, 1, 3, 6], [1, 3, 1, 1])
    assert found.stranded > 0
    assert serve(Blocks(12, 1), [3, 1, 3, 6], [1, 3, 1, 1]).stranded == 0


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 30)), max_size=20),
    st.sampled_from([1, 2, 4, 8]),
)
def test_every_request_is_served_or_refused(lengths: list[tuple[int, int]], size: int) -> None:
    prompts, replies = [p for p, _ in lengths], [r for _, r in lengths]
    for memory in (Regions(40, 40), Regions(40, None), Blocks(40, size)):
        found = serve(memory, prompts, replies)
        assert found.refused == sum(p + r > 40 for p, r in lengths)
        assert memory.free_places == 40
        assert 0 <= found.waste_at_end <= 1
        assert 0 <= found.mean_waste <= 1


def test_a_region_of_maximum_length_wastes_five_sixths_of_real_conversations(azure) -> None:
    whole = serve(Regions(PLACES, 8_192), *azure)
    half = serve(Regions(PLACES, 4_096), *azure)
    assert (whole.refused, half.refused) == (1, 1_612)
    assert (round(whole.waste_at_end, 3), round(half.waste_at_end, 3)) == (0.833, 0.731)
    assert (whole.most_running, half.most_running) == (8, 16)


def test_longer_conversations_cut_at_4096_bring_the_waste_to_two_thirds(azure) -> None:
    prompts, replies = azure
    prompts = np.minimum(prompts, 4_096 - 1)
    replies = np.minimum(replies, 4_096 - prompts)
    cut = serve(Regions(PLACES, 4_096), prompts, replies)
    assert (cut.refused, round(cut.waste_at_end, 2)) == (0, 0.67)


def test_paging_wastes_about_one_percent_of_real_conversations(azure) -> None:
    paged = serve(Blocks(PLACES, 16), *azure)
    assert paged.refused == 0
    assert max(paged.waste_at_end, paged.mean_request_waste, paged.mean_waste) < 0.011
    assert paged.mean_running > 6 * 8
