"""Which files of Kiro hold the guard, by the release that is installed, and what the doctor says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runaway.installer.errors import Refusal
from runaway.installer.harnesses import kiro
from runaway.installer.harnesses.kiro import own_file
from runaway.installer.harnesses.kiro.checks import checks as examine
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.installer import codes, diagnose, levels, row, unwire, wire

CHOSEN = ("kiro",)
# As https://kiro.dev/docs/cli/v3/hooks describes a file of hooks.
DOCUMENTED = {
    "type": "object",
    "required": ["version", "hooks"],
    "properties": {
        "version": {"const": "v1"},
        "hooks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "trigger", "action"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string"},
                    "trigger": {"enum": ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"]},
                    "matcher": {"type": "string"},
                    "timeout": {"type": "integer"},  # seconds
                    "enabled": {"type": "boolean"},
                    "action": {
                        "type": "object",
                        "required": ["type", "command"],
                        "additionalProperties": False,
                        "properties": {
                            "type": {"const": "command"},
                            "command": {"type": "string"},
                        },
                    },
                },
            },
        },
    },
}
AGENT = {"name": "mine", "tools": ["*"], "hooks": {"stop": [{"command": "true"}]}}


@pytest.fixture
def home(machine: Machine) -> Path:
    return machine.home


def install(machine: Machine, name: str, version: str) -> None:
    """A stand-in for the real program: it tells its version and nothing else."""
    program = machine.home / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\necho '{name} {version}'\n")
    program.chmod(0o755)


def agent(home: Path, name: str = "mine", contents: Any = AGENT) -> Path:
    path = home / f".kiro/agents/{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(contents if isinstance(contents, str) else json.dumps(contents, indent=2))
    return path


def active(home: Path, name: str) -> None:
    path = home / ".kiro/settings/cli.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"chat.defaultAgent": name}))


def hooks_file(home: Path) -> Path:
    return home / ".kiro/hooks/runaway.json"


def troubles(machine: Machine) -> list[tuple[str, str]]:
    found = examine(machine, machine.home / "project")
    return [(one.check, one.level) for one in found if one.level in ("error", "warning")]


def test_our_file_is_as_the_vendor_documents_it(machine: Machine, home: Path) -> None:
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "added"
    value = json.loads(hooks_file(home).read_bytes())
    jsonschema.validate(value, DOCUMENTED)
    command = command_for(machine.launcher, "kiro")
    assert list(own_file.commands(value)) == [(event, command) for event in kiro.paths.EVENTS]
    assert "|| true); case" in command
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "unchanged"
    assert row(unwire(machine, harnesses=CHOSEN))["action"] == "removed"
    assert not (home / ".kiro").exists()


def test_the_registered_command_is_tried_by_its_exit_code(machine: Machine) -> None:
    wire(machine, harnesses=CHOSEN)
    found = levels(diagnose(machine, harnesses=CHOSEN))
    assert (found["installed.entry"], found["fires.command"]) == ("ok", "ok")
    assert (found["allowed.proof"], found["trusted.consent"]) == ("info", "info")
    machine.launcher.write_text("exit 2\n")
    assert levels(diagnose(machine, harnesses=CHOSEN))["fires.command"] == "error"


def test_what_is_read_and_not_run_is_called_so(machine: Machine) -> None:
    [told] = [one for one in examine(machine, machine.home) if one.check == "allowed.proof"]
    assert "read in its documents, not run" in told.message


@pytest.mark.parametrize("program", [("kiro-cli", "3.0.1"), ("kiro", "1.0.309")])
def test_releases_that_read_files_of_hooks(
    machine: Machine, home: Path, program: tuple[str, str]
) -> None:
    install(machine, *program)
    before = agent(home).read_bytes()
    wire(machine, harnesses=CHOSEN)
    assert hooks_file(home).exists()
    assert agent(home).read_bytes() == before
    assert troubles(machine) == []


def test_cli_2_has_the_guard_in_each_agent_that_is_there(machine: Machine, home: Path) -> None:
    install(machine, "kiro-cli", "2.21.3")
    files = [agent(home), agent(home, "other", {"tools": ["@builtin"]})]
    texts = [file.read_text() for file in files]
    active(home, "mine")
    rows = wire(machine, harnesses=CHOSEN).data["harnesses"]
    assert [Path(one["path"]) for one in rows] == files
    assert not hooks_file(home).exists()
    entry = {"command": command_for(machine.launcher, "kiro"), "timeout_ms": 10000}
    hooks = json.loads(files[0].read_bytes())["hooks"]
    assert hooks == {**AGENT["hooks"], "preToolUse": [entry], "userPromptSubmit": [entry]}  # type: ignore[dict-item]
    assert troubles(machine) == []
    assert wire(machine, harnesses=CHOSEN).status == "unchanged"
    assert unwire(machine, harnesses=CHOSEN).exit_code == 0
    assert [file.read_text() for file in files] == texts


def test_both_where_both_are_installed(machine: Machine, home: Path) -> None:
    install(machine, "kiro-cli", "2.21.3")
    install(machine, "kiro", "1.0.309")
    file = agent(home)
    active(home, "mine")
    wire(machine, harnesses=CHOSEN)
    assert hooks_file(home).exists()
    assert "runaway/launch" in file.read_text()
    assert troubles(machine) == []


def test_a_file_that_cli_2_ignores_is_not_written_nor_called_installed(
    machine: Machine, home: Path
) -> None:
    wire(machine, harnesses=CHOSEN)
    install(machine, "kiro-cli", "2.21.3")
    assert troubles(machine) == [("installed.entry", "error")]
    hooks_file(home).unlink()
    refused = wire(machine, harnesses=CHOSEN)
    assert (refused.exit_code, codes(refused)) == (1, ["kiro-ignores-file"])
    assert not hooks_file(home).exists()


@pytest.mark.parametrize("name", ["", "kiro_default", "gone"])
def test_an_agent_without_a_file_is_not_guarded(machine: Machine, home: Path, name: str) -> None:
    install(machine, "kiro-cli", "2.21.3")
    agent(home)
    active(home, name)
    wire(machine, harnesses=CHOSEN)
    assert troubles(machine) == [("allowed.agent", "error")]


def test_an_agent_of_a_project_is_told(machine: Machine, home: Path) -> None:
    install(machine, "kiro-cli", "2.21.3")
    agent(home)
    active(home, "mine")
    wire(machine, harnesses=CHOSEN)
    file = home / "project/.kiro/agents/theirs.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(AGENT))
    assert troubles(machine) == [("allowed.project-agent", "warning")]


def test_an_entry_that_cli_3_would_run_besides_is_told(machine: Machine, home: Path) -> None:
    install(machine, "kiro-cli", "2.21.3")
    agent(home)
    wire(machine, harnesses=CHOSEN)
    install(machine, "kiro-cli", "3.0.100")
    wire(machine, harnesses=CHOSEN)
    assert troubles(machine) == [("installed.once", "warning")]
    unwire(machine, harnesses=CHOSEN)
    wire(machine, harnesses=CHOSEN)
    assert troubles(machine) == []


def test_an_editor_before_1_0_is_too_old(machine: Machine) -> None:
    wire(machine, harnesses=CHOSEN)
    install(machine, "kiro", "0.11.28")
    assert ("allowed.release", "error") in troubles(machine)


REJECTED = {
    "a comment": '{"tools": ["*"]} // mine',
    "a list": [],
    "hooks that are a list": {"hooks": []},
    "an event that nobody knows": {"hooks": {"PreToolUse": []}},
    "an event that is no list": {"hooks": {"preToolUse": {}}},
    "a group": {"hooks": {"preToolUse": [{"matcher": "*", "hooks": [{"command": "x"}]}]}},
    "an entry that is a text": {"hooks": {"stop": ["x"]}},
}


@pytest.mark.parametrize("contents", REJECTED.values(), ids=REJECTED)
def test_an_agent_that_kiro_rejects_stays_untouched(
    machine: Machine, home: Path, contents: Any
) -> None:
    install(machine, "kiro-cli", "2.21.3")
    file = agent(home, contents=contents)
    text = file.read_text()
    assert wire(machine, harnesses=CHOSEN).exit_code == 1
    assert file.read_text() == text


def test_no_agent_is_made(machine: Machine, home: Path) -> None:
    target = kiro.edit_target(machine, "user", home / ".kiro/agents/new.json")
    with pytest.raises(Refusal) as refused:
        target.install_entry(None)
    assert refused.value.code == "no-agent"


@pytest.mark.parametrize(
    "contents", ['{"version": "v1", "hooks": []}', '{"hooks": [{"name": "x"}]}']
)
def test_a_file_of_that_name_that_is_not_ours_stays(
    machine: Machine, home: Path, contents: str
) -> None:
    hooks_file(home).parent.mkdir(parents=True)
    hooks_file(home).write_text(contents)
    assert codes(wire(machine, harnesses=CHOSEN)) == ["foreign-file"]
    assert unwire(machine, harnesses=CHOSEN).exit_code == 0
    assert hooks_file(home).read_text() == contents


def test_a_hook_of_ours_that_somebody_has_switched_off(machine: Machine, home: Path) -> None:
    wire(machine, harnesses=CHOSEN)
    text = hooks_file(home).read_text()
    hooks_file(home).write_text(text.replace("true\n", "false\n", 1))
    assert troubles(machine) == [("allowed.disabled", "error")]
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "updated"
    assert hooks_file(home).read_text() == text
