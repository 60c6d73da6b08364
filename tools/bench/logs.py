"""Transcripts as Claude Code writes them, the payloads that name them, and what parsing them costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import runaway.guard

MB = 1 << 20
SOURCES = sorted(Path(runaway.guard.__file__).parent.glob("*.py"))
TEXT = "".join(path.read_text(encoding="utf-8") for path in SOURCES)  # what agents read and write

# One turn after the other, in the proportions of 400 recorded sessions: of their bytes 26 % are
# responses (2 kB each), 63 % results (9 kB each), the rest other records (0.9 kB each).
STEP = ("response", "response", "result", "other")


def line(number: int, session: str = "") -> bytes:
    """The number-th record of a transcript as Claude Code writes them."""
    kind = STEP[number % len(STEP)]
    record: dict[str, Any] = {"timestamp": "2026-11-30T10:00:00Z"}
    if session:
        record |= {"sessionId": session, "uuid": f"{session}-{number}"}
    if kind == "response":
        usage = {"input_tokens": 10, "cache_read_input_tokens": 1000, "output_tokens": 5}
        text = {"type": "text", "text": _text(number, 1700)}
        message = {
            "model": "claude-opus-5-5",
            "id": f"msg_{session}{number}",
            "content": [text, _call(f"t{session}{number + 1}", number)][: number % len(STEP) + 1],
            "usage": usage,
        }
        record |= {"type": "assistant", "message": message}
    elif kind == "result":
        output = _text(number, 4200)
        result = {"type": "tool_result", "tool_use_id": f"t{session}{number}", "content": output}
        told = {"stdout": output, "stderr": "", "interrupted": False}
        record |= {"type": "user", "message": {"content": [result]}, "toolUseResult": told}
    else:
        record |= {"type": "attachment", "attachment": _text(number, 800)}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _call(id: str, number: int) -> dict[str, Any]:
    command = {"command": f"cat part{number}.py", "description": "read the next part"}
    return {"type": "tool_use", "id": id, "name": "Bash", "input": command}


def _text(number: int, size: int) -> str:
    """Another part of the sources for each record."""
    start = number * 977 % (len(TEXT) - size)
    return TEXT[start : start + size]


def payload(session: str, number: int, transcript: Path | str = "", same: bool = False) -> bytes:
    call = {
        "session_id": session,
        "transcript_path": str(transcript),
        "cwd": "/home/u/project",
        "prompt_id": "p",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"echo {0 if same else number}", "description": "say it"},
        "tool_use_id": f"toolu_{number}",
    }
    return json.dumps(call).encode()


def write(path: Path, size: int, session: str = "") -> Path:
    """A transcript of `size` bytes: one block over and over, or for replay (`session`) ever new calls."""
    block = b"".join(line(number) for number in range(256))
    with path.open("wb") as file:
        for turn in range(max(1, size // len(block))):
            numbers = range(turn * 256, turn * 256 + 256) if session else ()
            file.write(b"".join(line(number, session) for number in numbers) or block)
    return path


def json_pass(paths: Iterable[Path], clock: Callable[[], float]) -> float:
    """Seconds of this clock that `json.loads` needs for all lines."""
    begun = clock()
    for path in paths:
        with path.open("rb") as file:
            for one in file:
                json.loads(one)
    return clock() - begun
