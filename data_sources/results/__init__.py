"""Measured results in: other people's published rows, and the files of benchmark tools."""
