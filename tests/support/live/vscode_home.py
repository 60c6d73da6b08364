"""A throw-away home for the real VS Code: its server, and a headless Chromium that shows its window."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from runaway.installer.drill import conversation
from runaway.installer.drill.messages_server import MessagesServer
from runaway.installer.drill.outcome import Call
from runaway.installer.drill.server import Script
from runaway.installer.machine import Machine, scratch_machine

DRIVER = Path(__file__).with_name("vscode_driver")
DENIED = "Tool execution denied: "
TOOL = "run_in_terminal"
SETTINGS = {
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "update.mode": "none",
    "security.workspace.trust.enabled": False,
    "chat.permissions.default": "autoApprove",
}
QUIET = (
    *(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
    ),
    *("--disable-sync", "--disable-background-networking", "--disable-component-update"),
    *("--disable-default-apps", "--window-size=1400,1000"),
)
PATIENCE = 150.0  # seconds of one session


class VSCodeHome(NamedTuple):
    """`server_main` is run by `node`; `project` is the workspace."""

    server_main: Path
    node: Path
    chromium: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def machine(self) -> Machine:
        return scratch_machine(self.root, {"PATH": "/usr/bin:/bin"})

    def chat(self, script: Script, prompt: str = "go") -> tuple[Call, ...]:
        """What the model called, and was told, in one session of a server that is new each time."""
        data = self.root / ".vscode-server"
        shutil.rmtree(data, ignore_errors=True)
        told = data / "told"
        with MessagesServer(script, max_seconds=PATIENCE) as server:
            self._furnish(data, server.url)
            with self._running(data, told, prompt):
                wait_for(told)
        assert told.read_text() == "done", told.read_text()
        return conversation.calls(server.requests, DENIED)

    def _furnish(self, data: Path, url: str) -> None:
        user, extensions = data / "data/User", data / "extensions"
        user.mkdir(parents=True)
        extensions.mkdir()
        (extensions / "runaway.driver-0.0.1").symlink_to(DRIVER)
        model = {
            "id": "scripted",
            "name": "Scripted",
            "url": f"{url}/v1/messages",
            "toolCalling": True,
            "vision": False,
            "maxInputTokens": 128_000,
            "maxOutputTokens": 16_000,
        }
        group = {
            "vendor": "customendpoint",
            "name": "test",
            "apiKey": "none",
            "apiType": "messages",
        }
        (user / "chatLanguageModels.json").write_text(json.dumps([{**group, "models": [model]}]))
        (user / "settings.json").write_text(json.dumps(SETTINGS))

    @contextmanager
    def _running(self, data: Path, told: Path, prompt: str) -> Iterator[None]:
        port = free_port()
        environment = {"HOME": str(self.root), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        environment |= {"RUNAWAY_DRIVER_OUT": str(told), "RUNAWAY_DRIVER_PROMPT": prompt}
        environment |= {"SHELL": "/bin/bash"}
        server = [str(self.node), str(self.server_main), "--host", "127.0.0.1", "--port", str(port)]
        server += ["--without-connection-token", "--accept-server-license-terms"]
        server += ["--server-data-dir", str(data), "--default-folder", str(self.project)]
        window = [str(self.chromium), *QUIET, f"--user-data-dir={data}/browser"]
        with running(server, environment, self.project):
            wait_for_port(port)
            with running([*window, f"http://127.0.0.1:{port}/"], environment, self.project):
                yield


@contextmanager
def running(command: list[str], environment: dict[str, str], cwd: Path) -> Iterator[None]:
    """With everything that it starts, and not longer than the block."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, env=environment, cwd=cwd, stdin=quiet, stdout=quiet, stderr=quiet,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server of VS Code did not start")


def wait_for(told: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not told.exists():
        assert time.monotonic() < deadline, "the chat did not come to its end"
        time.sleep(0.2)
