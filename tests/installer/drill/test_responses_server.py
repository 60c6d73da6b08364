"""The wire format of the Responses API; what all servers share is in test_messages_server.py."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from runaway.installer.drill.responses_server import ResponsesServer
from runaway.installer.drill.scripts import DONE
from runaway.installer.drill.server import ApiError, Reply, Text, ToolUse, Usage

PLAIN = {"type": "function", "name": "exec_command"}
CUSTOM = {"type": "custom", "name": "apply_patch"}
SPACED = {
    "type": "namespace",
    "name": "multi_agent_v1",
    "tools": [{**PLAIN, "name": "spawn_agent"}],
}
TOOLS = [PLAIN, CUSTOM, SPACED, {"type": "web_search"}]
ASK = {"model": "gpt-x", "stream": True, "input": [], "tools": TOOLS}


def ask(server: ResponsesServer, body: object = ASK, **headers: str) -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", "/v1/responses", json.dumps(body), named)
    try:
        response = connection.getresponse()
        return response.status, response.headers["content-type"], response.read()
    finally:
        connection.close()


def events(body: bytes) -> list[dict[str, Any]]:
    found = []
    for frame in body.decode().removesuffix("\n\n").split("\n\n"):
        name, data = frame.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        found.append(event)
    return found


def test_an_answer_is_streamed_item_by_item() -> None:
    reply = Reply((Text("One moment."), ToolUse("exec_command", {"cmd": "echo é"})), model="gpt-y")
    with ResponsesServer(lambda _: reply) as server:
        status, kind, body = ask(server)
    assert (status, kind) == (200, "text/event-stream")
    stream = events(body)
    assert [event["type"] for event in stream] == [
        "response.created",
        *("response.output_item.added", "response.output_item.done") * 2,
        "response.completed",
    ]
    assert stream[0]["response"]["output"] == []
    message, call = (event["item"] for event in stream if event["type"].endswith("done"))
    assert message["content"][0]["text"] == "One moment."
    assert (call["type"], call["name"]) == ("function_call", "exec_command")
    assert json.loads(call["arguments"]) == {"cmd": "echo é"}
    assert "namespace" not in call
    final = stream[-1]["response"]
    assert (final["model"], final["status"], len(final["output"])) == ("gpt-y", "completed", 2)


def test_without_streaming_the_answer_is_one_object() -> None:
    with ResponsesServer(lambda _: DONE) as server:
        _, kind, body = ask(server, ASK | {"stream": False})
    assert kind == "application/json"
    assert json.loads(body)["model"] == "gpt-x"


def call_of(tool: ToolUse, body: dict[str, Any] = ASK) -> dict[str, Any]:
    with ResponsesServer(lambda _: Reply((tool,))) as server:
        answer: dict[str, Any] = json.loads(ask(server, body | {"stream": False})[2])
    [item] = answer["output"]
    assert isinstance(item, dict)
    return item


def test_a_tool_is_called_as_it_was_offered() -> None:
    patch = call_of(ToolUse("apply_patch", {"input": "*** Begin Patch"}))
    assert (patch["type"], patch["input"]) == ("custom_tool_call", "*** Begin Patch")
    spawned = call_of(ToolUse("spawn_agent", {}))
    assert (spawned["type"], spawned["namespace"]) == ("function_call", "multi_agent_v1")


def test_tools_that_the_conversation_offers_count_too() -> None:
    functions = {"type": "namespace", "name": "functions", "tools": [{**CUSTOM, "name": "exec"}]}
    offered = {"type": "additional_tools", "tools": [functions, SPACED]}
    body = {"model": "gpt-x", "input": [{"type": "message"}, offered]}
    assert call_of(ToolUse("exec", {"input": "1"}), body)["type"] == "custom_tool_call"
    assert call_of(ToolUse("spawn_agent", {}), body)["namespace"] == "multi_agent_v1"
    assert call_of(ToolUse("never_offered", {}), body)["type"] == "function_call"


def test_what_went_in_includes_the_cache() -> None:
    reply = Reply((), Usage(input=10, output=5, cache_read=100, cache_write_5m=7))
    with ResponsesServer(lambda _: reply) as server:
        usage = json.loads(ask(server, ASK | {"stream": False})[2])["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (117, 5, 122)
    assert usage["input_tokens_details"] == {"cached_tokens": 100, "cache_write_tokens": 7}


def test_no_two_responses_have_the_same_id() -> None:
    with ResponsesServer(lambda _: DONE) as server:
        ids = [events(ask(server)[2])[-1]["response"]["id"] for _ in range(3)]
    assert len(set(ids)) == 3


def test_an_error_is_told_in_the_vendors_shape() -> None:
    with ResponsesServer(lambda _: ApiError(429, "rate_limit_exceeded", "slow down")) as server:
        status, _, body = ask(server)
    assert status == 429
    assert json.loads(body)["error"] == {"type": "rate_limit_exceeded", "message": "slow down"}


@pytest.mark.parametrize(
    ("headers", "agent"),
    [
        ({}, ""),
        ({"session_id": "a", "thread_id": "a"}, ""),
        ({"session_id": "a", "thread_id": "b"}, "b"),
    ],
)
def test_a_subagent_is_a_thread_that_is_not_the_session(
    headers: dict[str, str], agent: str
) -> None:
    with ResponsesServer(lambda _: DONE) as server:
        ask(server, **headers)
    assert [request.agent for request in server.requests] == [agent]
