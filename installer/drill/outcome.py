"""What a headless run of a harness came to, and whether it proves that the guard stops a loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .scripts import offers
from .server import Request

AGAIN = {
    True: "but the model was asked again, {} times in all",
    False: "but this release lets no hook end the turn: please update it",
}
MANAGED_PREFIX = "<tool_use_error>"  # Claude Code, where a managed hook has denied
PREFIXES = (
    "Command blocked by PreToolUse hook: ",
    "Tool call blocked by PreToolUse hook: ",
    "Tool execution blocked: ",
    "Denied by preToolUse hook: ",
    "Hook denied: ",
    "Error: ",
)


class Call(NamedTuple):
    """One tool call that the model proposed.

    `agent` is the call that started the subagent, empty for the main agent; `result` is what the
    model was told, None where the run ended before that.
    """

    id: str
    tool: str
    input: Mapping[str, Any]
    agent: str
    result: str | None
    failed: bool


class HookRun(NamedTuple):
    """One hook that the harness says it ran; it does not say which command that was."""

    event: str
    stdout: str
    stderr: str
    exit_code: int | None
    outcome: str


class DrillRun(NamedTuple):
    """`exit_code` is None when the run was killed; `exhausted` when the server had to end it."""

    exit_code: int | None
    stderr: str
    seconds: float
    requests: tuple[Request, ...]
    exhausted: bool
    session: str
    calls: tuple[Call, ...]
    hooks: tuple[HookRun, ...]
    terminal_reason: str
    text: str
    cost_usd: float
    events: tuple[Mapping[str, Any], ...]

    @property
    def ended_by_hook(self) -> bool:
        return self.terminal_reason == "hook_stopped"

    def denied(self, marker: str) -> tuple[Call, ...]:
        """The calls that were refused with a reason that starts with `marker`."""
        return tuple(
            call for call in self.calls if call.failed and _reason(call).startswith(marker)
        )


def _reason(call: Call) -> str:
    """What the guard said, without what the harness puts in front of it."""
    said = (call.result or "").removeprefix(MANAGED_PREFIX)
    for prefix in (f"PreToolUse:{call.tool} hook error: ", *PREFIXES):
        said = said.removeprefix(prefix)
    return said


class DrillReport(NamedTuple):
    """`calls_before_stop` counts the calls before the first one that was denied; `session` is its id."""

    level: Literal["ok", "warning", "error", "skipped"]
    message: str
    requests: int
    calls_before_stop: int | None
    seconds: float
    session: str


def judge(
    run: DrillRun, marker: str, *, can_end_turns: bool | None, tells_hooks: bool = True
) -> DrillReport:
    """Whether the loop in `run` was stopped by the guard whose reasons start with `marker`.

    `can_end_turns` is None for a harness that lets no hook end a turn: denying is all there is.
    `tells_hooks`: `run.hooks` are all that the harness ran.
    """
    denied = run.denied(marker)
    before = run.calls.index(denied[0]) if denied else None
    level, message = _verdict(run, before, len(denied), can_end_turns, tells_hooks)
    return DrillReport(level, message, len(run.requests), before, run.seconds, run.session)


def unproven(run: DrillRun, tool: str, why: str) -> DrillReport | None:
    """`why` nothing is proven, where the model was not offered the tool on which the drill loops."""
    if not run.requests or offers(run.requests[0], tool):
        return None
    return DrillReport("skipped", why, len(run.requests), None, run.seconds, run.session)


def _verdict(
    run: DrillRun, before: int | None, denied: int, can_end_turns: bool | None, tells_hooks: bool
) -> tuple[Literal["ok", "warning", "error"], str]:
    if not run.requests:
        return "error", f"nothing is proven: the drill's model was never asked{_said(run)}"
    if run.exit_code is None:
        return "error", f"nothing is proven: the run was ended after {run.seconds:.0f} seconds"
    if before is None:
        return "error", _unguarded(run, tells_hooks)
    stopped = f"the looping call was denied after {before} repeats"
    if run.ended_by_hook and not run.exhausted:
        return "ok", f"{stopped} and the turn ended after {len(run.requests)} requests"
    if can_end_turns is None:
        missed = len(run.calls) - before - denied
        went = f"but {missed} more went through" if missed else "and so was every further one"
        return "error" if missed else "ok", f"{stopped}, {went}"
    again = f"{stopped}, {AGAIN[can_end_turns].format(len(run.requests))}"
    return "error" if can_end_turns else "warning", again


def _unguarded(run: DrillRun, tells_hooks: bool) -> str:
    if run.ended_by_hook:
        return "nothing is proven: another hook ended the turn before the guard denied anything"
    if not tells_hooks:
        return f"not protected: {len(run.calls)} equal calls went through"
    if not any(hook.event == "PreToolUse" for hook in run.hooks):
        return f"not protected: {len(run.calls)} equal calls went through and no hook was run"
    return f"not protected: hooks were run, but {len(run.calls)} equal calls went through"


def _said(run: DrillRun) -> str:
    """The last line on stderr, as the end of a sentence."""
    lines = run.stderr.strip().splitlines()
    return f" ({lines[-1][:200]})" if lines else f" (exit code {run.exit_code})"
