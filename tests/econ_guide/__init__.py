"""Tests of the guide's own small computations."""
