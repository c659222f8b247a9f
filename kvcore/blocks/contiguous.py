"""Reserving one contiguous region a sequence, as engines did before paging: first fit, counted.

Only here to be compared with: holes are a sorted list, and every call walks it.
"""

from __future__ import annotations

from bisect import insort

from kvcore.errors import KvcoreError


class ContiguousMemory:
    """`places` places of one token each. Regions do not move once they are given."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._holes: list[tuple[int, int]] = [(0, places)] if places else []  # start, length
        self._regions: dict[int, int] = {}

    @property
    def free_places(self) -> int:
        """Places in no region, wherever they lie."""
        return sum(length for _, length in self._holes)

    @property
    def largest_hole(self) -> int:
        """The longest region that could be given now."""
        return max((length for _, length in self._holes), default=0)

    @property
    def reserved_places(self) -> int:
        """Places in a region, filled or not."""
        return self.places - self.free_places

    def reserve(self, places: int) -> int | None:
        """The start of a region of `places` >= 1 in the first hole that is long enough, or None."""
        if places < 1:
            raise KvcoreError(
                "kvcore.empty_region",
                "A region has at least one place, not {places}.",
                {"places": places},
            )
        for at, (start, length) in enumerate(self._holes):
            if length >= places:
                rest = [(start + places, length - places)] if length > places else []
                self._holes[at : at + 1] = rest
                self._regions[start] = places
                return start
        return None

    def free(self, start: int) -> None:
        """Give the region back; it grows together with the holes beside it. KvcoreError where no
        region starts there."""
        if start not in self._regions:
            raise KvcoreError(
                "kvcore.no_region", "No region starts at place {start}.", {"start": start}
            )
        insort(self._holes, (start, self._regions.pop(start)))
        joined: list[tuple[int, int]] = []
        for hole in self._holes:
            if joined and joined[-1][0] + joined[-1][1] == hole[0]:
                joined[-1] = (joined[-1][0], joined[-1][1] + hole[1])
            else:
                joined.append(hole)
        self._holes = joined
