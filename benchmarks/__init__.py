"""Speed, measured by hand: see README.md in this folder."""
