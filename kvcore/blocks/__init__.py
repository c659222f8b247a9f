"""Blocks of a paged KV cache: who they are (identity, hashing), who has them (pool), who goes
first (policies), and what reserving whole sequences would have wasted (contiguous)."""
