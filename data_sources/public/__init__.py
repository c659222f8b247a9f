"""Public statistics and filings."""
