"""One session in the words of each harness's log: the same calls and results everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.guard.transcripts.records import NOON, stamp

Record = dict[str, Any]
THREAD = "01a22cb8-b2fe-7431-89e4-5069ad8d8acd"
CWD = "/home/u/project"


class Step(NamedTuple):
    """A call and what became of it; `tool` is the log's name. Without a tool a person speaks."""

    number: int
    second: float
    tool: str = ""
    arguments: Mapping[str, Any] = MappingProxyType({})
    said: str = "fine"
    failed: bool = False


def claude(steps: list[Step]) -> Iterator[Record]:
    common = {"sessionId": "s", "cwd": CWD, "isSidechain": False}
    for step in steps:
        here = {**common, "uuid": f"u{step.number}", "timestamp": stamp(step.second)}
        if not step.tool:
            yield {**here, "type": "user", "message": {"role": "user", "content": "Go."}}
            continue
        id = f"toolu_{step.number}"
        made = {"type": "tool_use", "id": id, "name": step.tool, "input": {**step.arguments}}
        message = {"role": "assistant", "id": f"msg_{step.number}", "model": "claude-opus-4-5"}
        yield {**here, "type": "assistant", "message": {**message, "content": [made]}}
        ended: Record = {"type": "tool_result", "tool_use_id": id, "content": step.said}
        ended["is_error"] = step.failed
        yield {**here, "type": "user", "message": {"role": "user", "content": [ended]}}


def codex(steps: list[Step]) -> Iterator[Record]:
    def line(step: Step, type: str, /, **payload: Any) -> Record:
        return {"timestamp": stamp(step.second), "type": type, "payload": payload}

    meta = {"id": THREAD, "cli_version": "0.171.0", "source": "cli", "cwd": CWD}
    yield {"timestamp": stamp(0), "type": "session_meta", "payload": meta}
    for step in steps:
        if not step.tool:
            yield line(step, "turn_context", turn_id=f"t{step.number}", model="gpt-5.5", cwd=CWD)
            yield line(step, "event_msg", type="user_message", message="Go.")
            continue
        namespace, _, name = step.tool.rpartition(".")
        id, arguments = f"call_{step.number}", json.dumps({**step.arguments})
        made = {"type": "function_call", "namespace": namespace, "name": name, "call_id": id}
        yield line(step, "response_item", **made, arguments=arguments)
        said = f"Process exited with code {int(step.failed)}\nOutput:\n{step.said}"
        yield line(step, "response_item", type="function_call_output", call_id=id, output=said)


def copilot(steps: list[Step], *, hooked: bool = True) -> Iterator[Record]:
    def line(step: Step, type: str, /, **data: Any) -> Record:
        id = f"e{step.number}"
        return {"type": type, "data": data, "id": id, "timestamp": stamp(step.second)}

    yield line(Step(0, 0), "session.start", sessionId="s", context={"cwd": CWD})
    for step in steps:
        if not step.tool:
            yield line(step, "user.message", content="Go.", messageId=f"m{step.number}")
            continue
        id = f"call_{step.number}"
        made = {"toolCallId": id, "toolName": step.tool, "arguments": {**step.arguments}}
        yield line(step, "tool.execution_start", **made)
        if hooked:
            call = {"id": id, "name": step.tool, "args": {**step.arguments}}
            put = {"sessionId": "s", "cwd": CWD, "toolCalls": [call]}
            yield line(step, "hook.start", hookType="preToolUse", input=put)
        ended: Record = {"success": True, "result": {"content": step.said}}
        if step.failed:
            ended = {"success": False, "error": {"message": step.said, "code": "failure"}}
        yield line(step, "tool.execution_complete", toolCallId=id, turnId=f"{step.number}", **ended)


def vscode(steps: list[Step]) -> Iterator[Record]:
    [started, *records] = copilot(steps, hooked=False)
    yield {**started, "data": {"sessionId": "s", "vscodeVersion": "1.139.1"}}
    for record in records:
        if record["type"] == "tool.execution_start":
            yield {**record, "type": "assistant.turn_start", "data": {}}
        yield record


def droid(steps: list[Step]) -> Iterator[Record]:
    def line(step: Step, role: str, block: Record) -> Record:
        message = {"role": role, "content": [block]}
        about = {"type": "message", "id": f"{role}{step.number}", "parentId": f"p{step.number}"}
        return {**about, "timestamp": stamp(step.second), "message": message}

    yield {"type": "session_start", "id": "s", "cwd": CWD}
    for step in steps:
        if not step.tool:
            yield line(step, "user", {"type": "text", "text": "Go."})
            continue
        id = f"toolu_{step.number}"
        made = {"type": "tool_use", "id": id, "name": step.tool, "input": {**step.arguments}}
        yield line(step, "assistant", made)
        ended = {"type": "tool_result", "tool_use_id": id, "content": step.said}
        yield line(step, "user", {**ended, "is_error": step.failed})


def gemini(steps: list[Step]) -> Iterator[Record]:
    yield {"sessionId": "s", "projectHash": "p", "startTime": stamp(0), "kind": "main"}
    for step in steps:
        here = {"id": f"m{step.number}", "timestamp": stamp(step.second)}
        if not step.tool:
            yield {**here, "type": "user", "content": [{"text": "Go."}]}
            continue
        said = {"functionResponse": {"response": {"output": step.said}}}
        status = "error" if step.failed else "success"
        call = {"id": f"c{step.number}", "name": step.tool, "args": {**step.arguments}}
        yield {
            **here,
            "type": "gemini",
            "toolCalls": [{**call, "status": status, "result": [said]}],
        }


