"""Runs the real Grok Build headless against a scripted model: no key, no cost, no network.

It runs in a folder of its own with a copy of the user's hooks, and speaks Anthropic's API, which is one
of the three that Grok knows.
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
from ...drill.scripts import DONE, distinct, drilling
from ...drill.server import ApiError, Reply, Request, Script, ToolUse
from ...machine import Machine
from . import paths

MODEL = "grok-4.5"
TOOL = "run_terminal_command"
TURN = "x-grok-turn-idx"  # the header of what an agent asks; titles and summaries come without it
COMMAND = "echo drill"  # at the fourth `true` Grok itself ends the turn
DRILL_REQUESTS = 30
INHERITED = ("HOME", "PATH", "LANG", "USERPROFILE", "APPDATA", "SYSTEMROOT")
QUIET = {
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    "GROK_DISABLE_AUTOUPDATER": "1",
    "GROK_TELEMETRY_ENABLED": "0",
    "GROK_TELEMETRY_TRACE_UPLOAD": "0",
}
ALONE = {"GROK_CLAUDE_HOOKS_ENABLED": "0", "GROK_CURSOR_HOOKS_ENABLED": "0"}  # our own file decides
DENIED = "Hook denied: "
MISSING = f"nothing is proven: this release offers no `{TOOL}` tool, which the drill uses"


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees, `home` its own folder,
    whose config.toml gets the model. The server stops the model after `max_requests`.
    """

    grok: Path
    cwd: Path
    home: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    model: str = MODEL
    arguments: tuple[str, ...] = ("--always-approve",)
    max_requests: int = 200
    timeout: float = 120


def redirected(url: str, model: str) -> str:
    """The config.toml of a Grok that asks the model at `url`, and nobody else."""
    return (
        '[models]\ndefault = "drill"\n\n'
        f'[model.drill]\nmodel = "{model}"\nbase_url = "{url}/v1"\n'
        'api_key = "none"\napi_backend = "messages"\n'
    )


def answering(script: Script) -> Script:
    """`script` for what the agents ask; whatever else is asked is answered with a word."""
    rounds: dict[str, int] = {}

    def answer(request: Request) -> Reply | ApiError:
        if TURN not in request.headers:
            return DONE
        agent = request.headers.get("x-grok-session-id", "")
        rounds[agent] = rounds.get(agent, 0) + 1
        return script(request._replace(round=rounds[agent]))

    return answer


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `grok -p`, answered by `script`; a program that cannot start is refused."""
    with MessagesServer(
        answering(script), max_requests=launch.max_requests, max_seconds=launch.timeout
    ) as server:
        (launch.home / "config.toml").write_text(redirected(server.url, launch.model))
        finished = process.start(
            [str(launch.grok.absolute()), "-p", launch.prompt, *launch.arguments],
            environment={**QUIET, **launch.environment, "GROK_HOME": str(launch.home)},
            cwd=launch.cwd,
            timeout=launch.timeout,
        )
    return _outcome(launch, finished, server)


def _outcome(launch: Launch, finished: process.Finished, server: MessagesServer) -> DrillRun:
    requests = tuple(request for request in server.requests if TURN in request.headers)
    logs = launch.home.glob("sessions/*/*/updates.jsonl")
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=finished.stderr.decode("utf-8", "replace")[-4000:],
        seconds=finished.seconds,
        requests=requests,
        exhausted=server.exhausted,
        session=next((log.parent.name for log in logs), ""),
        calls=conversation.calls(requests, DENIED),
        hooks=(),
        terminal_reason="",
        text=finished.stdout.decode("utf-8", "replace").strip(),
        cost_usd=0.0,
        events=(),
    )


def drill(
    grok: Path,
    marker: str,
    *,
    environment: Mapping[str, str] = os.environ,
    folder: Path,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DrillReport:
    """Lets a model run `echo drill` for ever, under a copy of the hooks in `folder`.

    Other words in each description keep Grok's own loop detection quiet.

    `marker` is how the guard's reasons start; `on_progress` hears the number of requests so far, from
    another thread.
    """
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        home, empty = Path(scratch, "grok"), Path(scratch, "project")
        empty.mkdir()
        _copy(folder, home)
        inherited = {name: environment[name] for name in INHERITED if name in environment}
        launch = Launch(
            grok,
            project or empty,
            home,
            {**inherited, **ALONE},
            max_requests=DRILL_REQUESTS,
            timeout=90,
        )
        done = run(launch, drilling(distinct(_again), on_progress))
    return unproven(done, TOOL, MISSING) or judge(
        done, marker, can_end_turns=None, tells_hooks=False
    )


def _again(number: int) -> ToolUse:
    return ToolUse(TOOL, {"command": COMMAND, "description": f"try {number}"})


def _copy(folder: Path, home: Path) -> None:
    """What decides whether hooks run; of config.toml, which may hold keys, nothing."""
    home.mkdir()
    if (folder / "hooks").is_dir():
        shutil.copytree(folder / "hooks", home / "hooks")
    for name in (paths.DISABLED, *paths.CONFIGS):
        if (folder / name).is_file():
            shutil.copy(folder / name, home)


def places(machine: Machine) -> dict[str, Path]:
    """Where this machine has what `drill` copies."""
    return {"folder": paths.folder(machine)}
