"""What a model called and was told, by the conversations in its requests (Anthropic's Messages API)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runaway.installer.drill.outcome import Call
from runaway.installer.drill.server import Request


def calls(requests: tuple[Request, ...], refusal: str) -> tuple[Call, ...]:
    """Each request holds the conversation so far; a result that starts with `refusal` was denied."""
    uses: dict[str, Mapping[str, Any]] = {}
    results: dict[str, str] = {}
    for request in requests:
        for block in _blocks(request):
            if block.get("type") == "tool_use":
                uses.setdefault(block["id"], block)
            elif block.get("type") == "tool_result":
                results[block["tool_use_id"]] = _text(block.get("content"))
    return tuple(_call(block, results.get(identity), refusal) for identity, block in uses.items())


def _call(block: Mapping[str, Any], result: str | None, refusal: str) -> Call:
    failed = (result or "").startswith(refusal)
    return Call(block["id"], block["name"], block["input"], "", result, failed)


def _blocks(request: Request) -> Iterator[Mapping[str, Any]]:
    for message in request.body.get("messages", ()):
        content = message["content"]
        yield from content if isinstance(content, list) else ()


def _text(content: Any) -> str:
    """A text, or a list of blocks."""
    if isinstance(content, list):
        return "\n".join(block.get("text", "") for block in content)
    return str(content or "")
