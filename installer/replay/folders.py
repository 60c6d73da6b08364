"""Where each harness keeps its sessions on this machine."""

from __future__ import annotations

from pathlib import Path

from ..harnesses.antigravity import paths as antigravity
from ..harnesses.claude import paths as claude
from ..harnesses.codex import paths as codex
from ..harnesses.copilot import paths as copilot
from ..harnesses.droid import paths as droid
from ..harnesses.gemini import paths as gemini
from ..harnesses.grok import paths as grok
from ..harnesses.pi import paths as pi
from ..harnesses.qwen import paths as qwen
from ..harnesses.vscode import paths as vscode
from ..machine import Machine


def log_folders(machine: Machine) -> dict[str, tuple[Path, ...]]:
    """By harness: one, whether there or not, or of an editor those that are there."""
    folders = {name: (folder,) for name, folder in _folders(machine).items()}
    return {**folders, "vscode": vscode.transcript_folders(machine)}


def _folders(machine: Machine) -> dict[str, Path]:
    """Below the folder of its settings, wherever that was moved."""
    return {
        "claude": claude.config_folder(machine) / "projects",
        "codex": codex.config_folder(machine) / "sessions",
        "copilot": copilot.folder(machine) / "session-state",
        "gemini": gemini.folder(machine) / "tmp",
        "opencode": _opencode(machine),
        "qwen": qwen.folder(machine) / "projects",
        "antigravity": antigravity.data_folder(machine) / "brain",
        "pi": pi.sessions_folder(machine),
        "droid": droid.home(machine) / ".factory/sessions",
        "grok": grok.folder(machine) / "sessions",
    }


def _opencode(machine: Machine) -> Path:
    """Its database is no setting: `XDG_DATA_HOME` moves it."""
    named = machine.variable("XDG_DATA_HOME")
    return (machine.cwd / named if named else machine.home / ".local/share") / "opencode"
