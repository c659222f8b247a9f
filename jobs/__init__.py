"""Service calls for both doors, and long work."""
