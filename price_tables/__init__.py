"""Dated price tables, the loader that validates them, and the pure look-up."""
