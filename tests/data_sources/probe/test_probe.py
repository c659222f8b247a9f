"""The probe against servers that answer as the real ones do, and against broken ones."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from data_sources.probe.asked import ProbeRequest, prompt_of, target_of
from data_sources.probe.run import ProbeResult, probe, to_json
from data_sources.probe.wire import NotUnderstood, OllamaReader, OpenAiReader, Refused
from messages.catalogue import LANGUAGES, say
from messages.errors import InputError, KvledgerError
from tests.data_sources.probe.servers import PREFILL_S, Handler, Script, serving

KEY = "canary-key-9f3b"
Serve = Callable[..., Script]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts scripted servers; all end with the test."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda **script: stack.enter_context(serving(Script(**script)))


def ask(script: Script, **changes: Any) -> ProbeResult:
    values: dict[str, Any] = {"target": target_of(script.url), "model": "m", "prompt_tokens": 300}
    stages: list[str] = []
    found = probe(ProbeRequest(**{**values, **changes}), SecretStr(KEY), stages.append)
    assert stages == ["detect", "load", "cold", "warm"]
    return found


def refused(script: Script, **changes: Any) -> KvledgerError:
    with pytest.raises(KvledgerError) as caught:
        ask(script, **changes)
    error = caught.value
    for language in LANGUAGES:
        sentence = say(language, error.message)
        assert sentence != error.message.id
        assert "{" not in sentence
        assert KEY not in sentence
        assert "\n" not in sentence
    assert KEY not in repr(error.__dict__)
    assert error.__cause__ is None
    return error


def test_an_openai_server_is_asked_twice_and_both_times_are_kept(serve: Serve) -> None:
    script = serve()
    found = ask(script)
    assert (found.api, found.server_version) == ("openai", "0.11.2")
    assert found.cold.first_token_s >= PREFILL_S
    assert found.warm.first_token_s < PREFILL_S
    assert found.cold.total_s >= found.cold.first_token_s
    assert found.cold.counts.cached_tokens == 0
    assert found.warm.counts.cached_tokens == found.warm.counts.prompt_tokens // 16 * 16  # type: ignore[operator]
    _, cold, warm = script.asked()
    assert cold == warm
    assert script.requests[1][0] == "/v1/chat/completions"


def test_the_cold_prompt_is_new_every_time_from_its_first_characters(serve: Serve) -> None:
    script = serve()
    ask(script)
    ask(script)
    heads = [text[:16] for text in script.asked()]
    assert len(heads) == 6
    assert len(set(heads)) == 4  # two short ones, and two long ones that came twice
    assert heads[1] == heads[2] != heads[4] == heads[5]


def test_the_empty_role_event_is_not_the_first_token(serve: Serve) -> None:
    """Chat servers send it at once; the token comes after the prefill."""
    assert ask(serve()).cold.first_token_s >= PREFILL_S


def test_an_ollama_server_is_found_and_given_room_for_the_prompt(serve: Serve) -> None:
    script = serve(kind="ollama")
    found = ask(script, prompt_tokens=3000)
    assert (found.api, found.server_version) == ("ollama", "0.33.2")
    assert found.cold.counts.prompt_eval_s == pytest.approx(0.15)
    assert found.warm.counts.prompt_eval_s == pytest.approx(0.001)
    assert found.cold.counts.cached_tokens is None
    contexts = {body["options"]["num_ctx"] for _, body, _ in script.requests}
    assert len(contexts) == 1  # another length would load the model anew
    assert contexts.pop() >= 3000 * 1.3
    assert not found.cut


def test_models_without_a_chat_template_are_asked_for_text(serve: Serve) -> None:
    script = serve(chat_there=False)
    assert ask(script).path == "/v1/completions"
    paths = [path for path, _, _ in script.requests]
    assert paths == ["/v1/chat/completions", *["/v1/completions"] * 3]


def test_a_server_that_counts_nothing_still_gives_both_times(serve: Serve) -> None:
    found = to_json(ask(serve(usage=False)))
    assert found["cold"]["prompt_tokens"] is None
    assert found["warm"]["cached_tokens"] is None
    assert found["cold"]["first_token_s"] > found["warm"]["first_token_s"] > 0
    assert "ratio" not in str(found)


def test_a_prompt_that_was_cut_off_is_said_to_be(serve: Serve) -> None:
    def short(handler: Handler, _: Script) -> None:
        handler.begin("application/x-ndjson")
        last = {"done": True, "response": "", "prompt_eval_count": 120, "eval_count": 1}
        handler.line(last)
        handler.end()

    found = ask(serve(kind="ollama", answer=short), prompt_tokens=4096)
    assert found.cut
    assert to_json(found)["prompt"] == {
        "asked_tokens": 4096,
        "characters": found.characters,
        "cut": True,
    }


@pytest.mark.parametrize(
    ("tail", "base"),
    [("", ""), ("/", ""), ("/v1", ""), ("/v1/chat/completions", ""), ("/llm/v1/", "/llm")],
)
def test_addresses_are_taken_as_people_write_them(tail: str, base: str) -> None:
    assert target_of(f"https://gpu.example:8000{tail}").base == f"https://gpu.example:8000{base}"


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host/",
        "file:///etc/passwd",
        "http://",
        "http://user:secret@host/",
        "http://host/?key=secret",
        "http://host/#secret",
        "http://host:port/",
        "http://[::1",
        "http://ho\x00st/",
        "",
    ],
)
def test_what_is_no_address_or_may_hold_a_secret_is_refused(url: str) -> None:
    with pytest.raises(InputError) as caught:
        target_of(url)
    assert "secret" not in say("en", caught.value.message)


@pytest.mark.parametrize(
    ("status", "message_id"),
    [
        (401, "probe.unauthorised"),
        (403, "probe.unauthorised"),
        (404, "probe.not_found"),
        (429, "probe.too_many_now"),
        (400, "probe.refused"),
        (500, "probe.failed"),
        (503, "probe.failed"),
        (307, "probe.redirected"),
    ],
)
def test_each_status_is_one_sentence_without_the_key(
    serve: Serve, status: int, message_id: str
) -> None:
    def answer(handler: Handler, _: Script) -> None:
        words = {"error": {"message": f"model is not loaded; your key {KEY}\nis odd"}}
        handler.json(status, words, Location="http://169.254.169.254/")

    script = serve(answer=answer)
    error = refused(script)
    assert error.message.id == message_id
    if message_id in ("probe.refused", "probe.failed"):
        assert "model is not loaded; your key *** is odd" in say("en", error.message)


def test_a_server_that_says_when_to_come_back_is_quoted(serve: Serve) -> None:
    def answer(handler: Handler, _: Script) -> None:
        handler.json(429, {"error": "busy"}, Retry_After="17")

    assert "17 seconds" in say("en", refused(serve(answer=answer)).message)


def test_redirects_are_not_followed_and_the_key_stays(serve: Serve) -> None:
    other = serve()

    def answer(handler: Handler, _: Script) -> None:
        handler.json(302, {}, Location=other.url + "/v1/chat/completions")

    refused(serve(answer=answer))
    assert other.requests == []
    assert other.gets == []


def test_the_key_travels_in_its_header_alone(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    script = serve()
    with caplog.at_level(logging.DEBUG):
        found = ask(script)
    assert {headers["Authorization"] for _, _, headers in script.requests} == {f"Bearer {KEY}"}
    assert KEY not in caplog.text
    assert KEY not in str(to_json(found))
    assert all(KEY not in str(body) for _, body, _ in script.requests)


def half(handler: Handler, _: Script) -> None:
    handler.begin("text/event-stream")
    handler.chunk('data: {"choices": [{"delta": {"content": "ti')
    handler.close_connection = True


def without_length(handler: Handler, _: Script) -> None:
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(b'data: {"choices": [{"delta": {"content": "t"}}]}\n\n')
    handler.close_connection = True


def silent(handler: Handler, _: Script) -> None:
    time.sleep(3)


def drip(handler: Handler, _: Script) -> None:
    handler.begin("text/event-stream")
    for _ in range(40):
        handler.chunk(": still here\n\n")
        time.sleep(0.1)


def page(handler: Handler, _: Script) -> None:
    handler.send_response(200)
    content = b"<html><body>It works!</body></html>"
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def endless(handler: Handler, _: Script) -> None:
    handler.begin("text/event-stream")
    for _ in range(200):
        handler.chunk(": " + "x" * 65_536 + "\n\n")


def one_line(handler: Handler, _: Script) -> None:
    handler.begin("text/event-stream")
    for _ in range(40):
        handler.chunk("x" * 65_536)


def done_only(handler: Handler, _: Script) -> None:
    handler.begin("text/event-stream")
    handler.chunk("data: [DONE]\n\n")
    handler.end()


def error_inside(handler: Handler, _: Script) -> None:
    handler.begin("text/event-stream")
    handler.event({"error": {"message": "out of memory", "code": 500}})
    handler.end()


@pytest.mark.parametrize(
    ("answer", "message_id"),
    [
        (half, "probe.broken_off"),
        (without_length, "probe.broken_off"),
        (silent, "probe.slow"),
        (drip, "probe.slow"),
        (page, "probe.not_understood"),
        (endless, "probe.too_long"),
        (one_line, "probe.too_long"),
        (done_only, "probe.no_token"),
        (error_inside, "probe.failed"),
    ],
)
def test_no_broken_answer_becomes_a_time(
    serve: Serve, answer: Callable[[Handler, Script], None], message_id: str
) -> None:
    error = refused(serve(answer=answer), timeout_s=1, api="openai")
    assert error.message.id == message_id


def test_an_error_in_the_middle_of_ollamas_lines_is_its_own_words(serve: Serve) -> None:
    def answer(handler: Handler, _: Script) -> None:
        handler.begin("application/x-ndjson")
        handler.line({"error": "model 'm' not found, try pulling it first"})
        handler.end()

    error = refused(serve(kind="ollama", answer=answer))
    assert "model 'm' not found, try pulling it first" in say("en", error.message)


def test_nobody_listening_is_said_with_the_host() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        script = Script(url=f"http://127.0.0.1:{free.getsockname()[1]}")
    error = refused(script)
    assert error.message.id == "probe.no_connection"
    assert script.url.removeprefix("http://") in say("en", error.message)


@given(tokens=st.integers(1, 300), nonce=st.text("0123456789abcdef", min_size=16, max_size=16))
def test_a_prompt_starts_with_its_nonce_and_is_as_long_as_asked(tokens: int, nonce: str) -> None:
    text = prompt_of(tokens, nonce)
    assert text.startswith(f"{nonce} ")
    assert len(text.splitlines()[0].split()) == tokens + 1
    assert prompt_of(tokens, nonce) == text


@given(line=st.text(max_size=80))
@pytest.mark.parametrize("kind", [OpenAiReader, OllamaReader])
def test_any_line_is_taken_or_not_understood(
    kind: type[OpenAiReader] | type[OllamaReader], line: str
) -> None:
    reader = kind()
    try:
        reader.feed(line)
    except (NotUnderstood, Refused):
        assert not reader.finished
    assert reader.counts().prompt_tokens is None
