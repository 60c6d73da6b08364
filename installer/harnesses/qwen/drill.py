"""Runs the real Qwen Code headless against a scripted model: no key, no cost, no network.

The user's settings are copied into a scratch folder, so that no session is left among the user's own
(docs/harnesses/qwen.md). It speaks with the model in Anthropic's words.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...drill import conversation, process
from ...drill.messages_server import MessagesServer
from ...drill.outcome import DrillReport, DrillRun, judge, unproven
from ...drill.scripts import distinct, drilling
from ...drill.server import Script, ToolUse
from ...machine import Machine
from . import paths

MODEL = "runaway-drill"
TOOL = "run_shell_command"
DRILL_REQUESTS = 30
INHERITED = (
    *("HOME", "PATH", "LANG", "USERPROFILE", "APPDATA", "SYSTEMROOT"),
    "QWEN_CODE_SYSTEM_SETTINGS_PATH",
)
QUIET = {
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    "QWEN_TELEMETRY_ENABLED": "false",
    "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
}
MISSING = f"nothing is proven: this release offers no `{TOOL}` tool, which the drill uses"


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees.

    The server stops the model after `max_requests`.
    """

    qwen: Path
    cwd: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    model: str = MODEL
    arguments: tuple[str, ...] = ()
    max_requests: int = 200
    timeout: float = 120


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `qwen -p`, answered by `script`; a program that cannot start is refused."""
    with MessagesServer(
        script, max_requests=launch.max_requests, max_seconds=launch.timeout
    ) as server:
        finished = _started(launch, server.url)
    return _outcome(finished, server)


def redirected(url: str) -> dict[str, str]:
    """Variables that make Qwen Code, started with `SIGN_IN`, ask the model at `url`."""
    return {**QUIET, "ANTHROPIC_API_KEY": "a-drill", "ANTHROPIC_BASE_URL": url}


SIGN_IN = ("--auth-type", "anthropic")


def _started(launch: Launch, url: str) -> process.Finished:
    command = [str(launch.qwen.absolute()), *SIGN_IN, "-m", launch.model, "--yolo"]
    return process.start(
        [*command, *launch.arguments, "-p", launch.prompt],
        environment={**redirected(url), **launch.environment},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _outcome(finished: process.Finished, server: MessagesServer) -> DrillRun:
    """It says nothing where a hook ends the turn, and has exit code 0."""
    stderr, said = finished.stderr.decode("utf-8", "replace"), finished.stdout.strip()
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=stderr[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session="",
        calls=conversation.calls(server.requests),
        hooks=(),
        terminal_reason="hook_stopped" if finished.exit_code == 0 and not said else "",
        text=said.decode("utf-8", "replace"),
        cost_usd=0.0,
        events=(),
    )


def drill(
    qwen: Path,
    marker: str,
    *,
    settings: Path,
    environment: Mapping[str, str] = os.environ,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DrillReport:
    """Lets a model run `true` for ever, under a copy of the user's `settings`.

    Other words in each description keep Qwen Code's own loop detection quiet. `marker` is how the
    guard's reasons start; `on_progress` hears the number of requests so far, from another thread.
    """
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        home, empty = Path(scratch, "home"), Path(scratch, "project")
        home.mkdir()
        empty.mkdir()
        if settings.exists():
            shutil.copyfile(settings, home / "settings.json")
        inherited = {name: environment[name] for name in INHERITED if name in environment}
        launch = Launch(
            qwen,
            project or empty,
            {**inherited, "QWEN_HOME": str(home)},
            max_requests=DRILL_REQUESTS,
            timeout=90,
        )
        done = run(launch, drilling(distinct(_again), on_progress))
        logs = home.glob("projects/*/chats/*.jsonl")
        done = done._replace(session=next((log.stem for log in logs), ""))
    return unproven(done, TOOL, MISSING) or judge(
        done, marker, can_end_turns=True, tells_hooks=False
    )


def _again(number: int) -> ToolUse:
    return ToolUse(
        TOOL, {"command": "true", "description": f"try {number}", "is_background": False}
    )


def places(machine: Machine) -> dict[str, Path]:
    """Where this machine has what `drill` copies."""
    return {"settings": paths.settings_file(machine, "user", machine.home)}
