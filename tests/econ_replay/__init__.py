"""The replay of a paged cache: figures, laws, and the slow oracle."""
