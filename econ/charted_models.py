"""API models that charts and short tables name before anything is chosen, each from its maker."""

from __future__ import annotations

CHARTED = (
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-4-5",
    "gpt-5.6-sol",
    "gpt-5.6-luna",
    "gemini-3.1-pro-preview",
    "gemini-3.8-flash",
    "mistral-large-4",
    "deepseek-v4-pro",
)
