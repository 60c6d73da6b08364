"""Whatever disarms the guard in a harness is an error of the doctor that names the file and heals."""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import clients
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from tests.support.installer import diagnose, install_claude, wire

FAULTS = {name: importlib.import_module(f"{__package__}.{name}.faults") for name in HARNESSES}
ALL = pytest.mark.parametrize("name", HARNESSES)
HOOKED = pytest.mark.parametrize(
    "name",
    [
        name
        for name, its in FAULTS.items()
        if its.FILE.endswith(".json") and not hasattr(its, "LISTED")
    ],
)
SWITCHED = pytest.mark.parametrize(
    "name", [name for name in HARNESSES if hasattr(FAULTS[name], "SWITCHED_OFF_IN")]
)
SWITCHED_BESIDE = pytest.mark.parametrize(
    "name", [name for name in HARNESSES if hasattr(FAULTS[name], "SWITCHED_OFF")]
)


@pytest.fixture
def armed(machine: Machine, name: str) -> Machine:
    """Set up, with whatever consent it needs, and nothing to complain of."""
    set_up(machine, name)
    (machine.home / "project").mkdir()
    assert errors(machine, name) == []
    return machine


def set_up(machine: Machine, name: str) -> None:
    assert wire(machine, harnesses=(name,), trust_codex_hook=name == "codex").exit_code == 0


def file_of(machine: Machine, name: str) -> Path:
    return machine.home / str(FAULTS[name].FILE)


def errors(machine: Machine, name: str, *, ask: bool = True) -> list[Check]:
    found = HARNESSES[name].checks(machine, machine.home / "project", ask=ask)
    return [check for check in found if check.level == "error"]


def told(machine: Machine, name: str, path: Path) -> Check:
    """The error that names the file; the files alone tell it."""
    asked, unasked = errors(machine, name), errors(machine, name, ask=False)
    assert asked == unasked
    [first, *_] = asked
    assert machine.tilde(path) in first.message
    assert first.fix
    return first


def hooks_of(path: Path) -> Iterator[dict[str, Any]]:
    """To be changed and written back."""
    settings = json.loads(path.read_bytes())
    yield settings["hooks"]
    path.write_text(json.dumps(settings))


@ALL
def test_an_entry_that_is_gone_is_written_again(armed: Machine, name: str) -> None:
    path = file_of(armed, name)
    path.unlink()
    assert [one.check for one in errors(armed, name, ask=False)] == ["installed.entry"]
    [error] = errors(armed, name)
    assert f"--harness {name}" in error.fix
    set_up(armed, name)
    assert errors(armed, name) == []


@HOOKED
def test_without_the_event_that_decides_nothing_is_denied(armed: Machine, name: str) -> None:
    path = file_of(armed, name)
    payload = json.loads(HARNESSES[name].sample_payload("s", 0))
    event = payload.get("hook_event_name") or FAULTS[name].EVENT
    for hooks in hooks_of(path):
        del hooks[event]
        hooks["Stop" if event[0].isupper() else "stop"] = []
    remaining = json.loads(path.read_bytes())["hooks"]
    error = told(armed, name, path) if any(remaining.values()) else errors(armed, name)[0]
    assert error.check == ("installed.events" if any(remaining.values()) else "installed.entry")
    set_up(armed, name)
    assert errors(armed, name) == []


@ALL
def test_another_command_is_not_the_guard(armed: Machine, name: str) -> None:
    path = file_of(armed, name)
    other = str(armed.launcher.parent.parent / "other/runaway/launch")
    path.write_text(path.read_text().replace(str(armed.launcher), other))
    error = told(armed, name, path)
    assert error.check == "installed.entry"
    if error.fix.startswith("Move it away"):
        path.unlink()
    set_up(armed, name)
    assert errors(armed, name) == []


@ALL
def test_without_the_guards_own_folder_none_works(armed: Machine, name: str) -> None:
    shutil.rmtree(armed.data)
    found = diagnose(armed, harnesses=(name,))
    assert found.exit_code == 1
    [missing] = [one for one in found.messages if one.code == "installed.code"]
    assert "runaway setup" in (missing.fix or "")
    set_up(armed, name)
    assert diagnose(armed, harnesses=(name,)).exit_code == 0


@pytest.mark.parametrize("name", [name for name in HARNESSES if hasattr(FAULTS[name], "DROPPED")])
def test_a_file_that_it_drops_protects_nobody(armed: Machine, name: str) -> None:
    path, before = file_of(armed, name), file_of(armed, name).read_bytes()
    path.write_text(FAULTS[name].DROPPED)
    assert "allowed.file" in [one.check for one in errors(armed, name, ask=False)]
    [error] = [one for one in errors(armed, name) if one.check == "allowed.file"]
    assert armed.tilde(path) in error.message
    assert error.fix
    path.write_bytes(before)
    assert errors(armed, name) == []


