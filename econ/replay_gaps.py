"""The loop over uses of blocks. Compiled like `econ.replay_kernels`."""

from __future__ import annotations

import numpy as np

from econ.replay_input import Ids
from econ.replay_kernels import compiled
from econ.workload import IntArray


@compiled
def gaps(
    offsets: IntArray, ids: Ids, id_space: int, arrival_us: IntArray, edges_us: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Uses again by bin of the time since the use before; then, by id, how many requests have it
    and how long its first use again took. A repeat inside one request is no use."""
    uses = np.zeros(len(edges_us), dtype=np.int64)
    requests = np.zeros(id_space, dtype=np.int64)
    first_us = np.full(id_space, -1, dtype=np.int64)
    last_row = np.full(id_space, -1, dtype=np.int64)
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            block = ids[at]
            before = last_row[block]
            if before == row:
                continue
            last_row[block] = row
            requests[block] += 1
            if before >= 0:
                gap_us = arrival_us[row] - arrival_us[before]
                bin_of = len(edges_us) - 1
                while bin_of > 0 and gap_us < edges_us[bin_of]:
                    bin_of -= 1
                uses[bin_of] += 1
                if requests[block] == 2:
                    first_us[block] = gap_us
    return uses, requests, first_us
