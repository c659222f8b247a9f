"""The one module that speaks HTTP to the public sources.

Requests name a known host and a path, never a URL. Keys travel beside the request and are in no
message, log, stored URL or exception: httpx's own errors hold the whole URL, so none is chained.
"""

from __future__ import annotations

import hashlib
import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin

import httpx
from pydantic import SecretStr

from data_sources.public.addresses import NotAllowed, check_url, checked_transport
from data_sources.public.decode import Damaged, TooLarge, Unpacker
from data_sources.public.failures import at, clean, refusal
from data_sources.public.pace import Pacer, shared_pacer
from messages.errors import DataError, Message, NotFoundError, SourceError

CONNECT_S = 10.0
READ_S = 60.0
TOTAL_S = 300.0
TRIES = 3
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
SLICE_S = 0.25
MOST_REDIRECTS = 3
MOST_BYTES = 64_000_000
MOST_REASON_BYTES = 4_096
AGAIN = frozenset({429, 500, 502, 503, 504})
PRODUCT = "kvledger/0.1"

# Their request logs name addresses, keys among them.
for name in ("httpx", "httpcore"):
    logging.getLogger(name).setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One GET. `key` is (name, value) in the query, or in a header where `key_in_header`."""

    host: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    key: tuple[str, SecretStr] | None = None
    key_in_header: bool = False
    most_bytes: int = MOST_BYTES

    @property
    def url(self) -> str:
        """The address without the key: this is what is shown and stored."""
        return (
            str(httpx.URL(f"https://{self.host}{self.path}", params=dict(self.params)))
            if self.params
            else f"https://{self.host}{self.path}"
        )

    @property
    def secret(self) -> str:
        """The key's text, for taking it out of what a server says; '' without one."""
        return "" if self.key is None else self.key[1].get_secret_value()


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """An answer with status 200, as it came. `url` holds no key."""

    content: bytes
    content_type: str
    url: str
    fetched_utc: datetime
    sha256: str = field(init=False)
    """The digest of `content`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.content).hexdigest())


class _Again(Exception):
    """Worth another try, after `wait_s` seconds where the server says so."""

    def __init__(self, error: SourceError | DataError, wait_s: float | None = None) -> None:
        super().__init__()
        self.error = error
        self.wait_s = wait_s


class Web:
    """Asks the known hosts, each at its pace. Close it after use."""

    def __init__(
        self,
        *,
        transport: httpx.BaseTransport | None = None,
        pacer: Pacer | None = None,
        sleep: Callable[[float], None] = time.sleep,
        total_s: float = TOTAL_S,
        read_s: float = READ_S,
    ) -> None:
        self._pacer = pacer or shared_pacer()
        self._sleep = sleep
        self._total_s = total_s
        self._client = httpx.Client(
            transport=transport or checked_transport(),
            timeout=httpx.Timeout(read_s, connect=min(CONNECT_S, read_s)),
            headers={"User-Agent": PRODUCT, "Accept-Encoding": "gzip, deflate"},
            follow_redirects=False,
            trust_env=False,
        )

    def __enter__(self) -> Web:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def while_waiting(self, check: Callable[[], None]) -> None:
        """Call `check` every quarter of a second of a wait; what it raises ends the wait."""
        sleep = self._sleep

        def sliced(seconds: float) -> None:
            while seconds > 0:
                check()
                sleep(min(seconds, SLICE_S))
                seconds -= SLICE_S

        self._sleep = sliced

    def get(self, ask: Ask) -> Body:
        """The answer to `ask`, tried at most three times with growing waits.

        NotFoundError for 404. SourceError: it could not be asked, or refused. DataError: too large.
        """
        deadline = time.monotonic() + self._total_s
        wait_s = FIRST_WAIT_S
        for left in range(TRIES - 1, -1, -1):
            try:
                return self._once(ask, deadline)
            except _Again as again:
                pause = again.wait_s
                if pause is None:
                    pause = wait_s * random.uniform(0.5, 1.5)  # noqa: S311 - spread, no secret
                late = time.monotonic() + pause > deadline
                if not left or pause > LONGEST_WAIT_S or late:
                    raise again.error from None
            self._sleep(pause)
            wait_s *= 2
        raise AssertionError("unreachable")

    def _once(self, ask: Ask, deadline: float) -> Body:
        url = httpx.URL(f"https://{ask.host}{ask.path}")
        params, headers = dict(ask.params), dict(ask.headers)
        if ask.key is not None:
            (headers if ask.key_in_header else params)[ask.key[0]] = ask.secret
        if params:
            url = url.copy_merge_params(params)
        for _ in range(MOST_REDIRECTS + 1):
            with self._errors(ask):
                check_url(url)
                self._pacer.wait(url.host, self._sleep)
                with self._client.stream("GET", url, headers=headers) as answer:
                    target = answer.headers.get("location", "")
                    if not (300 <= answer.status_code < 400 and target):
                        return self._read(answer, ask, deadline)
                    url = httpx.URL(urljoin(str(url), target))
                    if url.host != ask.host and ask.key is not None and ask.key_in_header:
                        headers.pop(ask.key[0], None)
                    if ask.secret and url.host != ask.host and ask.secret in str(url):
                        raise NotAllowed(url.host[:100])
        raise SourceError(Message("public.redirects", at(ask.host)))

    def _read(self, answer: httpx.Response, ask: Ask, deadline: float) -> Body:
        status = answer.status_code
        if status != httpx.codes.OK:
            self._refuse(answer, ask, deadline)
        content = self._content(answer, ask, ask.most_bytes, deadline)
        return Body(
            content=content,
            content_type=answer.headers.get("content-type", "").partition(";")[0].strip().lower(),
            url=ask.url,
            fetched_utc=datetime.now(UTC),
        )

    def _refuse(self, answer: httpx.Response, ask: Ask, deadline: float) -> None:
        try:
            said = self._content(answer, ask, MOST_REASON_BYTES, deadline)
        except (DataError, _Again):
            said = b""
        wait_s = _retry_after(answer.headers.get("retry-after", ""))
        error = refusal(ask.host, answer.status_code, said, wait_s, ask.secret)
        if answer.status_code in AGAIN and isinstance(error, SourceError):
            raise _Again(error, wait_s)
        raise error

    def _content(self, answer: httpx.Response, ask: Ask, most: int, deadline: float) -> bytes:
        said = answer.headers.get("content-length", "")
        too_large = DataError(
            Message("public.too_large", {**at(ask.host), "limit_mb": max(1, most // 1_000_000)})
        )
        if said.isascii() and said.isdigit() and (len(said) > 18 or int(said) > most):
            raise too_large
        try:
            unpacker = Unpacker(answer.headers.get("content-encoding", ""), most)
            for chunk in answer.iter_raw(65_536):
                unpacker.feed(chunk)
                if time.monotonic() > deadline:
                    raise SourceError(Message("public.slow", at(ask.host)))
            return unpacker.close()
        except TooLarge:
            raise too_large from None
        except Damaged:
            raise _Again(SourceError(Message("public.broken_off", at(ask.host)))) from None

    @contextmanager
    def _errors(self, ask: Ask) -> Iterator[None]:
        """httpx's errors as ours, not chained: they hold the request with its key."""
        try:
            yield
        except NotAllowed as error:
            said = {**at(ask.host), "target": clean(error.where.replace(ask.secret or "\0", "***"))}
            raise SourceError(Message("public.not_allowed", said)) from None
        except httpx.ConnectError:
            raise _Again(SourceError(Message("public.no_connection", at(ask.host)))) from None
        except httpx.TimeoutException:
            raise _Again(SourceError(Message("public.slow", at(ask.host)))) from None
        except (httpx.HTTPError, httpx.StreamError):
            raise _Again(SourceError(Message("public.broken_off", at(ask.host)))) from None
        except (httpx.InvalidURL, ValueError) as error:
            if isinstance(error, DataError | NotFoundError):
                raise
            raise SourceError(Message("public.redirects", at(ask.host))) from None


def _retry_after(header: str) -> float | None:
    """Seconds that a Retry-After header asks for: a number, or a moment. None without one."""
    text = header.strip()
    if text.isascii() and text.isdigit() and len(text) < 9:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
