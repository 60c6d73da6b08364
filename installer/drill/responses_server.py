"""The OpenAI Responses API in front of a script.

The stream is that of https://platform.openai.com/docs/api-reference/responses-streaming.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .loopback import Response
from .server import (
    ApiError,
    ModelServer,
    Reply,
    Request,
    Text,
    ToolUse,
    Usage,
)

Json = dict[str, Any]

PLAIN = "functions"  # the namespace whose tools are called without it


class ResponsesServer(ModelServer):
    """`url` plus `/v1` is the `base_url` of a model provider."""

    def is_model_call(self, path: str) -> bool:
        return path == "/v1/responses"

    def agent(self, headers: Mapping[str, str]) -> str:
        """A subagent's thread; the main agent's is that of the session."""
        thread = headers.get("thread-id", "")
        return "" if thread == headers.get("session-id", "") else thread

    def encode(self, request: Request, reply: Reply | ApiError) -> Response:
        if isinstance(reply, ApiError):
            error = {"error": {"type": reply.kind, "message": reply.message}}
            return Response(reply.status, "application/json", json.dumps(error).encode())
        response = _response(reply, request.body)
        if not request.body.get("stream"):
            return Response(200, "application/json", json.dumps(response).encode())
        return Response(200, "text/event-stream", b"".join(map(_frame, _events(response))))


def _response(reply: Reply, asked: Mapping[str, Any]) -> Json:
    offered = dict(_offered(_tools(asked)))
    return {
        "id": _new_id("resp"),
        "object": "response",
        "model": reply.model or asked.get("model", ""),
        "status": "completed",
        "output": [_item(block, offered) for block in reply.blocks],
        "usage": _usage(reply.usage),
    }


def _tools(asked: Mapping[str, Any]) -> Iterator[Json]:
    """Newer models are told their tools by an item of the conversation."""
    yield from asked.get("tools", ())
    for item in asked.get("input", ()):
        if item.get("type") == "additional_tools":
            yield from item["tools"]


def _offered(tools: Iterable[Json], namespace: str = "") -> Iterator[tuple[str, tuple[str, str]]]:
    """Name of each tool -> its type and the namespace it is called with."""
    for tool in tools:
        if tool.get("type") == "namespace":
            name = "" if tool["name"] == PLAIN else tool["name"]
            yield from _offered(tool["tools"], name)
        elif "name" in tool:
            yield tool["name"], (tool["type"], namespace)


def _new_id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:24]}"


def _item(block: Text | ToolUse, offered: Mapping[str, tuple[str, str]]) -> Json:
    if isinstance(block, Text):
        text = {"type": "output_text", "text": block.text, "annotations": []}
        return {
            "type": "message",
            "id": _new_id("msg"),
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
    kind, namespace = offered.get(block.name, ("function", ""))
    call = {"id": _new_id("call"), "call_id": _new_id("call"), "name": block.name}
    if kind == "custom":
        return {"type": "custom_tool_call", **call, "input": block.input["input"]}
    call |= {"namespace": namespace} if namespace else {}
    return {"type": "function_call", **call, "arguments": json.dumps(block.input)}


def _usage(usage: Usage) -> Json:
    """Input includes what was read from the cache and written to it."""
    written = usage.cache_write_5m + usage.cache_write_1h
    total = usage.input + usage.cache_read + written
    return {
        "input_tokens": total,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": written},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": total + usage.output,
    }


def _events(response: Json) -> Iterator[Json]:
    """The stream of one response: empty at first, then item by item."""
    yield {
        "type": "response.created",
        "response": response | {"status": "in_progress", "output": []},
    }
    for index, item in enumerate(response["output"]):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


def _frame(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
