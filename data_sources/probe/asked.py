"""What is asked of a server: its address, the model, and a prompt that it cannot have seen."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from messages.errors import InputError, input_error

Api = Literal["openai", "ollama"]
APIS: tuple[Api, ...] = ("openai", "ollama")
AUTO = "auto"
"""In place of an API: the server is asked."""
DEFAULT_PROMPT_TOKENS = 4_096
DEFAULT_TIMEOUT_S = 600
KNOWN_TAILS = ("/v1/chat/completions", "/v1/completions", "/api/generate", "/v1", "/api")

# Short common words are one token each in every tokenizer of the kinds of models that are served.
WORDS = (
    "time year people way day man thing woman life child world school state family student group "
    "country problem hand part place case week company system program question work government "
    "number night point home water room mother area money story fact month lot right study book "
    "eye job word business issue side kind head house service friend father power hour game line "
    "end member law car city name team minute idea body back parent face level office door health "
    "person art war history party result change morning reason research girl guy moment air teacher"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server: `base` is scheme, host and path without the API's own part; `host` names it."""

    base: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRequest:
    """One probe. `prompt_tokens` is about how long the prompt is; `api` None asks the server."""

    target: Target
    model: str
    prompt_tokens: int = DEFAULT_PROMPT_TOKENS
    api: Api | None = None
    timeout_s: int = DEFAULT_TIMEOUT_S


def target_of(url: str) -> Target:
    """The server behind `url`. InputError where it is no http(s) address, or holds a user name, a
    password, a query or a fragment: those may be secrets, and addresses are stored."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _bad(url) from None
    extra = "@" in parts.netloc or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or not host or extra or not url.isprintable():
        raise _bad(url)
    path = parts.path.rstrip("/")
    for tail in KNOWN_TAILS:
        if path.endswith(tail):
            path = path.removesuffix(tail)
            break
    return Target(base=f"{parts.scheme}://{parts.netloc}{path}", host=parts.netloc)


def _bad(url: str) -> InputError:
    # What follows an @ or a ? is not repeated: a password or a key may stand there.
    hidden = "***" if set("@?#") & set(url) else url[:80]
    return input_error("probe.bad_url", found=hidden)


def prompt_of(tokens: int, nonce: str) -> str:
    """A text of about `tokens` tokens that starts with `nonce`, so that no cache holds its head.

    The same nonce gives the same text.
    """
    known = WORDS.split()
    choose = random.Random(nonce)  # noqa: S311  no secret: it only has to differ from run to run
    words = " ".join(choose.choice(known) for _ in range(max(tokens, 1)))
    return f"{nonce} {words}\nName one of these words."
