"""A throw-away home directory for Antigravity's core, and sessions run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer.drill.generate_server import GenerateServer
from runaway.installer.drill.server import Request, Script
from runaway.installer.machine import Machine, scratch_machine
from tools.antigravity_core import FOLDER

MODEL = "gemini-3.5-flash"
SESSION = Path(__file__).with_name("antigravity_session.py")
SECONDS = 60


class Turns(NamedTuple):
    """What came of each prompt, and what the model was asked."""

    said: list[dict[str, str]]
    requests: tuple[Request, ...]
    stderr: str


class AntigravityHome(NamedTuple):
    """`project` is the workspace of every session; `core` is the copy that looks for hooks."""

    core: Path
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def hooks(self) -> Path:
        return self.root / ".gemini/config/hooks.json"

    @property
    def machine(self) -> Machine:
        return scratch_machine(self.root, {"PATH": os.defpath})

    def transcripts(self) -> list[Path]:
        logs = "antigravity/brain/*/.system_generated/logs/transcript_full.jsonl"
        return sorted((self.root / ".gemini").glob(logs))

    def run(self, script: Script, *prompts: str, limit: int = 60) -> Turns:
        """One session with these prompts, every tool allowed."""
        with GenerateServer(script, max_requests=limit, max_seconds=SECONDS) as server:
            done = subprocess.run(
                [sys.executable, "-B", str(SESSION)],
                input=json.dumps(self._job(server.url, prompts or ("go",))),
                env=self._environment(),
                cwd=self.project,
                capture_output=True,
                text=True,
                timeout=2 * SECONDS,
                check=False,
            )
        assert done.returncode == 0, done.stderr[-2000:]
        return Turns(json.loads(done.stdout.splitlines()[-1]), server.requests, done.stderr)

    def _job(self, url: str, prompts: tuple[str, ...]) -> dict[str, Any]:
        return {
            "url": url,
            "model": MODEL,
            "project": str(self.project),
            "data": str(self.root / ".gemini/antigravity"),
            "prompts": prompts,
            "seconds": SECONDS - 5,
        }

    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.root),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(FOLDER),
            "GEMINI_API_KEY": "none",
            "NO_PROXY": "127.0.0.1",
            "ANTIGRAVITY_HARNESS_PATH": str(self.core),
        }
