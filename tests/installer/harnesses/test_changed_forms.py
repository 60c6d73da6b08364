"""Entries that a person has rewritten: an equal one is ours, a wrapped one is never doubled.

Public case: herdrdev/herdr#3378.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer.commands import setup, uninstall
from runaway.installer.launch_command import command_for, is_changed, same_place
from runaway.installer.machine import Machine, scratch_machine
from tests.support.installer import call, diagnose, payload, unwire, wire

HARNESSES = ("claude", "gemini", "qwen", "droid", "copilot", "codex", "cursor")
MACHINE = scratch_machine(Path("/home/u"))
LAUNCHER = MACHINE.launcher
COMMAND = command_for(LAUNCHER, "claude")
QUOTED = "'/home/u/.local/share/runaway/launch'"

EQUAL = {
    "the home in quotes": '"$HOME/.local/share/runaway/launch"',
    "the home in braces": '"${HOME}/.local/share/runaway/launch"',
    "without quotes": "$HOME/.local/share/runaway/launch",
    "a tilde": "~/.local/share/runaway/launch",
}
OTHER = {
    "not replaced by the shell": "'$HOME/.local/share/runaway/launch'",
    "another place": '"$HOME/.local/shared/runaway/launch"',
    "a command inside": '"$HOME/$(date)/runaway/launch"',
    "half a quote": '"$HOME/.local/share/runaway/launch',
}
CHANGED = {
    "a time limit": f"timeout 5 {COMMAND.removeprefix('exec ')}",
    "another shell": f"bash -c 'command . \"$0\"' {QUOTED} claude",
    "started plainly": f"{QUOTED} claude",
    "as a script": "sh -c '. /home/u/.local/share/runaway/launch claude'",
    "a mangled argument": COMMAND.replace("claude", "claud"),
    "another ending": f"{COMMAND}; true",
    "a quote without its end": COMMAND[:-8],
}
STRANGE = {
    "a stranger's": "/home/u/bin/check",
    "a name like ours": "cat /home/u/runaway/launcher.txt x",
    "ours": COMMAND,
    "an earlier one of ours": COMMAND.removeprefix("exec /bin/"),
    "a path": str(LAUNCHER),
    "a mention": f"log '{LAUNCHER}' claude",
}


@pytest.mark.parametrize("place", EQUAL.values(), ids=EQUAL.keys())
def test_the_place_may_be_written_by_the_home(place: str) -> None:
    assert same_place(COMMAND.replace(QUOTED, place), MACHINE)


@pytest.mark.parametrize("place", OTHER.values(), ids=OTHER.keys())
def test_another_place_is_another_command(place: str) -> None:
    assert not same_place(COMMAND.replace(QUOTED, place), MACHINE)


@pytest.mark.parametrize("command", CHANGED.values(), ids=CHANGED.keys())
def test_a_changed_form_is_known(command: str) -> None:
    assert is_changed(command)


@pytest.mark.parametrize("command", STRANGE.values(), ids=STRANGE.keys())
def test_what_is_no_changed_form(command: str) -> None:
    assert not is_changed(command)


def files_of(machine: Machine) -> list[Path]:
    found = [machine.home / name for name in (".claude", ".gemini", ".qwen", ".factory")]
    return [path for folder in found for path in folder.glob("*.json")]


def rewritten(machine: Machine, name: str, change: dict[str, str]) -> Path:
    """The entry of this harness after somebody has edited its command."""
    result = wire(machine, harnesses=(name,), trust_codex_hook=name == "codex")
    path = Path(result.data["harnesses"][0]["path"])
    text = path.read_text()
    for old, new in change.items():
        assert json.dumps(old)[1:-1] in text
        text = text.replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])
    path.write_text(text)
    return path


def by_home(machine: Machine) -> dict[str, str]:
    inside = machine.launcher.relative_to(machine.home)
    return {f"'{machine.launcher}'": f'"$HOME/{inside}"'}


@pytest.mark.parametrize("name", [name for name in HARNESSES if name not in ("codex", "cursor")])
def test_an_equal_form_stays_as_it_is_and_is_no_fault(machine: Machine, name: str) -> None:
    path = rewritten(machine, name, by_home(machine))
    before = path.read_bytes()
    assert wire(machine, harnesses=(name,)).status == "unchanged"
    assert path.read_bytes() == before
    found = diagnose(machine, harnesses=(name,)).data["checks"]
    assert {one["level"] for one in found if one["check"].startswith("installed.entry")} == {"ok"}
    unwire(machine, harnesses=(name,))
    assert b"runaway/launch" not in (path.read_bytes() if path.exists() else b"")


def test_an_equal_form_guards(machine: Machine) -> None:
    path = rewritten(machine, "claude", by_home(machine))
    command = json.loads(path.read_bytes())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    assert command.startswith("exec /bin/sh -c")
    assert "$HOME" in command
    assert call(command, payload(), HOME=str(machine.home)) == (0, b"")
    assert list((machine.state / "sessions").iterdir())


@pytest.mark.parametrize("name", [name for name in HARNESSES if name != "codex"])
def test_a_wrapped_entry_is_told_and_never_doubled(machine: Machine, name: str) -> None:
    path = rewritten(machine, name, {"exec /bin/sh": "timeout 5 /bin/sh"})
    before = path.read_bytes()
    refused = wire(machine, harnesses=(name,))
    assert [one.code for one in refused.messages if one.level == "error"] == ["changed-entry"]
    assert path.read_bytes() == before
    checks = diagnose(machine, harnesses=(name,)).data["checks"]
    [told, *_] = [one for one in checks if one["check"] == "installed.changed"]
    assert "timeout 5 /bin/sh" in told["message"]
    result = uninstall.run(machine, uninstall.Options((name,)))
    assert "changed-entry" in {one.code for one in result.messages}
    assert path.read_bytes() == before
    assert setup.run(machine, setup.Options((name,), check=True)).exit_code == 1
