from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from runaway.installer.drill.messages_server import MessagesServer
from runaway.installer.drill.scripts import DONE, looping
from runaway.installer.drill.server import ApiError, Reply, Request, Text, ToolUse, Usage

ASK = {"model": "claude-x", "stream": True, "messages": []}
CALL = ToolUse("Bash", {"command": "echo é"})


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.type = response.headers["content-type"]
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[dict[str, Any]]:
        return list(self._events())

    def _events(self) -> Iterator[dict[str, Any]]:
        for frame in self.body.decode().removesuffix("\n\n").split("\n\n"):
            name, data = frame.split("\n")
            event = json.loads(data.removeprefix("data: "))
            assert name == f"event: {event['type']}"
            yield event


def ask(
    server: MessagesServer,
    body: object = ASK,
    *,
    method: str = "POST",
    path: str = "/v1/messages?beta=true",
    agent: str = "",
) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    headers = {"X-Claude-Code-Agent-Id": agent} if agent else {}
    connection.request(method, path, json.dumps(body), headers)
    try:
        return Answer(connection.getresponse())
    finally:
        connection.close()


def test_an_answer_is_streamed_event_by_event() -> None:
    reply = Reply((Text("One moment."), CALL), model="claude-y")
    with MessagesServer(lambda _: reply) as server:
        answer = ask(server)
    assert (answer.status, answer.type) == (200, "text/event-stream")
    assert [event["type"] for event in answer.events] == [
        "message_start",
        *("content_block_start", "content_block_delta", "content_block_stop") * 2,
        "message_delta",
        "message_stop",
    ]
    start = answer.events[0]["message"]
    assert (start["model"], start["content"], start["stop_reason"]) == ("claude-y", [], None)
    deltas = [event["delta"] for event in answer.events if event["type"] == "content_block_delta"]
    assert deltas[0] == {"type": "text_delta", "text": "One moment."}
    assert json.loads(deltas[1]["partial_json"]) == CALL.input
    assert answer.events[-2]["delta"]["stop_reason"] == "tool_use"


def test_without_streaming_the_answer_is_one_message() -> None:
    with MessagesServer(lambda _: DONE) as server:
        message = ask(server, ASK | {"stream": False}).json
    assert message["content"] == [{"type": "text", "text": "Done."}]
    assert (message["stop_reason"], message["model"]) == ("end_turn", "claude-x")


def test_the_usage_carries_all_that_has_a_price() -> None:
    usage = Usage(1, 2, 3, 4, 5, 6, "fast", "priority", "us")
    with MessagesServer(lambda _: DONE._replace(usage=usage)) as server:
        end = ask(server).events[-2]
    assert end["usage"] == {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 9,
        "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 5},
        "server_tool_use": {"web_search_requests": 6, "web_fetch_requests": 0},
        "speed": "fast",
        "service_tier": "priority",
        "inference_geo": "us",
    }


def test_ids_are_never_used_twice() -> None:
    with MessagesServer(looping(CALL, together=3)) as server:
        messages = [ask(server, ASK | {"stream": False}).json for _ in range(3)]
    calls = [block["id"] for message in messages for block in message["content"]]
    assert len({message["id"] for message in messages}) == 3
    assert len(set(calls)) == 9


def test_an_error_is_answered_as_the_api_does() -> None:
    with MessagesServer(lambda _: ApiError(529, "overloaded_error", "busy")) as server:
        answer = ask(server)
    assert answer.status == 529
    assert answer.json == {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "busy"},
    }


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("HEAD", "/", 200), ("GET", "/api/hello", 200), ("POST", "/v1/messages/count_tokens", 404)],
)
def test_what_does_not_ask_the_model_is_tolerated_and_not_counted(
    method: str, path: str, status: int
) -> None:
    with MessagesServer(lambda _: DONE) as server:
        assert ask(server, method=method, path=path).status == status
        assert server.requests == ()


def test_requests_are_numbered_in_all_and_by_agent() -> None:
    with MessagesServer(lambda _: DONE) as server:
        for agent in ("", "a1", "a1", ""):
            ask(server, agent=agent)
        numbers = [(request.number, request.round, request.agent) for request in server.requests]
    assert numbers == [(1, 1, ""), (2, 1, "a1"), (3, 2, "a1"), (4, 2, "")]
    assert server.requests[1].headers["x-claude-code-agent-id"] == "a1"
    assert server.requests[0].body == ASK


def test_no_request_is_lost_when_many_come_at_once() -> None:
    with MessagesServer(lambda _: DONE) as server, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ask(server), range(40)))
    assert [request.number for request in server.requests] == list(range(1, 41))
    assert [request.round for request in server.requests] == list(range(1, 41))


def test_a_loop_is_ended_after_the_permitted_number_of_requests() -> None:
    with MessagesServer(looping(CALL), max_requests=2) as server:
        reasons = [ask(server, ASK | {"stream": False}).json["stop_reason"] for _ in range(3)]
    assert reasons == ["tool_use", "tool_use", "end_turn"]
    assert server.exhausted


def test_a_loop_is_ended_after_the_permitted_time() -> None:
    with MessagesServer(looping(CALL), max_seconds=0) as server:
        assert ask(server, ASK | {"stream": False}).json["stop_reason"] == "end_turn"
    assert server.exhausted


def test_a_script_that_ends_by_itself_exhausts_nothing() -> None:
    with MessagesServer(looping(CALL, times=1), max_requests=2) as server:
        ask(server)
        ask(server)
    assert not server.exhausted


def test_a_faulty_script_ends_the_turn_and_is_heard_of_afterwards() -> None:
    def faulty(request: Request) -> Reply:
        raise LookupError("no such scene")

    with pytest.raises(LookupError, match="no such scene"), MessagesServer(faulty) as server:
        assert ask(server).events[-2]["delta"]["stop_reason"] == "end_turn"


def test_a_failing_test_is_not_hidden_by_a_faulty_script() -> None:
    def faulty(request: Request) -> Reply:
        raise LookupError

    def failing_test() -> None:
        with MessagesServer(faulty) as server:
            ask(server)
            raise AssertionError

    with pytest.raises(AssertionError):
        failing_test()


def test_nothing_listens_or_runs_after_the_block() -> None:
    with MessagesServer(lambda _: DONE) as server:
        ask(server)
    with pytest.raises(ConnectionRefusedError):
        ask(server)
    assert not any("serve_forever" in thread.name for thread in threading.enumerate())