def grok(steps: list[Step]) -> Iterator[Record]:
    def line(step: Step, kind: str, /, **update: Any) -> Record:
        moment = round((NOON + step.second) * 1000)
        about = {"eventId": f"e{step.number}", "agentTimestampMs": moment, "promptId": "p"}
        about |= {"streamStartMs": step.number + 1}
        params = {"sessionId": "s", "update": {"sessionUpdate": kind, **update}, "_meta": about}
        return {"timestamp": moment // 1000, "method": "session/update", "params": params}

    for step in steps:
        if not step.tool:
            yield line(step, "user_message_chunk", content={"type": "text", "text": "Go."})
            continue
        id = f"call_{step.number}"
        yield line(step, "tool_call", toolCallId=id, title=step.tool, rawInput={**step.arguments})
        status = "failed" if step.failed else "completed"
        content = [{"type": "content", "content": {"type": "text", "text": step.said}}]
        yield line(step, "tool_call_update", toolCallId=id, status=status, content=content)


def qwen(steps: list[Step]) -> Iterator[Record]:
    for step in steps:
        here = {"uuid": f"u{step.number}", "sessionId": "s", "timestamp": stamp(step.second)}
        here["cwd"] = CWD
        if not step.tool:
            yield {**here, "type": "user", "message": {"parts": [{"text": "Go."}]}}
            continue
        id = f"call_{step.number}"
        call = {"id": id, "name": step.tool, "args": {**step.arguments}}
        yield {**here, "type": "assistant", "message": {"parts": [{"functionCall": call}]}}
        said = {"functionResponse": {"response": {"output": step.said}}}
        ended = {"callId": id, "status": "error" if step.failed else "success"}
        message = {"parts": [said]}
        yield {**here, "type": "tool_result", "message": message, "toolCallResult": ended}


def antigravity(steps: list[Step]) -> Iterator[Record]:
    """A call is the step after the response that asks for it."""
    number = 0
    for step in steps:
        here = {"source": "MODEL", "created_at": stamp(step.second)}
        if not step.tool:
            yield {"step_index": number, **here, "source": "USER_EXPLICIT", "type": "USER_INPUT"}
            number += 1
            continue
        calls = [{"name": step.tool, "args": {**step.arguments}}]
        made = {"type": "PLANNER_RESPONSE", "tool_calls": calls}
        yield {"step_index": number, **here, **made}
        ended = {"type": "RUN_COMMAND", "content": step.said, "exit_code": int(step.failed)}
        yield {"step_index": number + 1, **here, **ended}
        number += 2


class Writer(NamedTuple):
    """How a harness writes: its file, what a shell, waiting and so on are called in it, and an argument
    of a shell that does not count.
    """

    records: Callable[[list[Step]], Iterator[Record]]
    file: str
    shell: str
    command: str = "command"
    ignored: str = "description"
    waiting: str = ""
    spawn: str = ""
    web: str = ""
    repeated: str = "loop.same_result"  # the rule that repeats of one call trip

    def write(self, folder: Path, steps: list[Step]) -> Path:
        path = folder / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(record, separators=(",", ":")) for record in self.records(steps))
        path.write_text("".join(line + "\n" for line in lines))
        return path


DAY = "2026/11/30"
WRITERS = {
    "antigravity": Writer(
        antigravity,
        "b9e8/.system_generated/logs/transcript_full.jsonl",
        "run_command",
        "CommandLine",
        ignored="toolSummary",
        waiting="command_status",
        spawn="invoke_subagent",
        web="search_web",
    ),
    "claude": Writer(claude, "s.jsonl", "Bash", spawn="Agent", web="WebSearch"),
    "codex": Writer(
        codex,
        f"{DAY}/rollout-2026-11-30T12-00-00-{THREAD}.jsonl",
        "exec_command",
        "cmd",
        waiting="multi_agent_v1.wait_agent",
        spawn="multi_agent_v1.spawn_agent",
    ),
    "copilot": Writer(
        copilot, "events.jsonl", "bash", waiting="read_bash", spawn="task", web="web_fetch"
    ),
    "vscode": Writer(
        vscode,
        "s.jsonl",
        "run_in_terminal",
        ignored="explanation",
        waiting="get_terminal_output",
        spawn="runSubagent",
        web="fetch_webpage",
        repeated="loop.same_call",  # no result is told
    ),
    "droid": Writer(
        droid,
        "s.jsonl",
        "Execute",
        ignored="summary",
        waiting="TaskOutput",
        spawn="Task",
        web="FetchUrl",
    ),
    "gemini": Writer(
        gemini,
        "session-1.jsonl",
        "run_shell_command",
        waiting="read_background_output",
        spawn="invoke_agent",
        web="web_fetch",
    ),
    "grok": Writer(
        grok,
        "s/updates.jsonl",
        "run_terminal_command",
        waiting="get_command_or_subagent_output",
        spawn="spawn_subagent",
        web="web_search",
    ),
    "qwen": Writer(
        qwen,
        "chats/s.jsonl",
        "run_shell_command",
        waiting="list_agents",
        spawn="agent",
        web="web_fetch",
    ),
}
