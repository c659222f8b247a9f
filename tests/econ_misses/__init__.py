"""Reasons for misses."""
