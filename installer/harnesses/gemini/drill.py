"""Runs the real Gemini CLI headless against a scripted model: no key, no cost, no network.

The user's settings are copied into a scratch home, for they name a way to sign in, and two things are
set there: a key instead, and no loop detection but the guard's (docs/harnesses/gemini.md).
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ...documents import json_document
from ...documents.json_document import Rules
from ...documents.values import KeyPath, Value
from ...drill import process
from ...drill.generate_server import GenerateServer
from ...drill.outcome import Call, DrillReport, DrillRun, judge
from ...drill.scripts import drilling, looping
from ...drill.server import Request, Script, ToolUse
from ...errors import Refusal
from ...machine import Machine
from . import paths

MODEL = "gemini-2.5-flash"  # its name decides which tools are offered
TOOL = "glob"  # reads, and needs nobody's permission
DRILL_REQUESTS = 30
INHERITED = (
    *("HOME", "PATH", "LANG", "USERPROFILE", "APPDATA", "SYSTEMROOT"),
    *("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
)
SET: dict[KeyPath, Value] = {
    ("security", "auth", "selectedType"): "gemini-api-key",
    ("model", "disableLoopDetection"): True,
}
QUIET = {
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "GEMINI_CLI_NO_RELAUNCH": "true",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GOOGLE_GENAI_USE_VERTEXAI": "false",
    "GOOGLE_GENAI_USE_GCA": "false",
}
NO_SIGN_IN = 41  # exit code
ENDED = re.compile(r"^Agent execution stopped: ", re.MULTILINE)
DENIED = "Tool execution blocked: "
SIGN_IN = "nothing is proven: the settings of this machine choose how to sign in"
MISSING = f"nothing is proven: this release offers no `{TOOL}` tool, which the drill uses"


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees.

    The server stops the model after `max_requests`.
    """

    gemini: Path
    cwd: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    model: str = MODEL
    arguments: tuple[str, ...] = ()
    max_requests: int = 200
    timeout: float = 120


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `gemini -p`, answered by `script`; a program that cannot start is refused."""
    with GenerateServer(
        script, max_requests=launch.max_requests, max_seconds=launch.timeout
    ) as server:
        finished = _started(launch, server.url)
    return _outcome(finished, server)


def redirected(url: str) -> dict[str, str]:
    """Variables that make Gemini CLI ask the model at `url`, and nobody else."""
    return {**QUIET, "GEMINI_API_KEY": "a-drill", "GOOGLE_GEMINI_BASE_URL": url}


def _started(launch: Launch, url: str) -> process.Finished:
    command = [str(launch.gemini.absolute()), "-m", launch.model, *launch.arguments]
    return process.start(
        [*command, "-p", launch.prompt],
        environment={**redirected(url), **launch.environment},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _outcome(finished: process.Finished, server: GenerateServer) -> DrillRun:
    stderr = finished.stderr.decode("utf-8", "replace")
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=stderr[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session="",
        calls=tuple(_calls(server.requests)),
        hooks=(),
        terminal_reason="hook_stopped" if ENDED.search(stderr) else "",
        text=finished.stdout.decode("utf-8", "replace").strip(),
        cost_usd=0.0,
        events=(),
    )


def _calls(requests: tuple[Request, ...]) -> Iterator[Call]:
    """Each request holds the conversation so far: calls, and what they came to in the same order."""
    told: set[str] = set()
    for request in requests:
        called: list[Mapping[str, Any]] = []
        for part in _parts(request):
            if "functionCall" in part:
                called.append(part["functionCall"])
            elif done := part.get("functionResponse"):
                call = called.pop(0) if called else {}  # a resumed session begins in the middle
                if done["id"] not in told:
                    told.add(done["id"])
                    yield _call(call, done)


def _call(call: Mapping[str, Any], done: Mapping[str, Any]) -> Call:
    response = done["response"]
    result = str(response.get("output") or response.get("error") or "")
    failed = result.startswith(DENIED)
    return Call(done["id"], done["name"], call.get("args", {}), "", result, failed)


def _parts(request: Request) -> Iterator[Mapping[str, Any]]:
    for content in request.body.get("contents", ()):
        yield from content.get("parts", ())


def drill(
    gemini: Path,
    marker: str,
    *,
    settings: Path,
    environment: Mapping[str, str] = os.environ,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DrillReport:
    """Lets a model list the files of a folder for ever, under a copy of the user's `settings`.

    `marker` is how the guard's reasons start; `on_progress` hears the number of requests so far, from
    another thread.
    """
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        home, empty = Path(scratch, "home"), Path(scratch, "project")
        empty.mkdir()
        _copy(settings, home / ".gemini/settings.json")
        inherited = {name: environment[name] for name in INHERITED if name in environment}
        launch = Launch(
            gemini,
            project or empty,
            {**inherited, "GEMINI_CLI_HOME": str(home)},
            max_requests=DRILL_REQUESTS,
            timeout=90,
        )
        script = looping(ToolUse(TOOL, {"pattern": "*"}))
        done = run(launch, drilling(script, on_progress))
        done = done._replace(session=_session(home))
    if not done.requests and done.exit_code == NO_SIGN_IN:
        return DrillReport("skipped", SIGN_IN, 0, None, done.seconds, done.session)
    if done.requests and not _offers(done.requests[0], TOOL):
        return DrillReport("skipped", MISSING, len(done.requests), None, done.seconds, done.session)
    return judge(done, marker, can_end_turns=True, tells_hooks=False)


def _session(home: Path) -> str:
    """The log that the run has left in the scratch home names it in its first line."""
    for log in home.glob(".gemini/tmp/*/chats/session-*.jsonl"):
        with suppress(OSError, ValueError, KeyError):
            return str(json.loads(log.read_bytes().partition(b"\n")[0])["sessionId"])
    return ""


def _copy(settings: Path, copy: Path) -> None:
    """What cannot be read is copied as it is: the CLI itself will say so."""
    copy.parent.mkdir(parents=True)
    data = settings.read_bytes() if settings.exists() else b""
    rules = Rules(reader="Gemini CLI", comments=True)
    try:
        for path, value in SET.items():
            document = json_document.parse(data, rules, str(settings))
            data = json_document.set_value(document, path, value).data
    except Refusal:
        pass
    copy.write_bytes(data)


def _offers(request: Request, tool: str) -> bool:
    return any(
        offered.get("name") == tool
        for tools in request.body.get("tools", ())
        for offered in tools.get("functionDeclarations", ())
    )


def places(machine: Machine) -> dict[str, Path]:
    """Where this machine has what `drill` copies."""
    return {"settings": paths.settings_file(machine, "user", machine.home)}
