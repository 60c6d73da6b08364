"""One hook event from start to end: payload -> Call -> memory -> wires -> Verdict -> answer."""

from __future__ import annotations

import time

from .call import BEFORE_CALL, BEFORE_REQUEST, LEVELS, NOTHING, ON_PROMPT, ON_USAGE, WHO, digest
from .fastjson import decode, dumps, loads
from .judge import judge, judge_prompt, judge_request, judge_unseen
from .policy import PROJECT_FILE, load, tighten
from .session import Session
from .system import append_line, exit_now, read, stat, variable, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .call import Call, Verdict
    from .policy import Policy

CURSOR, COPILOT = "cursor", "copilot"  # run hooks of Claude Code's settings too, in their own words
DIALECTS = ("claude", "codex", CURSOR, "gemini", COPILOT, "opencode", "qwen", "droid")
STATUSLINE = "statusline"  # no hook: the same launcher called for Claude Code's status line
LARGEST_PAYLOAD = 1 << 26
LARGEST_LOG = 1 << 24  # bytes of trips; then the older half goes
LIFTED = ("extra", "lifted_until")  # what a person has granted outlives a state that cannot be used


def main(arguments: list[str], folder: str) -> None:
    """Answer the hook on stdin, once, and leave without teardown. Whatever fails, work goes on."""
    harness = arguments[0] if arguments else ""
    output, folders = b"", [folder]
    try:
        policy = load(folder)
        folders = policy.folders
        if harness == STATUSLINE:
            from .statusline import line

            output = line(read_all(0), policy, time.time())
        else:
            output = reply(harness, read_all(0), policy, time.time())
    except Exception as error:
        from .health import note

        note(folders, harness, error)
        output = b"{}" if variable("CURSOR_VERSION") else b""  # what a profile prints would deny
    try:
        if output:
            write(1, output)
    finally:
        exit_now(0)


def read_all(descriptor: int) -> bytes:
    chunks, size = [], 0
    while size < LARGEST_PAYLOAD:
        chunk = read(descriptor, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def reply(harness: str, payload: bytes, policy: Policy, now: float) -> bytes:
    """The bytes to print for this payload."""
    apply_reported = loads(decode(payload))
    speaks = speaker(harness, apply_reported)
    dialect = dialect_of(speaks)
    if speaks == COPILOT != harness and dialect.is_wired(policy.wired):
        return bytes(dialect.NO_OPINION)
    call: Call = dialect.read(apply_reported, now)
    session = Session(policy.state, call.harness, call.session)
    try:
        verdict, level, first = recalled(call, session, policy, dialect, now)
        attempt(policy, harness, session.save)
    finally:
        session.close()
    if level == NOTHING:
        return bytes(dialect.NO_OPINION)
    from .words import explain

    text = explain(call, verdict, level)
    if first:
        attempt(policy, harness, log_trip, call, verdict, level, text, policy, now)
    return bytes(dialect.NO_OPINION if policy.silent(now) else dialect.answer(call, level, text))


def attempt(policy: Policy, harness: str, action: Callable[..., None], *arguments: Any) -> None:
    """What must not hold the answer back: that it failed is for the health log."""
    try:
        action(*arguments)
    except Exception as error:
        from .health import note

        note(policy.folders, harness, error)


def recalled(
    call: Call, session: Session, policy: Policy, dialect: ModuleType, now: float
) -> tuple[Verdict, int, bool]:
    """Judge by what the session remembers; where nothing can be made of that, it starts anew."""
    stored = {**session.state}
    try:
        return consider(call, session.state, policy, dialect, now)
    except OSError:
        raise
    except Exception as error:
        if not stored:
            raise
        session.state = {name: stored[name] for name in LIFTED if is_number(stored.get(name))}
        judged = consider(call, session.state, policy, dialect, now)
        from .health import note

        note(policy.folders, call.harness, error)
        return judged


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def consider(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> tuple[Verdict, int, bool]:
    """Take in what happened since the last call, then judge this one."""
    by_project(policy, call, memory)
    if WHO in dialect.LACKS or has_news(call, memory):
        from .spending import catch_up

        catch_up(call, memory, policy, dialect, now)
    if call.batch or call.stage != BEFORE_CALL:
        apply_batch(call, memory, policy, dialect, now)
    if call.stage == BEFORE_CALL:
        return judge(call, memory, policy, now, dialect.LACKS)
    if call.stage == ON_PROMPT:
        return judge_prompt(call, memory, policy, now)
    if call.stage == BEFORE_REQUEST:
        return judge_request(call, memory, policy, now)
    return (*judge_unseen(call, memory, policy, now, dialect.LACKS), True)


def by_project(policy: Policy, call: Call, memory: dict[str, Any]) -> None:
    """The project's own limits; a file of it that makes no sense is told of once per session."""
    project = memory["project"] = memory.get("project") or call.cwd  # where the session started
    try:
        tighten(policy, project)
        memory.pop("invalid", None)
    except Exception as error:
        apply_reported = f"{project}{PROJECT_FILE} is invalid: {error}"
        if memory.get("invalid") != digest(apply_reported):
            from .health import tell

            tell(policy.folders, call.harness, PROJECT_FILE[1:], apply_reported)
        memory["invalid"] = digest(apply_reported)


def apply_batch(
    call: Call, memory: dict[str, Any], policy: Policy, dialect: ModuleType, now: float
) -> None:
    """What this event tells beside the call. Money counts where some was told, or a day has a cap."""
    counts = memory.get("spend") or policy.day_cap or (policy.project and policy.project.day_cap)
    if call.stage in (BEFORE_CALL, ON_USAGE) or (call.stage == ON_PROMPT and counts):
        from .spending import apply_reported

        apply_reported(call, memory, policy, dialect, now)
        return
    from .evidence import apply_event

    for event in call.batch:
        apply_event(memory, call.agent, event, dialect)


def has_news(call: Call, memory: dict[str, Any]) -> bool:
    """Has the log of the session grown? For a subagent's calls that of the subagent counts."""
    known = memory.get("logs", {}).get("files", {}).get("")
    try:
        size = stat(call.transcript).st_size
    except (OSError, ValueError):
        return False
    return bool(call.agent or not known or size != known[0])


def speaker(harness: str, apply_reported: dict[str, Any]) -> str:
    """Whose words these are: others run the hooks of Claude Code's settings too."""
    if "cursor_version" in apply_reported:
        return CURSOR
    if (
        harness == "claude"
        and "timestamp" in apply_reported
        and "permission_mode" not in apply_reported
    ):
        return COPILOT
    return harness


def dialect_of(harness: str) -> ModuleType:
    """Only the calling harness's module is loaded."""
    if harness not in DIALECTS:
        raise ValueError(f"unknown harness {harness!r}")
    package = __package__ + ".dialects"
    return __import__(package + "." + harness, fromlist=["read"])


def log_trip(
    call: Call, verdict: Verdict, level: int, text: str, policy: Policy, now: float
) -> None:
    """One line in `<state>/trips.jsonl`: what `runaway status` and `why` tell."""
    line = {
        "time": round(now, 1),
        "harness": call.harness,
        "session": call.session,
        "agent": call.agent,
        "cwd": call.cwd,
        "tool": call.tool,
        "rule": verdict.rule,
        "count": verdict.count,
        "level": LEVELS[level],
        "answered": not policy.silent(now),
        "text": text,
    }
    if verdict.source:
        line["source"] = verdict.source
    append_line(policy.state + "/trips.jsonl", dumps(line) + "\n", LARGEST_LOG)
