"""The Gemini API in front of a script: `models/NAME:streamGenerateContent`.

The shapes are those of https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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

PATH = ":path"  # the header under which HTTP/2 has it too: the model stands there, not in the body


class GenerateServer(ModelServer):
    """`url` is what `GOOGLE_GEMINI_BASE_URL` wants.

    Only what is asked as a stream is told to the script: a harness asks for its titles and its checks
    without one.
    """

    def is_model_call(self, path: str) -> bool:
        return path.endswith(":streamGenerateContent")

    def agent(self, _: Mapping[str, str]) -> str:
        return ""

    def answer(self, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        return super().answer(path, {**headers, PATH: path}, body)

    def encode(self, request: Request, reply: Reply | ApiError) -> Response:
        if isinstance(reply, ApiError):
            error = {"code": reply.status, "status": reply.kind, "message": reply.message}
            return Response(reply.status, "application/json", json.dumps({"error": error}).encode())
        told = json.dumps(_response(reply, _asked_for(request.headers[PATH])))
        return Response(200, "text/event-stream", f"data: {told}\r\n\r\n".encode())


def _asked_for(path: str) -> str:
    """`/v1beta/models/gemini-x:streamGenerateContent` asks for `gemini-x`."""
    return path.rpartition("/")[2].partition(":")[0]


def _response(reply: Reply, asked_for: str) -> Json:
    candidate = {
        "content": {"role": "model", "parts": [_part(block) for block in reply.blocks]},
        "finishReason": "STOP",
        "index": 0,
    }
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(reply.usage),
        "modelVersion": reply.model or asked_for,
    }


def _part(block: Text | ToolUse) -> Json:
    if isinstance(block, Text):
        return {"text": block.text}
    return {"functionCall": {"name": block.name, "args": dict(block.input)}}


def _usage(usage: Usage) -> Json:
    """What goes in includes what was read from the cache."""
    going_in = usage.input + usage.cache_read
    return {
        "promptTokenCount": going_in,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": going_in + usage.output,
    }
