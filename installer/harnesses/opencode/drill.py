"""Runs the real OpenCode headless against a scripted model: no key, no cost, no network.

The user's own settings and plugins stay in force; the provider is given by OPENCODE_CONFIG_CONTENT, which
outranks every file but the managed ones, and sessions go into a folder that is thrown away
(docs/harnesses/opencode.md).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ...drill import conversation, process
from ...drill.messages_server import MessagesServer
from ...drill.outcome import DrillReport, DrillRun, judge, unproven
from ...drill.scripts import drilling, looping
from ...drill.server import Script, ToolUse
from ...machine import Machine

MODEL = "claude-opus-4-6"
DRILL_REQUESTS = 30
SECONDS = 150  # without network its start waits for npm, about 80 seconds
INHERITED = (
    "HOME", "PATH", "LANG", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR", "OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_PURE",
)  # fmt: skip
QUIET = {
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_SHARE": "1",
}
ABORTED = "Error: \x1b[0mAborted"  # all that it says of a session that a plugin has ended
NO_READ = "nothing is proven: permission rules take away the `read` tool, which the drill uses"


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees but its redirection.

    `settings` go with those that name the provider, `prices` (dollars per million tokens, in OpenCode's
    words) with its model: without any a turn costs nothing. The server stops the model after
    `max_requests`.
    """

    opencode: Path
    cwd: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    settings: Mapping[str, Any] = MappingProxyType({})
    prices: Mapping[str, float] = MappingProxyType({})
    arguments: tuple[str, ...] = ()
    max_requests: int = 200
    timeout: float = 120


class Server(MessagesServer):
    """A subagent is a session that has a parent."""

    def agent(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-session-id", "") if "x-parent-session-id" in headers else ""


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """What OpenCode needs of an environment, without the keys that are in it."""
    return {name: environment[name] for name in INHERITED if name in environment}


def redirected(
    url: str, settings: Mapping[str, Any], prices: Mapping[str, float]
) -> dict[str, str]:
    """Variables that make OpenCode ask the model at `url`, and nobody else."""
    model = {"limit": {"context": 200_000, "output": 8000}, "tool_call": True}
    model |= {"cost": dict(prices)} if prices else {}
    provider = {
        "npm": "@ai-sdk/anthropic",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {MODEL: model},
    }
    name = f"runaway-drill/{MODEL}"
    ours = {"model": name, "small_model": name, "provider": {"runaway-drill": provider}}
    return {**QUIET, "OPENCODE_CONFIG_CONTENT": json.dumps({**ours, **settings})}


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `opencode run`, answered by `script`; a program that cannot start is refused."""
    with Server(script, max_requests=launch.max_requests, max_seconds=launch.timeout) as server:
        finished = _started(launch, redirected(server.url, launch.settings, launch.prices))
    return _outcome(finished, server)


def _started(launch: Launch, redirection: Mapping[str, str]) -> process.Finished:
    return process.start(
        [
            str(launch.opencode.absolute()),
            *("run", "--title", "a drill", *launch.arguments),  # it asks the model for none
            launch.prompt,
        ],
        environment={**launch.environment, **redirection},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _outcome(finished: process.Finished, server: Server) -> DrillRun:
    stderr = finished.stderr.decode("utf-8", "replace")
    main = [request for request in server.requests if not request.agent]
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=stderr[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session=main[0].headers.get("x-session-id", "") if main else "",
        calls=conversation.calls(server.requests),  # but those of a response that was cut off
        hooks=(),
        terminal_reason="hook_stopped" if ABORTED in stderr else "",
        text=finished.stdout.decode("utf-8", "replace").strip(),
        cost_usd=0.0,
        events=(),
    )


def drill(
    opencode: Path,
    marker: str,
    *,
    environment: Mapping[str, str] = os.environ,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DrillReport:
    """Lets a model read one missing file for ever, under the settings of the user and of `project`.

    Nothing is executed whether the guard works or not. `marker` is how the guard's reasons start;
    `on_progress` hears the number of requests so far, from another thread.
    """
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        cwd = project or Path(scratch)
        thrown_away = {"XDG_DATA_HOME": f"{scratch}/data", "XDG_STATE_HOME": f"{scratch}/state"}
        launch = Launch(
            opencode,
            cwd,
            {**inherited(environment), **thrown_away},
            max_requests=DRILL_REQUESTS,
            timeout=SECONDS,
        )
        missing = ToolUse("read", {"filePath": str(cwd / "runaway-drill" / "no-such-file")})
        done = run(launch, drilling(looping(missing), on_progress))
    return unproven(done, missing.name, NO_READ) or judge(
        done, marker, can_end_turns=True, tells_hooks=False
    )


def places(_machine: Machine) -> dict[str, Path]:
    return {}
