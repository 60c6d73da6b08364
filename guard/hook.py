"""One hook event from start to end: payload -> Call -> state -> wires -> Verdict -> answer."""

from __future__ import annotations

import time

from .call import (
    AGENT_ID,
    BEFORE_CALL,
    BEFORE_REQUEST,
    NOTE,
    NOTHING,
    ON_PROMPT,
    ON_RESPONSE,
    ON_USAGE,
    PERSON_STOP,
)
from .dialects import COPILOT, KIRO, dialect_of, sender
from .fastjson import decode, loads
from .history import keep_log, log_has_grown
from .judge import judge, judge_prompt, judge_request, judge_response, judge_unseen
from .policy import apply_project_file, load
from .session import Session
from .system import exit_now, read_all, read_until_silent, variable, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .call import Call, Verdict
    from .policy import Policy
    from .state import SessionState

    Judged = tuple[Verdict, int, bool]  # verdict, level to answer with, first time asked

STATUSLINE = "statusline"  # no hook: the same launcher called for Claude Code's status line
MAX_PAYLOAD_BYTES = 1 << 26  # bytes
SILENCE = 2.0  # seconds, after which nothing more is awaited of a Kiro that leaves stdin open


def main(arguments: list[str], folder: str) -> None:
    """Answer the hook on stdin, once, and leave without teardown. Whatever fails, work goes on."""
    harness = arguments[0] if arguments else ""
    output, folders = b"", [folder]
    try:
        policy = load(folder)
        folders = policy.folders
        payload, now = _payload(harness), time.time()
        if harness == KIRO and not payload:
            pass  # its IDE before 1.0 tells a hook nothing
        elif harness == STATUSLINE:
            from .statusline import line

            output = line(payload, policy, now)
        else:
            output = reply(harness, payload, policy, now)
    except Exception as error:
        log_fault(folders, harness, error)
        output = b"{}" if variable("CURSOR_VERSION") else b""  # what a profile prints would deny
    try:
        if output:
            write(1, output)
    finally:
        exit_now(0)


def _payload(harness: str) -> bytes:
    if harness == KIRO:
        return read_until_silent(0, MAX_PAYLOAD_BYTES, SILENCE)
    return read_all(0, MAX_PAYLOAD_BYTES)


def log_fault(folders: list[str], harness: str, error: Exception) -> None:
    """Log a fault of the guard's own."""
    from .health import note

    note(folders, harness, error)


def reply(harness: str, payload: bytes, policy: Policy, now: float) -> bytes:
    """Return the bytes to print for this payload."""
    values = loads(decode(payload))
    speaker = sender(harness, values)
    dialect = dialect_of(speaker)
    if speaker == COPILOT != harness and dialect.is_wired(policy.wired):
        return bytes(dialect.NO_OPINION)
    call: Call = dialect.read(values, now)
    if call.harness in policy.unasked:
        call.attended = False
    session = Session(policy.state, call.harness, call.session)
    try:
        verdict, level, first = judge_session(call, session, policy, dialect, now)
        attempt(policy, harness, session.save)
    finally:
        session.close()
    if level == NOTHING:
        return bytes(dialect.NO_OPINION)
    from .words import explain

    text = explain(call, verdict, level)
    if first:
        from .trips import log

        attempt(policy, harness, lambda: log(call, verdict, level, text, policy, now))
        if verdict.rule == "spend.day" and level == NOTE and not policy.silent(now):
            from .ledger import tell_note

            attempt(policy, harness, lambda: tell_note(policy.state, call, verdict.count, now))
    silent = policy.silent(now) and verdict.rule != PERSON_STOP
    return bytes(dialect.NO_OPINION if silent else dialect.answer(call, level, text))


def attempt(policy: Policy, harness: str, action: Callable[[], None]) -> None:
    """Run an action whose failure must not delay the answer; log the failure."""
    try:
        action()
    except Exception as error:
        log_fault(policy.folders, harness, error)


def judge_session(
    call: Call, session: Session, policy: Policy, dialect: ModuleType, now: float
) -> Judged:
    """Judge by what the session remembers; if that is unusable, log it and start the session anew."""
    is_new = not session.state
    if policy.stopped:
        from .halt import is_halted, judge_halted

        if is_halted(policy, call):
            return judge_halted(call, session.state, dialect.UNSUPPORTED)
    session.state.pop("halted", None)
    try:
        return judge_event(call, session.state, policy, dialect, now)
    except OSError:
        raise
    except Exception as error:
        if is_new:
            raise
        session.reset()
        judged = judge_event(call, session.state, policy, dialect, now)
        log_fault(policy.folders, call.harness, error)
        return judged


def judge_event(
    call: Call, state: SessionState, policy: Policy, dialect: ModuleType, now: float
) -> Judged:
    """Apply what happened since the last call, then judge this event by its stage."""
    apply_project_file(policy, call, state)
    tell_lost_log(call, state, policy)
    if AGENT_ID in dialect.UNSUPPORTED or log_has_grown(state, call):
        from .spending import catch_up

        catch_up(call, state, policy, dialect, now)
    if call.batch or call.stage != BEFORE_CALL:
        apply_batch(call, state, policy, dialect, now)
    if call.stage == BEFORE_CALL:
        return judge(call, state, policy, now, dialect.UNSUPPORTED)
    if call.stage == ON_PROMPT:
        return judge_prompt(call, state, policy, now)
    if call.stage == BEFORE_REQUEST:
        return judge_request(call, state, policy, now)
    if call.stage == ON_RESPONSE:
        return judge_response(call, state, policy, now)
    return (*judge_unseen(call, state, policy, now, dialect.UNSUPPORTED), True)


def tell_lost_log(call: Call, state: SessionState, policy: Policy) -> None:
    """Read on in the last log where a hook names one that does not exist, and say so once."""
    named = call.transcript
    if keep_log(state, call) and state.get("lost") != named:
        state["lost"] = named
        from .health import tell

        text = f"{named} does not exist; reading {call.transcript}"
        tell(policy.folders, call.harness, "transcript", text)


def apply_batch(
    call: Call, state: SessionState, policy: Policy, dialect: ModuleType, now: float
) -> None:
    """Apply everything the event reports besides the call.

    A prompt concerns cost only if cost was reported or a daily cap is set.
    """
    capped = state.get("spend") or policy.day_cap or (policy.project and policy.project.day_cap)
    if call.stage in (BEFORE_CALL, ON_USAGE) or (call.stage == ON_PROMPT and capped):
        from .spending import apply_reported

        apply_reported(call, state, policy, dialect, now)
        return
    from .evidence import apply_event

    for event in call.batch:
        apply_event(state, call.agent, event, dialect)
