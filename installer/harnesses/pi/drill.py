"""Runs the real Pi headless against a scripted model: no key, no cost, no network.

The user's own settings and extensions stay in force; one more extension, given by `-e`, brings the
provider. No session is kept (docs/harnesses/pi.md).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ...drill import conversation, process
from ...drill.messages_server import MessagesServer
from ...drill.outcome import DrillReport, DrillRun, judge, unproven
from ...drill.scripts import drilling, looping
from ...drill.server import Script, ToolUse
from ...machine import Machine
from .. import session_ids
from .paths import MOVED_BY

PROVIDER, MODEL = "runaway-drill", "claude-opus-4-6"
DRILL_REQUESTS = 30
INHERITED = ("HOME", "PATH", "LANG", MOVED_BY, "NODE_EXTRA_CA_CERTS")
QUIET = {
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    "PI_OFFLINE": "1",
    "PI_SKIP_VERSION_CHECK": "1",
    "PI_TELEMETRY": "0",
}
UNKEPT = ("--no-session",)
ABORTED = " was aborted"  # how stderr ends when an extension has ended the turn
NO_READ = "nothing is proven: the settings take away the `read` tool, which the drill uses"


class Launch(NamedTuple):
    """How one headless turn starts; `environment` is all that the CLI sees but what keeps it quiet.

    `prices` are dollars per million tokens, in Pi's words: without any a turn costs nothing. The server
    stops the model after `max_requests`.
    """

    pi: Path
    cwd: Path
    environment: Mapping[str, str]
    prompt: str = "x"
    prices: Mapping[str, float] = MappingProxyType({})
    arguments: tuple[str, ...] = ()
    max_requests: int = 200
    timeout: float = 120
    session: str = ""  # its id; Pi makes one where it is given none


def provider(url: str, prices: Mapping[str, float]) -> str:
    """An extension that makes Pi know the model at `url`."""
    free = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
    model = {
        "id": MODEL,
        "name": MODEL,
        "reasoning": False,
        "input": ["text"],
        "contextWindow": 200_000,
        "maxTokens": 8000,
        "cost": {**free, **prices},
    }
    api = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "none", "models": [model]}
    return f"export default (pi) => pi.registerProvider({json.dumps(PROVIDER)}, {json.dumps(api)})"


def redirected(file: Path) -> tuple[str, ...]:
    """Options that make Pi ask the model of that extension."""
    return ("-e", str(file), "--provider", PROVIDER, "--model", MODEL)


def run(launch: Launch, script: Script) -> DrillRun:
    """One turn of `pi -p`, answered by `script`; a program that cannot start is refused."""
    with (
        tempfile.TemporaryDirectory(prefix="runaway-drill-") as scratch,
        MessagesServer(
            script, max_requests=launch.max_requests, max_seconds=launch.timeout
        ) as server,
    ):
        file = Path(scratch, "provider.js")
        file.write_text(provider(server.url, launch.prices))
        finished = _started(launch, file)
    return _outcome(launch, finished, server)


def _started(launch: Launch, file: Path) -> process.Finished:
    named = ("--session-id", launch.session) if launch.session else ()
    command = [str(launch.pi.absolute()), "-p", *redirected(file), *named, *launch.arguments]
    return process.start(
        [*command, launch.prompt],
        environment={**launch.environment, **QUIET},
        cwd=launch.cwd,
        timeout=launch.timeout,
    )


def _outcome(launch: Launch, finished: process.Finished, server: MessagesServer) -> DrillRun:
    stderr = finished.stderr.decode("utf-8", "replace")
    return DrillRun(
        exit_code=finished.exit_code,
        stderr=stderr[-4000:],
        seconds=finished.seconds,
        requests=server.requests,
        exhausted=server.exhausted,
        session=launch.session,
        calls=conversation.calls(server.requests),  # but those of a response that was cut off
        hooks=(),
        terminal_reason="hook_stopped" if stderr.rstrip(".\n").endswith(ABORTED) else "",
        text=finished.stdout.decode("utf-8", "replace").strip(),
        cost_usd=0.0,
        events=(),
    )


def drill(
    pi: Path,
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
        inherited = {name: environment[name] for name in INHERITED if name in environment}
        missing = ToolUse("read", {"path": str(cwd / "runaway-drill" / "no-such-file")})
        launch = Launch(
            pi,
            cwd,
            inherited,
            arguments=UNKEPT,
            max_requests=DRILL_REQUESTS,
            session=session_ids.uuid7(),
        )
        done = run(launch, drilling(looping(missing), on_progress))
    return unproven(done, missing.name, NO_READ) or judge(
        done, marker, can_end_turns=True, tells_hooks=False
    )


def places(_machine: Machine) -> dict[str, Path]:
    return {}
