"""Market: words in filings, indices on one axis, read multipliers, the chain to the makers."""
