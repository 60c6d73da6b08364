"""Rollouts of Codex CLI: https://github.com/openai/codex/tree/main/codex-rs/rollout

`<sessions>/YYYY/MM/DD/rollout-<local time>-<thread>.jsonl`, one file per thread; the threads of a
session name it in their first line.
"""

from __future__ import annotations

from ..fastjson import loads
from ..usage import Usage
from . import CALL, FAILED, NEUTRAL, OK, PROMPT, RESULT, USAGE
from .codex_files import files, owner
from .codex_outputs import has_failed, held_back
from .digests import result_digest
from .records import (
    command_failed,
    compacted,
    content_text,
    count,
    kind_of,
    mapping,
    parse,
    safely,
    seconds,
    text,
    work,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..state import Event, Json, ReaderState

    Kind = Callable[[Json, float, ReaderState], list[Event]]

__all__ = ["events", "files", "owner"]

HEAD = 400  # bytes of a line in which its type and that of its payload stand
UUID_LENGTH = 36
RECORDS_SINCE = (0, 171)  # writes token_usage_record; sums before it are differences of token_count
ITEMS_REMEMBERED = (
    8  # calls whose result came as item_completed, so that their output does not count again
)

NO_HOOK = frozenset(("write_stdin", "exec", "wait", "web_search", "tool_search"))
SHELLS = frozenset(("exec_command", "shell", "shell_command", "container.exec"))
GLUED_AWAY = frozenset(("multi_agent_v1",))  # every other namespace stands before the tool's name


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; `memory` keeps the thread, its model and turn, and the base of running totals."""
    kinds = USAGE_ONLY if usage_only else ALL
    for line in lines:
        kind = kind_of(line[:HEAD], kinds)
        if kind is None:
            continue
        record = parse(line)
        payload = mapping(record.get("payload"))
        if payload:
            yield from safely(kind, payload, _time(record, memory), memory)


def _time(record: Json, memory: ReaderState) -> float:
    time = seconds(record.get("timestamp")) or memory.get("time", 0.0)
    memory["time"] = time
    return time


def _session_meta(payload: Json, _: float, memory: ReaderState) -> list[Event]:
    """Note whose file this is. Only the first record counts: a forked thread holds its parent's too."""
    if "thread" not in memory:
        memory["thread"] = text(payload.get("id"))
        spawned = "subagent" in mapping(payload.get("source"))
        memory["sub"] = spawned or payload.get("thread_source") == "subagent"
        memory["records"] = _version(text(payload.get("cli_version"))) >= RECORDS_SINCE
    return []


def _version(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts if part.isdecimal())


def _started(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    memory["unspoken"] = True
    return _turn(payload, time, memory)


def _turn(payload: Json, _: float, memory: ReaderState) -> list[Event]:
    """Note the turn. One older than its thread was copied from the parent: ids begin with the time."""
    turn, thread = text(payload.get("turn_id")), memory.get("thread", "")
    if turn:
        memory["turn"] = turn
        memory["copied"] = len(turn) == len(thread) == UUID_LENGTH and turn < thread
    for name in ("model", "cwd"):
        if text(payload.get(name)):
            memory[name] = text(payload.get(name))
    return []


def _foreign(payload: Json, memory: ReaderState) -> bool:
    thread = memory.get("thread")
    return bool(thread) and payload.get("thread_id", thread) != thread


def _token_usage_record(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    memory["records"] = True
    if _foreign(payload, memory):
        return []
    tier = text(payload.get("service_tier")) or memory.get("tier", "")
    usage = _usage(_counts(payload.get("usage")), tier)
    return [(USAGE, time, text(payload.get("response_id")), memory.get("model", ""), usage, False)]


def _token_count(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return what the thread's running totals grew by; a fork's begin with the total of its parent."""
    info = mapping(payload.get("info"))
    total = _counts(info.get("total_token_usage"))
    if memory.get("records") or not any(total):
        return []
    base = memory.get("base")
    if base is None:
        last = _counts(info.get("last_token_usage"))
        base = [max(0, t - part) for t, part in zip(total, last)]
    memory["base"] = total
    step = [t - b for t, b in zip(total, base)]
    if memory.get("copied") or min(step) < 0 or not any(step):
        return []
    return [(USAGE, time, "", memory.get("model", ""), _usage(step, memory.get("tier", "")), False)]


def _counts(usage: object) -> list[int]:
    usage = mapping(usage)
    return [
        count(usage.get("input_tokens")),
        count(usage.get("cached_input_tokens")),
        count(usage.get("cache_write_input_tokens")),
        count(usage.get("output_tokens")),
    ]


def _settings(payload: Json, _: float, memory: ReaderState) -> list[Event]:
    """Note the service tier (`priority` for Codex's own `fast`), which multiplies the price."""
    memory["tier"] = text(mapping(payload.get("thread_settings")).get("service_tier"))
    return []


def _usage(counts: list[int], tier: str) -> Usage:
    """Map the counts: Codex's input includes what was read from and written to the cache."""
    total, read, written, output = counts
    fresh = max(0, total - read - written)
    return Usage(fresh, output, cache_read=read, cache_write_5m=written, speed=tier)


def _item_completed(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    item = mapping(payload.get("item"))
    kind, status = item.get("type"), item.get("status")
    if _foreign(payload, memory):
        return []
    if kind == "UserMessage":
        return _prompt(payload, time, memory)
    if kind == "CommandExecution":
        result_text = text(item.get("aggregated_output"))
        failed = command_failed(item.get("exit_code"), result_text)
    elif kind == "McpToolCall":
        result = mapping(item.get("result"))
        result_text, failed = content_text(result.get("content")), result.get("isError") is True
    elif kind == "FileChange":
        result_text, failed = text(item.get("stdout")) + text(item.get("stderr")), False
    else:
        return []
    failed = failed or (status == "failed" and not isinstance(item.get("exit_code"), int))
    outcome = FAILED if failed else OK
    if status == "declined":
        outcome = held_back(result_text) or NEUTRAL
    call = text(item.get("id"))
    if not call.startswith("exec-"):
        memory["items"] = [*memory.get("items", []), call][-ITEMS_REMEMBERED:]
    result_of: Event = (
        RESULT,
        time,
        call,
        outcome,
        result_digest(failed, result_text),
        _round(memory),
        False,
    )
    return [*_nested(item, call, time, memory), result_of]


def _nested(item: Json, call: str, time: float, memory: ReaderState) -> list[Event]:
    """Return the call of a code mode script, which stands nowhere else.

    A hook is told the folder of the session, not that of the command, and of a patch its text, which
    is not in the log: equal changes stand for equal patches.
    """
    if not call.startswith("exec-"):
        return []
    tool = "Bash"
    arguments: Json = {"command": _command(item.get("command"))}
    if item.get("type") == "FileChange":
        tool, arguments = "apply_patch", {"changes": item.get("changes")}
    elif item.get("type") == "McpToolCall":
        tool = f"mcp__{text(item.get('server'))}__{text(item.get('tool'))}"
        arguments = mapping(item.get("arguments"))
    return [(CALL, time, call, tool, arguments, _round(memory), memory.get("cwd", ""))]


def _prompt(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return the prompt of a person; subagents get their task in the same way, so theirs is none."""
    memory["unspoken"] = False
    return _told(text(payload.get("turn_id")) or memory.get("turn", ""), time, memory, True)


def _goes_on(_payload: Json, time: float, memory: ReaderState) -> list[Event]:
    """Return what a Stop hook goes on with, in the same turn."""
    return _told(memory.get("turn", ""), time, memory, False)


def _compacted(_payload: Json, time: float, memory: ReaderState) -> list[Event]:
    return [] if memory.get("sub") or memory.get("copied") else compacted(memory, time)


def _told(turn: str, time: float, memory: ReaderState, human: bool) -> list[Event]:
    if memory.get("sub") or memory.get("copied"):
        return []
    return [(PROMPT, time, turn, human)]


def _call(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    if memory.get("copied"):
        return []
    if memory.pop("answered", True):  # all calls of one response stand together, before any output
        memory["round"] = int(memory.get("round", 0)) + 1
    memory["answered"] = False
    return [*_unasked(time, memory), *_made(payload, time, memory)]


def _unasked(time: float, memory: ReaderState) -> list[Event]:
    """Return the start of a turn in which nobody has spoken before its first call: of a goal, say."""
    unspoken = memory.pop("unspoken", False)
    return _told(memory.get("turn", ""), time, memory, False) if unspoken else []


def _made(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    work(memory)
    name, namespace = text(payload.get("name")), text(payload.get("namespace"))
    if name in NO_HOOK:
        return []
    tool, arguments = _words_of_the_hook(name, payload)
    if namespace not in GLUED_AWAY:
        tool = namespace + tool
    call = text(payload.get("call_id"))
    return [(CALL, time, call, tool, arguments, _round(memory), memory.get("cwd", ""))]


def _words_of_the_hook(name: str, payload: Json) -> tuple[str, object]:
    if payload.get("type") == "local_shell_call":
        return "Bash", {"command": _command(mapping(payload.get("action")).get("command"))}
    if payload.get("type") == "custom_tool_call":
        return name, {"command": payload.get("input")}
    arguments = payload.get("arguments")
    try:
        arguments = loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return name, arguments
    if name in SHELLS and isinstance(arguments, dict):
        return "Bash", {"command": _command(arguments.get("cmd", arguments.get("command")))}
    return name, arguments


def _command(command: object) -> str:
    """Return the command line: `["bash", "-lc", "make"]` is `make`."""
    if isinstance(command, list):
        words = [text(word) for word in command]
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return text(command)


def _output(payload: Json, time: float, memory: ReaderState) -> list[Event]:
    memory["answered"] = True
    call = text(payload.get("call_id"))
    if call in memory.get("items", ()):
        memory["items"].remove(call)
        return []
    if memory.get("copied"):
        return []
    output = payload.get("output")
    result_text = content_text(
        mapping(output).get("content") if isinstance(output, dict) else output
    )
    failed = has_failed(result_text) or mapping(output).get("success") is False
    outcome = held_back(result_text) or (FAILED if failed else OK)
    return [
        (RESULT, time, call, outcome, result_digest(failed, result_text), _round(memory), False)
    ]


def _round(memory: ReaderState) -> str:
    return str(memory.get("round", 0))


# In this order: the words of the later ones may stand in the heads of lines of the earlier ones.
USAGE_ONLY: list[tuple[bytes, Kind]] = [
    (b'"token_usage_record"', _token_usage_record),
    (b'"token_count"', _token_count),
    (b'"turn_context"', _turn),
    (b'"task_started"', _started),
    (b'"session_meta"', _session_meta),
    (b'"thread_settings_applied"', _settings),
    (b'"UserMessage"', _item_completed),
    (b'"user_message"', _prompt),
    (b'"text":"<hook_prompt ', _goes_on),
]
ALL: list[tuple[bytes, Kind]] = [
    *USAGE_ONLY,
    (b'"type":"compacted"', _compacted),
    (b'"item_completed"', _item_completed),
    (b'"function_call_output"', _output),
    (b'"custom_tool_call_output"', _output),
    (b'"function_call"', _call),
    (b'"custom_tool_call"', _call),
    (b'"local_shell_call"', _call),
]
