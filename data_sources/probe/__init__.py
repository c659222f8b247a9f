"""Asking a person's own server how long a prompt takes, cold and warm."""
