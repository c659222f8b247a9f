"""The measured engine. Knows nothing of the rest of the project."""
