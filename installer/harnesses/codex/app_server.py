"""Asks Codex itself, over its app-server (JSON-RPC, one line each): no model request, no login.

Started on an existing `CODEX_HOME` it writes nothing but caches of its own; plugins and apps are off,
because looking for them would use the network.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

from ....guard import __version__
from ...drill.process import kill
from ...machine import Machine
from .trust import Hook

SECONDS = 15
INHERITED = ("HOME", "PATH", "LANG", "CODEX_HOME", "USERPROFILE", "APPDATA", "SYSTEMROOT")
# Nothing of it is needed, and plugins and apps would ask the network.
QUIET = (
    *("-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"),
    *("--disable", "plugins", "--disable", "apps"),
)


class Listed(NamedTuple):
    """One hook as `hooks/list` tells it; `status` is untrusted, trusted, modified or managed."""

    key: str
    command: str
    hash: str
    status: str
    enabled: bool


class Listing(NamedTuple):
    """All hooks that a session in one folder would have; `problems` are warnings and errors."""

    hooks: tuple[Listed, ...]
    problems: tuple[str, ...]


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """What Codex needs of an environment, without the keys that are in it."""
    return {name: environment[name] for name in INHERITED if name in environment}


def hooks(program: Path, machine: Machine, project: Path) -> Listing | None:
    """`hooks/list`; None where this Codex does not answer."""
    result = ask(program, machine, project, "hooks/list", {"cwds": [str(project)]})
    try:
        [told] = (result or {})["data"]
        listed = tuple(
            Listed(
                hook["key"],
                hook.get("command") or "",
                hook["currentHash"],
                hook["trustStatus"],
                hook["enabled"],
            )
            for hook in told["hooks"]
        )
        problems = [*told["warnings"], *(error["message"] for error in told["errors"])]
    except (KeyError, TypeError, ValueError):
        return None
    return Listing(listed, tuple(problems))


def record(program: Path, machine: Machine, project: Path, trusted: tuple[Hook, ...]) -> bool:
    """What the trust screen of Codex does: it writes the hashes into its `config.toml` itself."""
    states = {hook.key: {"trusted_hash": hook.hash} for hook in trusted}
    edit = {"keyPath": "hooks.state", "value": states, "mergeStrategy": "upsert"}
    params = {"edits": [edit], "reloadUserConfig": True}
    return ask(program, machine, project, "config/batchWrite", params) is not None


def ask(
    program: Path, machine: Machine, cwd: Path, method: str, params: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The result of one request, or None: no answer in time, or an error."""
    client = {"name": "runaway", "version": __version__}
    requests = (
        {"id": 0, "method": "initialize", "params": {"clientInfo": client}},
        {"method": "initialized"},
        {"id": 1, "method": method, "params": params},
    )
    try:
        with _server(program, machine, cwd) as server:
            assert server.stdin
            assert server.stdout
            server.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in requests))
            server.stdin.flush()
            for line in server.stdout:
                answer = json.loads(line)
                if answer.get("id") == 1:
                    result = answer.get("result")
                    return result if isinstance(result, dict) else None
    except (OSError, ValueError):
        return None
    return None


@contextmanager
def _server(program: Path, machine: Machine, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Nothing of it is left running, however long it takes to answer."""
    server = subprocess.Popen(
        [program.absolute(), "app-server", *QUIET],
        env=inherited(machine.environ),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    timer = Timer(SECONDS, kill, (server.pid,))
    timer.start()
    try:
        yield server
    finally:
        timer.cancel()
        kill(server.pid)
        server.communicate()
