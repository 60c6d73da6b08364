"""The wire format of the Gemini API; what all servers share is in test_messages_server.py."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from runaway.installer.drill.generate_server import GenerateServer
from runaway.installer.drill.server import ApiError, Reply, Text, ToolUse, Usage

STREAM = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"


def ask(server: GenerateServer, path: str = STREAM) -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    connection.request("POST", path, json.dumps({"contents": []}))
    try:
        response = connection.getresponse()
        return response.status, response.headers["content-type"], response.read()
    finally:
        connection.close()


def told(body: bytes) -> dict[str, Any]:
    """The only event of a stream."""
    text = body.decode()
    assert text.startswith("data: ")
    assert text.endswith("\r\n\r\n")
    event = json.loads(text[6:])
    assert isinstance(event, dict)
    return event


def test_an_answer_is_a_stream_of_one_event() -> None:
    reply = Reply((Text("One moment."), ToolUse("glob", {"pattern": "é"})))
    with GenerateServer(lambda _: reply) as server:
        status, kind, body = ask(server)
    assert (status, kind) == (200, "text/event-stream")
    event = told(body)
    [candidate] = event["candidates"]
    assert candidate["content"]["parts"] == [
        {"text": "One moment."},
        {"functionCall": {"name": "glob", "args": {"pattern": "é"}}},
    ]
    assert (candidate["finishReason"], event["modelVersion"]) == ("STOP", "gemini-x")


def test_what_goes_in_includes_what_was_read_from_the_cache() -> None:
    reply = Reply((Text("x"),), Usage(input=800, output=50, cache_read=200), "gemini-y")
    with GenerateServer(lambda _: reply) as server:
        event = told(ask(server)[2])
    assert event["modelVersion"] == "gemini-y"
    assert event["usageMetadata"] == {
        "promptTokenCount": 1000,
        "cachedContentTokenCount": 200,
        "candidatesTokenCount": 50,
        "totalTokenCount": 1050,
    }


def test_an_error_has_the_shape_of_googles() -> None:
    with GenerateServer(lambda _: ApiError(429, "RESOURCE_EXHAUSTED")) as server:
        status, kind, body = ask(server)
    assert (status, kind) == (429, "application/json")
    assert json.loads(body)["error"]["status"] == "RESOURCE_EXHAUSTED"


def test_what_is_asked_without_a_stream_is_none_of_the_scripts_business() -> None:
    with GenerateServer(lambda _: Reply((Text("x"),))) as server:
        assert ask(server, "/v1beta/models/gemini-x:generateContent")[0] == 404
        assert not server.requests
