"""Claude Code: https://code.claude.com/docs/en/sessions; the records as measured in docs/harnesses.md.

A session is `<session>.jsonl` and everything below `<session>/subagents/`.
"""

from __future__ import annotations

from ..usage import Usage
from . import CALL, FAILED, MARKER, NEUTRAL, OK, PROMPT, REPORTED_TOTAL, RESULT, USAGE
from .digests import result_digest
from .folders import entries
from .records import (
    compacted,
    content_text,
    count,
    kind_of,
    mapping,
    objects,
    parse,
    refusal,
    safely,
    seconds,
    text,
    work,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..state import Event, Json, LogState, ReaderState

    Kind = Callable[[Json, ReaderState, bool], list[Event]]

HEAD = 2048  # bytes of a line in which its type stands; the rest may be 57 kB of prompt
MAX_FILES = 2000  # files; the biggest agent storm on record had 905
DEEPEST = 4  # folders below subagents/

PEOPLE = frozenset(("human", "sdk", "unknown"))  # turnOrigin; `sdk` is `claude -p` and SDK hosts
HARNESS_TEXTS = ("<task-notification>", "<local-command-", "<bash-stdout>", "<system-reminder>",
                 "[Request interrupted", "Stop hook feedback", "Caveat: The messages below")  # fmt: skip
# How results begin for releases that do not write `toolDenialKind`, and in a batch: of calls that never
# ran through a person's doing or another call's, and of those that a rule or a hook refused.
STOPPED = (MARKER, "The user doesn't want to", "[Request interrupted", "Request interrupted",
           "Sibling tool call errored", "Cancelled: parallel tool call",
           "Tool permission request failed", "User rejected")  # fmt: skip
REFUSALS = ("Permission to use ", "Permission for this", "Claude requested permissions",
            "Blocked by hook", "PreToolUse:")  # fmt: skip
ENDED_BY_PEOPLE = ("cancelled", "interrupted")
PROGRAMS = ("config", "rule", "hook")  # sources of a decision that no person has made
SILENT = "Exit code 1"  # the whole result of a command that looked and found nothing
MAX_REPORTED_DOLLARS = 1e6  # dollars of a session; more is no total but damage
STOP_HOOK = "Stop hook feedback:"  # a hook keeps the turn from ending
ERROR_TAG = "<tool_use_error>"


def files(transcript: str, _session: str, _memory: LogState) -> list[tuple[str, str]]:
    """Return (agent, path) of subagents and then of the main agent, whose cost-state includes them."""
    found: list[tuple[str, str]] = []
    folder = transcript.removesuffix(".jsonl")
    _walk(folder + "/subagents", found, DEEPEST)
    return [*sorted(found), ("", transcript)]


def owner(record: Json, path: str) -> tuple[str, str] | None:
    """A subagent's records name it, and the session of the main agent."""
    session = record.get("sessionId")
    spoken = record.get("type") in ("user", "assistant")
    if (
        not spoken
        or not isinstance(session, str)
        or "content" not in mapping(record.get("message"))
    ):
        return None
    if record.get("isSidechain") is not True:
        return session, ""
    return session, text(record.get("agentId")) or path


def _walk(folder: str, found: list[tuple[str, str]], depth: int) -> None:
    for entry in entries(folder):
        if len(found) >= MAX_FILES:
            return
        name = entry.name
        if name.endswith(".jsonl") and name.startswith("agent-"):
            found.append((name[6:-6], entry.path))
        elif depth and entry.is_dir(follow_symlinks=False):
            _walk(entry.path, found, depth - 1)


def events(
    lines: Iterable[bytes], memory: ReaderState, usage_only: bool = False
) -> Iterator[Event]:
    """Yield events; `memory` keeps the time and the round of the last line.

    With `usage_only` there is no CALL and no RESULT: a third of the work where a long past is read.
    """
    last = b""
    for line in lines:
        head, short = line[:HEAD], line
        kind = kind_of(head, RECORD_KINDS)
        if kind is None:
            continue
        if usage_only and kind is _assistant:
            spent, short = _spent(line, head)
            if spent and spent == last:
                continue
            last = spent
        elif usage_only and b'"tool_result"' in head:
            continue
        yield from safely(kind, parse(short) or parse(line), memory, usage_only)


def _spent(line: bytes, head: bytes) -> tuple[bytes, bytes]:
    """Return (id and usage up to the output, the line without the content of its message).

    The first is equal for the records of one response. Where a line has another order of fields than
    id, content, usage, or none of them, it is b"" and the line is whole.
    """
    start, content = head.find(b'"id":"msg_'), head.find(b'"content":')
    usage = line.rfind(b'"usage":')
    output = line.find(b'"output_tokens":', usage)
    if not 0 < start < content < usage < output:
        return b"", line
    spent = line[start : start + 40] + line[usage : output + 24]
    return spent, line[:content] + line[usage:]


def _assistant(record: Json, memory: ReaderState, usage_only: bool) -> list[Event]:
    if record.get("type") != "assistant":
        return _user(record, memory, usage_only)
    message = mapping(record.get("message"))
    model = text(message.get("model"))
    if model == "<synthetic>" or record.get("isApiErrorMessage") is True:
        return []
    time = _time(record, memory)
    identity = text(message.get("id")) or text(record.get("requestId")) or text(record.get("uuid"))
    memory["round"] = identity
    told: list[Event] = []
    usage = mapping(message.get("usage"))
    if usage:
        billed = text(record.get("requestedModel")) or model  # whatever model the reply came from
        used = _usage(usage, model if model != billed else "")
        told.append((USAGE, time, identity, billed, used, _inherited(record)))
    if not usage_only:
        cwd = text(record.get("cwd"))
        for block in objects(message.get("content")):
            if block.get("type") == "tool_use":
                call, tool = text(block.get("id")), text(block.get("name"))
                told.append((CALL, time, call, tool, block.get("input"), identity, cwd))
                work(memory)
    return told


def _time(record: Json, memory: ReaderState) -> float:
    time = seconds(record.get("timestamp")) or memory.get("time", 0.0)
    memory["time"] = time
    return time


def _usage(usage: Json, replied: str = "") -> Usage:
    created = mapping(usage.get("cache_creation"))
    hour = count(created.get("ephemeral_1h_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    return Usage(
        input=count(usage.get("input_tokens")),
        output=count(usage.get("output_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_write_5m=max(written - hour, count(created.get("ephemeral_5m_input_tokens"))),
        cache_write_1h=hour,
        web_searches=count(mapping(usage.get("server_tool_use")).get("web_search_requests")),
        speed=text(usage.get("speed")),
        us=usage.get("inference_geo") == "us",
        replied=replied,
        parts=_iterations(usage, replied),
    )


def _iterations(usage: Json, replied: str) -> tuple[tuple[str, Usage], ...]:
    """Return (model, usage) of a response's iterations, which are billed one by one.

    An advisor is billed by its own model, compaction is not billed with them. What is told of the whole
    alone (speed, place, searches) holds for each, searches for the first.
    """
    told = objects(usage.get("iterations"))
    if len(told) < 2 and not any("model" in one for one in told):
        return ()
    billed = [one for one in told if one.get("type") != "compaction"]
    common = {name: usage.get(name) for name in ("speed", "inference_geo")}
    searches = {"server_tool_use": usage.get("server_tool_use")}
    return tuple(
        (text(one.get("model")), _usage({**({} if at else searches), **one, **common}, replied))
        for at, one in enumerate(billed)
    )


def _inherited(record: Json) -> bool:
    """Tell a copy: a fork starts with all records of the session it was forked off, ids included."""
    origin = record.get("requestSessionId")
    return (origin is not None and origin != record.get("sessionId")) or "forkedFrom" in record


def _user(record: Json, memory: ReaderState, usage_only: bool) -> list[Event]:
    if record.get("type") != "user":
        return []
    content = mapping(record.get("message")).get("content")
    results = [b for b in objects(content) if b.get("type") == "tool_result"]
    if not results:
        return _prompt(record, content, memory)
    if usage_only:
        return []
    time = _time(record, memory)
    return [_result(record, block, time, text(memory.get("round"))) for block in results]


def _prompt(record: Json, content: object, memory: ReaderState) -> list[Event]:
    """Return a person's prompt, or what else begins or prolongs a turn; no notes of the harness."""
    if record.get("isCompactSummary") is True or record.get("isSidechain") is True:
        return []
    origin, source = record.get("turnOrigin"), record.get("promptSource")
    result_text = content_text(content).lstrip()
    if record.get("isMeta") is True:
        if not result_text.startswith(STOP_HOOK):
            return []
        return [(PROMPT, _time(record, memory), text(record.get("promptId")), False)]
    if isinstance(origin, str):
        human = origin in PEOPLE
    elif isinstance(source, str):
        human = source != "system"
    elif result_text.startswith(HARNESS_TEXTS):
        if not result_text.startswith("<task-notification>"):
            return []
        human = False
    else:
        human = True
    identity = text(record.get("promptId")) or text(record.get("uuid"))
    return [(PROMPT, _time(record, memory), identity, human)]


def _queued(record: Json, memory: ReaderState, _: bool) -> list[Event]:
    """Return a prompt that came in while the agent was at work; it begins no turn of its own."""
    queued = mapping(record.get("attachment"))
    result_text = content_text(queued.get("prompt"))
    if queued.get("type") != "queued_command" or queued.get("isMeta") is True or not result_text:
        return []
    if (
        result_text.lstrip().startswith(HARNESS_TEXTS)
        or queued.get("commandMode", "prompt") != "prompt"
    ):
        return []
    return [(PROMPT, _time(record, memory), text(record.get("uuid")), True)]


def _result(record: Json, block: Json, time: float, group: str) -> Event:
    result_text = content_text(block.get("content"))
    failed = block.get("is_error") is True
    decision = mapping(record.get("permissionDecision"))
    outcome = _held_back(record, decision, result_text) or outcome_of(failed, result_text)
    approved = (
        decision.get("decision") == "accept"
        and decision.get("source") in ("user_temporary", "user_permanent")
        and decision.get("reasonCode") == "hook:PreToolUse"
    )
    call = text(block.get("tool_use_id"))
    return (RESULT, time, call, outcome, result_digest(failed, result_text), group, approved)


def _held_back(record: Json, decision: Json, result_text: str) -> str:
    """Return the outcome of a call whose record says that it was refused or stopped, else "".

    `user-rejected` stands also where nobody could be asked; then the decision's source is no person.
    """
    kind = record.get("toolDenialKind")
    if mapping(record.get("toolUseResult")).get("interrupted") is True:
        return NEUTRAL
    if kind is None and decision.get("decision") != "reject":
        return ""
    by_rule = kind == "permission-rule" or text(kind).startswith("automode-")
    if by_rule or (decision.get("source") in PROGRAMS and kind not in ENDED_BY_PEOPLE):
        return refusal(result_text)
    return NEUTRAL


def outcome_of(failed: bool, result_text: str) -> str:
    """Judge a result by its text; a denial is `PreToolUse:Bash hook error: ...`, or its bare reason."""
    plain = result_text.removeprefix(ERROR_TAG)
    if not failed or result_text.strip() == SILENT:
        return OK
    if plain.startswith(STOPPED):
        return NEUTRAL
    if plain.startswith(REFUSALS) or MARKER in plain[:200]:
        return refusal(plain)
    return FAILED


def _cost_state(record: Json, memory: ReaderState, _: bool) -> list[Event]:
    """Return the total that Claude Code writes when it ends; the record has no time of its own.

    Where Claude Code itself met a model it does not know, its number is a guess and no floor.
    """
    dollars = record.get("totalCostUSD")
    if record.get("type") != "cost-state" or record.get("hasUnknownModelCost") is True:
        return []
    if not isinstance(dollars, (int, float)) or not 0 < dollars < MAX_REPORTED_DOLLARS:
        return []
    return [(REPORTED_TOTAL, memory.get("time", 0.0), float(dollars))]


def _compacted(record: Json, memory: ReaderState, usage_only: bool) -> list[Event]:
    trigger = mapping(record.get("compactMetadata")).get("trigger")
    if usage_only or record.get("isSidechain") is True or trigger != "auto":
        return []
    return compacted(memory, _time(record, memory))


RECORD_KINDS: list[tuple[bytes, Kind]] = [
    (b'"assistant"', _assistant),
    (b'"user"', _user),
    (b'"cost-state"', _cost_state),
    (b'"queued_command"', _queued),
    (b'"compact_boundary"', _compacted),
]
