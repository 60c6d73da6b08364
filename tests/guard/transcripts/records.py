"""Lines as the harnesses write them, for what no recorded session shows; and what they must cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runaway.guard.prices import cost
from runaway.guard.usage import Usage

GOLDEN = Path(__file__).parent / "golden"
CLAUDE = GOLDEN / "claude"
CODEX = GOLDEN / "codex"
GEMINI = GOLDEN / "gemini"
COPILOT = GOLDEN / "copilot"
QWEN = GOLDEN / "qwen"
DROID = GOLDEN / "droid"
GROK = GOLDEN / "grok"
VSCODE = GOLDEN / "vscode/plain"

MODEL = "claude-opus-5-5"  # 4 dollars per million tokens in, 20 out
Record = dict[str, Any]


def price(model: str, usage: Usage, when: float) -> float:
    return cost(model, usage, when)[0]


def line(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def stamp(second: float) -> str:
    return f"2026-11-30T12:{int(second) // 60:02}:{second % 60:06.3f}Z"


NOON = 1796040000.0  # stamp(0)


def assistant(
    identity: str, output: int, *, second: float = 0, content: Any = (), **fields: Any
) -> bytes:
    """One record of a response: 1,000 tokens in, `output` out."""
    usage = {"input_tokens": 1000, "output_tokens": output}
    message = {
        "id": identity,
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(content),
        "usage": usage,
    }
    record = {"type": "assistant", "timestamp": stamp(second), "sessionId": "s", "cwd": "/home/u"}
    return line({"message": message, **record, **fields})


def dollars(*outputs: int) -> float:
    """What responses with so many tokens out cost."""
    return sum(1000 * 4 + output * 20 for output in outputs) / 1e6


def call(identity: str, tool: str = "Bash", **arguments: Any) -> Record:
    return {"type": "tool_use", "id": identity, "name": tool, "input": arguments}


def result(
    identity: str, said: Any, *, second: float = 0, error: bool = False, **fields: Any
) -> bytes:
    block = {"type": "tool_result", "tool_use_id": identity, "content": said, "is_error": error}
    message = {"role": "user", "content": [block]}
    return line({"type": "user", "message": message, "timestamp": stamp(second), **fields})


def prompt(said: Any, *, second: float = 0, **fields: Any) -> bytes:
    message = {"role": "user", "content": said}
    return line({"type": "user", "message": message, "timestamp": stamp(second), **fields})


def cost_state(total: float, **fields: Any) -> bytes:
    return line({"type": "cost-state", "totalCostUSD": total, "modelUsage": {}, **fields})


def rollout(kind: str, second: float = 0, **payload: Any) -> bytes:
    return line({"timestamp": stamp(second), "type": kind, "payload": payload})


def session_meta(
    thread: str, session: str | None = None, version: str = "0.171.0", **more: Any
) -> bytes:
    if session:
        more["session_id"] = session
    return rollout("session_meta", id=thread, cli_version=version, **more)


def turn(identity: str, model: str = "gpt-5.5") -> bytes:
    return rollout("turn_context", turn_id=identity, model=model, cwd="/home/u")


def tokens(into: int, cached: int = 0, written: int = 0, out: int = 0) -> Record:
    return {
        "input_tokens": into,
        "cached_input_tokens": cached,
        "cache_write_input_tokens": written,
        "output_tokens": out,
        "total_tokens": into + out,
    }


def token_count(total: Record | None, last: Record | None = None) -> bytes:
    info = total and {"total_token_usage": total, "last_token_usage": last or total}
    return rollout("event_msg", type="token_count", info=info)


def token_record(thread: str, response: str, usage: Record) -> bytes:
    return rollout("token_usage_record", thread_id=thread, response_id=response, usage=usage)


def plain(event: tuple[Any, ...]) -> list[Any]:
    """An event as values that can be compared."""
    return [
        [getattr(item, name) for name in Usage.__slots__] if isinstance(item, Usage) else item
        for item in event
    ]
