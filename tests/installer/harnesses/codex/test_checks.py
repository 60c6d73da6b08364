"""What the doctor says from the files alone; tests/live has the rest, with the real Codex."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from runaway.installer.commands import setup
from runaway.installer.harnesses import clients, codex
from runaway.installer.harnesses.base import Check
from runaway.installer.machine import Machine

CHOSEN = ("codex",)


@pytest.fixture
def trusted(machine: Machine) -> Machine:
    machine = machine._replace(environ={**machine.environ, "PATH": str(machine.home)})
    done = setup.run(machine, setup.Options(CHOSEN, trust_codex_hook=True))
    assert done.exit_code == 0
    return machine


def found(machine: Machine, project: Path | None = None) -> list[Check]:
    return list(codex.checks(machine, project or machine.cwd))


def bad(machine: Machine) -> dict[str, str]:
    """Check -> level of all that is not in order."""
    return {one.check: one.level for one in found(machine) if one.level not in ("ok", "skipped")}


def hooks(machine: Machine) -> Path:
    return machine.home / ".codex/hooks.json"


def config(machine: Machine) -> Path:
    return machine.home / ".codex/config.toml"


def append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + text)


def test_all_is_well_after_setup_with_consent(trusted: Machine) -> None:
    assert bad(trusted) == {}
    [consent] = [one for one in found(trusted) if one.check == "trusted.consent"]
    assert "PreToolUse, UserPromptSubmit" in consent.message


def test_without_setup_the_entry_is_missing(machine: Machine) -> None:
    assert bad(machine) == {"installed.entry": "error"}


def test_without_consent_it_is_not_trusted(machine: Machine) -> None:
    machine = machine._replace(environ={**machine.environ, "PATH": str(machine.home)})
    setup.run(machine, setup.Options(CHOSEN))
    assert bad(machine) == {"trusted.consent": "error"}


def switch_off(machine: Machine, switch: str) -> None:
    append(config(machine), f"\n[features]\n{switch} = false\n")


@pytest.mark.parametrize("switch", ["hooks", "codex_hooks"])
def test_a_switch_in_the_users_config_is_an_error(trusted: Machine, switch: str) -> None:
    switch_off(trusted, switch)
    assert bad(trusted) == {"allowed.disabled": "error"}


MANAGED: Mapping[str, tuple[str, str, str]] = {
    "requirements switch hooks off": (
        "requirements.toml",
        "[features]\nhooks = false\n",
        "allowed.disabled",
    ),
    "config switches hooks off": ("config.toml", "[features]\nhooks = false\n", "allowed.disabled"),
    "managed config switches hooks off": (
        "managed_config.toml",
        "[features]\nhooks = false\n",
        "allowed.disabled",
    ),
    "managed hooks only": (
        "requirements.toml",
        "allow_managed_hooks_only = true\n",
        "allowed.managed",
    ),
    "a managed file that is broken": ("config.toml", "[hooks]\nStop = 3\n", "allowed.file"),
}


@pytest.mark.parametrize(("name", "text", "check"), MANAGED.values(), ids=MANAGED)
def test_the_machine_owners_files_outrank_the_users(
    trusted: Machine, name: str, text: str, check: str
) -> None:
    append(trusted.root / "etc/codex" / name, text)
    assert bad(trusted) == {check: "error"}


def test_an_entry_of_the_machines_owner_needs_no_trust(trusted: Machine) -> None:
    append(trusted.root / "etc/codex/hooks.json", hooks(trusted).read_text())
    hooks(trusted).unlink()
    assert bad(trusted) == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{", "// mine\n{"),
        ('"timeout": 10', '"timeout": 10.5'),
        ('"hooks"', '"version": 1, "hooks"'),
        ('"PreToolUse": [', '"PreToolUse": [3,'),
    ],
)
def test_a_file_that_is_dropped_is_an_error(trusted: Machine, old: str, new: str) -> None:
    hooks(trusted).write_text(hooks(trusted).read_text().replace(old, new, 1))
    assert bad(trusted)["allowed.file"] == "error"


@pytest.mark.parametrize("text", ["[a]\nb = { x = 1,\n }\n", "not toml"])
def test_of_a_config_that_we_cannot_read_nothing_is_claimed(trusted: Machine, text: str) -> None:
    config(trusted).write_text(text)
    assert bad(trusted) == {"allowed.file": "warning", "trusted.consent": "warning"}


def test_a_config_with_which_codex_does_not_start_is_an_error(trusted: Machine) -> None:
    config(trusted).write_text("[hooks]\nStop = 3\n")
    [file] = [one for one in found(trusted) if one.check == "allowed.file"]
    assert file.level == "error"
    assert file.message.startswith("Codex does not start with ~/.codex/config.toml: ")


def test_an_empty_hooks_file_is_an_error(trusted: Machine) -> None:
    hooks(trusted).write_text("\n")
    assert bad(trusted)["allowed.file"] == "error"


def test_a_changed_entry_is_no_longer_trusted(trusted: Machine) -> None:
    hooks(trusted).write_text(hooks(trusted).read_text().replace('"timeout": 10', '"timeout": 11'))
    assert bad(trusted) == {"installed.entry": "error", "trusted.consent": "error"}


def test_a_hook_that_stands_before_ours_takes_its_trust(trusted: Machine) -> None:
    settings = json.loads(hooks(trusted).read_bytes())
    settings["hooks"]["PreToolUse"].insert(0, {"hooks": []})
    hooks(trusted).write_text(json.dumps(settings))
    assert bad(trusted) == {"trusted.consent": "error"}


def test_a_hook_that_is_switched_off_is_told_apart(trusted: Machine) -> None:
    text = config(trusted).read_text()
    config(trusted).write_text(text.replace("trusted_hash", "enabled = false\ntrusted_hash", 1))
    [error] = [one for one in found(trusted) if one.level == "error"]
    assert "switched off" in error.message


def test_twice_is_a_warning(trusted: Machine) -> None:
    settings = json.loads(hooks(trusted).read_bytes())
    settings["hooks"]["PreToolUse"] *= 2
    hooks(trusted).write_text(json.dumps(settings))
    assert bad(trusted)["installed.once"] == "warning"


def test_an_event_that_is_missing_is_a_warning(trusted: Machine) -> None:
    settings = json.loads(hooks(trusted).read_bytes())
    del settings["hooks"]["UserPromptSubmit"]
    hooks(trusted).write_text(json.dumps(settings))
    assert bad(trusted) == {"installed.events": "warning"}


def test_hooks_in_both_files_are_mentioned(trusted: Machine) -> None:
    group = '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n'
    append(config(trusted), group)
    assert bad(trusted) == {"allowed.both": "info"}


def test_an_entry_where_codex_home_no_longer_points_is_mentioned(
    trusted: Machine, tmp_path: Path
) -> None:
    environ = {**trusted.environ, "CODEX_HOME": str(tmp_path)}
    moved = trusted._replace(environ=environ, cwd=tmp_path)
    assert bad(moved) == {"installed.entry": "error", "allowed.config-folder": "info"}


def test_a_codex_home_that_is_missing_is_an_error(trusted: Machine, tmp_path: Path) -> None:
    moved = trusted._replace(environ={**trusted.environ, "CODEX_HOME": str(tmp_path / "none")})
    messages = [one.message for one in found(moved) if one.check == "allowed.config-folder"]
    assert "is no folder" in messages[0]


def test_a_daemon_is_mentioned(trusted: Machine) -> None:
    append(trusted.home / ".codex/app-server-control/app-server-control.sock", "")
    assert bad(trusted) == {"allowed.daemon": "info"}


def test_an_entry_of_a_project_counts_only_where_the_project_is_trusted(trusted: Machine) -> None:
    project = trusted.home / "work"
    project.mkdir()
    chosen = setup.Options(CHOSEN, scope="project", project=project, trust_codex_hook=True)
    setup.run(trusted, chosen)
    assert [one.check for one in found(trusted, project) if one.level == "error"] == [
        "allowed.project"
    ]
    append(config(trusted), f'\n[projects."{project}"]\ntrust_level = "trusted"\n')
    assert not [one for one in found(trusted, project) if one.level == "error"]


def test_an_old_release_is_a_warning(trusted: Machine) -> None:
    program = trusted.home / "codex"
    program.write_text("#!/bin/sh\necho codex-cli 0.99.0\n")
    program.chmod(0o755)
    [old] = clients.checks(trusted, codex, ask=True)
    assert (old.check, old.level) == ("allowed.release", "error")
    assert old.message.startswith(
        "Codex 0.99.0 (~/codex) is too old: the guard is known to work from 0.130.0 on"
    )
    [kept] = clients.checks(trusted, codex, ask=False)
    assert kept == old
    program.write_text("#!/bin/sh\necho codex-cli 0.171.0\n")
    assert not list(clients.checks(trusted, codex, ask=True))


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("work.config.toml", "[features]\nhooks = false\n"),
        ("config.toml", "[profiles.work.features]\ncodex_hooks = false\n"),
    ],
)
def test_a_profile_that_switches_hooks_off_is_named(trusted: Machine, file: str, text: str) -> None:
    """Public case: openai/codex#21615."""
    path = trusted.home / ".codex" / file
    path.write_text((path.read_text() if path.exists() else "") + text)
    assert bad(trusted) == {"allowed.profile": "warning"}
    [told] = [one for one in found(trusted) if one.check == "allowed.profile"]
    assert "`codex --profile work` runs no hook" in told.message
    path.write_text(path.read_text().replace("false", "true"))
    assert bad(trusted) == {}
