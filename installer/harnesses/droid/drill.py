"""Runs the real Droid headless against a scripted model: no key, no cost, no network.

It runs in a folder of its own with a copy of the user's hooks, and cut off from its maker's service.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...documents import json_document
from ...drill import conversation, process
from ...drill.messages_server import MessagesServer
from ...drill.outcome import DrillReport, DrillRun, HookRun, judge, unproven
from ...drill.scripts import distinct, drilling
from ...drill.server import Script, ToolUse
from ...errors import Refusal
from ...machine import Machine
from . import paths
from .validation import RULES

MODEL = "claude-sonnet-4-6"
ALIAS = f"custom:{MODEL}"
DRILL_REQUESTS = 30
INHERITED = ("HOME", "PATH", "LANG", "USERPROFILE", "APPDATA", "SYSTEMROOT")
DIRECT = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
QUIET = {
    "FACTORY_AIRGAP_ENABLED": "true",
    "FACTORY_API_KEY": "none",  # asked for, and of no use
    "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false",
}
DENIED = "Error: "
STOPPING = '"continue":false'  # in the answer of the hook that was the last to run
RISK = {"riskLevel": "low", "riskLevelReason": "It is harmless"}  # without them no call is run
MISSING = "nothing is proven: this release offers no `Execute` tool, which the drill uses"


def again(command: str, *, times: int | None = None, together: int = 1) -> Script:
    """The same command for ever: worded anew, for Droid itself ends a turn at six calls alike."""

    def call(number: int) -> ToolUse:
        return ToolUse(
            "Execute", {"command": command, "summary": f"Run it, number {number}", **RISK}
        )

    return distinct(call, times=times, together=together)


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees, `home` where it looks for
    `.factory`, whose settings get the model. The server stops the model after `max_requests`.
    """

    droid: Path
    cwd: Path
    home: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    arguments: tuple[str, ...] = ("--auto", "high")
    max_requests: int = 200
    timeout: float = 120


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """What Droid needs of an environment, without the keys that are in it."""
    return {name: environment[name] for name in INHERITED if name in environment}


def redirected(url: str) -> dict[str, Any]:
    """Settings with a model at `url`."""
    model = {"model": MODEL, "id": ALIAS, "displayName": "a drill", "baseUrl": url}
    return {"customModels": [{**model, "apiKey": "none", "provider": "anthropic"}]}


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `droid exec`, answered by `script`; a program that cannot start is refused."""
    with (
        MessagesServer(
            script, max_requests=launch.max_requests, max_seconds=launch.timeout
        ) as server,
        tempfile.TemporaryDirectory(prefix="runaway-drill-") as folder,
    ):
        settings = Path(folder, "model.json")
        settings.write_text(json.dumps(redirected(server.url)))
        finished = _started(launch, settings)
    return _outcome(launch, finished, server)


def _started(launch: Launch, settings: Path) -> process.Finished:
    words = ["exec", "--settings", str(settings), "-m", ALIAS, "-o", "json"]
    override = {"FACTORY_HOME_OVERRIDE": str(launch.home)}
    return process.start(
        [str(launch.droid.absolute()), *words, *launch.arguments, launch.prompt],
        environment={**launch.environment, **QUIET, **DIRECT, **override},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _outcome(launch: Launch, finished: process.Finished, server: MessagesServer) -> DrillRun:
    result = _result(finished.stdout)
    session = str(result.get("session_id", ""))
    hooks = tuple(_hooks(launch.home, session))
    stopped = any(STOPPING in hook.stdout for hook in hooks)  # calls may run side by side
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=finished.stderr.decode("utf-8", "replace")[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session=session,
        calls=conversation.calls(server.requests, DENIED),
        hooks=hooks,
        terminal_reason="hook_stopped" if stopped else "",
        text=str(result.get("result", "")),
        cost_usd=0.0,
        events=(),
    )


def _result(stdout: bytes) -> dict[str, Any]:
    try:
        result = json.loads(stdout)
    except ValueError:
        return {}
    return result if isinstance(result, dict) else {}


def log_of(home: Path, session: str) -> Path | None:
    """Where Droid has written down this session."""
    return next((home / ".factory/sessions").glob(f"*/{session}.jsonl"), None) if session else None


def _hooks(home: Path, session: str) -> Iterator[HookRun]:
    """Those that were run, by the log."""
    log = log_of(home, session)
    for line in log.read_bytes().splitlines() if log else ():
        message = json.loads(line).get("message", {})
        for ended in message.get("hookResults", ()):
            printed = ended["stdout"], ended["stderr"], ended["exitCode"]
            yield HookRun(message["hookEventName"], *printed, message["hookStatus"])


def drill(
    droid: Path,
    marker: str,
    *,
    environment: Mapping[str, str] = os.environ,
    folder: Path,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DrillReport:
    """Lets a model run `true` for ever, under a copy of the hooks in `folder`.

    `marker` is how the guard's reasons start; `on_progress` hears the number of requests so far, from
    another thread.
    """
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        home = Path(scratch, "home")
        _copy(folder, home / ".factory")
        cwd = project or Path(scratch)
        launch = Launch(
            droid, cwd, home, inherited(environment), max_requests=DRILL_REQUESTS, timeout=90
        )
        done = run(launch, drilling(again("true"), on_progress))
    return unproven(done, "Execute", MISSING) or judge(done, marker, can_end_turns=True)


def _copy(folder: Path, copy: Path) -> None:
    """The hooks, as they are where they are broken; of the other settings, which may hold keys, none."""
    copy.mkdir(parents=True)
    if (folder / "hooks.json").is_file():
        shutil.copy(folder / "hooks.json", copy)
    if (folder / "settings.json").is_file():
        (copy / "settings.json").write_bytes(_hooks_alone((folder / "settings.json").read_bytes()))


def _hooks_alone(settings: bytes) -> bytes:
    try:
        value = json_document.parse(settings, RULES, "settings.json").value
    except Refusal:
        return settings
    if not isinstance(value, dict):
        return settings
    hooks = {"hooks": value["hooks"]} if "hooks" in value else {}
    return json.dumps(hooks, default=float).encode()


def places(machine: Machine) -> dict[str, Path]:
    """Where this machine has what `drill` copies."""
    return {"folder": paths.folder(machine)}
