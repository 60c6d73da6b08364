"""Every program that reads a file counts, not only the first on PATH."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.installer import protection
from runaway.installer.harnesses import clients, release
from runaway.installer.harnesses.claude import paths
from runaway.installer.harnesses.claude.checks import checks
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from tests.support.installer import install_claude, user_file, wire

EXTENSION = ".vscode/extensions/anthropic.claude-code-{}/resources/native-binary/claude"
NVM = ".nvm/versions/node/v18.20.8/bin/claude"
PACKAGE = "node_modules/@anthropic-ai/claude-code"


def program(path: Path, version: str = "") -> Path:
    """One that tells its version, or that must not be started."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\n" if version else "#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return path


def packaged(folder: Path, **fields: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps(fields))
    return program(folder / "cli.js")


def nvm(home: Path) -> None:
    (home / NVM).parent.mkdir(parents=True)
    (home / NVM).symlink_to(packaged(home / ".nvm/lib" / PACKAGE, version="2.1.70"))


def editor(home: Path) -> None:
    program(home / EXTENSION.format("2.1.70-linux-x64"))
    packaged(home / ".vscode/extensions/anthropic.claude-code-2.1.70-linux-x64", version="2.1.70")


def sdk(home: Path) -> None:
    folder = home / "work/node_modules/@anthropic-ai/claude-agent-sdk"
    packaged(folder, version="0.3.333", claudeCodeVersion="2.1.70")


def python_sdk(home: Path) -> None:
    bundled = home / "lib/python3.12/site-packages/claude_agent_sdk/_bundled"
    program(bundled / "claude")
    (bundled / "claude.version").write_text("2.1.70\n")


def on_path(home: Path) -> None:
    program(home / "other/bin/claude", "2.1.70")


PLACES = [nvm, editor, sdk, python_sdk, on_path]


@pytest.fixture
def home(machine: Machine) -> Path:
    install_claude(machine, "2.1.332")
    (machine.home / "work").mkdir()
    return machine.home


def at_work(machine: Machine) -> Machine:
    other = machine.home / "other/bin"
    path = f"{machine.home}/bin:{other}:{machine.environ['PATH']}"
    return machine._replace(cwd=machine.home / "work", environ={**machine.environ, "PATH": path})


@pytest.mark.parametrize("place", PLACES)
def test_the_oldest_of_all_says_what_is_bound(machine: Machine, home: Path, place: object) -> None:
    """Public case: stablyai/orca#10191."""
    assert callable(place)
    here = at_work(machine)
    assert paths.events(here) == ("PreToolUse", "PostToolBatch")
    place(home)
    assert paths.version(here) == (2, 1, 70)
    assert paths.events(here) == ("PreToolUse",)
    assert len(paths.find_clients(here, ask=True)) == 2


def test_a_package_of_the_persons_own_says_nothing_of_a_program(
    machine: Machine, home: Path
) -> None:
    packaged(home, version="1.0.0")
    assert [one.version for one in paths.find_clients(machine, ask=False)] == [None]
    assert paths.version(machine) == (2, 1, 332)


def test_what_an_editor_will_delete_is_in_nobodys_use(machine: Machine, home: Path) -> None:
    editor(home)
    name = "anthropic.claude-code-2.1.70-linux-x64"
    (home / ".vscode/extensions/.obsolete").write_text(json.dumps({name: True}))
    assert paths.version(machine) == (2, 1, 332)


def test_many_links_to_one_program_are_one_client(machine: Machine, home: Path) -> None:
    (home / ".local/bin").mkdir(parents=True, exist_ok=True)
    (home / ".local/bin/claude").symlink_to(home / "bin/claude")
    assert [one.version for one in paths.find_clients(machine, ask=True)] == [(2, 1, 332)]


