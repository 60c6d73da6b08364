"""Runs the real Copilot CLI headless against a scripted model: no key, no cost, no network.

Copilot speaks the API of whichever vendor it is told; here it is Anthropic's. A drill leaves no session
behind: it runs in a folder of its own with copies of the user's settings and hooks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ...documents import json_document
from ...drill import conversation, process
from ...drill.messages_server import MessagesServer
from ...drill.outcome import DrillReport, DrillRun, HookRun, judge, unproven
from ...drill.scripts import drilling, looping
from ...drill.server import Script, ToolUse
from ...errors import Refusal
from ...machine import Machine
from . import paths

MODEL = "claude-sonnet-4.6"
DRILL_REQUESTS = 30
INHERITED = ("HOME", "PATH", "LANG", "XDG_CACHE_HOME", "USERPROFILE", "APPDATA", "SYSTEMROOT")
DIRECT = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
QUIET = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}
CONFIG = json_document.Rules(reader="Copilot", comments=True, trailing_commas=True)
RESUME_LINE = re.compile(r"--resume=(\S+)")
DENIED = "Denied by preToolUse hook"
MISSING = "nothing is proven: this release offers no `bash` tool, which the drill uses"


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees.

    The server stops the model after `max_requests`.
    """

    copilot: Path
    cwd: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    model: str = MODEL
    arguments: tuple[str, ...] = ("--allow-all-tools",)
    max_requests: int = 200
    timeout: float = 120


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """What Copilot needs of an environment, without the keys that are in it."""
    return {name: environment[name] for name in INHERITED if name in environment}


def redirected(url: str, model: str) -> dict[str, str]:
    """Variables that make Copilot ask the model at `url`, and nobody else."""
    return {
        **QUIET,
        **DIRECT,
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_BASE_URL": url,
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": model,
    }


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `copilot -p`, answered by `script`; a program that cannot start is refused."""
    with MessagesServer(
        script, max_requests=launch.max_requests, max_seconds=launch.timeout
    ) as server:
        finished = _started(launch, server.url)
    return _outcome(launch, finished, server)


def _started(launch: Launch, url: str) -> process.Finished:
    return process.start(
        [str(launch.copilot.absolute()), "-p", launch.prompt, *launch.arguments],
        environment={**launch.environment, **redirected(url, launch.model)},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _outcome(launch: Launch, finished: process.Finished, server: MessagesServer) -> DrillRun:
    stderr = finished.stderr.decode("utf-8", "replace")
    found = RESUME_LINE.search(stderr)
    session = found[1] if found else ""
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=stderr[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session=session,
        calls=conversation.calls(server.requests, DENIED),
        hooks=tuple(_hooks(events_file(launch.environment, session))),
        terminal_reason="",
        text=finished.stdout.decode("utf-8", "replace").strip(),
        cost_usd=0.0,
        events=(),
    )


def events_file(environment: Mapping[str, str], session: str) -> Path:
    """The log of a session."""
    folder = environment.get("COPILOT_HOME") or Path(environment["HOME"], ".copilot")
    return Path(folder, "session-state", session, "events.jsonl")


def _hooks(log: Path) -> Iterator[HookRun]:
    """Those that have ended, by the log."""
    for line in log.read_bytes().splitlines() if log.is_file() else ():
        event = json.loads(line)
        if event["type"] == "hook.end":
            name, done = event["data"]["hookType"], str(event["data"]["success"])
            yield HookRun(name[:1].upper() + name[1:], "", "", None, done)


def drill(
    copilot: Path,
    marker: str,
    *,
    environment: Mapping[str, str] = os.environ,
    folder: Path,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DrillReport:
    """Lets a model run `true` for ever, under copies of the settings and hooks in `folder`.

    `marker` is how the guard's reasons start; `on_progress` hears the number of requests so far, from
    another thread.
    """
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        home = Path(scratch, "copilot")
        _copy(folder, home)
        launch = Launch(
            copilot,
            project or Path(scratch),
            {**inherited(environment), "COPILOT_HOME": str(home)},
            max_requests=DRILL_REQUESTS,
            timeout=90,
        )
        done = run(launch, drilling(looping(ToolUse("bash", {"command": "true"})), on_progress))
    return unproven(done, "bash", MISSING) or judge(done, marker, can_end_turns=None)


def _copy(folder: Path, home: Path) -> None:
    """What decides whether hooks run; of `config.json`, which may hold a key, only the trust."""
    home.mkdir()
    if (folder / "hooks").is_dir():
        shutil.copytree(folder / "hooks", home / "hooks")
    if (folder / "settings.json").is_file():
        shutil.copy(folder / "settings.json", home)
    trusted = {"trustedFolders": _trusted(folder / "config.json")}
    (home / "config.json").write_text(json.dumps(trusted))


def _trusted(config: Path) -> list[str]:
    try:
        value = json_document.parse(config.read_bytes(), CONFIG, config.name).value
        return [str(path) for path in value["trustedFolders"]]
    except (OSError, Refusal, KeyError, TypeError):
        return []


def places(machine: Machine) -> dict[str, Path]:
    """Where this machine has what `drill` copies."""
    return {"folder": paths.folder(machine)}
