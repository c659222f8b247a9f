"""Who makes or bills a model, from its name alone. Enough to check a usage object's meaning."""

from __future__ import annotations

import re

PROVIDERS = frozenset(
    {
        "alibaba",
        "anthropic",
        "azure-openai",
        "bedrock",
        "deepseek",
        "fireworks",
        "google",
        "groq",
        "minimax",
        "mistral",
        "moonshot",
        "openai",
        "together",
        "vertex",
        "xai",
        "zai",
    }
)
"""Those who send bills and are known by price."""

_ALIASES = {
    "aws": "bedrock",
    "amazon-bedrock": "bedrock",
    "aws-bedrock": "bedrock",
    "azure": "azure-openai",
    "azure-ai": "azure-openai",
    "claude": "anthropic",
    "gemini": "google",
    "google-ai": "google",
    "vertex-ai": "vertex",
    "vertexai": "vertex",
    "google-vertex": "vertex",
    "x-ai": "xai",
    "z-ai": "zai",
    "zhipu": "zai",
    "qwen": "alibaba",
    "kimi": "moonshot",
    "moonshotai": "moonshot",
    "mistralai": "mistral",
}
_BEDROCK = re.compile(
    r"(?:(?:global|us|us-gov|eu|jp|au|apac)\.)?"
    r"(?:anthropic|amazon|meta|mistral|openai|deepseek|qwen|cohere|ai21)\.",
)
_MAKERS = (
    (re.compile(r"claude"), "anthropic"),
    (re.compile(r"gpt|o\d(?:-|$)|chatgpt|codex|davinci"), "openai"),
    (re.compile(r"gemini|gemma"), "google"),
    (re.compile(r"deepseek"), "deepseek"),
    (re.compile(r"grok"), "xai"),
    (re.compile(r"mistral|ministral|magistral|codestral|devstral|pixtral"), "mistral"),
    (re.compile(r"kimi|moonshot"), "moonshot"),
    (re.compile(r"glm"), "zai"),
    (re.compile(r"qwen|qwq"), "alibaba"),
    (re.compile(r"minimax"), "minimax"),
)


def provider_named(name: str | None) -> str | None:
    """The provider id for a stated name, None when it is not one of those known."""
    if not name:
        return None
    plain = re.sub(r"[\s_.]+", "-", name.strip().lower())
    found = _ALIASES.get(plain, plain)
    return found if found in PROVIDERS else None


def provider_of_model(model: str | None) -> str | None:
    """Who bills a model of this name: Bedrock and Fireworks by the shape of their
    ids, else the maker, else None."""
    if not model:
        return None
    name = model.strip().lower()
    if _BEDROCK.match(name):
        return "bedrock"
    if name.startswith("accounts/fireworks/"):
        return "fireworks"
    stem = name.rsplit("/", 1)[-1]
    return next((maker for pattern, maker in _MAKERS if pattern.match(stem)), None)
