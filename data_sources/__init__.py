"""Everything that comes in from outside, and where it is kept."""
