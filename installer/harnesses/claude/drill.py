"""Runs the real Claude Code headless against a scripted model: no key, no cost, no network.

The user's own settings stay in force; what must differ for the drill is given with `--settings`,
which Claude Code puts above every file but the managed ones (docs/harnesses.md).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ...drill import process
from ...drill.messages_server import MessagesServer
from ...drill.outcome import DrillReport, DrillRun, judge, unproven
from ...drill.scripts import drilling, looping
from ...drill.server import Script, ToolUse
from ...errors import Refusal
from ...machine import Machine, program_in
from .. import release
from . import paths, stream

ENDS_TURNS_SINCE = (2, 1, 222)
TELLS_HOOKS_SINCE = (2, 1, 90)  # 2.1.85 does not start with the option
DRILL_REQUESTS = 60
NO_READ = "nothing is proven: permission rules take away the Read tool, which the drill uses"
INHERITED = ("HOME", "PATH", "LANG", "CLAUDE_CONFIG_DIR", "USERPROFILE", "APPDATA", "SYSTEMROOT")
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_ENABLE_TELEMETRY": "0",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
}
DIRECT = {
    "ANTHROPIC_API_KEY": "runaway-drill",
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}
NO_OTHER_PROVIDER = {
    "CLAUDE_CODE_USE_BEDROCK": "0",
    "CLAUDE_CODE_USE_VERTEX": "0",
    "CLAUDE_CODE_USE_FOUNDRY": "0",
}
MANAGED = {
    "darwin": Path("/Library/Application Support/ClaudeCode"),
    "win32": Path("C:/Program Files/ClaudeCode"),
}.get(sys.platform, Path("/etc/claude-code"))


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees but its redirection.

    `settings` go with those that `--settings` must carry anyway; no transcript is written unless
    `keep_session`; the server stops the model after `max_requests`.
    """

    claude: Path
    cwd: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    settings: Mapping[str, Any] = MappingProxyType({})
    arguments: tuple[str, ...] = ()
    keep_session: bool = False
    max_requests: int = 200
    timeout: float = 120
    tells_hooks: bool = True  # an older release has no option for that


def find(given: Path | None = None) -> Path | None:
    """The CLI: the program `given`, else `claude` on PATH."""
    if given is None:
        return program_in(os.environ.get("PATH", os.defpath), "claude")
    found = shutil.which(given.absolute())
    return Path(found) if found else None


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `claude -p`, answered by `script`; a program that cannot be started is refused."""
    with MessagesServer(
        script, max_requests=launch.max_requests, max_seconds=launch.timeout
    ) as server:
        forced = redirected(server.url, launch.settings)
        finished = _started(launch, forced)
    return _outcome(finished, server)


def _started(launch: Launch, forced: Mapping[str, Any]) -> process.Finished:
    return process.start(
        _command(launch, forced),
        environment={**launch.environment, **forced["env"]},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _command(launch: Launch, forced: Mapping[str, Any]) -> list[str]:
    saved = () if launch.keep_session else ("--no-session-persistence",)
    hooks = ("--include-hook-events",) if launch.tells_hooks else ()
    return [
        str(launch.claude.absolute()),
        *("-p", launch.prompt),
        *("--settings", json.dumps(forced)),
        *("--output-format", "stream-json", "--verbose", *hooks),
        *("--strict-mcp-config", *saved, *launch.arguments),
    ]


def redirected(url: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """`settings` plus all that makes Claude Code ask the model at `url`, and nobody else.

    `env` belongs into the process environment as well: should a release find fault with these
    settings and drop them, it must still not reach the real service.
    """
    env = {**QUIET, **DIRECT, **NO_OTHER_PROVIDER, "ANTHROPIC_BASE_URL": url}
    return {"apiKeyHelper": "", **settings, "env": {**env, **settings.get("env", {})}}


def _outcome(finished: process.Finished, server: MessagesServer) -> DrillRun:
    events = stream.events(finished.stdout)
    result = stream.result(events)
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=finished.stderr.decode("utf-8", "replace")[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session=stream.session(events),
        calls=stream.calls(events),
        hooks=stream.hooks(events),
        terminal_reason=result.get("terminal_reason", ""),
        text=result.get("result", ""),
        cost_usd=result.get("total_cost_usd", 0.0),
        events=events,
    )


def drill(
    claude: Path,
    marker: str,
    *,
    environment: Mapping[str, str] = os.environ,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
    managed: Path = MANAGED,
) -> DrillReport:
    """Lets a model read one missing file for ever, under the settings of the user and of `project`.

    Nothing is executed whether the guard works or not. `marker` is how the guard's reasons start;
    `on_progress` hears the number of requests so far, from another thread. Refuses where managed
    settings would send the drill to another model.
    """
    _refuse_managed_model(managed)
    known = release.version(claude, environment)
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        cwd = project or Path(scratch)
        launch = Launch(
            claude,
            cwd,
            _environment(environment),
            max_requests=DRILL_REQUESTS,
            timeout=90,
            tells_hooks=known is None or known >= TELLS_HOOKS_SINCE,
        )
        missing = ToolUse("Read", {"file_path": str(cwd / "runaway-drill" / "no-such-file")})
        done = run(launch, drilling(looping(missing), on_progress))
    can_end_turns = (known or ENDS_TURNS_SINCE) >= ENDS_TURNS_SINCE
    return unproven(done, missing.name, NO_READ) or judge(done, marker, can_end_turns=can_end_turns)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: environment[name] for name in INHERITED if name in environment}


def _refuse_managed_model(folder: Path) -> None:
    for path in _managed_files(folder):
        try:
            env = json.loads(path.read_bytes()).get("env", {})
        except (OSError, ValueError, AttributeError) as error:
            raise Refusal(
                f"{path} cannot be read ({error}), so Claude Code does not start: no drill.",
                code="managed-unreadable",
                fix="ask whoever manages this machine",
                path=path,
            ) from error
        if not env.keys().isdisjoint({"ANTHROPIC_BASE_URL", *NO_OTHER_PROVIDER}):
            raise Refusal(
                f"{path} decides which model Claude Code asks, so the drill's own cannot be used.",
                code="managed-model",
                fix="run the other checks of doctor without --drill",
                path=path,
            )


def _managed_files(folder: Path) -> Iterator[Path]:
    main = folder / "managed-settings.json"
    if main.exists():
        yield main
    yield from sorted(folder.glob("managed-settings.d/*.json"))


def places(machine: Machine) -> dict[str, Path]:
    """Where this machine has what `drill` looks at."""
    return {"managed": paths.managed_folder(machine)}