@SWITCHED_BESIDE
def test_a_switch_beside_its_entry_disarms_it(armed: Machine, name: str) -> None:
    path, before = file_of(armed, name), file_of(armed, name).read_bytes()
    path.write_text(json.dumps({**json.loads(before), **FAULTS[name].SWITCHED_OFF}))
    error = told(armed, name, path)
    assert error.check == "allowed.disabled"
    assert error.fix.startswith("Remove ")
    path.write_bytes(before)
    assert errors(armed, name) == []


@SWITCHED
def test_a_switch_in_another_file_disarms_it(armed: Machine, name: str) -> None:
    place, text = FAULTS[name].SWITCHED_OFF_IN
    path = armed.home / place
    before = path.read_text() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((before or "") + text)
    error = told(armed, name, path)
    assert error.check == "allowed.disabled"
    path.write_text(before) if before else path.unlink()
    assert errors(armed, name) == []


@pytest.mark.parametrize("name", ["opencode"])
def test_a_switch_in_a_variable_disarms_it(armed: Machine, name: str) -> None:
    switched = armed._replace(environ={**armed.environ, "OPENCODE_PURE": "1"})
    [error] = errors(switched, name, ask=False)
    assert (error.check, error.fix) == ("allowed.pure", "Unset OPENCODE_PURE.")


def test_codex_runs_nothing_that_nobody_trusted(machine: Machine) -> None:
    wire(machine, harnesses=("codex",))
    [error] = errors(machine, "codex", ask=False)
    assert error.check == "trusted.consent"
    assert "--trust-codex-hook" in error.fix
    set_up(machine, "codex")
    assert errors(machine, "codex") == []


@pytest.mark.parametrize("name", ["gemini"])
def test_gemini_runs_nothing_in_a_folder_that_it_was_told_to_distrust(
    armed: Machine, name: str
) -> None:
    rules, project = armed.home / ".gemini/trustedFolders.json", str(armed.home / "project")
    rules.write_text(json.dumps({project: "DO_NOT_TRUST"}))
    [error] = errors(armed, name, ask=False)
    assert error.check == "trusted.folder"
    assert "~/project" in error.message
    rules.write_text(json.dumps({project: "TRUST_FOLDER"}))
    assert errors(armed, name) == []


@pytest.mark.parametrize(("scope", "wanted"), [("user", ["installed.events"]), ("project", [])])
def test_the_entry_of_one_project_protects_no_other(
    machine: Machine, scope: str, wanted: list[str]
) -> None:
    set_up(machine, "claude")
    project = machine.home / "project"
    project.mkdir()
    wire(machine, harnesses=("claude",), scope="project", project=project)
    files = {"user": file_of(machine, "claude"), "project": project / ".claude/settings.json"}
    for hooks in hooks_of(files[scope]):
        hooks["PostToolBatch"] = hooks.pop("PreToolUse")
    assert [one.check for one in errors(machine, "claude", ask=False)] == wanted


def test_claude_code_is_not_started_where_nobody_may_be_asked(machine: Machine) -> None:
    """A stranger's bad handler under Stop voids the file for an old release, which is not known yet."""
    program = install_claude(machine, "2.1.74")
    set_up(machine, "claude")
    (machine.home / "project").mkdir()
    for hooks in hooks_of(file_of(machine, "claude")):
        hooks["Stop"] = [{"hooks": [{"type": "unknown"}]}]
    told = program.with_name("told")
    program.write_text(f"#!/bin/sh\n: >{told}\necho 2.1.74\n")
    assert errors(machine, "claude", ask=False) == []
    assert not told.exists()
    assert [one.check for one in errors(machine, "claude")] == ["allowed.file"]
    assert told.exists()
    list(clients.checks(machine, HARNESSES["claude"], ask=True))
    assert [one.check for one in errors(machine, "claude", ask=False)] == ["allowed.file"]


def test_codex_is_not_started_where_nobody_may_be_asked(machine: Machine) -> None:
    set_up(machine, "codex")
    program = machine.home / "bin/codex"
    program.parent.mkdir()
    told = program.with_name("told")
    program.write_text(f"#!/bin/sh\n: >{told}\n")
    program.chmod(0o755)
    assert errors(machine, "codex", ask=False) == []
    assert not told.exists()
