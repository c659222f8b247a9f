"""Helpers for people who work on kvledger; nothing here runs in the app."""
