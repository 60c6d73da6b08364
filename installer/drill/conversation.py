"""What a model called and was told, by the conversations in its requests (Anthropic's Messages API)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .outcome import Call
from .server import Request


def calls(requests: tuple[Request, ...], refusal: str = "") -> tuple[Call, ...]:
    """Each request holds the conversation so far.

    A result that starts with `refusal` was denied; without one the results that are marked as errors
    have failed.
    """
    uses: dict[str, tuple[str, Mapping[str, Any]]] = {}
    results: dict[str, Mapping[str, Any]] = {}
    for request in requests:
        for block in _blocks(request):
            if block.get("type") == "tool_use":
                uses.setdefault(block["id"], (request.agent, block))
            elif block.get("type") == "tool_result":
                results[block["tool_use_id"]] = block
    return tuple(
        _call(block, agent, results.get(identity), refusal)
        for identity, (agent, block) in uses.items()
    )


def _call(
    block: Mapping[str, Any], agent: str, result: Mapping[str, Any] | None, refusal: str
) -> Call:
    told = None if result is None else _text(result.get("content"))
    marked = result is not None and bool(result.get("is_error"))
    failed = (told or "").startswith(refusal) if refusal else marked
    return Call(block["id"], block["name"], block["input"], agent, told, failed)


def _blocks(request: Request) -> Iterator[Mapping[str, Any]]:
    for message in request.body.get("messages", ()):
        content = message["content"]
        yield from content if isinstance(content, list) else ()


def _text(content: Any) -> str:
    """A text, or a list of blocks."""
    if isinstance(content, list):
        return "\n".join(block.get("text", "") for block in content)
    return str(content or "")