def test_without_asking_files_tell(machine: Machine, home: Path) -> None:
    nvm(home)
    found = paths.find_clients(machine, ask=False)
    assert sorted(str(one.version) for one in found) == ["(2, 1, 70)", "None"]
    assert clients.oldest(found) is not None


def test_an_event_is_taken_back_after_a_downgrade(machine: Machine, home: Path) -> None:
    wire(machine)
    assert list(json.loads(user_file(machine).read_bytes())["hooks"]) == [
        "PreToolUse",
        "PostToolBatch",
    ]
    nvm(home)
    [dropped] = [one for one in checks(machine, home) if one.level == "error"]
    assert dropped.message.startswith(f"Claude Code 2.1.70 (~/{NVM.partition('/bin')[0]}")
    assert "hooks.PostToolBatch" in dropped.message
    assert dropped.fix.startswith("Run `runaway setup")
    assert wire(machine).status == "changes"
    assert list(json.loads(user_file(machine).read_bytes())["hooks"]) == ["PreToolUse"]
    assert not [one for one in checks(machine, home) if one.level in ("error", "warning")]
    assert wire(machine).status == "unchanged"


def test_a_persons_event_that_an_old_release_does_not_know_is_a_fault(machine: Machine) -> None:
    """Public case: farouqaldori/vibe-notch#85."""
    install_claude(machine, "2.1.70")
    user_file(machine).parent.mkdir(parents=True, exist_ok=True)
    user_file(machine).write_text('{"hooks": {"PostCompact": [], "ConfigChange": []}}')
    before = user_file(machine).read_bytes()
    refused = wire(machine)
    assert refused.exit_code == 1
    [message] = [one for one in refused.messages if one.level == "error"]
    assert "hooks.PostCompact at 1:27: Claude Code 2.1.70 does not know this event" in message.text
    assert user_file(machine).read_bytes() == before
    install_claude(machine, "2.1.105")
    assert wire(machine).exit_code == 0


def test_where_no_program_is_found_the_doctor_says_what_is_not_seen(machine: Machine) -> None:
    wire(machine)
    [told] = [one for one in checks(machine, machine.home) if one.check == "installed.client"]
    assert told.level == "warning"
    assert "not bound to PostToolBatch" in told.message
    assert told.fix.endswith("run `runaway setup --refresh`.")
    install_claude(machine, "2.1.332")
    wire(machine)
    assert not [one for one in checks(machine, machine.home) if one.check == "installed.client"]


OLD = {name: one for name, one in HARNESSES.items() if one.OLDEST}


@pytest.mark.parametrize("name", OLD)
def test_an_old_release_that_a_person_calls_is_an_error_another_one_a_warning(
    machine: Machine, name: str
) -> None:
    """Public case: google-gemini/gemini-cli#14932."""
    machine.state.mkdir(parents=True, mode=0o700)
    called = OLD[name].tamper_facts(machine).programs[0]
    first = program(machine.home / "bin" / called, "0.0.1")
    other = program(machine.home / ".volta/bin" / called, "0.0.2")
    found = list(clients.checks(machine, OLD[name], ask=True))
    assert [one.level for one in found] == ["error", "warning"]
    assert f"0.0.1 ({machine.tilde(first)}) is too old: the guard" in found[0].message
    assert list(clients.checks(machine, OLD[name], ask=False)) == found
    for path in (first, other):
        program(path, release.text(OLD[name].OLDEST))
    assert not list(clients.checks(machine, OLD[name], ask=True))


def test_status_does_not_call_an_old_release_armed(machine: Machine) -> None:
    wire(machine, harnesses=("gemini",))
    assert protection.of(machine, HARNESSES["gemini"], 1.0).armed
    program(machine.home / "bin/gemini", "0.24.0")
    list(clients.checks(machine, HARNESSES["gemini"], ask=True))
    told = protection.of(machine, HARNESSES["gemini"], 1.0)
    assert not told.armed
    assert "Gemini CLI 0.24.0" in str(told.why_not)
