"""Uploaded workload files become a Workload: one reader a format, one detector."""
