"""Runs the real Codex headless against a scripted model: no key, no cost, no network.

The user's own settings and hooks stay in force; the model provider is given on the command line, which
outranks every file but the managed ones (docs/harnesses/codex.md).
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...drill import process
from ...drill.outcome import Call, DrillReport, DrillRun, HookRun, judge, unproven
from ...drill.responses_server import ResponsesServer
from ...drill.scripts import drilling, looping
from ...drill.server import Request, Script, ToolUse
from ...machine import Machine
from .app_server import QUIET, inherited

MODEL = "runaway-drill"  # unknown to Codex, which then offers its plain tools
DRILL_REQUESTS = 30
DIRECT = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
HOOK_LINE = re.compile(r"^hook: (\w+) (Completed|Blocked|Failed|Stopped)\b", re.MULTILINE)
SESSION_LINE = re.compile(r"^session id: (\S+)", re.MULTILINE)
MISSING = "nothing is proven: this release offers no `exec_command` tool, which the drill uses"


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees.

    No rollout is written unless `keep_session`; the server stops the model after `max_requests`.
    `command` is what stands behind `codex exec`: another one resumes or forks a session.
    """

    codex: Path
    cwd: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    model: str = MODEL
    command: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    sandbox: str = "read-only"
    keep_session: bool = False
    max_requests: int = 200
    timeout: float = 120


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `codex exec`, answered by `script`; a program that cannot start is refused."""
    with ResponsesServer(
        script, max_requests=launch.max_requests, max_seconds=launch.timeout
    ) as server:
        finished = _started(launch, server.url)
    return _outcome(finished, server)


def _started(launch: Launch, url: str) -> process.Finished:
    return process.start(
        _command(launch, url),
        environment={**launch.environment, **DIRECT},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _command(launch: Launch, url: str) -> list[str]:
    saved = () if launch.keep_session else ("--ephemeral",)
    return [
        str(launch.codex.absolute()),
        "exec",
        *saved,
        *("--skip-git-repo-check", "-s", launch.sandbox, "-m", launch.model),
        *redirected(url),
        *QUIET,
        *launch.arguments,
        *launch.command,
        launch.prompt,
    ]


def redirected(url: str) -> tuple[str, ...]:
    """Options that make Codex ask the model at `url`, and nobody else."""
    provider = (
        f'{{name="a drill",base_url="{url}/v1",wire_api="responses",'
        "request_max_retries=0,stream_max_retries=0,supports_websockets=false}"
    )
    return (
        *("-c", 'model_provider="runaway_drill"'),
        *("-c", f"model_providers.runaway_drill={provider}"),
    )


def _outcome(finished: process.Finished, server: ResponsesServer) -> DrillRun:
    stderr = finished.stderr.decode("utf-8", "replace")
    found = SESSION_LINE.search(stderr)
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=stderr[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session=found[1] if found else "",
        calls=tuple(_calls(server.requests)),
        hooks=tuple(
            HookRun(event, "", "", None, done) for event, done in HOOK_LINE.findall(stderr)
        ),
        terminal_reason="",
        text=finished.stdout.decode("utf-8", "replace").strip(),
        cost_usd=0.0,
        events=(),
    )


def _calls(requests: tuple[Request, ...]) -> Iterator[Call]:
    """Each request holds the conversation so far: what was called, and what it came to."""
    items: dict[str, tuple[str, Mapping[str, Any]]] = {}
    results: dict[str, str] = {}
    for request in requests:
        for item in request.body.get("input", ()):
            if item.get("type") in ("function_call", "custom_tool_call"):
                items.setdefault(item["call_id"], (request.agent, item))
            elif str(item.get("type")).endswith("_call_output"):
                results[item["call_id"]] = _text(item.get("output"))
    for identity, (agent, item) in items.items():
        result = results.get(identity)
        failed = "blocked by PreToolUse hook" in (result or "")
        yield Call(identity, item["name"], _arguments(item), agent, result, failed)


def _arguments(item: Mapping[str, Any]) -> Mapping[str, Any]:
    if "input" in item:
        return {"input": item["input"]}
    arguments: Mapping[str, Any] = json.loads(item.get("arguments") or "{}")
    return arguments


def _text(output: Any) -> str:
    """A text, or a list of blocks."""
    if isinstance(output, list):
        return "\n".join(block.get("text", "") for block in output)
    return str(output or "")


def drill(
    codex: Path,
    marker: str,
    *,
    environment: Mapping[str, str] = os.environ,
    project: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DrillReport:
    """Lets a model run `true` for ever, under the settings and the trust of the user.

    `marker` is how the guard's reasons start; `on_progress` hears the number of requests so far, from
    another thread.
    """
    with tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch:
        launch = Launch(
            codex,
            project or Path(scratch),
            inherited(environment),
            max_requests=DRILL_REQUESTS,
            timeout=90,
        )
        done = run(launch, drilling(looping(ToolUse("exec_command", {"cmd": "true"})), on_progress))
    return unproven(done, "exec_command", MISSING) or judge(done, marker, can_end_turns=None)


def places(_machine: Machine) -> dict[str, Path]:
    return {}
