"""What a hook tells the guard while a session runs, out of the log: it may be older than the hook.

Gemini CLI's and Qwen Code's prompts, and Copilot CLI's calls, which it logs as put to hooks only where
there are some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from ....guard.transcripts import CALL, PROMPT
from ....guard.transcripts.copilot import TOOLS
from .lines import Record, members, objects, parsed, seconds, text_of

Told: TypeAlias = Iterator[tuple[Any, ...]]
Events: TypeAlias = Callable[[Iterable[bytes], Record], Told]

HEAD = 2048  # bytes of a line in which its type stands
# What Gemini CLI itself writes as the user; results of tools stand there too, without any text.
HARNESS_TEXTS = ("<session_context>", "System: Potential loop detected", "Please continue.")


def completed(harness: str, read: Events) -> Events:
    """The reader of this harness, which tells all of it; what it tells twice has the same id."""
    if harness not in UNHOOKED:
        return read
    words, unhooked = UNHOOKED[harness]

    def events(lines: Iterable[bytes], memory: Record) -> Told:
        for line in lines:
            if any(word in line[:HEAD] for word in words):
                yield from unhooked(members(parsed(line)), memory)
            yield from read((line,), memory)

    return events


def _gemini(record: Record, _: Record) -> Told:
    said = text_of(record.get("content")).lstrip()
    if record.get("type") == "user" and said and not said.startswith(HARNESS_TEXTS):
        yield PROMPT, seconds(record.get("timestamp")), str(record.get("id", "")), True


def _qwen(record: Record, _: Record) -> Told:
    """Other programs write as the user too; subagents are told their task in the same way."""
    said = any(part.get("text") for part in objects(members(record.get("message")).get("parts")))
    human = record.get("provenance", "real_user") == "real_user" and not record.get("isSidechain")
    if record.get("type") == "user" and said and human:
        yield PROMPT, seconds(record.get("timestamp")), str(record.get("uuid", "")), True


def _copilot(record: Record, memory: Record) -> Told:
    """Until the first call that was put to a hook; then what was not is one that none will see."""
    data = members(record.get("data"))
    memory["hooked"] = memory.get("hooked") or data.get("hookType") == "preToolUse"
    if record.get("type") == "session.start":
        memory["cwd"] = str(members(data.get("context")).get("cwd", ""))
    if record.get("type") == "tool.execution_start" and not memory["hooked"]:
        memory["agent"] = str(record.get("agentId") or "")
        name, id = str(data.get("toolName", "")), str(data.get("toolCallId", ""))
        tool, cwd = TOOLS.get(name, name), memory.get("cwd", "")
        yield CALL, seconds(record.get("timestamp")), id, tool, data.get("arguments"), "", cwd


# The words that tell a line, and what reads it.
UNHOOKED: dict[str, tuple[tuple[bytes, ...], Callable[[Record, Record], Told]]] = {
    "gemini": ((b'"user"',), _gemini),
    "qwen": ((b'"user"',), _qwen),
    "copilot": ((b'"session.start"', b'"tool.execution_start"', b'"hook.start"'), _copilot),
}
