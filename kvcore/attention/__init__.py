"""Attention over paged keys and values: storage, the runner's contract and the CPU runner."""
