"""The Anthropic Messages API in front of a script.

The stream is that of https://docs.claude.com/en/api/messages-streaming.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
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


class MessagesServer(ModelServer):
    """`url` is what `ANTHROPIC_BASE_URL` wants."""

    def is_model_call(self, path: str) -> bool:
        return path == "/v1/messages"

    def agent(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-claude-code-agent-id", "")

    def encode(self, request: Request, reply: Reply | ApiError) -> Response:
        if isinstance(reply, ApiError):
            error = {"type": "error", "error": {"type": reply.kind, "message": reply.message}}
            return Response(reply.status, "application/json", json.dumps(error).encode())
        message = _message(reply, request.body.get("model", ""))
        if not request.body.get("stream"):
            return Response(200, "application/json", json.dumps(message).encode())
        return Response(200, "text/event-stream", b"".join(map(_frame, _events(message))))


def _message(reply: Reply, asked_for: str) -> Json:
    calls = any(isinstance(block, ToolUse) for block in reply.blocks)
    return {
        "id": _new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": reply.model or asked_for,
        "content": [_block(block) for block in reply.blocks],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": _usage(reply.usage),
    }


def _new_id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:24]}"


def _block(block: Text | ToolUse) -> Json:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    return {
        "type": "tool_use",
        "id": _new_id("toolu"),
        "name": block.name,
        "input": dict(block.input),
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write_5m + usage.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_5m,
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
        },
        "server_tool_use": {"web_search_requests": usage.web_searches, "web_fetch_requests": 0},
        "service_tier": usage.service_tier,
        "speed": usage.speed,
        "inference_geo": usage.inference_geo,
    }


def _events(message: Json) -> Iterator[Json]:
    """The stream of one message: empty at first, then filled block by block."""
    usage = message["usage"] | {"output_tokens": 1}
    start = message | {"content": [], "stop_reason": None, "usage": usage}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _block_events(index: int, block: Json) -> Iterator[Json]:
    if block["type"] == "text":
        empty = block | {"text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        empty = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _frame(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
